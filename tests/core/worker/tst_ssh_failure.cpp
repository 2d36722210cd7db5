// SPDX-License-Identifier: Apache-2.0
// What OpenSSH 8.2 to 10 print when a connection fails, as one sentence each.
#include "worker/ssh_failure.h"

#include <QTest>

using namespace kernelskill;

class TestSshFailure : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void failuresAreExplained_data()
    {
        QTest::addColumn<QString>("log");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *log, const char *code, const char *message) {
            QTest::newRow(name) << QString::fromLatin1(log) << QString::fromLatin1(code)
                                << QString::fromLatin1(message);
        };
        row("password", "me@gpu1: Permission denied (publickey,password).\r\n", "worker.refused",
            "big accepts no key of ours");
        row("no key file",
            "Warning: Identity file /k not accessible: No such file or directory.\nme@gpu1: Permission denied "
            "(publickey).\n",
            "worker.refused", "The key file /k for big does not exist.");
        row("new host",
            "No ED25519 host key is known for gpu1 and you have requested strict checking.\nHost key verification "
            "failed.\n",
            "worker.refused", "The host key of big is not known here.");
        row("changed host",
            "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key verification failed.\n",
            "worker.refused", "big shows another host key than the one known for it");
        row("many keys", "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\n",
            "worker.refused", "big gave up because the agent offers too many keys.");
        row("no such name", "ssh: Could not resolve hostname gpu1: Name or service not known\n", "worker.unreachable",
            "There is no machine named as big is.");
        row("off", "ssh: connect to host gpu1 port 22: Connection timed out\n", "worker.unreachable",
            "big does not answer.");
        row("silent", "Connection timed out during banner exchange\n", "worker.unreachable",
            "big takes the connection but no ssh server answers.");
        row("no route", "ssh: connect to host gpu1 port 22: No route to host\n", "worker.unreachable",
            "There is no route to big.");
        row("lost", "Timeout, server gpu1 not responding.\n", "worker.connection",
            "The connection to big was lost (Timeout, server gpu1 not responding.).");
        row("silently lost", "", "worker.connection", "The connection to big was lost (without a message).");
    }
    void failuresAreExplained()
    {
        QFETCH(QString, log);
        QFETCH(QString, code);
        QFETCH(QString, message);
        const Error error =
            explainSshFailure(*HostAddress::parse(QStringLiteral("big=me@gpu1 identity=/k port=2222")), log);
        QCOMPARE(error.code, code);
        QVERIFY2(error.message.startsWith(message), qPrintable(error.message));
        QCOMPARE(error.detail, log);
        QVERIFY(!error.message.contains(QStringLiteral("%")));
    }

    void remedyIsACommand()
    {
        const Error error = explainSshFailure(*HostAddress::parse(QStringLiteral("big=me@gpu1 identity=/k port=2222")),
                                              QStringLiteral("Host key verification failed."));
        QVERIFY(error.message.endsWith(QStringLiteral("accept it: ssh -i /k -p 2222 me@gpu1")));
    }
};

QTEST_GUILESS_MAIN(TestSshFailure)
#include "tst_ssh_failure.moc"
