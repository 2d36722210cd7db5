// SPDX-License-Identifier: Apache-2.0
// Somebody else's server for the five protocols, over the real network code, with requests written by hand.
#include "mock_peer.h"
#include "result_text.h"
#include "wire/cassette.h"
#include "wire/network_transport.h"

#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::test;

namespace {

const QString fixtures = QStringLiteral(R"({"fixtures": [
 {"match": {"userMessage": "greet"}, "response": {"content": "Hello from the größte mock of them all 😀"}, "chunkSize": 4},
 {"match": {"userMessage": "slowly"}, "response": {"content": "one two three four five six"}, "chunkSize": 4, "latency": 60},
 {"match": {"userMessage": "too fast"}, "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 7}},
 {"match": {"userMessage": "broken"}, "response": {"error": {"message": "it broke", "type": "server_error"}, "status": 500}},
 {"match": {"userMessage": "busy"}, "response": {"error": {"message": "overloaded", "type": "overloaded_error"}, "status": 529}},
 {"match": {"userMessage": "cut"}, "response": {"content": "this never gets to its end, however long one waits"}, "chunkSize": 4, "latency": 20, "truncateAfterChunks": 3}
]})");

// How a protocol asks, where it answers and how one sees its end.
struct Protocol
{
    QString path;
    QByteArray body;                   // %1: what is said
    QByteArray contentType, end, text; // text: a key before each piece
};

const QHash<QByteArray, Protocol> protocols{
    {"openai-chat",
     {"/v1/chat/completions", R"({"model":"m","stream":true,"messages":[{"role":"user","content":"%1"}]})",
      "text/event-stream", "data: [DONE]", "\"content\":\""}},
    {"openai-responses",
     {"/v1/responses", R"({"model":"m","stream":true,"input":[{"role":"user","content":"%1"}]})", "text/event-stream",
      "response.completed", "\"delta\":\""}},
    {"anthropic",
     {"/v1/messages", R"({"model":"m","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"%1"}]})",
      "text/event-stream", "message_stop", "\"text\":\""}},
    {"gemini",
     {"/v1beta/models/m:streamGenerateContent?alt=sse", R"({"contents":[{"role":"user","parts":[{"text":"%1"}]}]})",
      "text/event-stream", "\"finishReason\":", "\"text\":\""}},
    {"ollama",
     {"/api/chat", R"({"model":"m","stream":true,"messages":[{"role":"user","content":"%1"}]})", "application/x-ndjson",
      "\"done\":true", "\"content\":\""}}};

HttpRequest request(const QByteArray &provider, const MockPeer &peer, const QByteArray &says)
{
    const Protocol &protocol = protocols[provider];
    HttpRequest request;
    request.provider = QString::fromLatin1(provider);
    request.url = peer.url(protocol.path);
    request.headers = {{"Content-Type", "application/json"}, {"anthropic-version", "2023-06-01"}};
    request.secretHeader = {"Authorization", "Bearer sk-any"};
    request.body = QByteArray(protocol.body).replace("%1", says);
    return request;
}

} // namespace

class TestLlmMockPeer : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void streams_data() { providers(); }
    void streams();
    void refuses_data();
    void refuses();
    void cutStream_data() { providers(); }
    void cutStream();
    void slowStream();
    void recordedAndPlayed_data() { providers(); }
    void recordedAndPlayed();
    void strangersAreRefused();

private:
    static void providers();
    // The words of an answer, put together from its pieces.
    [[nodiscard]] static QByteArray textOf(const QByteArray &provider, const QByteArray &body);
    std::unique_ptr<MockPeer> m_peer;
    NetworkTransport m_network;
};

void TestLlmMockPeer::providers()
{
    QTest::addColumn<QByteArray>("provider");
    for (const char *provider : {"openai-chat", "openai-responses", "anthropic", "gemini", "ollama"})
        QTest::newRow(provider) << QByteArray(provider);
}

QByteArray TestLlmMockPeer::textOf(const QByteArray &provider, const QByteArray &body)
{
    QByteArray text;
    for (const QByteArray &line : body.split('\n')) {
        if (provider == "openai-responses" && !line.contains("output_text.delta")) continue;
        const qsizetype start = line.indexOf(protocols[provider].text);
        if (start < 0) continue;
        const qsizetype from = start + protocols[provider].text.size();
        text += line.mid(from, line.indexOf('"', from) - from);
    }
    // It cuts between the two halves of a surrogate pair, each of which is an escape then.
    return text.replace("\\ud83d\\ude00", "😀");
}

void TestLlmMockPeer::initTestCase()
{
    QTest::failOnWarning();
    m_peer = std::make_unique<MockPeer>(fixtures);
    if (m_peer->isOffline()) QSKIP(qPrintable(m_peer->trouble()));
    QVERIFY2(m_peer->trouble().isEmpty(), qPrintable(m_peer->trouble()));
}

void TestLlmMockPeer::streams()
{
    QFETCH(const QByteArray, provider);
    QList<QByteArray> pieces;
    const ChunkSink sink = [&](const QByteArray &, const QByteArray &bytes) { pieces.append(bytes); };
    const auto answer = QCoro::waitFor(m_network.exchange(request(provider, *m_peer, "please greet me"), sink, {}, {}));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, 200);
    QVERIFY2(answer->header("content-type").startsWith(protocols[provider].contentType),
             answer->header("content-type"));
    QVERIFY(!answer->cut);
    QCOMPARE(pieces.join(), answer->body);
    QVERIFY2(answer->body.contains(protocols[provider].end), answer->body);
    QCOMPARE(textOf(provider, answer->body), QByteArray("Hello from the größte mock of them all 😀"));
}

void TestLlmMockPeer::refuses_data()
{
    QTest::addColumn<QByteArray>("provider");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("message");
    for (const char *provider : {"openai-chat", "openai-responses", "anthropic", "gemini", "ollama"}) {
        QTest::addRow("%s 429", provider)
            << QByteArray(provider) << QByteArray("too fast") << 429 << QByteArray("slow down");
        QTest::addRow("%s 500", provider)
            << QByteArray(provider) << QByteArray("broken") << 500 << QByteArray("it broke");
        QTest::addRow("%s 529", provider)
            << QByteArray(provider) << QByteArray("busy") << 529 << QByteArray("overloaded");
    }
}

void TestLlmMockPeer::refuses()
{
    QFETCH(const QByteArray, provider);
    QFETCH(const QByteArray, says);
    QFETCH(const int, status);
    QFETCH(const QByteArray, message);
    QList<QByteArray> pieces;
    const ChunkSink sink = [&](const QByteArray &, const QByteArray &bytes) { pieces.append(bytes); };
    const auto answer = QCoro::waitFor(m_network.exchange(request(provider, *m_peer, says), sink, {}, {}));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, status);
    QVERIFY2(answer->body.contains(message), answer->body);
    QCOMPARE(pieces, QList<QByteArray>());
    if (status == 429) QCOMPARE(answer->header("retry-after"), QByteArray("7"));
}

void TestLlmMockPeer::cutStream()
{
    QFETCH(const QByteArray, provider);
    const auto answer = QCoro::waitFor(m_network.exchange(request(provider, *m_peer, "cut it"), {}, {}, {}));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, 200);
    QVERIFY(answer->cut);
    QVERIFY2(!answer->body.contains(protocols[provider].end), answer->body);
}

void TestLlmMockPeer::slowStream()
{
    // Longer in all than the limit of silence.
    const auto answer =
        QCoro::waitFor(m_network.exchange(request("ollama", *m_peer, "slowly"), {}, {20'000, 400, 20'000}, {}));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(textOf("ollama", answer->body), QByteArray("one two three four five six"));
}

void TestLlmMockPeer::recordedAndPlayed()
{
    QFETCH(const QByteArray, provider);
    const QTemporaryDir folder;
    const HttpRequest asked = request(provider, *m_peer, "please greet me");
    auto recording = CassetteTransport::record(folder.filePath("c.jsonl"), &m_network);
    QVERIFY2(recording, errorIn(recording));
    QList<QByteArray> heard, played;
    const auto live = QCoro::waitFor(
        (*recording)
            ->exchange(asked, [&](const QByteArray &, const QByteArray &bytes) { heard.append(bytes); }, {}, {}));
    QVERIFY2(live, errorIn(live));
    auto playing = CassetteTransport::replay(folder.filePath("c.jsonl"));
    QVERIFY2(playing, errorIn(playing));
    const auto again = QCoro::waitFor((*playing)->exchange(
        asked, [&](const QByteArray &, const QByteArray &bytes) { played.append(bytes); }, {}, {}));
    QVERIFY2(again, errorIn(again));
    QCOMPARE(played, heard);
    QCOMPARE(again->body, live->body);
    QCOMPARE(again->status, 200);
}

void TestLlmMockPeer::strangersAreRefused()
{
    const auto answer =
        QCoro::waitFor(m_network.exchange(request("openai-chat", *m_peer, "no fixture has this"), {}, {}, {}));
    QVERIFY2(answer, errorIn(answer));
    QVERIFY2(answer->status >= 400, QByteArray::number(answer->status));
}

QTEST_GUILESS_MAIN(TestLlmMockPeer)
#include "tst_llm_mock_peer.moc"
