// SPDX-License-Identifier: Apache-2.0
// Keys: where they are looked for, whose they are, and what is said where there is no keychain. The keychain's tests run in
// this same program, started again on a bus of its own with a real keyring daemon and folders of the test's own.
#include "secrets/secrets.h"
#include "result_text.h"

#include <QCoroTask>
#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace kernelskill;
using kernelskill::test::errorIn;

namespace {

const QString here = QStringLiteral("https://api.example.org");
const QString elsewhere = QStringLiteral("https://api.example.org:8443");

std::optional<secrets::Secret> find(const QString &origin, const QStringList &variables = {}, const QString &theirs = {},
                                    QString *note = nullptr)
{
    return QCoro::waitFor(secrets::find(origin, variables, theirs, note));
}

QString valueFor(const QString &origin)
{
    const auto secret = find(origin);
    return secret ? secret->value : QString();
}

struct End
{
    int exitCode = -1;
    QByteArray output;
};

// This program again, with one part of the tests, in an empty home. `script` starts it as "$0".
End runAgain(const QString &script, const QString &part, const QHash<QString, QString> &variables = {})
{
    QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "GNOME_KEYRING_CONTROL"})
        environment.remove(QString::fromLatin1(name));
    environment.insert("HOME", home.path());
    for (const char *name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString folder = home.filePath(QString::fromLatin1(name).toLower());
        QDir().mkpath(folder);
        QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        environment.insert(QString::fromLatin1(name), folder);
    }
    for (const auto &[name, value] : variables.asKeyValueRange()) environment.insert(name, value);
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("sh", {"-c", script, QCoreApplication::applicationFilePath(), part});
    if (!process.waitForFinished(60'000)) process.kill();
    process.waitForFinished();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAll()};
}

// No file holds what it must not, but the keyring's own.
QStringList filesWith(const QByteArray &text)
{
    QStringList found;
    QDirIterator files(QDir::homePath(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly) && file.readAll().contains(text)) found.append(file.fileName());
    }
    return found;
}

} // namespace

// On a bus with an unlocked keyring.
class WithKeyring : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void storesFindsForgets()
    {
        QString note;
        QVERIFY(!find(here, {}, {}, &note));
        QCOMPARE(note, QString());
        for (const QString &value : {QStringLiteral("sk-first-0123456789"), QString(5000, u'k'), QStringLiteral("geheim-äöü-😀")}) {
            const auto stored = QCoro::waitFor(secrets::store(here, value));
            QVERIFY2(stored, errorIn(stored));
            const auto secret = find(here, {}, {}, &note);
            QVERIFY2(secret, qPrintable(note));
            QCOMPARE(secret->value, value);
            QCOMPARE(secret->from, "keychain");
            QCOMPARE(secrets::storedOrigins(), QStringList{here});
            QCOMPARE(secrets::redacted("it is " + value + " ."), "it is [redacted] .");
            QCOMPARE(filesWith(value.toUtf8()), QStringList());
        }
        QVERIFY(secrets::sessionOrigins().isEmpty());
        const auto forgotten = QCoro::waitFor(secrets::forget(here));
        QVERIFY2(forgotten, errorIn(forgotten));
        QVERIFY(!find(here));
        QCOMPARE(secrets::storedOrigins(), QStringList());
        const auto again = QCoro::waitFor(secrets::forget(here));
        QVERIFY2(again, errorIn(again));
    }

    void keysStayWithTheirOrigin()
    {
        QVERIFY(QCoro::waitFor(secrets::store(here, "key-of-here")));
        QVERIFY(QCoro::waitFor(secrets::store(elsewhere, "key-of-elsewhere")));
        QCOMPARE(valueFor(here), "key-of-here");
        QCOMPARE(valueFor(elsewhere), "key-of-elsewhere");
        for (const char *other : {"http://api.example.org", "https://example.org", "https://api.example.org.evil.net", "https://api.example.org:44"})
            QCOMPARE(valueFor(QString::fromLatin1(other)), QString());
        QVERIFY(QCoro::waitFor(secrets::forget(elsewhere)));
        QCOMPARE(valueFor(here), "key-of-here");
        QVERIFY(QCoro::waitFor(secrets::forget(here)));
    }

    void sessionThenVariableThenKeychain()
    {
        QVERIFY(QCoro::waitFor(secrets::store(here, "from-the-keychain")));
        qputenv("TEST_KEY", "from-a-variable");
        secrets::keepForSession(here, "from-the-session");
        QCOMPARE(find(here, {"TEST_KEY"}, here)->value, "from-the-session");
        secrets::keepForSession(here, {});
        QCOMPARE(find(here, {"TEST_KEY"}, here)->value, "from-a-variable");
        QCOMPARE(find(here, {"TEST_KEY"}, elsewhere)->value, "from-the-keychain");
        qunsetenv("TEST_KEY");
        QCOMPARE(find(here, {"TEST_KEY"}, here)->value, "from-the-keychain");
        QVERIFY(QCoro::waitFor(secrets::forget(here)));
    }

    void manyAtOnce()
    {
        QVERIFY(QCoro::waitFor(secrets::store(here, "key-of-here")));
        std::vector<QCoro::Task<std::optional<secrets::Secret>>> searches;
        std::vector<QCoro::Task<Result<void>>> changes;
        for (int i = 0; i < 12; ++i) {
            searches.push_back(secrets::find(i % 2 ? elsewhere : here, {}, {}));
            changes.push_back(secrets::store(QStringLiteral("https://host-%1.example.org").arg(i), QStringLiteral("key-number-%1").arg(i)));
        }
        for (int i = 0; i < 12; ++i) {
            const auto found = QCoro::waitFor(searches[size_t(i)]);
            QCOMPARE(found.has_value(), i % 2 == 0);
            const auto stored = QCoro::waitFor(changes[size_t(i)]);
            QVERIFY2(stored, errorIn(stored));
        }
        for (int i = 0; i < 12; ++i)
            QCOMPARE(valueFor(QStringLiteral("https://host-%1.example.org").arg(i)), QStringLiteral("key-number-%1").arg(i));
        QCOMPARE(secrets::storedOrigins().size(), 13);
    }
};

// No keychain answers: on a bus without one, with one that is locked, or with an address that leads nowhere.
class WithoutAnswer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void saysSoInTime()
    {
        const QStringList before = secrets::storedOrigins();
        QElapsedTimer timer;
        timer.start();
        QString note;
        QVERIFY(!find(here, {}, {}, &note));
        QVERIFY2(note.contains("keychain"), qPrintable(note));
        QVERIFY2(timer.elapsed() < 8000, qPrintable(QString::number(timer.elapsed())));
        timer.restart();
        const auto stored = QCoro::waitFor(secrets::store(here, "sk-first-0123456789"));
        QVERIFY2(timer.elapsed() < 8000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!stored);
        QCOMPARE(stored.error().code, "secrets.keychain");
        QVERIFY2(stored.error().message.contains("environment variable such as OPENAI_API_KEY"), errorIn(stored));
        QVERIFY(!stored.error().message.contains("0123456789"));
        QCOMPARE(secrets::storedOrigins(), before);
        secrets::keepForSession(here, "sk-first-0123456789");
        QCOMPARE(find(here)->from, "this session");
        QCOMPARE(filesWith("sk-first-0123456789"), QStringList());
    }
};

class TestSecrets : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        qunsetenv("DBUS_SESSION_BUS_ADDRESS"); // this part never reaches the keychain of whoever runs it
        qunsetenv("XDG_RUNTIME_DIR");
    }
    void cleanup()
    {
        for (const QString &origin : secrets::sessionOrigins()) secrets::keepForSession(origin, {});
    }

    void origins_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("origin");
        QTest::newRow("path") << "https://api.openai.com/v1" << "https://api.openai.com";
        QTest::newRow("own port") << "https://api.openai.com:443/v1" << "https://api.openai.com";
        QTest::newRow("other port") << "https://api.openai.com:8443/" << "https://api.openai.com:8443";
        QTest::newRow("http") << "http://127.0.0.1:8080/x?y=z#f" << "http://127.0.0.1:8080";
        QTest::newRow("http's own port") << "http://localhost:80" << "http://localhost";
        QTest::newRow("https's port on http") << "http://localhost:443" << "http://localhost:443";
        QTest::newRow("capitals") << "HTTPS://API.Example.ORG/V1" << "https://api.example.org";
        QTest::newRow("user") << "https://me:word@api.example.org/" << "https://api.example.org";
        QTest::newRow("IPv6") << "http://[::1]:8000/v1" << "http://[::1]:8000";
        QTest::newRow("umlauts") << "https://bücher.example/" << "https://xn--bcher-kva.example";
        QTest::newRow("no host") << "file:///etc/passwd" << "";
        QTest::newRow("nothing") << "" << "";
        QTest::newRow("no scheme") << "api.openai.com" << "";
    }

    void origins()
    {
        QFETCH(QString, url);
        QTEST(secrets::originOf(QUrl(url)), "origin");
    }

    void variablesBelongToTheirOrigin()
    {
        qputenv("TEST_FIRST", "");
        qputenv("TEST_SECOND", "  sk-of-a-variable\n");
        const QStringList variables{"TEST_MISSING", "TEST_FIRST", "TEST_SECOND"};
        const auto secret = find(here, variables, here);
        QVERIFY(secret);
        QCOMPARE(secret->value, "sk-of-a-variable");
        QCOMPARE(secret->from, "environment variable TEST_SECOND");
        QVERIFY(!find(elsewhere, variables, here));
        QVERIFY(!find(here, variables, elsewhere));
        QVERIFY(!find(here, variables, {}));
        QVERIFY(!find({}, variables, {}));
        QCOMPARE(secrets::redacted(QStringLiteral("<sk-of-a-variable>")), "<[redacted]>");
    }

    void variablesThatAreNoKeys()
    {
        qputenv("TEST_FIRST", "sk-of-a-variable\r\nX-Other: header");
        QString note;
        QVERIFY(!find(here, {"TEST_FIRST"}, here, &note));
        QVERIFY2(note.startsWith("environment variable TEST_FIRST holds spaces or line breaks, so it is no key; "), qPrintable(note));
        QVERIFY(!note.contains("X-Other"));
    }

    void keptForTheSession()
    {
        secrets::keepForSession(here, " key-of-here\n");
        secrets::keepForSession(elsewhere, "key-of-elsewhere");
        QCOMPARE(secrets::sessionOrigins(), QStringList({here, elsewhere}));
        QCOMPARE(valueFor(here), "key-of-here");
        QCOMPARE(valueFor(elsewhere), "key-of-elsewhere");
        QVERIFY(!find("http://api.example.org"));
        secrets::keepForSession(here, {});
        QVERIFY(!find(here));
        QCOMPARE(secrets::sessionOrigins(), QStringList{elsewhere});
    }

    void sessionFromManyThreads()
    {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([t] {
                for (int i = 0; i < 200; ++i) {
                    const QString value = QStringLiteral("key-%1-%2-of-many").arg(t).arg(i % 20);
                    secrets::keepForSession(QStringLiteral("https://host-%1.example.org").arg(t), value);
                    if (secrets::redacted("a " + value + " b") != u"a [redacted] b") qFatal("a key came through");
                    (void)secrets::sessionOrigins();
                }
            });
        }
        for (std::thread &thread : threads) thread.join();
        QCOMPARE(secrets::sessionOrigins().size(), 4);
    }

    void refusesToStore_data()
    {
        QTest::addColumn<QString>("value");
        QTest::newRow("empty") << "";
        QTest::newRow("blank") << " \n";
        QTest::newRow("two words") << "my key";
        QTest::newRow("two lines") << "sk-one\nsk-two";
        QTest::newRow("control character") << QStringLiteral("sk-one\x01two");
    }

    void refusesToStore()
    {
        QFETCH(QString, value);
        const auto stored = QCoro::waitFor(secrets::store(here, value));
        QVERIFY(!stored);
        QCOMPARE(stored.error().code, "secrets.value");
    }

    void noBus()
    {
        QElapsedTimer timer;
        timer.start();
        QString note = "old";
        QVERIFY(!find(here, {}, {}, &note));
        QCOMPARE(note, "no keychain can be reached, because this login has no D-Bus session");
        const auto stored = QCoro::waitFor(secrets::store(here, "sk-first-0123456789"));
        QVERIFY(!stored);
        QCOMPARE(stored.error().code, "secrets.keychain");
        QCOMPARE(stored.error().message, "the key for https://api.example.org was not stored: no keychain can be reached, because this login has "
                                         "no D-Bus session; set an environment variable such as OPENAI_API_KEY, or give the key for this session only");
        const auto forgotten = QCoro::waitFor(secrets::forget(here));
        QVERIFY(!forgotten);
        QCOMPARE(forgotten.error().code, "secrets.keychain");
        QVERIFY(timer.elapsed() < 1000);
    }

    void keychain_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("part");
        QTest::newRow("unlocked keyring") << "exec dbus-run-session -- sh -c 'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && "
                                             "exec \"$0\" \"$1\"' \"$0\" \"$1\""
                                          << "--with-keyring";
        QTest::newRow("a keyring that was locked again")
            << "dbus-run-session -- sh -c 'printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$0\" --store' \"$0\" && "
               "exec dbus-run-session -- \"$0\" \"$1\""
            << "--without-answer";
        QTest::newRow("no bus at its address") << "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus exec \"$0\" \"$1\"" << "--without-answer";
    }

    void keychain()
    {
        QFETCH(QString, script);
        QFETCH(QString, part);
        const End end = runAgain(script, part);
        if (end.exitCode != 0) qInfo("%s", end.output.constData());
        QCOMPARE(end.exitCode, 0);
        QVERIFY2(end.output.contains("Totals: ") && !end.output.contains(" 0 passed"), end.output.constData());
    }
};

int main(int argc, char *argv[])
{
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("kernelskill"));
    const QByteArray part = argc == 2 ? QByteArray(argv[1]) : QByteArray();
    const auto run = [&](QObject &&test, int count) { return QTest::qExec(&test, count, argv); };
    if (part == "--store") return QCoro::waitFor(secrets::store(here, "sk-stored-before")) ? 0 : 3;
    if (part == "--with-keyring") return run(WithKeyring(), 1);
    if (part == "--without-answer") return run(WithoutAnswer(), 1);
    return run(TestSecrets(), argc);
}
#include "tst_secrets.moc"
