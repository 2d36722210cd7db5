// SPDX-License-Identifier: Apache-2.0
// kernelskill keys: where keys are, never what they are; a keyring on a bus of the test's own.
#include "program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTest>

using namespace kernelskill::test;

class TestKeysCli : public QObject
{
    Q_OBJECT
    const QByteArray m_key = "sk-test-0123456789abcdefWXYZ";

    // In a shell on a bus with an unlocked keyring ("$0" is the program), or without any bus.
    static void start(QProcess &process, const TestFolders &folders, const QString &script, bool withKeyring, const QHash<QString, QString> &variables = {})
    {
        folders.prepare(process, "sh", {});
        QProcessEnvironment environment = process.processEnvironment();
        for (const char *name : {"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY",
                                 "ANTHROPIC_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"})
            environment.remove(QString::fromLatin1(name));
        const QString run = folders.path("run");
        QDir().mkpath(run);
        QFile::setPermissions(run, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        environment.insert("XDG_RUNTIME_DIR", run);
        environment.insert("HOME", folders.path("home"));
        QDir().mkpath(folders.path("home"));
        for (const auto &[name, value] : variables.asKeyValueRange()) environment.insert(name, value);
        process.setProcessEnvironment(environment);
        const QString program = QStringLiteral(BUILD_DIR "/bin/kernelskill");
        const QString unlock = "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; ";
        QStringList arguments{"-c", (withKeyring ? unlock : QString()) + script, program};
        if (withKeyring) process.start("dbus-run-session", QStringList{"--", "sh"} + arguments);
        else process.start("sh", arguments);
    }
    static ProgramEnd shell(const TestFolders &folders, const QString &script, bool withKeyring, const QHash<QString, QString> &variables = {})
    {
        QProcess process;
        start(process, folders, script, withKeyring, variables);
        ProgramEnd end;
        end.timedOut = !process.waitForFinished(60'000);
        if (end.timedOut) process.kill();
        process.waitForFinished();
        end.crashed = process.exitStatus() != QProcess::NormalExit;
        end.exitCode = process.exitCode();
        end.out = process.readAllStandardOutput();
        end.err = process.readAllStandardError();
        return end;
    }

private Q_SLOTS:
    void oddInput_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const char *script, int exitCode, const char *says) {
            QTest::newRow(name) << QString::fromUtf8(script) << exitCode << QString::fromUtf8(says);
        };
        row("nothing", "\"$0\" keys", 2, "an argument is missing");
        row("action", "\"$0\" keys show", 2, "unknown action; there are list, set, forget");
        row("list of one", "\"$0\" keys list openai", 2, "keys list takes no name");
        row("whose", "\"$0\" keys set", 2, "keys set takes one PROVIDER or URL");
        row("a key on the command line", "\"$0\" keys set openai sk-test-0123456789abcdefWXYZ", 2, "the key itself never stands on the command line");
        row("a key for a name", "\"$0\" keys set sk-test-0123456789abcdefWXYZ", 2, "what you gave is neither");
        row("a key for an action", "\"$0\" keys sk-test-0123456789abcdefWXYZ", 2, "unknown action");
        row("no such provider", "\"$0\" keys forget acme", 2, "openai, anthropic, gemini or an address");
        row("another scheme", "echo key | \"$0\" keys set ftp://api.example.org", 2, "what you gave is neither");
        row("a password in the address", "echo key | \"$0\" keys set https://a:b@api.example.org", 2, "what you gave is neither");
        row("no key", "\"$0\" keys set openai </dev/null", 2, "no key was given");
        row("blank key", "echo '  ' | \"$0\" keys set openai", 2, "no key was given");
        row("two lines", "printf 'sk-one\\nsk-two\\n' | \"$0\" keys set openai", 2, "spaces or line breaks");
        row("too long", "head -c 70000 /dev/zero | tr '\\0' k | \"$0\" keys set openai", 2, "too long for a key");
        row("no keychain", "echo sk-test-0123456789abcdefWXYZ | \"$0\" keys set openai", 3, "set an environment variable such as OPENAI_API_KEY");
        row("no keychain to forget in", "\"$0\" keys forget openai", 3, "no D-Bus session");
    }

    void oddInput()
    {
        QFETCH(QString, script);
        QFETCH(QString, says);
        const TestFolders folders;
        const ProgramEnd end = shell(folders, script, false);
        QVERIFY2(QString::fromUtf8(end.err).contains(says), end.err.constData());
        QTEST(end.exitCode, "exitCode");
        QCOMPARE(end.out, QByteArray());
        QVERIFY2(!end.err.contains("0123456789"), end.err.constData());
    }

    void listsWhatTheEnvironmentHas()
    {
        const TestFolders folders;
        const QHash<QString, QString> variables{{"OPENAI_API_KEY", m_key}, {"ANTHROPIC_API_KEY", "short-key"}, {"ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1"}};
        const ProgramEnd words = shell(folders, "\"$0\" keys list", false, variables);
        QCOMPARE(words.exitCode, 0);
        QVERIFY2(words.out.contains("https://api.openai.com") && words.out.contains("environment variable OPENAI_API_KEY, ends with WXYZ"), words.out.constData());
        QVERIFY2(words.err.contains("no D-Bus session"), words.err.constData());
        const ProgramEnd end = shell(folders, "\"$0\" keys list --json", false, variables);
        const QJsonArray keys = end.json().value("keys").toArray();
        QCOMPARE(keys.size(), 3);
        QCOMPARE(keys.at(0).toObject(), QJsonObject({{"provider", "openai"}, {"origin", "https://api.openai.com"}, {"found", true},
                                                     {"from", "environment variable OPENAI_API_KEY"}, {"ends_with", "WXYZ"}}));
        QCOMPARE(keys.at(1).toObject(), QJsonObject({{"provider", "anthropic"}, {"origin", "http://127.0.0.1:9"}, {"found", true},
                                                     {"from", "environment variable ANTHROPIC_API_KEY"}}));
        QCOMPARE(keys.at(2).toObject(), QJsonObject({{"provider", "gemini"}, {"origin", "https://generativelanguage.googleapis.com"}, {"found", false}}));
        for (const QByteArray &text : {words.out, words.err, end.out, end.err}) QVERIFY(!text.contains("0123456789") && !text.contains("short-key"));
    }

    void setsAndForgets()
    {
        const TestFolders folders;
        const ProgramEnd end = shell(folders, "set -e; echo " + QString::fromLatin1(m_key) + " | \"$0\" keys set openai; echo other-key-of-a-host | \"$0\" keys set https://llm.example.org:8443/v1; "
                                              "\"$0\" keys list; \"$0\" keys forget OpenAI; \"$0\" keys list", true);
        QVERIFY2(end.exitCode == 0, end.err.constData());
        const QList<QByteArray> lines = end.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 2 + 4 + 1 + 4);
        QCOMPARE(lines.at(0), "the key for https://api.openai.com is in the keychain");
        QCOMPARE(lines.at(1), "the key for https://llm.example.org:8443 is in the keychain");
        QVERIFY2(lines.at(2).startsWith("openai ") && lines.at(2).endsWith("  keychain, ends with WXYZ"), lines.at(2).constData());
        QVERIFY2(lines.at(3).endsWith("  no key"), lines.at(3).constData());
        QVERIFY2(lines.at(5).contains("https://llm.example.org:8443") && lines.at(5).endsWith("  keychain, ends with host"), lines.at(5).constData());
        QCOMPARE(lines.at(6), "the keychain holds no key for https://api.openai.com any more");
        QVERIFY2(lines.at(7).endsWith("  no key"), lines.at(7).constData());
        QVERIFY2(lines.at(10).endsWith("  keychain, ends with host"), lines.at(10).constData());
        QVERIFY(!end.out.contains("0123456789") && !end.err.contains("0123456789"));
    }

    // On a terminal the key is asked for, and is not shown.
    void typedWithoutEcho()
    {
        const TestFolders folders;
        QProcess process;
        start(process, folders, "exec script -qec \"'$0' keys set openai\" /dev/null", true);
        QByteArray shown;
        while (!shown.contains("then Enter:") && process.waitForReadyRead(30'000)) shown += process.readAllStandardOutput();
        QVERIFY2(shown.contains("Key for https://api.openai.com (not shown while you type), then Enter:"), shown.constData());
        process.write(m_key + '\n'); // the echo was off before that was said
        while (!shown.contains("is in the keychain") && process.waitForReadyRead(30'000)) shown += process.readAllStandardOutput();
        QVERIFY2(shown.contains("the key for https://api.openai.com is in the keychain"), shown.constData());
        QVERIFY2(!shown.contains("0123456789"), shown.constData());
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished());
    }
};

QTEST_GUILESS_MAIN(TestKeysCli)
#include "tst_keys_cli.moc"
