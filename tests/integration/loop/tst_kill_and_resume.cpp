// SPDX-License-Identifier: Apache-2.0
// kill -9 of the command line at any moment: the session reopens and resumes to the end an undisturbed run reaches.
#include "program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QTest>

using namespace kernelskill::test;

class tst_kill_and_resume : public QObject
{
    Q_OBJECT
    TestFolders m_folders;
    QByteArray m_undisturbed;
    qint64 m_wall_ms = 0;

    static constexpr int kills = 20;

    QStringList arguments(const QString &session) const
    {
        return {"optimize", taskFolder("transpose"), "--rounds", "4", "--seed", "11", "--memory", "none", "--json", "--session", session};
    }

    QByteArray trajectory(const QString &session)
    {
        const QJsonObject shown = m_folders.kernelskill({"session", "show", session, "--json"}).json();
        return QJsonDocument(shown.value("trajectory").toArray()).toJson(QJsonDocument::Compact);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString session = m_folders.path("undisturbed.kss");
        const ProgramEnd cold = m_folders.kernelskill(arguments(session));
        QVERIFY2(cold.exitCode == 0, cold.err.constData());
        const QString again = m_folders.path("warm.kss"); // compiled references are there now, as they are for those that die
        const ProgramEnd warm = m_folders.kernelskill(arguments(again));
        QVERIFY2(warm.exitCode == 0, warm.err.constData());
        m_wall_ms = warm.wall_ms;
        m_undisturbed = trajectory(session);
        QVERIFY(m_undisturbed.size() > 500);
        QCOMPARE(trajectory(again), m_undisturbed);
    }

    void resumesToTheSameEnd_data()
    {
        QTest::addColumn<int>("delay_ms");
        QRandomGenerator random(20260101);
        for (int i = 0; i < kills; ++i) {
            const int delay = int(double(m_wall_ms) * random.generateDouble());
            QTest::addRow("kill %d after %d ms", i, delay) << delay;
        }
    }

    void resumesToTheSameEnd()
    {
        QFETCH(int, delay_ms);
        const QString session = m_folders.path(QStringLiteral("killed-%1.kss").arg(delay_ms));
        QProcess process;
        m_folders.prepare(process, "kernelskill", arguments(session));
        process.start();
        QVERIFY(process.waitForStarted());
        // A program that has ended has no process any more, and a signal to process 0 is one to this test and to all that
        // runs it.
        if (!process.waitForFinished(delay_ms)) {
            process.kill();
            QVERIFY(process.waitForFinished());
        }
        if (!QFile::exists(session)) return; // died before the session began: nothing was promised yet
        const ProgramEnd shown = m_folders.kernelskill({"session", "show", session, "--json"});
        if (shown.json().value("trajectory").toArray().isEmpty() && shown.exitCode != 0) {
            // The file was made, but the database was not in it yet, or no first event: a sentence that names the file.
            const bool known = shown.err.contains("nothing was ever stored in it") || shown.err.contains("not a session file");
            QVERIFY2(known && shown.err.contains(session.toUtf8()), shown.err.constData());
            return;
        }
        const ProgramEnd resumed = m_folders.kernelskill({"session", "resume", session, "--memory", "none", "--json"});
        if (resumed.exitCode != 0) {
            // Only a session without any event cannot be resumed, and resuming says so.
            QVERIFY2(shown.json().value("trajectory").toArray().isEmpty(), resumed.err.constData());
            QVERIFY2(resumed.err.contains("nothing was ever run in it"), resumed.err.constData());
            return;
        }
        QCOMPARE(trajectory(session), m_undisturbed);
    }
};

QTEST_GUILESS_MAIN(tst_kill_and_resume)
#include "tst_kill_and_resume.moc"
