// SPDX-License-Identifier: Apache-2.0
#include "worker/worker_process.h"

#include <QCoroTest>

#include <QJsonObject>
#include <QTest>
#include <QTimer>

using namespace kernelskill;

class TestWorkerProcess : public QObject
{
    Q_OBJECT

private:
    static WorkerCommand command(const QString &what)
    {
        return {QStringLiteral(BUILD_DIR "/tests/worker_probe"), {what}, {{QStringLiteral("number"), 17}}, 10'000};
    }

private Q_SLOTS:
    void messagesArriveInOrder()
    {
        QStringList stages;
        const auto end = QCoro::waitFor(runWorker(
            command(QStringLiteral("good")),
            [&](const QJsonObject &message) { stages.append(message.value(u"stage").toString()); }, {}));
        QVERIFY(end);
        QCOMPARE(stages, QStringList({QStringLiteral("first"), QStringLiteral("second")}));
        QCOMPARE(end->last.value(u"request").toObject().value(u"number").toInt(), 17);
        QCOMPARE(end->log, QStringLiteral("a line of log\n"));
    }

    void faults_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("part");
        QTest::newRow("other version") << QStringLiteral("rude") << QStringLiteral("worker.protocol") << QStringLiteral("expected a hello with protocol 1");
        QTest::newRow("no JSON") << QStringLiteral("babble") << QStringLiteral("worker.protocol") << QStringLiteral("found \"Hello, I am a program.\"");
        QTest::newRow("dies") << QStringLiteral("die") << QStringLiteral("worker.died") << QStringLiteral("worker_probe ended with exit status 7");
        QTest::newRow("crashes") << QStringLiteral("crash") << QStringLiteral("worker.died") << QStringLiteral("died by signal 6");
    }
    void faults()
    {
        QFETCH(QString, what);
        QFETCH(QString, code);
        QFETCH(QString, part);
        const auto end = QCoro::waitFor(runWorker(command(what), {}, {}));
        QVERIFY(!end);
        QCOMPARE(end.error().code, code);
        QVERIFY2(end.error().message.contains(part), qPrintable(end.error().message));
    }

    void logOfADeadWorkerIsKept()
    {
        const auto end = QCoro::waitFor(runWorker(command(QStringLiteral("die")), {}, {}));
        QVERIFY(!end);
        QCOMPARE(end.error().detail, QStringLiteral("a line of log\n"));
    }

    void hangIsTimedOut()
    {
        WorkerCommand hanging = command(QStringLiteral("hang"));
        hanging.wallClock_ms = 300;
        const auto end = QCoro::waitFor(runWorker(hanging, {}, {}));
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.timeout"));
        QCOMPARE(end.error().message, QStringLiteral("worker_probe did not finish within 0.3 s."));
    }

    void stageHasItsOwnClock()
    {
        WorkerCommand slow = command(QStringLiteral("dawdle"));
        slow.stageClock_ms = {{QStringLiteral("first"), 300}};
        const auto end = QCoro::waitFor(runWorker(slow, {}, {}));
        QVERIFY(!end);
        QCOMPARE(end.error().message, QStringLiteral("worker_probe did not finish first within 0.3 s."));
    }

    void inputMayStayOpen_data()
    {
        QTest::addColumn<bool>("hold");
        QTest::addColumn<QString>("input");
        QTest::newRow("closed") << false << QStringLiteral("its end");
        QTest::newRow("open, with a beat") << true << QStringLiteral("a line");
    }
    void inputMayStayOpen()
    {
        QFETCH(bool, hold);
        QFETCH(QString, input);
        WorkerCommand listening = command(QStringLiteral("listen"));
        listening.holdInput = hold;
        listening.heartbeat_ms = 50;
        const auto end = QCoro::waitFor(runWorker(listening, {}, {}));
        QVERIFY(end);
        QCOMPARE(end->last.value(u"input").toString(), input);
    }

    void textBeforeTheHello()
    {
        WorkerCommand chatty = command(QStringLiteral("chatty"));
        chatty.title = QStringLiteral("probe on gpu1");
        auto end = QCoro::waitFor(runWorker(chatty, {}, {}));
        QVERIFY(!end);
        QVERIFY2(end.error().message.startsWith(QStringLiteral("probe on gpu1 broke the protocol")), qPrintable(end.error().message));
        chatty.mayPrintFirst = true;
        QString version;
        chatty.greeted = [&](const QJsonObject &hello) { version = hello.value(u"version").toString(); };
        end = QCoro::waitFor(runWorker(chatty, {}, {}));
        QVERIFY(end);
        QVERIFY(end->log.contains(QStringLiteral("Welcome to this machine.\n")));
        QCOMPARE(version, QStringLiteral("1.2"));
    }

    void stopEndsIt()
    {
        std::stop_source source;
        QTimer::singleShot(100, this, [&] { source.request_stop(); });
        const auto end = QCoro::waitFor(runWorker(command(QStringLiteral("hang")), {}, source.get_token()));
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.stopped"));
    }

    void missingProgram()
    {
        const auto end = QCoro::waitFor(runWorker({QStringLiteral("/no/such/worker"), {}, {}, 1000}, {}, {}));
        QVERIFY(!end);
        QCOMPARE(end.error().code, QStringLiteral("worker.start"));
    }
};

QTEST_GUILESS_MAIN(TestWorkerProcess)
#include "tst_worker_process.moc"
