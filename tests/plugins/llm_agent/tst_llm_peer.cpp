// SPDX-License-Identifier: Apache-2.0
// The whole way to each of five protocols and back: adapter, wire and client against a peer somebody else wrote, with
// the faults a provider can have.
#include "client/client.h"
#include "mock_peer.h"
#include "wire/network_transport.h"

#include <QCoroTask>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace kernelskill;
using namespace kernelskill::llm;
using kernelskill::test::MockPeer;

namespace {

const QString wide = QStringLiteral("größer 😀 and back – ").repeated(20);

QJsonObject fixture(const QString &user, const QJsonObject &response, QJsonObject more = {})
{
    more.insert("match", QJsonObject{{"userMessage", user}});
    more.insert("response", response);
    return more;
}

QJsonObject first(QJsonObject fixture, int place)
{
    QJsonObject match = fixture["match"].toObject();
    match.insert("sequenceIndex", place);
    fixture.insert("match", match);
    return fixture;
}

QJsonObject error(int status, const QString &message, const QString &type)
{
    return {{"error", QJsonObject{{"message", message}, {"type", type}}}, {"status", status}};
}

// "well" answers at once; "NNN" answers with that error once, then well; and so on.
QString fixtures()
{
    const QJsonObject well{{"content", wide}};
    QJsonObject limited = error(429, "slow down", "rate_limit_error");
    limited.insert("retryAfter", 1);
    const QJsonArray all{
        fixture("all is well", well),
        fixture("in small pieces", well, {{"latency", 5}, {"chunkSize", 3}}),
        first(fixture("too many", limited), 0),
        first(fixture("too many", well), 1),
        first(fixture("broken inside", error(500, "it broke", "server_error")), 0),
        first(fixture("broken inside", well), 1),
        first(fixture("overloaded", error(529, "try later", "overloaded_error")), 0),
        first(fixture("overloaded", well), 1),
        first(fixture("cut in the middle", well, {{"truncateAfterChunks", 3}, {"latency", 20}, {"chunkSize", 20}}), 0),
        first(fixture("cut in the middle", well), 1),
        fixture("always down", error(503, "no upstream", "server_error")),
        fixture("wrong key", error(401, "no such key", "authentication_error")),
        fixture("think first", QJsonObject{{"content", "Done."}, {"reasoning", "Let me see."}})};
    return QString::fromUtf8(QJsonDocument(QJsonObject{{"fixtures", all}}).toJson());
}

} // namespace

class TestLlmPeer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void exchanges_data();
    void exchanges();
    void faults_data();
    void faults();
    void thinks_data();
    void thinks();

private:
    [[nodiscard]] Result<Reply> ask(const QString &provider, const QString &what, Call &call);
    static void addProviders();
    QTemporaryDir m_folder;
    std::unique_ptr<MockPeer> m_peer;
    QList<RoleUsage> m_usage;
    QList<Waiting> m_waits;
};

void TestLlmPeer::initTestCase()
{
    for (const char *name :
         {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "DBUS_SESSION_BUS_ADDRESS"})
        qunsetenv(name);
}

void TestLlmPeer::addProviders()
{
    QTest::addColumn<QString>("provider");
    for (const QString &id : providerIds())
        QTest::newRow(qPrintable(id)) << id;
}

Result<Reply> TestLlmPeer::ask(const QString &provider, const QString &what, Call &call)
{
    // Each exchange starts the peer's count of replies anew.
    m_peer = std::make_unique<MockPeer>(fixtures());
    if (m_peer->isOffline()) return failure("test.offline", m_peer->trouble());
    if (!m_peer->trouble().isEmpty()) return failure("test.peer", m_peer->trouble());
    const bool withVersion = provider.startsWith("openai");
    const auto settings = settingsFrom({{"provider", provider},
                                        {"model", "peer-model"},
                                        {"price", "1/1/1"},
                                        {"retries", "1"},
                                        {"base_url", m_peer->url(withVersion ? "/v1" : "").toString()}});
    if (!settings) return std::unexpected(settings.error());
    auto spending = Spending::open(m_folder.filePath("spending.db"));
    if (!spending) return std::unexpected(spending.error());
    NetworkTransport network;
    Client client(*settings, network, **spending, {}, m_folder.filePath("prices.json"));
    m_usage.clear();
    m_waits.clear();
    call.context.report = [this](const RoleUsage &usage) { m_usage.append(usage); };
    call.context.waits = [this](const Waiting &waiting) { m_waits.append(waiting); };
    Request request;
    request.model = "peer-model";
    request.system = "You answer.";
    request.maxOutputTokens = 2000;
    request.messages = {{Message::From::User, what, {}, {}, {}}};
    return QCoro::waitFor(client.ask(request, call));
}

#define VERIFY_REPLY(reply)                                                                                            \
    do {                                                                                                               \
        if (!reply && reply.error().code == u"test.offline") QSKIP(qPrintable(reply.error().message));                 \
        QVERIFY2(reply.has_value(), qPrintable(reply ? QString() : reply.error().message));                            \
    } while (false)

void TestLlmPeer::exchanges_data()
{
    addProviders();
}

void TestLlmPeer::exchanges()
{
    QFETCH(QString, provider);
    for (const char *what : {"all is well", "in small pieces"}) {
        Call call;
        const auto reply = ask(provider, what, call);
        VERIFY_REPLY(reply);
        QCOMPARE(reply->text, wide);
        QVERIFY(reply->stop == Stop::End);
        QVERIFY(call.notes.isEmpty());
        QCOMPARE(call.spent.calls, 1);
        QVERIFY(m_usage.first().tokensOut > 0);
    }
}

void TestLlmPeer::faults_data()
{
    QTest::addColumn<QString>("provider");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("outcome"); // empty: answered at the second try; else part of the error's sentence
    QTest::addColumn<QString>("note");
    const auto rows = [](const char *what, const char *outcome, const char *note) {
        for (const QString &id : providerIds())
            QTest::newRow(qPrintable(id + ": " + what)) << id << QString(what) << QString(outcome) << QString(note);
    };
    rows("too many", "", "answers 429: slow down");
    rows("broken inside", "", "answers 500: it broke");
    rows("overloaded", "", "answers 529: try later");
    rows("cut in the middle", "", "127.0.0.1");
    rows("always down", "answers 503: no upstream (tried 2 times)", "answers 503");
    rows("wrong key", "answers 401: no such key", "");
}

void TestLlmPeer::faults()
{
    QFETCH(QString, provider);
    QFETCH(QString, what);
    QFETCH(QString, outcome);
    QFETCH(QString, note);
    QElapsedTimer timer;
    timer.start();
    Call call;
    const auto reply = ask(provider, what, call);
    if (!outcome.isEmpty()) {
        if (!reply && reply.error().code == u"test.offline") QSKIP(qPrintable(reply.error().message));
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, QString(providerUnavailable));
        QVERIFY2(reply.error().message.contains(outcome), qPrintable(reply.error().message));
    } else {
        VERIFY_REPLY(reply);
        QCOMPARE(reply->text, wide); // nothing of the first try is left in it
        QCOMPARE(call.notes.size(), 1);
        QVERIFY2(call.notes.first().contains(note), qPrintable(call.notes.first()));
    }
    if (what == u"too many") QVERIFY2(timer.elapsed() >= 1000, "it did not wait as long as it was asked to");
}

// Not Ollama: the peer names its field otherwise than Ollama does; the adapter's own tests have the real one.
void TestLlmPeer::thinks_data()
{
    QTest::addColumn<QString>("provider");
    for (const QString &id : providerIds()) {
        if (id != u"ollama") QTest::newRow(qPrintable(id)) << id;
    }
}

void TestLlmPeer::thinks()
{
    QFETCH(QString, provider);
    Call call;
    const auto reply = ask(provider, "think first", call);
    VERIFY_REPLY(reply);
    QCOMPARE(reply->text, QString("Done."));
    QCOMPARE(reply->reasoning, QString("Let me see."));
}

QTEST_GUILESS_MAIN(TestLlmPeer)
#include "tst_llm_peer.moc"
