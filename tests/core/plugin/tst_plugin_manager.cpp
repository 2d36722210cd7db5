// SPDX-License-Identifier: Apache-2.0
// Plugins found, refused, loaded; fixtures of every way to be wrong.
#include "base/paths.h"
#include "plugin/plugin_manager.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kernelskill;

class TestPluginManager : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aGoodPluginLoads();
    void wrongOnes_data();
    void wrongOnes();
    void notALibrary();
    void theFirstOfTwinsWins();
    void aCrashIsBlamed();
    void missing();
    void tagNamesItsParts();

private:
    static QString fixture(const QString &name) { return QStringLiteral(BUILD_DIR "/tests/plugin-fixtures/") + name; }
    QTemporaryDir m_data;
};

void TestPluginManager::initTestCase()
{
    qputenv("XDG_DATA_HOME", m_data.path().toUtf8()); // guard files go here
}

void TestPluginManager::aGoodPluginLoads()
{
    PluginManager manager({fixture("good")});
    QCOMPARE(manager.plugins().size(), 1);
    PluginInfo info = manager.plugins().first();
    QVERIFY2(info.state == PluginState::Found, qPrintable(info.reason));
    QCOMPARE(info.id, QString("fixture"));
    QCOMPARE(info.kind, QString("agent"));
    QCOMPARE(info.title, QString("Fixture"));
    QCOMPARE(info.version, QString("1.2"));
    QCOMPARE(info.roles, QStringList({"planner"}));
    QCOMPARE(info.reason, QString());
    const auto agent = manager.createAgent("fixture");
    QVERIFY2(agent, qPrintable(agent ? QString() : agent.error().message));
    QVERIFY(!(*agent)->plays(Role::Planner));
    QVERIFY(manager.plugins().first().state == PluginState::Loaded);
    QCOMPARE(manager.doctor().size(), 1);
    QCOMPARE(QDir(paths::dataFolder()).entryList({"loading-*"}).size(), 0);
}

void TestPluginManager::wrongOnes_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("reason");
    QTest::newRow("another ABI") << "stranger" << "incompatible"
                                 << "was built as \"kernelskill 0.0.1, another compiler\"";
    QTest::newRow("no tag") << "untagged" << "incompatible" << "was built as \"no tag\"";
    QTest::newRow("no id") << "incomplete" << "broken" << "its metadata must have \"id\" and \"kind\"";
    QTest::newRow("old interface") << "outdated" << "incompatible"
                                   << "speaks the interface org.kernelskill.AgentPlugin/0";
}

void TestPluginManager::wrongOnes()
{
    QFETCH(QString, folder);
    QFETCH(QString, state);
    QFETCH(QString, reason);
    PluginManager manager({fixture(folder)});
    QCOMPARE(manager.plugins().size(), 1);
    const PluginInfo info = manager.plugins().first();
    QCOMPARE(toString(info.state), state);
    QVERIFY2(info.reason.contains(reason), qPrintable(info.reason));
    if (info.kind == u"agent") QCOMPARE(manager.createAgent(info.id).error().code, "plugin." + state);
}

void TestPluginManager::notALibrary()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("evaluator-nothing.so"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n");
    file.close();
    PluginManager manager({folder.path()});
    QCOMPARE(manager.plugins().size(), 1);
    QCOMPARE(manager.plugins().first().id, QString("evaluator-nothing"));
    QCOMPARE(toString(manager.plugins().first().state), QString("broken"));
    QVERIFY(manager.plugins().first().reason.startsWith("not a plugin"));
    QCOMPARE(manager.doctor().first().value("ok"), QJsonValue(false));
}

void TestPluginManager::theFirstOfTwinsWins()
{
    PluginManager manager({fixture("twin"), fixture("good")});
    const QList<PluginInfo> plugins = manager.plugins();
    QCOMPARE(plugins.size(), 2);
    QCOMPARE(toString(plugins[0].state), QString("found"));
    QVERIFY(plugins[0].path.endsWith("twin.so"));
    QCOMPARE(toString(plugins[1].state), QString("broken"));
    QVERIFY(plugins[1].reason.endsWith("twin.so has the same id and was found first"));
    QVERIFY(manager.createAgent("fixture"));
}

void TestPluginManager::aCrashIsBlamed()
{
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        PluginManager manager({fixture("crashing")});
        (void)manager.createAgent("fixture");
        _exit(0);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    {
        PluginManager manager({fixture("crashing")});
        const PluginInfo info = manager.plugins().first();
        QCOMPARE(toString(info.state), QString("disabled"));
        QVERIFY(info.reason.startsWith("crashed while loading last time. To try it again, delete "));
        QCOMPARE(manager.createAgent("fixture").error().code, QString("plugin.disabled"));
        QVERIFY(QFile::remove(info.reason.section("delete ", 1)));
    }
    PluginManager again({fixture("crashing")});
    QCOMPARE(toString(again.plugins().first().state), QString("found"));
}

void TestPluginManager::missing()
{
    PluginManager manager({fixture("good")});
    const auto agent = manager.createAgent("expert");
    QVERIFY(!agent);
    QCOMPARE(agent.error().code, QString("plugin.missing"));
    QCOMPARE(agent.error().message, QString("there is no agent 'expert'; found: fixture"));
}

void TestPluginManager::tagNamesItsParts()
{
    const QString tag = PluginManager::abiTag();
    QVERIFY2(tag.contains(QStringLiteral("Qt ") + QStringLiteral(QT_VERSION_STR)), qPrintable(tag));
    QVERIFY(tag.contains("headers "));
    QVERIFY(tag.contains("sanitizer "));
}

QTEST_GUILESS_MAIN(TestPluginManager)
#include "tst_plugin_manager.moc"
