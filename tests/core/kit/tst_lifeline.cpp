// SPDX-License-Identifier: Apache-2.0
#include "kit/lifeline.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

using kernelskill::kit::Lifeline;

class TestLifeline : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void processEndsWithAllItStarted_data()
    {
        QTest::addColumn<bool>("endOfInput"); // or silence
        QTest::newRow("its input ends") << true;
        QTest::newRow("its input is silent") << false;
    }
    void processEndsWithAllItStarted()
    {
        QFETCH(bool, endOfInput);
        int input[2], alive[2];
        QCOMPARE(pipe(input), 0);
        QCOMPARE(pipe(alive), 0);
        const pid_t worker = fork();
        if (worker == 0) {
            close(input[1]);
            // In a group and session of its own, holding `alive` open.
            if (fork() == 0) {
                setsid();
                for (;;)
                    pause();
            }
            const Lifeline lifeline(input[0], endOfInput ? 0 : 0.2);
            for (;;)
                pause();
        }
        close(alive[1]);
        close(input[0]);
        QCOMPARE(write(input[1], "\n", 1), 1); // a sign of life changes nothing
        if (endOfInput) close(input[1]);
        int status = 0;
        QCOMPARE(waitpid(worker, &status, 0), worker);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), Lifeline::exitCode);
        char byte = 0;
        QCOMPARE(read(alive[0], &byte, 1), 0); // nobody holds it any more
        if (!endOfInput) close(input[1]);
        close(alive[0]);
    }

    void nothingHappensOnceItIsOver()
    {
        int input[2];
        QCOMPARE(pipe(input), 0);
        {
            const Lifeline lifeline(input[0]);
        }
        close(input[1]);
        close(input[0]);
    }
};

QTEST_GUILESS_MAIN(TestLifeline)
#include "tst_lifeline.moc"
