// SPDX-License-Identifier: Apache-2.0
// What counts as this machine, and what only looks like it.
#include "secrets/this_machine.h"

#include <QTest>
#include <QUrl>

using namespace kernelskill;

class TestThisMachine : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addresses_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("here");
        for (const char *address :
             {"http://localhost", "http://localhost:11434/v1", "https://localhost", "http://LocalHost", "http://localhost.",
              "http://models.localhost", "http://a.b.LOCALHOST:8080", "http://models.localhost.:8080", "http://127.0.0.1",
              "http://127.0.0.1:8080/v1", "http://127.1.2.3", "http://127.255.255.255", "http://127.1", "http://[::1]",
              "http://[::1]:8080/v1", "http://[0:0:0:0:0:0:0:1]", "http://[::ffff:127.0.0.1]", "http://me:word@localhost/"})
            QTest::newRow(address) << QString::fromLatin1(address) << true;
        for (const char *address :
             {"http://localhost.example.com", "http://localhost.example.com.", "http://notlocalhost", "http://localhost..",
              "http://.localhost.example.com", "http://127.evil.com", "http://127.0.0.1.example.org", "http://127.0.0.1.evil",
              "http://126.0.0.1", "http://128.0.0.1", "http://0.0.0.0", "http://10.0.0.1", "http://192.168.1.1", "http://[::]",
              "http://[::2]", "http://[fe80::1]", "http://[::ffff:10.0.0.1]", "http://example.com/localhost",
              "http://localhost@example.com", "http://example.com#localhost", "localhost", "127.0.0.1", "http://", ""})
            QTest::newRow(*address ? address : "nothing") << QString::fromLatin1(address) << false;
    }

    void addresses()
    {
        QFETCH(QString, address);
        QFETCH(bool, here);
        QCOMPARE(secrets::isThisMachine(QUrl(address)), here);
    }
};

QTEST_GUILESS_MAIN(TestThisMachine)
#include "tst_this_machine.moc"
