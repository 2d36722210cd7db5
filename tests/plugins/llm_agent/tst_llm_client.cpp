// SPDX-License-Identifier: Apache-2.0
// One turn with a model: what is retried, what is learnt, what it costs, and what ends it.
#include "client/client.h"
#include "client/pause.h"
#include "scripted_transport.h"

#include <QCoroTask>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::llm::test;

class TestLlmClient : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void reads();
    void retries_data();
    void retries();
    void givesUp_data();
    void givesUp();
    void waitsAndSaysSo();
    void doesNotWaitForDays();
    void negotiates();
    void stopsAtLimits_data();
    void stopsAtLimits();
    void chargesWhatBrokeOffAtItsWorst();
    void asksForAnUnknownPrice();
    void hasNoPriceAndNobodyToAsk();
    void needsAKeyElsewhere();
    void isStopped();
    void chargesWhatMayHaveBeenWorkedOn();
    void aCassetteCostsTheDayNothing();
    void pauses_data();
    void pauses();
    void refusesSettings_data();
    void refusesSettings();

private:
    [[nodiscard]] static QJsonObject settings(QJsonObject more = {});
    [[nodiscard]] Client client(ScriptedTransport &transport, const QJsonObject &more = {});
    [[nodiscard]] Result<Reply> ask(Client &client, Call &call);
    [[nodiscard]] Call call();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Spending> m_spending;
    QList<RoleUsage> m_usage;
    QList<Waiting> m_waits;
};

void TestLlmClient::initTestCase()
{
    for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"})
        qunsetenv(name);
    qunsetenv("DBUS_SESSION_BUS_ADDRESS"); // no keychain here
}

void TestLlmClient::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    auto spending = Spending::open(m_folder->filePath("spending.db"));
    QVERIFY2(spending, qPrintable(spending ? QString() : spending.error().message));
    m_spending = std::move(*spending);
    m_usage.clear();
    m_waits.clear();
}

QJsonObject TestLlmClient::settings(QJsonObject more)
{
    QJsonObject object{{"provider", "openai-chat"}, {"base_url", "http://127.0.0.1:9/v1"}, {"model", "small"},
                       {"price", "2/1/10"},         {"max_output_tokens", "1000"},         {"retries", "2"}};
    for (auto it = more.begin(); it != more.end(); ++it)
        object.insert(it.key(), it.value());
    return object;
}

Client TestLlmClient::client(ScriptedTransport &transport, const QJsonObject &more)
{
    const auto read = settingsFrom(settings(more));
    Q_ASSERT(read);
    return Client(*read, transport, *m_spending, {}, m_folder->filePath("prices.json"));
}

Call TestLlmClient::call()
{
    Call call;
    call.context.session = "s";
    call.context.report = [this](const RoleUsage &usage) { m_usage.append(usage); };
    call.context.waits = [this](const Waiting &waiting) { m_waits.append(waiting); };
    return call;
}

Result<Reply> TestLlmClient::ask(Client &client, Call &call)
{
    Request request;
    request.model = client.settings().model;
    request.system = "Be brief.";
    request.messages = {{Message::From::User, "What is wrong?", {}, {}, {}}};
    request.maxOutputTokens = client.settings().maxOutputTokens;
    return QCoro::waitFor(client.ask(request, call));
}

void TestLlmClient::reads()
{
    ScriptedTransport transport({says(QString("größer 😀 ").repeated(30), 2000, 300)});
    Client one = client(transport);
    Call call = this->call();
    const auto reply = ask(one, call);
    QVERIFY2(reply, qPrintable(reply ? QString() : reply.error().message));
    QCOMPARE(reply->text, QString("größer 😀 ").repeated(30));
    QVERIFY(reply->stop == Stop::End);
    QCOMPARE(m_usage.size(), 1);
    QCOMPARE(m_usage.first().calls, 1);
    QCOMPARE(m_usage.first().tokensIn, 2000);
    QCOMPARE(m_usage.first().tokensOut, 300);
    QCOMPARE(m_usage.first().cost_usd, (2000 * 2 + 300 * 10) / 1e6);
    QCOMPARE(m_spending->today()->money_usd, m_usage.first().cost_usd);
    QCOMPARE(m_spending->today()->tokens, 2300);
    QCOMPARE(m_usage.first().facts["model"].toString(), QString("small"));
}

void TestLlmClient::retries_data()
{
    QTest::addColumn<int>("which");
    QTest::newRow("429") << 0;
    QTest::newRow("500") << 1;
    QTest::newRow("529") << 2;
    QTest::newRow("cut off") << 3;
    QTest::newRow("no connection") << 4;
    QTest::newRow("timeout") << 5;
    QTest::newRow("error after 200") << 6;
    QTest::newRow("empty") << 7;
}

void TestLlmClient::retries()
{
    QFETCH(int, which);
    const QList<Step> steps{refuses(429, "slow down", "rate_limit_exceeded", {}, {{"retry-after-ms", "10"}}),
                            refuses(500, "oops"),
                            refuses(529, "overloaded"),
                            says("half", 0, 0, {}),
                            fails("http.connection", "nothing listens there"),
                            fails("http.timeout", "silent for 1 s"),
                            {200,
                             {{"content-type", "text/event-stream"}},
                             "data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\ndata: [DONE]\n\n",
                             true,
                             {}},
                            {200, {{"content-type", "text/event-stream"}}, "", true, {}}};
    ScriptedTransport transport({steps[which], says("well")});
    Client one = client(transport);
    Call call = this->call();
    const auto reply = ask(one, call);
    QVERIFY2(reply, qPrintable(reply ? QString() : reply.error().message));
    QCOMPARE(reply->text, QString("well"));
    QCOMPARE(transport.requests.size(), 2);
    QCOMPARE(transport.requests[0].body, transport.requests[1].body);
    QCOMPARE(call.notes.size(), 1);
}

void TestLlmClient::givesUp_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("asked");
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("says");
    QTest::newRow("wrong key") << 401 << "Incorrect API key provided." << "invalid_api_key" << 1
                               << QString(providerUnavailable) << "127.0.0.1 answers 401: Incorrect API key provided";
    QTest::newRow("spent") << 429 << "You exceeded your current quota" << "insufficient_quota" << 1
                           << QString(providerUnavailable) << "exceeded your current quota";
    QTest::newRow("no such model") << 404 << "The model `small` does not exist" << "model_not_found" << 1
                                   << QString(providerUnavailable) << "plugins choices llm model";
    QTest::newRow("down") << 503 << "unavailable" << "" << 3 << QString(providerUnavailable) << "(tried 3 times)";
    QTest::newRow("too long") << 400 << "maximum context length is 4096 tokens" << "context_length_exceeded" << 1
                              << "llm.context" << "maximum context length";
    QTest::newRow("not ours to know") << 400 << "messages: wrong" << "invalid_request_error" << 1
                                      << QString(providerUnavailable) << "messages: wrong";
}

void TestLlmClient::givesUp()
{
    QFETCH(int, status);
    QFETCH(QString, message);
    QFETCH(QString, code);
    QFETCH(int, asked);
    QFETCH(QString, error);
    QFETCH(QString, says);
    ScriptedTransport transport({refuses(status, message, code), refuses(status, message, code),
                                 refuses(status, message, code), refuses(status, message, code)});
    Client one = client(transport);
    Call call = this->call();
    const auto reply = ask(one, call);
    QVERIFY(!reply);
    QCOMPARE(reply.error().code, error);
    QVERIFY2(reply.error().message.contains(says), qPrintable(reply.error().message));
    QCOMPARE(transport.requests.size(), asked);
    QCOMPARE(m_spending->today()->money_usd, 0.0); // a refusal costs nothing, and nothing stays reserved
}

void TestLlmClient::waitsAndSaysSo()
{
    ScriptedTransport transport(
        {refuses(429, "slow down", "rate_limit_exceeded", {}, {{"retry-after", "2"}}), says("well")});
    Client one = client(transport);
    Call call = this->call();
    const qint64 before = QDateTime::currentMSecsSinceEpoch();
    QVERIFY(ask(one, call));
    const qint64 waited = QDateTime::currentMSecsSinceEpoch() - before;
    QVERIFY2(waited >= 1900, qPrintable(QString::number(waited)));
    QCOMPARE(m_waits.size(), 1);
    QVERIFY(m_waits.first().until_ms >= before + 2000);
    QVERIFY(m_waits.first().why.contains("slow down"));
}

void TestLlmClient::doesNotWaitForDays()
{
    ScriptedTransport transport(
        {refuses(429, "come back tomorrow", "rate_limit_exceeded", {}, {{"retry-after", "86400"}})});
    Client one = client(transport);
    Call call = this->call();
    const auto reply = ask(one, call);
    QVERIFY(!reply);
    QCOMPARE(reply.error().code, QString(providerUnavailable));
    const QString day = QDateTime::currentDateTime().addDays(1).toString("yyyy-MM-dd");
    QVERIFY2(reply.error().message.contains("takes calls again at " + day), qPrintable(reply.error().message));
}

void TestLlmClient::negotiates()
{
    ScriptedTransport transport({refuses(400,
                                         "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                                         "'max_completion_tokens' instead.",
                                         "unsupported_parameter", "max_tokens"),
                                 refuses(400, "Unsupported value: 'temperature' does not support 0.2 with this model.",
                                         "unsupported_value", "temperature"),
                                 says("well"), says("again")});
    Client one = client(transport);
    Request request;
    request.model = "small";
    request.temperature = 0.2;
    request.maxOutputTokens = 500;
    request.messages = {{Message::From::User, "?", {}, {}, {}}};
    Call call = this->call();
    QVERIFY(QCoro::waitFor(one.ask(request, call)));
    QCOMPARE(transport.requests.size(), 3);
    QVERIFY(transport.body(0).contains("max_tokens"));
    QCOMPARE(transport.body(2)["max_completion_tokens"].toInt(), 500);
    QVERIFY(!transport.body(2).contains("temperature"));
    QVERIFY(QCoro::waitFor(one.ask(request, call))); // what was learnt stays
    QCOMPARE(transport.body(3).keys(), transport.body(2).keys());
}

void TestLlmClient::stopsAtLimits_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("code");
    QTest::newRow("session's money") << 0 << QString(budgetMoney);
    QTest::newRow("session's tokens") << 1 << QString(budgetTokens);
    QTest::newRow("session's calls") << 2 << QString(budgetCalls);
    QTest::newRow("day's money") << 3 << QString(budgetMoney);
    QTest::newRow("day's calls") << 4 << QString(budgetCalls);
}

void TestLlmClient::stopsAtLimits()
{
    QFETCH(int, which);
    QFETCH(QString, code);
    // One call fits, two do not: a call reserves 1000 tokens of output, 0.01 dollars and a little.
    ScriptedTransport transport({says("one", 500, 900), says("two")});
    QJsonObject more;
    if (which == 3) more.insert("day_money_usd", "0.015");
    if (which == 4) more.insert("day_calls", "1");
    Client one = client(transport, more);
    Call call = this->call();
    if (which == 0) call.context.allowance.money_usd = 0.015;
    if (which == 1) call.context.allowance.tokens = 1500;
    if (which == 2) call.context.allowance.calls = 1;
    const auto first = ask(one, call);
    QVERIFY2(first, qPrintable(first ? QString() : first.error().message));
    const auto second = ask(one, call);
    QVERIFY(!second);
    QCOMPARE(second.error().code, code);
    QCOMPARE(transport.requests.size(), 1); // nothing was sent
}

void TestLlmClient::chargesWhatBrokeOffAtItsWorst()
{
    ScriptedTransport transport({says("half of it", 0, 0, {}), says("whole", 100, 10)});
    Client one = client(transport);
    Call call = this->call();
    QVERIFY(ask(one, call));
    QCOMPARE(m_usage.size(), 2);
    QCOMPARE(m_usage[0].tokensOut, 1000);
    QVERIFY(m_usage[0].cost_usd >= 0.01);
    QCOMPARE(call.spent.calls, 2);
}

void TestLlmClient::asksForAnUnknownPrice()
{
    ScriptedTransport transport({says("well", 100'000, 100'000), says("well")});
    QJsonObject own = settings({{"base_url", "https://models.example.org/v1"}, {"key_variable", "TEST_KEY"}});
    own.remove("price");
    qputenv("TEST_KEY", "k-1234567890");
    Client one(*settingsFrom(own), transport, *m_spending, {}, m_folder->filePath("prices.json"));
    Call call = this->call();
    QList<Question> asked;
    call.context.ask = [&](Question question) -> QCoro::Task<Result<Answer>> {
        asked.append(question);
        co_return Answer{true, -1, "3/0.3/15", {}};
    };
    QVERIFY(ask(one, call));
    QVERIFY(ask(one, call));
    QCOMPARE(asked.size(), 1);
    QVERIFY(asked.first().title.contains("small at models.example.org"));
    QCOMPARE(m_usage.first().cost_usd, 1.8);
    QVERIFY(QFile::exists(m_folder->filePath("prices.json")));
    QCOMPARE(transport.requests.first().secretHeader.second, QByteArray("Bearer k-1234567890"));
    qunsetenv("TEST_KEY");
}

void TestLlmClient::hasNoPriceAndNobodyToAsk()
{
    ScriptedTransport transport({says("well")});
    QJsonObject own = settings({{"base_url", "https://models.example.org/v1"}, {"key_variable", "TEST_KEY"}});
    own.remove("price");
    qputenv("TEST_KEY", "k-1234567890");
    Client one(*settingsFrom(own), transport, *m_spending, {}, m_folder->filePath("prices.json"));
    Call call = this->call();
    const auto reply = ask(one, call);
    qunsetenv("TEST_KEY");
    QVERIFY(!reply);
    QCOMPARE(reply.error().code, QString(providerUnavailable));
    QVERIFY2(reply.error().message.contains("--agent-option llm.price="), qPrintable(reply.error().message));
    QVERIFY(transport.requests.isEmpty());
}

void TestLlmClient::needsAKeyElsewhere()
{
    ScriptedTransport transport({says("well")});
    qputenv("OPENAI_API_KEY", "k-of-openai-123456");
    Client one = client(transport, {{"base_url", "https://models.example.org/v1"}});
    Call call = this->call();
    const auto reply = ask(one, call); // the environment's key is OpenAI's, not this host's
    qunsetenv("OPENAI_API_KEY");
    QVERIFY(!reply);
    QCOMPARE(reply.error().code, QString(providerUnavailable));
    QVERIFY2(reply.error().message.contains(
                 "no key for https://models.example.org: name its environment variable with llm.key_variable=NAME"),
             qPrintable(reply.error().message));
    QVERIFY(transport.requests.isEmpty());
}

void TestLlmClient::isStopped()
{
    std::stop_source stop;
    ScriptedTransport transport({refuses(503, "down", {}, {}, {{"retry-after", "60"}}), says("never")});
    Client one = client(transport);
    Call call = this->call();
    call.context.stop = stop.get_token();
    call.context.waits = [&](const Waiting &) { stop.request_stop(); };
    QElapsedTimer timer;
    timer.start();
    const auto reply = ask(one, call);
    QVERIFY(!reply);
    QCOMPARE(reply.error().code, QString("run.stopped"));
    QVERIFY(timer.elapsed() < 5000);
    QCOMPARE(transport.requests.size(), 1);
}

// A model that thinks in silence until the patience is over has been paid for, perhaps.
void TestLlmClient::chargesWhatMayHaveBeenWorkedOn()
{
    ScriptedTransport transport({fails("http.timeout", "silent for 120 s"),
                                 fails("http.connection", "nothing listens there"), says("well", 100, 10)});
    Client one = client(transport);
    Call call = this->call();
    QVERIFY(ask(one, call));
    QCOMPARE(call.spent.calls, 2); // the silence and the reply, not the refused connection
    QVERIFY(m_usage.first().cost_usd >= 0.01);
    QVERIFY(m_spending->today()->money_usd >= 0.01);
}

void TestLlmClient::aCassetteCostsTheDayNothing()
{
    ScriptedTransport transport({says("well", 100, 10)});
    Client one = client(transport, {{"cassette", "replay:/somewhere"}, {"day_calls", "0"}});
    Call call = this->call();
    const auto reply = ask(one, call);
    QVERIFY2(reply, qPrintable(reply ? QString() : reply.error().message));
    QCOMPARE(m_spending->today()->calls, 0);
    QCOMPARE(m_usage.first().calls, 1); // the session shows what it was
}

void TestLlmClient::pauses_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("ms");
    QTest::newRow("milliseconds") << QByteArray("retry-after-ms") << QByteArray("1500") << qint64(1500);
    QTest::newRow("seconds") << QByteArray("retry-after") << QByteArray("20") << qint64(20'000);
    QTest::newRow("part of a second") << QByteArray("retry-after") << QByteArray("0.5") << qint64(500);
    QTest::newRow("date") << QByteArray("retry-after") << QByteArray("Mon, 30 Nov 2026 12:00:30 GMT") << qint64(30'000);
    QTest::newRow("date gone by") << QByteArray("retry-after") << QByteArray("Mon, 30 Nov 2026 11:00:00 GMT")
                                  << qint64(0);
    QTest::newRow("no sense") << QByteArray("retry-after") << QByteArray("soon") << qint64(-1);
    QTest::newRow("negative") << QByteArray("retry-after") << QByteArray("-4") << qint64(-1);
}

void TestLlmClient::pauses()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, value);
    QFETCH(qint64, ms);
    const QDateTime now(QDate(2026, 11, 30), QTime(12, 0), QTimeZone::UTC);
    QCOMPARE(askedPause_ms({429, {{name, value}}, {}, false}, now).value_or(-1), ms);
    const HttpAnswer gemini{
        429, {}, R"({"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34.5s"}]}})", false};
    QCOMPARE(askedPause_ms(gemini, now).value_or(-1), 34'500);
    QVERIFY(askedPause_ms({429, {{"retry-after", "1e300"}}, {}, false}, now).value_or(0) > 1'000'000);
    QCOMPARE(backoff_ms(0, 0), 500);
    QCOMPARE(backoff_ms(3, 0), 4000);
    QCOMPARE(backoff_ms(9, 0), 8000);
    QCOMPARE(backoff_ms(0, 1), 375);
}

void TestLlmClient::refusesSettings_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *title, const char *name, const char *value, const char *says) {
        QTest::newRow(title) << name << value << says;
    };
    row("unknown", "modle", "x", "has no setting 'modle'; it has provider, ");
    row("provider", "provider", "closedai", "knows no provider 'closedai'; it knows ");
    row("address", "base_url", "models", "llm.base_url is 'models'; expected an address");
    row("key in the address", "base_url", "https://me:secret@example.org",
        "expected an address without name and password");
    row("temperature", "temperature", "hot", "llm.temperature is 'hot'; expected a number from 0 to 2");
    row("output", "max_output_tokens", "1", "expected a whole number from 256 on");
    row("price", "price", "cheap", "expected US dollars for a million tokens");
    row("cassette", "cassette", "tape", "expected record:FILE or replay:FILE");
    row("limit", "day_money_usd", "-1", "expected a number from 0 on");
    row("reasoning", "reasoning", "much", "expected low, medium or high");
}

void TestLlmClient::refusesSettings()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, says);
    const auto read = settingsFrom(settings({{name, value}}));
    QVERIFY(!read);
    QCOMPARE(read.error().code, QString("settings.value"));
    QVERIFY2(read.error().message.contains(says), qPrintable(read.error().message));
}

QTEST_GUILESS_MAIN(TestLlmClient)
#include "tst_llm_client.moc"
