// SPDX-License-Identifier: Apache-2.0
// Whose key a call takes and what `doctor` says of it; the form in the window knows the same services as the adapters.
#include "client/key_source.h"

#include "secrets/secrets.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;

class TestLlmKeys : public QObject
{
    Q_OBJECT
    QTemporaryDir m_folder;

    static Settings settings(const QJsonObject &object) { return settingsFrom(object).value(); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CONFIG_HOME", m_folder.path().toLocal8Bit());
        for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
                                 "GEMINI_API_KEY", "OLLAMA_API_KEY", "OLLAMA_HOST", "MINE"})
            qunsetenv(name);
    }
    void theFormKnowsTheSameServices()
    {
        QFile file(QStringLiteral(SOURCE_DIR "/plugins/agents/llm/metadata.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject schema = QJsonDocument::fromJson(file.readAll()).object()["settings"].toObject();
        const QJsonObject keys = schema["x-keys"].toObject();
        QStringList ids;
        for (const QJsonValue &value : keys["services"].toArray()) {
            const QJsonObject service = value.toObject();
            const Provider *adapter = provider(service["value"].toString());
            QVERIFY(adapter);
            ids.append(adapter->id());
            QCOMPARE(secrets::originOf(QUrl(service["address"].toString())), secrets::originOf(adapter->defaultBase()));
            QCOMPARE(service["address_variables"].toVariant().toStringList(), adapter->baseVariables());
            QCOMPARE(service["variables"].toVariant().toStringList(), adapter->keyVariables());
        }
        QCOMPARE(ids, providerIds()); // in the order in which one is chosen by its key
        QStringList choices;
        for (const QJsonValue &choice : schema["properties"]["provider"]["enum"].toArray())
            choices.append(choice.toString());
        QCOMPARE(choices, providerIds());
        for (const char *setting : {"choice", "address", "variable"})
            QVERIFY(schema["properties"].toObject().contains(keys[QLatin1String(setting)].toString()));
        for (const QJsonValue &name : schema["x-order"].toArray())
            QVERIFY2(schema["properties"].toObject().contains(name.toString()), qPrintable(name.toString()));
    }
    void ollamasHostNeedsNoScheme()
    {
        qputenv("OLLAMA_HOST", "127.0.0.1:9999");
        const Settings found = settings({{"provider", "ollama"}, {"model", "m"}});
        QCOMPARE(found.endpoint.base, QUrl("http://127.0.0.1:9999"));
        QVERIFY(!keySourceOf(found).isNeeded);
        qunsetenv("OLLAMA_HOST");
    }
    void doctorSaysWhere()
    {
        const QJsonObject openAi{{"provider", "openai-chat"}, {"model", "m"}};
        QJsonObject line = keyDoctorLine(settings(openAi));
        QVERIFY(!line["ok"].toBool() && line["optional"].toBool());
        QCOMPARE(line["text"].toString(), QString("there is none for https://api.openai.com"));
        QVERIFY(line["remedy"].toString().startsWith(
            "set OPENAI_API_KEY, run `kernelskill keys set https://api.openai.com`"));
        qputenv("OPENAI_API_KEY", "sk-test-0123456789abcdef");
        line = keyDoctorLine(settings(openAi));
        QVERIFY(line["ok"].toBool());
        QCOMPARE(line["text"].toString(), QString("for https://api.openai.com: environment variable OPENAI_API_KEY"));
        // It is not for another address.
        QVERIFY(!keyDoctorLine(settings(
            {{"provider", "openai-chat"}, {"model", "m"}, {"base_url", "https://models.example.org/v1"}}))["ok"]
                     .toBool());
        qunsetenv("OPENAI_API_KEY");
        secrets::keepForSession("https://models.example.org", "sk-test-abcdefghijklmnop");
        line = keyDoctorLine(
            settings({{"provider", "openai-chat"}, {"model", "m"}, {"base_url", "https://models.example.org/v1"}}));
        QCOMPARE(line["text"].toString(), QString("for https://models.example.org: this session"));
        QVERIFY(!QJsonDocument(line).toJson().contains("sk-test"));
        secrets::keepForSession("https://models.example.org", {});
    }
    void noneIsNeededHere()
    {
        for (const QJsonObject &object :
             {QJsonObject{{"provider", "openai-chat"}, {"model", "m"}, {"base_url", "http://127.0.0.1:8080/v1"}},
              QJsonObject{{"provider", "ollama"}, {"model", "m"}},
              QJsonObject{{"provider", "anthropic"}, {"model", "m"}, {"cassette", "replay:tape"}}}) {
            const QJsonObject line = keyDoctorLine(settings(object));
            QVERIFY(line["ok"].toBool());
            QVERIFY(line["text"].toString().endsWith("needs none"));
        }
        QVERIFY(!keyDoctorLine(settings({{"provider", "anthropic"}, {"model", "m"}, {"cassette", "record:tape"}}))["ok"]
                     .toBool());
    }
};

QTEST_GUILESS_MAIN(TestLlmKeys)
#include "tst_llm_keys.moc"
