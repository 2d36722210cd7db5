// SPDX-License-Identifier: Apache-2.0
// Forms of agents' settings, whose key would be used, limits as a person writes them.
#include "agents/form_field.h"
#include "agents/key_place.h"
#include "models/limits.h"
#include "plugin/plugin_settings.h"

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;
using limits::Limit;

namespace {

QJsonObject metadata(const QString &agent)
{
    QFile file(QStringLiteral(SOURCE_DIR "/plugins/agents/%1/metadata.json").arg(agent));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).object()["settings"_L1].toObject();
}

FormField fieldNamed(const QString &key)
{
    for (const FormField &field : fieldsOf(metadata(u"llm"_s))) {
        if (field.key == key) return field;
    }
    return {};
}

} // namespace

class TestAgentForm : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning();
        for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GEMINI_API_KEY",
                                 "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_API_KEY", "OLLAMA_HOST"})
            qunsetenv(name);
    }
    void fieldsComeInTheirOrder()
    {
        const QList<FormField> fields = fieldsOf(metadata(u"llm"_s));
        QStringList keys;
        for (const FormField &field : fields)
            keys.append(field.key);
        QCOMPARE(keys.first(), u"provider"_s);
        QCOMPARE(keys.mid(1, 2), (QStringList{u"base_url"_s, u"model"_s}));
        QCOMPARE(fields.first().kind, FormField::Kind::Choice);
        QCOMPARE(fields.first().choices.size(), 5);
        QVERIFY(fieldNamed(u"model"_s).listable);
        QCOMPARE(fieldNamed(u"context_tokens"_s).kind, FormField::Kind::Whole);
        QCOMPARE(fieldNamed(u"context_tokens"_s).fallback, u"131072"_s);
        QVERIFY(fieldsOf(metadata(u"process"_s)).first().required); // its command
        QVERIFY(fieldsOf({}).isEmpty());
    }
    void mistakes_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence"); // its start; empty: no mistake
        QTest::newRow("empty") << "price" << "" << "";
        QTest::newRow("price") << "price" << "3/0.3/15" << "";
        QTest::newRow("short price") << "price" << "3/15" << "";
        QTest::newRow("free") << "price" << "0/0" << "";
        QTest::newRow("one number") << "price" << "3" << "Price is IN/OUT or IN/CACHED/OUT";
        QTest::newRow("words") << "price" << "cheap/dear" << "Price is IN/OUT";
        QTest::newRow("address") << "base_url" << "http://127.0.0.1:8080/v1" << "";
        QTest::newRow("no scheme") << "base_url" << "127.0.0.1:8080" << "Address is an address such as";
        QTest::newRow("password in it") << "base_url" << "https://me:secret@example.org/v1" << "Address is an address such as";
        QTest::newRow("half typed") << "base_url" << "https://" << "Address is an address such as";
        QTest::newRow("window") << "context_tokens" << "32768" << "";
        QTest::newRow("small window") << "context_tokens" << "12" << "Window is a whole number from 4096 on";
        QTest::newRow("half a token") << "context_tokens" << "5000.5" << "Window is a whole number from 4096 on";
        QTest::newRow("no number") << "context_tokens" << "many" << "Window is a whole number from 4096 on";
        QTest::newRow("negative") << "day_money_usd" << "-1" << "Limit a day is a number from 0 on";
        QTest::newRow("money") << "day_money_usd" << "2.5" << "";
        QTest::newRow("endless") << "day_money_usd" << "inf" << "Limit a day is a number from 0 on";
        QTest::newRow("provider") << "provider" << "anthropic" << "";
        QTest::newRow("no provider") << "provider" << "nobody" << "Provider is one of openai-chat, ";
        QTest::newRow("variable") << "key_variable" << "MY_KEY" << "";
        QTest::newRow("a key") << "key_variable" << "sk-proj-0123456789" << "Variable of the key is the name of an environment variable";
    }
    void mistakes()
    {
        QFETCH(QString, key);
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        const FormField field = fieldNamed(key);
        QCOMPARE(field.key, key);
        const QString said = mistakeIn(field, text);
        QCOMPARE(said.isEmpty(), sentence.isEmpty());
        QCOMPARE(said.left(sentence.size()), sentence);
    }
    void aNeededOneIsAskedFor()
    {
        QCOMPARE(mistakeIn(fieldsOf(metadata(u"process"_s)).first(), u"  "_s), u"Command is needed"_s);
    }
    void bothLimitsAreSaid()
    {
        const QJsonObject schema{{u"properties"_s, QJsonObject{{u"n"_s, QJsonObject{{u"type"_s, u"number"_s}, {u"minimum"_s, 1}, {u"maximum"_s, 2}}},
                                                               {u"b"_s, QJsonObject{{u"type"_s, u"boolean"_s}, {u"default"_s, false}}}}}};
        const QList<FormField> fields = fieldsOf(schema);
        QCOMPARE(fields.size(), 2);
        QCOMPARE(fields[0].choices, (QStringList{u"true"_s, u"false"_s}));
        QCOMPARE(fields[0].fallback, u"false"_s);
        QCOMPARE(mistakeIn(fields[1], u"3"_s), u"n is a number from 1 to 2"_s);
        QCOMPARE(mistakeIn(fields[1], u"2"_s), QString());
    }
    void settingsAreStored()
    {
        QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", folder.path().toLocal8Bit());
        QVERIFY(storedSettings(u"agent"_s, u"llm"_s).isEmpty());
        QVERIFY(storeSettings(u"agent"_s, u"llm"_s, {{u"model"_s, u"a-model"_s}, {u"retries"_s, 0}, {u"price"_s, u"3/15"_s}}).has_value());
        QVERIFY(storeSettings(u"agent"_s, u"process"_s, {{u"roles"_s, u"planner,repairer"_s}}).has_value());
        // What is not named stays, what is empty goes.
        QVERIFY(storeSettings(u"agent"_s, u"llm"_s, {{u"model"_s, u"other, with a comma"_s}, {u"price"_s, u""_s}}).has_value());
        const QJsonObject stored = storedSettings(u"agent"_s, u"llm"_s);
        QCOMPARE(stored.keys(), (QStringList{u"model"_s, u"retries"_s}));
        QCOMPARE(stored["model"_L1].toString(), u"other, with a comma"_s);
        QCOMPARE(stored["retries"_L1].toString(), u"0"_s);
        QCOMPARE(storedSettings(u"agent"_s, u"process"_s)["roles"_L1].toString(), u"planner,repairer"_s);
        // A folder that cannot be.
        QFile file(folder.filePath(u"file"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        qputenv("XDG_CONFIG_HOME", file.fileName().toLocal8Bit());
        const auto refused = storeSettings(u"agent"_s, u"llm"_s, {{u"model"_s, u"x"_s}});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, u"settings.write"_s);
    }
    void whoseKeyItIs()
    {
        const QJsonObject schema = metadata(u"llm"_s);
        QCOMPARE(addressSetting(schema), u"base_url"_s);
        QCOMPARE(addressSetting(metadata(u"process"_s)), QString());
        QVERIFY(keyPlaceOf(schema, {}).origin.isEmpty()); // nobody said whose
        QCOMPARE(keyPlaceOf(schema, {{u"provider"_s, u"anthropic"_s}}),
                 (KeyPlace{u"https://api.anthropic.com"_s, {u"ANTHROPIC_API_KEY"_s}, u"https://api.anthropic.com"_s, false}));
        // A variable of OpenAI's is for OpenAI's address only.
        QCOMPARE(keyPlaceOf(schema, {{u"provider"_s, u"openai-chat"_s}, {u"base_url"_s, u"https://models.example.org:8443/v1"_s}}),
                 (KeyPlace{u"https://models.example.org:8443"_s, {u"OPENAI_API_KEY"_s}, u"https://api.openai.com"_s, false}));
        // One that a person names is for whatever address there is.
        QCOMPARE(keyPlaceOf(schema, {{u"base_url"_s, u"https://models.example.org/v1"_s}, {u"key_variable"_s, u"MINE"_s}}),
                 (KeyPlace{u"https://models.example.org"_s, {u"MINE"_s}, u"https://models.example.org"_s, false}));
        QVERIFY(keyPlaceOf(schema, {{u"base_url"_s, u"http://127.0.0.1:8080/v1"_s}}).isLocal);
        QVERIFY(keyPlaceOf(schema, {{u"base_url"_s, u"http://[::1]:8080/v1"_s}}).isLocal);
        QVERIFY(keyPlaceOf(schema, {{u"base_url"_s, u"http://models.localhost:8080/v1"_s}}).isLocal);
        QVERIFY(keyPlaceOf(schema, {{u"provider"_s, u"ollama"_s}}).isLocal);
        QVERIFY(!keyPlaceOf(schema, {{u"base_url"_s, u"http://127.0.0.1.example.org/v1"_s}}).isLocal);
        qputenv("OLLAMA_HOST", "127.0.0.1:9999");
        QCOMPARE(keyPlaceOf(schema, {{u"provider"_s, u"ollama"_s}}).origin, u"http://127.0.0.1:9999"_s);
        qunsetenv("OLLAMA_HOST");
        qputenv("ANTHROPIC_API_KEY", "an-example-of-a-key");
        QCOMPARE(keyPlaceOf(schema, {}).origin, u"https://api.anthropic.com"_s); // the one there is a key for
        qputenv("ANTHROPIC_BASE_URL", "https://gateway.example.org/anthropic");
        QCOMPARE(keyPlaceOf(schema, {}).origin, u"https://gateway.example.org"_s);
        QCOMPARE(keyPlaceOf(schema, {}).variablesOrigin, u"https://gateway.example.org"_s);
        qunsetenv("ANTHROPIC_API_KEY");
        qunsetenv("ANTHROPIC_BASE_URL");
    }
    void limitsAreRead_data()
    {
        QTest::addColumn<int>("limit");
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value"); // −1: refused
        const auto row = [](Limit limit, const char *text, double value) {
            QTest::addRow("%s %s", qPrintable(limits::title(limit)), text) << int(limit) << QString::fromUtf8(text) << value;
        };
        row(Limit::Money, "", 0);
        row(Limit::Money, "2.50", 2.5);
        row(Limit::Money, "$ 0.05", 0.05);
        row(Limit::Money, "-1", -1);
        row(Limit::Money, "0", -1);
        row(Limit::Money, "nan", -1);
        row(Limit::Money, "much", -1);
        row(Limit::Tokens, "200000", 200'000);
        row(Limit::Tokens, "200 000", 200'000);
        row(Limit::Tokens, "200k", 200'000);
        row(Limit::Tokens, "1.5M", 1'500'000);
        row(Limit::Tokens, "0.5", -1);
        row(Limit::Tokens, "k", -1);
        row(Limit::Calls, "40", 40);
        row(Limit::Calls, "4.5", -1);
        row(Limit::Time, "30", 1800);
        row(Limit::Time, "30 min", 1800);
        row(Limit::Time, "90 s", 90);
        row(Limit::Time, "1.5 h", 5400);
        row(Limit::Time, "1:30:00", 5400);
        row(Limit::Time, "1:30", 90);
        row(Limit::Time, "soon", -1);
    }
    void limitsAreRead()
    {
        QFETCH(int, limit);
        QFETCH(QString, text);
        QFETCH(double, value);
        const auto read = limits::parse(Limit(limit), text);
        QCOMPARE(read.value_or(-1), value);
        if (!read) {
            QCOMPARE(read.error().code, u"limit.text"_s);
            QVERIFY(read.error().message.startsWith(limits::title(Limit(limit))));
        } else if (value > 0) {
            QCOMPARE(limits::parse(Limit(limit), limits::text(Limit(limit), value)).value_or(-1), value);
        }
    }
    void howFarTheyAreUsed()
    {
        Trajectory trajectory;
        QCOMPARE(limits::modelsLine(trajectory), QString());
        QCOMPARE(limits::uses(trajectory, 61).size(), 1); // the time alone
        trajectory.settings = {{u"budget"_s, Budget{0, 5, 100'000, 40}.toJson()}};
        trajectory.cost_usd = 0.38;
        trajectory.tokensIn = 20'000;
        trajectory.tokensOut = 412;
        trajectory.llmCalls = 18;
        QCOMPARE(limits::modelsLine(trajectory), u"$0.38 of $5.00 · 20.4k of 100k tokens · 18 of 40 calls"_s);
        const QList<limits::Use> uses = limits::uses(trajectory, 61);
        QCOMPARE(uses.size(), 4);
        QCOMPARE(uses[2].title, u"Calls"_s);
        QCOMPARE(uses[2].text, u"18 of 40"_s);
        QCOMPARE(uses[2].share, 0.45);
        QCOMPARE(uses[3].text, u"1:01"_s);
        QCOMPARE(limits::compact(812), u"812"_s);
        QCOMPARE(limits::compact(999'499), u"999k"_s);
        QCOMPARE(limits::compact(1'250'000), u"1.25M"_s);
    }
};

QTEST_GUILESS_MAIN(TestAgentForm)
#include "tst_agent_form.moc"
