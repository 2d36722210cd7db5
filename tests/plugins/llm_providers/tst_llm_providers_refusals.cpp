// SPDX-License-Identifier: Apache-2.0
// What becomes of an answer that is none: refusals.txt, a line each.
#include "providers/provider.h"

#include <QFile>
#include <QTest>

using namespace kernelskill::llm;

class TestLlmProvidersRefusals : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void classifies_data();
    void classifies();
    void negotiatesToAnEnd_data() { classifies_data(); }
    void negotiatesToAnEnd();
    void saysItShortly_data();
    void saysItShortly();
    void findsTheLimit();
    void mayGoBackOnTheLimitsName();
    void ofAnErrorInTheStream_data();
    void ofAnErrorInTheStream();
};

namespace {

QString shown(Refusal::Kind kind)
{
    switch (kind) {
    case Refusal::Kind::Temporary:
        return QStringLiteral("temporary");
    case Refusal::Kind::Quota:
        return QStringLiteral("quota");
    case Refusal::Kind::Key:
        return QStringLiteral("key");
    case Refusal::Kind::Model:
        return QStringLiteral("model");
    case Refusal::Kind::Context:
        return QStringLiteral("context");
    case Refusal::Kind::Parameter:
        return QStringLiteral("parameter");
    case Refusal::Kind::Request:
        return QStringLiteral("request");
    }
    return {};
}

// The names of the traits that differ.
QString changed(const ModelTraits &before, const ModelTraits &after)
{
    QStringList names;
    const auto compare = [&](const char *name, auto member) {
        if (before.*member != after.*member)
            names.append(QString::fromLatin1(name));
    };
    compare("temperature", &ModelTraits::temperature);
    compare("completionTokens", &ModelTraits::completionTokens);
    compare("schema", &ModelTraits::schema);
    compare("stream", &ModelTraits::stream);
    compare("streamUsage", &ModelTraits::streamUsage);
    compare("reasoning", &ModelTraits::reasoning);
    compare("tools", &ModelTraits::tools);
    compare("reasoningLevels", &ModelTraits::reasoningLevels);
    compare("outputLimit", &ModelTraits::outputLimit);
    return names.join(QLatin1Char(' '));
}

} // namespace

void TestLlmProvidersRefusals::classifies_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("trait");
    QTest::addColumn<QByteArray>("body");
    QFile file(QStringLiteral(TEST_DIR "/refusals.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    int number = 0;
    while (!file.atEnd()) {
        const QString line = QString::fromUtf8(file.readLine()).trimmed();
        ++number;
        if (line.isEmpty() || line.startsWith(QLatin1Char('#')))
            continue;
        QStringList fields;
        for (int field = 0; field < 5; ++field)
            fields.append(line.section(QStringLiteral(" | "), field, field).trimmed());
        fields.append(line.section(QStringLiteral(" | "), 5));
        fields.replaceInStrings(QStringLiteral("\\n"), QStringLiteral("\n"));
        for (QString &field : fields)
            if (field == QLatin1String("-"))
                field.clear();
        QTest::addRow("line %d: %s %s %s", number, qPrintable(fields[0]), qPrintable(fields[1]), qPrintable(fields[2]))
            << fields[0] << fields[1].toInt() << fields[2] << fields[3] << fields[4] << fields[5].toUtf8();
    }
}

void TestLlmProvidersRefusals::classifies()
{
    QFETCH(QString, id);
    QFETCH(int, status);
    QFETCH(QString, kind);
    QFETCH(QString, code);
    QFETCH(QString, trait);
    QFETCH(QByteArray, body);
    const ModelTraits before;
    const Refusal refusal = provider(id)->refusal(status, body, before);
    QCOMPARE(shown(refusal.kind), kind);
    QCOMPARE(refusal.traits.has_value(), kind == QLatin1String("parameter"));
    QCOMPARE(changed(before, refusal.traits.value_or(before)), trait);
    if (!code.isEmpty() || !trait.isEmpty())
        QCOMPARE(refusal.code, code);
    QVERIFY(!refusal.message.isEmpty());
    QVERIFY(refusal.message.size() <= 600);
    QVERIFY2(!refusal.message.contains(QLatin1Char('<')), qPrintable(refusal.message));
}

// The same refusal again and again never proposes what was proposed before, and ends.
void TestLlmProvidersRefusals::negotiatesToAnEnd()
{
    QFETCH(QString, id);
    QFETCH(int, status);
    QFETCH(QString, trait);
    QFETCH(QByteArray, body);
    QList<ModelTraits> tried = {ModelTraits()};
    while (tried.size() < 12) {
        const Refusal refusal = provider(id)->refusal(status, body, tried.last());
        if (refusal.kind != Refusal::Kind::Parameter)
            break;
        QVERIFY(refusal.traits.has_value());
        QVERIFY(!tried.contains(*refusal.traits));
        tried.append(*refusal.traits);
    }
    QVERIFY2(tried.size() <= 4, qPrintable(QString::number(tried.size())));
    QCOMPARE(tried.size() > 1, !trait.isEmpty());
}

void TestLlmProvidersRefusals::saysItShortly_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << 503 << QByteArray() << QStringLiteral("HTTP 503, service unavailable");
    QTest::newRow("page") << 502 << QByteArray("<!DOCTYPE html><html><head><title> 502 Bad\nGateway </title></head></html>")
                          << QStringLiteral("HTTP 502, bad gateway: the answer is a web page, “502 Bad Gateway”");
    QTest::newRow("page without title") << 403 << QByteArray("<html><body>no</body></html>")
                                        << QStringLiteral("HTTP 403, forbidden: the answer is a web page");
    QTest::newRow("words") << 504 << QByteArray("upstream request timeout\n")
                           << QStringLiteral("HTTP 504, gateway timeout: upstream request timeout");
    QTest::newRow("nothing there") << 404 << QByteArray() << QStringLiteral("HTTP 404, not found: is the base URL right?");
    QTest::newRow("validation")
        << 422 << QByteArray(R"({"detail":[{"loc":["body","messages",0,"role"],"msg":"Field required","input":{}}]})")
        << QStringLiteral("body.messages.0.role: Field required");
    QTest::newRow("behind a router")
        << 400
        << QByteArray(R"({"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"bad seed"}}})")
        << QStringLiteral("Provider returned error: bad seed");
    QTest::newRow("no message") << 400 << QByteArray(R"({"error":{"code":"odd"}})") << QStringLiteral("{\"code\":\"odd\"}");
    QTest::newRow("long") << 400 << QByteArray("{\"error\":\"") + QByteArray(5000, 'x') + "\"}"
                          << QString(599, QLatin1Char('x')) + QChar(0x2026);
}

void TestLlmProvidersRefusals::saysItShortly()
{
    QFETCH(int, status);
    QFETCH(QByteArray, body);
    QFETCH(QString, message);
    for (const QString &id : providerIds())
        QCOMPARE(provider(id)->refusal(status, body, {}).message, message);
}

void TestLlmProvidersRefusals::findsTheLimit()
{
    const QByteArray body = R"({"type":"error","error":{"type":"invalid_request_error",
        "message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens"}})";
    const Refusal refusal = provider(QStringLiteral("anthropic"))->refusal(400, body, {});
    QVERIFY(refusal.traits.has_value());
    QCOMPARE(refusal.traits->outputLimit, 64000);
}

// Servers that copy an older OpenAI know max_tokens alone.
void TestLlmProvidersRefusals::mayGoBackOnTheLimitsName()
{
    ModelTraits traits;
    traits.completionTokens = true;
    const Refusal refusal = provider(QStringLiteral("openai-chat"))->refusal(
        400, R"({"error":{"message":"Unrecognized request argument supplied: max_completion_tokens","param":null}})", traits);
    QCOMPARE(shown(refusal.kind), QStringLiteral("parameter"));
    QVERIFY(!refusal.traits->completionTokens);
}

void TestLlmProvidersRefusals::ofAnErrorInTheStream_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char *code, const char *message, const char *kind) {
        QTest::addRow("%s %s", code, message)
            << QString::fromLatin1(code) << QString::fromLatin1(message) << QString::fromLatin1(kind);
    };
    row("overloaded_error", "Overloaded", "temporary");
    row("rate_limit_exceeded", "Rate limit reached.", "temporary");
    row("server_error", "The server had an error.", "temporary");
    row("", "an error was encountered while running the model", "temporary");
    row("502", "Provider returned error", "temporary");
    row("UNAVAILABLE", "The model is overloaded.", "temporary");
    row("MALFORMED_FUNCTION_CALL", "Malformed function call", "temporary");
    row("stream.malformed", "An event of the answer is no valid JSON.", "temporary");
    row("insufficient_quota", "You exceeded your current quota.", "quota");
    row("invalid_request_error", "Your credit balance is too low", "quota");
    row("context_length_exceeded", "Your input exceeds the context window.", "context");
    row("authentication_error", "invalid x-api-key", "key");
    row("401", "User not found.", "key");
    row("invalid_request_error", "bad", "request");
}

void TestLlmProvidersRefusals::ofAnErrorInTheStream()
{
    QFETCH(QString, code);
    QFETCH(QString, message);
    QFETCH(QString, kind);
    StreamEvent error;
    error.kind = StreamEvent::Kind::Error;
    error.key = code;
    error.text = message;
    for (const QString &id : providerIds()) {
        const Refusal refusal = refusalInStream(error, *provider(id), {});
        QCOMPARE(shown(refusal.kind), kind);
        QCOMPARE(refusal.message, message);
        QCOMPARE(refusal.code, code);
    }
}

QTEST_GUILESS_MAIN(TestLlmProvidersRefusals)
#include "tst_llm_providers_refusals.moc"
