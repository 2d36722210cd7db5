// SPDX-License-Identifier: Apache-2.0
// What is sent. requests/PROVIDER_CASE.json are the bodies: "full" has everything a request can have, "plain" the least,
// "little" is the full one for a model that takes next to nothing.
#include "providers/provider.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

using namespace kernelskill::llm;

class TestLlmProvidersRequests : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void knowsItsProviders();
    void buildsBodies_data();
    void buildsBodies();
    void goesTo_data();
    void goesTo();
    void keepsTheKeyApart_data();
    void keepsTheKeyApart();
    void azure();
    void leavesOutWhatIsNotTaken_data();
    void leavesOutWhatIsNotTaken();
    void budgetsOfThought();
    void marksTheStablePrefix();
    void replaysVerbatim_data();
    void replaysVerbatim();
    void dropsVerbatimWhole_data() { replaysVerbatim_data(); }
    void dropsVerbatimWhole();
    void mendsArguments();
    void listsModels_data();
    void listsModels();
    void modelsMayBeRefused();
    void namesItsVariables();
};

namespace {

QJsonObject object(const QByteArray &json)
{
    return QJsonDocument::fromJson(json).object();
}

QByteArray pretty(const QJsonObject &json)
{
    return QJsonDocument(json).toJson();
}

Message user(const QString &text)
{
    Message message;
    message.text = text;
    return message;
}

Message result(const QString &callId, const QString &text)
{
    Message message = user(text);
    message.from = Message::From::Tool;
    message.toolCallId = callId;
    return message;
}

Request plainRequest()
{
    Request request;
    request.model = QStringLiteral("m-1");
    request.system = QStringLiteral("You tune kernels.");
    request.messages = {user(QStringLiteral("Make it faster."))};
    request.maxOutputTokens = 4096;
    return request;
}

Request fullRequest()
{
    Request request = plainRequest();
    Message assistant = user(QStringLiteral("I look."));
    assistant.from = Message::From::Assistant;
    const QByteArray path = R"({"path": "a.cu"})";
    assistant.toolCalls = {{QStringLiteral("c1"), QStringLiteral("read_file"), object(path), QString::fromUtf8(path)},
                           {QString(), QStringLiteral("measure"), QJsonObject(), QString()}};
    request.messages += {assistant, result(QStringLiteral("c1"), QStringLiteral("int x;")),
                         result(QString(), QStringLiteral("12 us")), user(QStringLiteral("Go on."))};
    request.tools = {{QStringLiteral("read_file"), QStringLiteral("Reads a file."),
                      object(R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"],
                                "additionalProperties":false})")},
                     {QStringLiteral("measure"), QStringLiteral("Measures."),
                      object(R"({"type":"object","properties":{"n":{"type":"integer"}}})")}};
    request.schema = object(R"({"type":"object","properties":{"speedup":{"type":"number","minimum":0},
        "why":{"type":"string","description":"In a sentence.","minLength":1}},"required":["speedup","why"],
        "additionalProperties":false})");
    request.schemaName = QStringLiteral("change");
    request.temperature = 0.2;
    request.reasoning = QStringLiteral("medium");
    request.contextTokens = 32768;
    return request;
}

ModelTraits littleTraits()
{
    ModelTraits traits;
    traits.temperature = traits.schema = traits.stream = traits.streamUsage = traits.reasoning = traits.tools = false;
    traits.completionTokens = true;
    traits.outputLimit = 1000;
    return traits;
}

Endpoint at(const QString &id, const QString &base = {})
{
    Endpoint endpoint;
    endpoint.provider = id;
    endpoint.base = base.isEmpty() ? provider(id)->defaultBase() : QUrl(base);
    endpoint.key = QStringLiteral("sk-secret");
    return endpoint;
}

QJsonObject body(const QString &id, const Request &request, const ModelTraits &traits = {})
{
    return object(provider(id)->request(request, at(id), traits).body);
}

} // namespace

void TestLlmProvidersRequests::knowsItsProviders()
{
    QCOMPARE(providerIds(), (QStringList{QStringLiteral("openai-chat"), QStringLiteral("openai-responses"),
                                         QStringLiteral("anthropic"), QStringLiteral("gemini"), QStringLiteral("ollama")}));
    for (const QString &id : providerIds())
        QCOMPARE(provider(id)->id(), id);
    QVERIFY(!provider(QStringLiteral("other")));
}

void TestLlmProvidersRequests::buildsBodies_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("name");
    for (const QString &id : providerIds())
        for (const QString &name : {QStringLiteral("full"), QStringLiteral("plain")})
            QTest::newRow(qPrintable(id + QLatin1Char(' ') + name)) << id << name;
    QTest::newRow("openai-chat little") << QStringLiteral("openai-chat") << QStringLiteral("little");
}

void TestLlmProvidersRequests::buildsBodies()
{
    QFETCH(QString, id);
    QFETCH(QString, name);
    QFile file(QStringLiteral(TEST_DIR "/requests/%1_%2.json").arg(id, name));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject expected = object(file.readAll());
    QVERIFY(!expected.isEmpty());
    const Request request = name == QLatin1String("plain") ? plainRequest() : fullRequest();
    const ModelTraits traits = name == QLatin1String("little") ? littleTraits() : ModelTraits();
    const HttpRequest sent = provider(id)->request(request, at(id), traits);
    QCOMPARE(pretty(object(sent.body)), pretty(expected));
    QCOMPARE(sent.method, QByteArray("POST"));
    // The same request is the same bytes, and they are compact.
    QCOMPARE(provider(id)->request(request, at(id), traits).body, sent.body);
    QCOMPARE(sent.body, QJsonDocument(expected).toJson(QJsonDocument::Compact));
}

void TestLlmProvidersRequests::goesTo_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("modelsUrl");
    const auto row = [](const char *name, const char *id, const char *base, const char *url, const char *models) {
        QTest::newRow(name) << QString::fromLatin1(id) << QString::fromLatin1(base) << QString::fromLatin1(url)
                            << QString::fromLatin1(models);
    };
    row("chat", "openai-chat", "", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1/models");
    row("chat, local", "openai-chat", "http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/chat/completions",
        "http://127.0.0.1:8000/v1/models");
    row("chat, deeper", "openai-chat", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions",
        "https://openrouter.ai/api/v1/models");
    row("responses", "openai-responses", "", "https://api.openai.com/v1/responses", "https://api.openai.com/v1/models");
    row("anthropic", "anthropic", "", "https://api.anthropic.com/v1/messages",
        "https://api.anthropic.com/v1/models?limit=1000");
    row("anthropic with v1", "anthropic", "https://gate.example/a/v1/", "https://gate.example/a/v1/messages",
        "https://gate.example/a/v1/models?limit=1000");
    row("gemini", "gemini", "",
        "https://generativelanguage.googleapis.com/v1beta/models/m-1:streamGenerateContent?alt=sse",
        "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000");
    row("gemini with version", "gemini", "https://gate.example/v1",
        "https://gate.example/v1/models/m-1:streamGenerateContent?alt=sse",
        "https://gate.example/v1/models?pageSize=1000");
    row("ollama", "ollama", "", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/tags");
    row("ollama, the copy's address", "ollama", "http://box:11434/v1/", "http://box:11434/api/chat",
        "http://box:11434/api/tags");
    row("ollama, host alone", "ollama", "box:11434", "http://box:11434/api/chat", "http://box:11434/api/tags");
}

void TestLlmProvidersRequests::goesTo()
{
    QFETCH(QString, id);
    QFETCH(QString, base);
    QFETCH(QString, url);
    QFETCH(QString, modelsUrl);
    QCOMPARE(provider(id)->request(plainRequest(), at(id, base), {}).url.toString(QUrl::FullyEncoded), url);
    const HttpRequest models = provider(id)->modelsRequest(at(id, base));
    QCOMPARE(models.url.toString(QUrl::FullyEncoded), modelsUrl);
    QCOMPARE(models.method, QByteArray("GET"));
    QVERIFY(models.body.isEmpty());
}

void TestLlmProvidersRequests::keepsTheKeyApart_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("chat") << QStringLiteral("openai-chat") << QByteArray("Authorization") << QByteArray("Bearer sk-secret");
    QTest::newRow("responses") << QStringLiteral("openai-responses") << QByteArray("Authorization")
                               << QByteArray("Bearer sk-secret");
    QTest::newRow("anthropic") << QStringLiteral("anthropic") << QByteArray("x-api-key") << QByteArray("sk-secret");
    QTest::newRow("gemini") << QStringLiteral("gemini") << QByteArray("x-goog-api-key") << QByteArray("sk-secret");
    QTest::newRow("ollama") << QStringLiteral("ollama") << QByteArray("Authorization") << QByteArray("Bearer sk-secret");
}

void TestLlmProvidersRequests::keepsTheKeyApart()
{
    QFETCH(QString, id);
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    Endpoint endpoint = at(id);
    for (const HttpRequest &sent :
         {provider(id)->request(fullRequest(), endpoint, {}), provider(id)->modelsRequest(endpoint)}) {
        QCOMPARE(sent.secretHeader.first, name);
        QCOMPARE(sent.secretHeader.second, value);
        QVERIFY(!sent.body.contains("sk-secret"));
        QVERIFY(!sent.url.toString().contains(QStringLiteral("sk-secret")));
        for (const auto &[header, text] : sent.headers)
            QVERIFY(!text.contains("sk-secret"));
    }
    endpoint.key.clear();
    QVERIFY(provider(id)->request(fullRequest(), endpoint, {}).secretHeader.first.isEmpty());
}

void TestLlmProvidersRequests::azure()
{
    Endpoint endpoint =
        at(QStringLiteral("openai-chat"), QStringLiteral("https://mine.openai.azure.com/openai/deployments/gpt"));
    endpoint.keyHeader = QStringLiteral("api-key");
    endpoint.query = QStringLiteral("api-version=2025-04-01-preview");
    const HttpRequest sent = provider(endpoint.provider)->request(plainRequest(), endpoint, {});
    QCOMPARE(sent.url.toString(), QStringLiteral("https://mine.openai.azure.com/openai/deployments/gpt/chat/completions"
                                                 "?api-version=2025-04-01-preview"));
    QCOMPARE(sent.secretHeader.first, QByteArray("api-key"));
    QCOMPARE(sent.secretHeader.second, QByteArray("sk-secret"));
    endpoint.provider = QStringLiteral("gemini");
    endpoint.base = QUrl(QStringLiteral("https://gate.example/g"));
    endpoint.keyHeader = QStringLiteral("Authorization");
    endpoint.query = QStringLiteral("tenant=a");
    const HttpRequest gated = provider(endpoint.provider)->request(plainRequest(), endpoint, {});
    QCOMPARE(gated.url.toString(),
             QStringLiteral("https://gate.example/g/v1beta/models/m-1:streamGenerateContent?alt=sse&tenant=a"));
    QCOMPARE(gated.secretHeader.second, QByteArray("Bearer sk-secret"));
}

void TestLlmProvidersRequests::leavesOutWhatIsNotTaken_data()
{
    QTest::addColumn<QString>("id");
    for (const QString &id : providerIds())
        QTest::newRow(qPrintable(id)) << id;
}

void TestLlmProvidersRequests::leavesOutWhatIsNotTaken()
{
    QFETCH(QString, id);
    const HttpRequest sent = provider(id)->request(fullRequest(), at(id), littleTraits());
    for (const char *word : {"temperature", "reasoning", "think", "\"tools\"", "tool_calls", "functionCall", "tool_use",
                             "json_schema", "responseJsonSchema", "\"format\"", "stream_options", "\"stream\":true", "4096"})
        QVERIFY2(!sent.body.contains(word), word);
    QVERIFY(sent.body.contains(":1000"));
    QVERIFY(!sent.url.toString().contains(QStringLiteral("stream")));
    // What it cannot be told by its protocol stands in words.
    for (const char *word : {"JSON Schema", "Result of read_file", "Call of measure"})
        QVERIFY2(sent.body.contains(word), word);
    Request free = plainRequest();
    QVERIFY(!provider(id)->request(free, at(id), littleTraits()).body.contains("JSON Schema"));
}

void TestLlmProvidersRequests::budgetsOfThought()
{
    ModelTraits traits;
    traits.reasoningLevels = false;
    Request request = plainRequest();
    request.reasoning = QStringLiteral("high");
    request.temperature = 0.5;
    const QJsonObject claude = body(QStringLiteral("anthropic"), request, traits);
    QCOMPARE(claude[QStringLiteral("thinking")].toObject(), object(R"({"type":"enabled","budget_tokens":2048})"));
    QVERIFY(!claude.contains(QStringLiteral("temperature")));
    QVERIFY(!claude.contains(QStringLiteral("output_config")));
    request.maxOutputTokens = 1500; // no room for the least budget there is
    QVERIFY(!body(QStringLiteral("anthropic"), request, traits).contains(QStringLiteral("thinking")));
    QCOMPARE(body(QStringLiteral("anthropic"), request, traits)[QStringLiteral("temperature")].toDouble(), 0.5);
    request.maxOutputTokens = 65536;
    QCOMPARE(body(QStringLiteral("gemini"), request,
                  traits)[QStringLiteral("generationConfig")][QStringLiteral("thinkingConfig")]
                 .toObject(),
             object(R"({"includeThoughts":true,"thinkingBudget":16384})"));
    QCOMPARE(body(QStringLiteral("ollama"), request, traits)[QStringLiteral("think")], QJsonValue(true));
}

void TestLlmProvidersRequests::marksTheStablePrefix()
{
    Request request = plainRequest();
    const QByteArray mark = "cache_control";
    const auto marks = [&] {
        return provider(QStringLiteral("anthropic"))
            ->request(request, at(QStringLiteral("anthropic")), {})
            .body.count(mark);
    };
    QCOMPARE(marks(), 1); // one question: the system alone
    request.tools = fullRequest().tools;
    QCOMPARE(marks(), 2); // there will be a next turn: what was said too
    request.system.clear();
    QCOMPARE(marks(), 2); // the tools in the system's place
    const QJsonArray tools = body(QStringLiteral("anthropic"), request)[QStringLiteral("tools")].toArray();
    QVERIFY(tools.last().toObject().contains(QLatin1String("cache_control")));
}

void TestLlmProvidersRequests::replaysVerbatim_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QByteArray>("items"); // what the reader gave
    QTest::addColumn<QString>("list");     // where they are in the body
    QTest::addColumn<QByteArray>("sent");
    const QByteArray claude = R"([{"type":"thinking","thinking":"T","signature":"S=="},{"type":"text","text":"I look."},
        {"type":"tool_use","id":"c1","name":"read_file","input":{"path":"a.cu"}}])";
    QTest::newRow("anthropic") << QStringLiteral("anthropic") << claude << QStringLiteral("messages")
                               << QByteArray(R"({"role":"assistant","content":)" + claude + "}");
    const QByteArray parts = R"([{"text":"I look."},{"functionCall":{"name":"read_file","args":{"path":"a.cu"}},
        "thoughtSignature":"Eq/+=="}])";
    QTest::newRow("gemini") << QStringLiteral("gemini") << parts << QStringLiteral("contents")
                            << QByteArray(R"({"role":"model","parts":)" + parts + "}");
    const QByteArray reasoning = R"({"id":"rs_1","type":"reasoning","encrypted_content":"gA","summary":[]})";
    QTest::newRow("openai-responses")
        << QStringLiteral("openai-responses")
        << QByteArray(
               "[" + reasoning +
               R"(,{"id":"m","type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
        {"id":"f","type":"function_call","call_id":"c1","name":"read_file","arguments":"{\"path\":\"a.cu\"}"}])")
        << QStringLiteral("input") << reasoning;
}

namespace {

Request replaying(const QString &of, const QByteArray &items)
{
    Request request = fullRequest();
    Message &assistant = request.messages[1];
    assistant.toolCalls.removeLast();
    request.messages.removeAt(3);
    const QJsonArray all = QJsonDocument::fromJson(items).array();
    for (const QJsonValue &item : all)
        assistant.verbatim.append(QJsonObject{{QStringLiteral("of"), of}, {QStringLiteral("item"), item}});
    return request;
}

} // namespace

void TestLlmProvidersRequests::replaysVerbatim()
{
    QFETCH(QString, id);
    QFETCH(QByteArray, items);
    QFETCH(QString, list);
    QFETCH(QByteArray, sent);
    const QJsonArray said = body(id, replaying(id, items))[list].toArray();
    QCOMPARE(pretty(said[1].toObject()), pretty(object(sent)));
}

// What is another's, or no longer what the message says, is left out as a whole.
void TestLlmProvidersRequests::dropsVerbatimWhole()
{
    QFETCH(QString, id);
    QFETCH(QByteArray, items);
    QFETCH(QString, list);
    Request without = replaying(id, "[]");
    QCOMPARE(body(id, replaying(QStringLiteral("another"), items)), body(id, without));
    Request changed = replaying(id, items);
    changed.messages[1].text = without.messages[1].text = QStringLiteral("Something else.");
    QCOMPARE(body(id, changed), body(id, without));
}

void TestLlmProvidersRequests::mendsArguments()
{
    Request request = fullRequest();
    request.messages[1].toolCalls[0].arguments = {};
    request.messages[1].toolCalls[0].argumentsText = QStringLiteral("{\"path\": \"a.c");
    request.messages[1].text.clear();
    const QJsonValue said = body(QStringLiteral("openai-chat"), request)[QStringLiteral("messages")].toArray()[2];
    QCOMPARE(said[QStringLiteral("tool_calls")]
                 .toArray()[0][QStringLiteral("function")][QStringLiteral("arguments")]
                 .toString(),
             QStringLiteral("{}"));
    QVERIFY(said[QStringLiteral("content")].isNull());
    request.schemaName = QStringLiteral("a change, größer");
    QCOMPARE(body(QStringLiteral("openai-responses"),
                  request)[QStringLiteral("text")][QStringLiteral("format")][QStringLiteral("name")]
                 .toString(),
             QStringLiteral("a_change__gr__er"));
}

void TestLlmProvidersRequests::listsModels_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QStringList>("names");
    const QStringList two = {QStringLiteral("a-1"), QStringLiteral("b-2")};
    const QByteArray data = R"({"object":"list","data":[{"id":"a-1","object":"model"},{"id":"b-2"},{"id":"a-1"}]})";
    QTest::newRow("chat") << QStringLiteral("openai-chat") << data << two;
    QTest::newRow("bare array") << QStringLiteral("openai-chat") << QByteArray(R"([{"id":"a-1"},{"id":"b-2"}])") << two;
    QTest::newRow("none") << QStringLiteral("openai-chat") << QByteArray(R"({"data":[]})") << QStringList();
    QTest::newRow("responses") << QStringLiteral("openai-responses") << data << two;
    QTest::newRow("anthropic")
        << QStringLiteral("anthropic")
        << QByteArray(R"({"data":[{"type":"model","id":"a-1","display_name":"A"},{"id":"b-2"}],"has_more":false})")
        << two;
    QTest::newRow("gemini") << QStringLiteral("gemini")
                            << QByteArray(R"({"models":[{"name":"models/a-1","supportedGenerationMethods":["generateContent"]},
        {"name":"models/embed","supportedGenerationMethods":["embedContent"]},{"name":"models/b-2"}]})") << two;
    QTest::newRow("ollama") << QStringLiteral("ollama")
                            << QByteArray(R"({"models":[{"name":"a-1","model":"a-1"},{"model":"b-2"}]})") << two;
}

void TestLlmProvidersRequests::listsModels()
{
    QFETCH(QString, id);
    QFETCH(QByteArray, answer);
    QFETCH(QStringList, names);
    const auto found = provider(id)->models(answer);
    QVERIFY(found.has_value());
    QCOMPARE(*found, names);
}

void TestLlmProvidersRequests::modelsMayBeRefused()
{
    for (const QString &id : providerIds()) {
        for (const QByteArray &answer :
             {QByteArray("<html>"), QByteArray(), QByteArray("{}"), QByteArray("{\"data\":3,\"models\":4}")}) {
            const auto found = provider(id)->models(answer);
            QVERIFY(!found.has_value());
            QCOMPARE(found.error().code, QStringLiteral("llm.models"));
        }
        const auto refused = provider(id)->models(R"({"error":{"message":"Not you."}})");
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().message, QStringLiteral("Not you."));
    }
}

void TestLlmProvidersRequests::namesItsVariables()
{
    QCOMPARE(provider(QStringLiteral("openai-chat"))->keyVariables(), QStringList{QStringLiteral("OPENAI_API_KEY")});
    QCOMPARE(provider(QStringLiteral("openai-responses"))->baseVariables(), QStringList{QStringLiteral("OPENAI_BASE_URL")});
    QCOMPARE(provider(QStringLiteral("anthropic"))->keyVariables(), QStringList{QStringLiteral("ANTHROPIC_API_KEY")});
    QCOMPARE(provider(QStringLiteral("anthropic"))->baseVariables(), QStringList{QStringLiteral("ANTHROPIC_BASE_URL")});
    QCOMPARE(provider(QStringLiteral("gemini"))->keyVariables().first(), QStringLiteral("GEMINI_API_KEY"));
}

QTEST_GUILESS_MAIN(TestLlmProvidersRequests)
#include "tst_llm_providers_requests.moc"
