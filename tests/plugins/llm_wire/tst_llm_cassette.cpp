// SPDX-License-Identifier: Apache-2.0
// What goes onto a cassette, what comes off it, and what is said when something is not there.
#include "raw_server.h"
#include "result_text.h"
#include "wire/cassette.h"
#include "wire/network_transport.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::test;

namespace {

const QByteArray secret = "sk-live-0123456789abcdefghij";

HttpRequest post(const QByteArray &body, const QUrl &url = QUrl("https://api.example/v1/chat?api-version=1&key=hidden"))
{
    HttpRequest request;
    request.provider = "openai-chat";
    request.url = url;
    request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "someone"}};
    request.secretHeader = {"Authorization", "Bearer " + secret};
    request.body = body;
    return request;
}

// Answers from a list, in chunks.
class ScriptedTransport : public Transport
{
public:
    struct Turn
    {
        Result<HttpAnswer> result;
        QList<QByteArray> chunks;
    };
    QList<Turn> turns;

    QCoro::Task<Result<HttpAnswer>> exchange(HttpRequest, ChunkSink sink, Timeouts, std::stop_token) override
    {
        Turn turn = turns.takeFirst();
        if (!turn.result) co_return turn.result;
        for (const QByteArray &chunk : std::as_const(turn.chunks)) {
            turn.result->body += chunk;
            if (turn.result->status == 200) sink(turn.result->header("content-type"), chunk);
        }
        co_return turn.result;
    }
};

ScriptedTransport::Turn turn(const QList<QByteArray> &chunks, int status = 200, bool cut = false)
{
    HttpAnswer answer;
    answer.status = status;
    answer.headers = {{"content-type", "text/event-stream"}, {"set-cookie", "who=me"}, {"retry-after", "7"}};
    answer.cut = cut;
    return {answer, chunks};
}

struct Played
{
    Result<HttpAnswer> result = HttpAnswer{};
    QList<QByteArray> chunks, contentTypes;
};

Played exchange(Transport &transport, const HttpRequest &request, std::stop_token stop = {})
{
    Played played;
    const ChunkSink sink = [&played](const QByteArray &contentType, const QByteArray &bytes) {
        played.contentTypes.append(contentType);
        played.chunks.append(bytes);
    };
    played.result = QCoro::waitFor(transport.exchange(request, sink, {}, std::move(stop)));
    return played;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QByteArray line(const QByteArray &body, int ordinal, const QByteArray &chunk)
{
    return "{\"request\":{\"provider\":\"p\",\"method\":\"POST\",\"url\":\"https://api.example/"
           "\",\"headers\":{},\"body\":\"" +
           body + "\"},\"ordinal\":" + QByteArray::number(ordinal) +
           ",\"answer\":{\"status\":200,\"headers\":[],\"chunks\":[\"" + chunk + "\"]}}\n";
}

HttpRequest bare(const QByteArray &body)
{
    HttpRequest request;
    request.provider = "p";
    request.url = QUrl("https://api.example/");
    request.body = body;
    return request;
}

const QByteArray head = "{\"kernelskill_cassette\":1}\n";

} // namespace

class TestLlmCassette : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void playsWhatWasRecorded_data();
    void playsWhatWasRecorded();
    void errorsAreKept();
    void stoppedIsNotKept();
    void readsLikeText();
    void nothingSecretInTheFile();
    void secretAcrossChunks();
    void orderOfKeysDoesNotCount();
    void equalRequestsInOrder();
    void orderOfBeginningCounts();
    void misses_data();
    void misses();
    void missOnAnEmptyCassette();
    void oneTooOften();
    void killedRecordingHolds();
    void brokenFiles_data();
    void brokenFiles();
    void noFile();
    void keepsWhatIsThere();
    void cannotWrite();
    void stopsPlaying();
    void overTheNetwork();

private:
    [[nodiscard]] QString path() const { return m_folder->filePath("run.jsonl"); }
    // Records one exchange for each request.
    void record(const QList<ScriptedTransport::Turn> &turns, const QList<HttpRequest> &requests);
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestLlmCassette::record(const QList<ScriptedTransport::Turn> &turns, const QList<HttpRequest> &requests)
{
    ScriptedTransport inner;
    inner.turns = turns;
    auto cassette = CassetteTransport::record(path(), &inner);
    QVERIFY2(cassette, errorIn(cassette));
    for (const HttpRequest &request : requests)
        (void)exchange(**cassette, request);
    QVERIFY(inner.turns.isEmpty());
}

void TestLlmCassette::playsWhatWasRecorded_data()
{
    QTest::addColumn<QList<QByteArray>>("chunks");
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("cut");
    QTest::newRow("plain") << QList<QByteArray>{"data: one\n\n", "data: two\n\n"} << 200 << false;
    QTest::newRow("split character") << QList<QByteArray>{"data: \xe2\x82", "\xac\n\n"} << 200 << false;
    QTest::newRow("mark at the beginning") << QList<QByteArray>{"\xef\xbb\xbf"
                                                                "data: x\n\n"}
                                           << 200 << false;
    QTest::newRow("carriage returns") << QList<QByteArray>{"data: x\r", "\n\r\n"} << 200 << false;
    QTest::newRow("any bytes") << QList<QByteArray>{QByteArray("\0\1\xff\x7f\"\\", 6)} << 200 << false;
    QTest::newRow("cut") << QList<QByteArray>{"data: {\"del"} << 200 << true;
    QTest::newRow("no body") << QList<QByteArray>() << 200 << false;
    QTest::newRow("refusal") << QList<QByteArray>{"{\"error\":\"no\"}"} << 429 << false;
}

void TestLlmCassette::playsWhatWasRecorded()
{
    QFETCH(const QList<QByteArray>, chunks);
    QFETCH(const int, status);
    QFETCH(const bool, cut);
    record({turn(chunks, status, cut)}, {post("{\"a\":1}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE((*cassette)->unplayed(), 1);
    const Played played = exchange(**cassette, post("{\"a\":1}"));
    QVERIFY2(played.result, errorIn(played.result));
    QCOMPARE(played.result->status, status);
    QCOMPARE(played.result->cut, cut);
    QCOMPARE(played.result->body, chunks.join());
    QCOMPARE(played.result->header("retry-after"), QByteArray("7"));
    QCOMPARE(played.chunks, status == 200 ? chunks : QList<QByteArray>());
    if (!played.chunks.isEmpty()) QCOMPARE(played.contentTypes.first(), QByteArray("text/event-stream"));
    QCOMPARE((*cassette)->unplayed(), 0);
}

void TestLlmCassette::errorsAreKept()
{
    record({{failure("http.timeout", "api.example has sent nothing for 2 s."), {}}, turn({"x"})},
           {post("{}"), post("{}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    const Played first = exchange(**cassette, post("{}"));
    QVERIFY(!first.result);
    QCOMPARE(first.result.error().code, QString("http.timeout"));
    QCOMPARE(first.result.error().message, QString("api.example has sent nothing for 2 s."));
    QCOMPARE(exchange(**cassette, post("{}")).result->body, QByteArray("x"));
}

void TestLlmCassette::stoppedIsNotKept()
{
    record({{failure("run.stopped", "Stopped."), {}}, turn({"x"})}, {post("{}"), post("{}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE((*cassette)->unplayed(), 1);
    QCOMPARE(exchange(**cassette, post("{}")).result->body, QByteArray("x"));
}

void TestLlmCassette::readsLikeText()
{
    record({turn({"data: größer\n\n", "\xff"})}, {post("{\"model\":\"m\"}")});
    const QList<QByteArray> lines = contentOf(path()).split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0], QByteArray("{\"kernelskill_cassette\":1}"));
    QVERIFY(lines[1].startsWith("{\"request\":{\"body\":\"{\\\"model\\\":\\\"m\\\"}\""));
    QVERIFY(lines[1].contains("\"chunks\":[\"data: größer\\n\\n\",{\"base64\":\"/w==\"}]"));
    const QJsonObject request = QJsonDocument::fromJson(lines[1])["request"].toObject();
    QCOMPARE(request["method"].toString(), QString("POST"));
    QCOMPARE(request["provider"].toString(), QString("openai-chat"));
    QCOMPARE(request["headers"].toObject(), QJsonObject({{"content-type", "application/json"}}));
    QVERIFY(request["url"].toString().startsWith("https://api.example/v1/chat?api-version=1&key="));
}

void TestLlmCassette::nothingSecretInTheFile()
{
    HttpRequest request = post("{\"note\":\"my key is " + secret + "\"}",
                               QUrl("https://me:hunter2222@api.example/v1?access_token=tok-abcdef&q=" + secret));
    request.headers.emplaceBack("X-Extra", secret);
    record({turn({"data: you said " + secret + "\n\n"}), {failure("http.connection", "no " + QString(secret)), {}}},
           {request, request});
    const QByteArray file = contentOf(path());
    for (const QByteArray &word : {secret, QByteArray("hunter2222"), QByteArray("tok-abcdef"), QByteArray("hidden"),
                                   QByteArray("who=me"), QByteArray("Bearer")})
        QVERIFY2(!file.contains(word), word);
    QVERIFY(file.contains("[redacted]"));
    // It is still found.
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE(exchange(**cassette, request).result->body, QByteArray("data: you said [redacted]\n\n"));
}

void TestLlmCassette::secretAcrossChunks()
{
    record({turn({"data: it is " + secret.first(12), secret.mid(12) + " indeed\n\n", "data: more\n\n"})}, {post("{}")});
    QVERIFY(!contentOf(path()).contains(secret.mid(12)));
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE(exchange(**cassette, post("{}")).result->body,
             QByteArray("data: it is [redacted] indeed\n\ndata: more\n\n"));
}

void TestLlmCassette::orderOfKeysDoesNotCount()
{
    record({turn({"x"})}, {post("{\"a\":1,\"b\":[1.5,\"ä\"]}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    const Played played = exchange(**cassette, post("{ \"b\": [1.5, \"\\u00e4\"], \"a\": 1 }"));
    QVERIFY2(played.result, errorIn(played.result));
    QCOMPARE(played.result->body, QByteArray("x"));
}

void TestLlmCassette::equalRequestsInOrder()
{
    record({turn({"first"}), turn({"other"}), turn({"second"})},
           {post("{\"a\":1}"), post("{\"b\":1}"), post("{\"a\":1}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE(exchange(**cassette, post("{\"a\":1}")).result->body, QByteArray("first"));
    QCOMPARE(exchange(**cassette, post("{\"a\":1}")).result->body, QByteArray("second"));
    QCOMPARE(exchange(**cassette, post("{\"b\":1}")).result->body, QByteArray("other"));
}

// Two equal requests at once may end the other way round.
void TestLlmCassette::orderOfBeginningCounts()
{
    QVERIFY(write(path(), head + line("a", 1, "began second") + line("a", 0, "began first")));
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QCOMPARE(exchange(**cassette, bare("a")).result->body, QByteArray("began first"));
    QCOMPARE(exchange(**cassette, bare("a")).result->body, QByteArray("began second"));
}

void TestLlmCassette::misses_data()
{
    const QByteArray recorded = "{\"messages\":[{\"content\":\"" + QByteArray(60, 'a') + "make it fast" +
                                QByteArray(60, 'b') + "\"}],\"model\":\"m\",\"n\":1}";
    QTest::addColumn<HttpRequest>("asked");
    QTest::addColumn<QString>("says");
    const auto changed = [&](const char *from, const char *to) { return post(QByteArray(recorded).replace(from, to)); };
    QTest::newRow("text") << changed("fast", "slow")
                          << "the bodies differ first in /messages/0/content at character 68: recorded \"…" +
                                 QString(32, 'a') + "make it fast" + QString(36, 'b') + "…\", asked for \"…" +
                                 QString(32, 'a') + "make it slow" + QString(36, 'b') + "…\"";
    QTest::newRow("number") << changed("\"n\":1", "\"n\":2")
                            << "the bodies differ first in /n: recorded 1, asked for 2.";
    QTest::newRow("new key") << changed("\"n\":1", "\"n\":1,\"a/b\":true")
                             << "the bodies differ first in /a~1b: recorded nothing, asked for true.";
    QTest::newRow("longer") << changed("}],", "},{}],")
                            << "the bodies differ first in /messages/1: recorded nothing, asked for {}.";
    HttpRequest other = post(recorded);
    other.provider = "anthropic";
    QTest::newRow("provider") << other << "another provider: recorded openai-chat, asked for anthropic.";
    QTest::newRow("address") << post(recorded, QUrl("https://api.example/v2"))
                             << "another address: recorded https://api.example/v1/chat?api-version=1&key=";
    HttpRequest header = post(recorded);
    header.headers.emplaceBack("OpenAI-Beta", "x");
    QTest::newRow("header") << header << "the headers differ in /openai-beta: recorded nothing, asked for \"x\".";
    QTest::newRow("no JSON") << post("ja!") << "the bodies differ first at character 0: recorded \"{\"model\":";
}

void TestLlmCassette::misses()
{
    QFETCH(const HttpRequest, asked);
    QFETCH(const QString, says);
    const QByteArray recorded = "{\"messages\":[{\"content\":\"" + QByteArray(60, 'a') + "make it fast" +
                                QByteArray(60, 'b') + "\"}],\"model\":\"m\",\"n\":1}";
    record({turn({"x"}), turn({"y"})}, {post("{\"model\":\"quite another\"}"), post(recorded)});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    const Played played = exchange(**cassette, asked);
    QVERIFY(!played.result);
    const Error &error = played.result.error();
    QCOMPARE(error.code, QString("cassette.miss"));
    QVERIFY2(error.message.startsWith(path() + " has no answer to POST https://api.example/v"),
             qPrintable(error.message));
    const QString closest = asked.body == "ja!" ? "line 2" : "line 3";
    QVERIFY2(error.message.contains("the closest one is that of " + closest + "; "), qPrintable(error.message));
    QVERIFY2(error.message.contains(says), qPrintable(error.message));
    QVERIFY(error.message.contains("record the cassette again"));
    QVERIFY(!error.message.contains(secret));
    QCOMPARE((*cassette)->unplayed(), 2);
}

void TestLlmCassette::missOnAnEmptyCassette()
{
    record({}, {});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    const Played played = exchange(**cassette, post("{}"));
    QCOMPARE(played.result.error().code, QString("cassette.miss"));
    QVERIFY(played.result.error().message.contains("nothing is recorded"));
}

void TestLlmCassette::oneTooOften()
{
    record({turn({"x"})}, {post("{}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    QVERIFY(exchange(**cassette, post("{}")).result);
    const Played played = exchange(**cassette, post("{}"));
    QCOMPARE(played.result.error().code, QString("cassette.miss"));
    QVERIFY(played.result.error().message.contains("it is recorded 1 times and was asked for once more"));
}

void TestLlmCassette::killedRecordingHolds()
{
    record({turn({"x"}), turn({"y"})}, {post("{\"a\":1}"), post("{\"a\":2}")});
    const QByteArray whole = contentOf(path());
    const qsizetype lastLine = whole.lastIndexOf('\n', -2) + 1;
    for (const qsizetype length : {lastLine, lastLine + 1, (lastLine + whole.size()) / 2, whole.size() - 2}) {
        QVERIFY(write(path(), whole.first(length)));
        auto cassette = CassetteTransport::replay(path());
        QVERIFY2(cassette, errorIn(cassette));
        QCOMPARE((*cassette)->unplayed(), 1);
        QCOMPARE(exchange(**cassette, post("{\"a\":1}")).result->body, QByteArray("x"));
    }
}

void TestLlmCassette::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("place");
    const QByteArray good = line("a", 0, "x");
    const auto broken = [&](const char *from, const char *to) {
        return head + good + QByteArray(good).replace(from, to);
    };
    QTest::newRow("empty") << QByteArray() << "cassette.syntax" << ":1";
    QTest::newRow("not ours") << QByteArray("{\"log\":1}\n") << "cassette.missing_key" << ":1";
    QTest::newRow("later version") << QByteArray("{\"kernelskill_cassette\":2}\n") << "cassette.version" << ":1";
    QTest::newRow("no JSON") << head + good + "oops\n" + good << "cassette.syntax" << ":3";
    QTest::newRow("no request") << broken("\"request\"", "\"asked\"") << "cassette.missing_key" << ":3";
    QTest::newRow("no status") << broken("\"status\"", "\"state\"") << "cassette.missing_key" << ":3: /answer";
    QTest::newRow("no answer") << broken("\"answer\"", "\"reply\"") << "cassette.missing_key" << ":3";
    QTest::newRow("chunk") << broken("[\"x\"]", "[1]") << "cassette.type" << ":3: /answer/chunks/0";
    QTest::newRow("base64") << broken("[\"x\"]", "[{\"base64\":\"?\"}]") << "cassette.value" << ":3: /answer/chunks/0";
    QTest::newRow("header") << broken("\"headers\":[]", "\"headers\":[[\"a\"]]") << "cassette.value"
                            << ":3: /answer/headers/0";
    QTest::newRow("number for text") << broken("\"url\":\"https://api.example/\"", "\"url\":4") << "cassette.type"
                                     << ":3: /request/url";
}

void TestLlmCassette::brokenFiles()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, code);
    QFETCH(const QString, place);
    QVERIFY(write(path(), text));
    const auto cassette = CassetteTransport::replay(path());
    QVERIFY(!cassette);
    QCOMPARE(cassette.error().code, code);
    QVERIFY2(cassette.error().message.startsWith(path() + place), qPrintable(cassette.error().message));
}

void TestLlmCassette::noFile()
{
    const auto cassette = CassetteTransport::replay(path());
    QVERIFY(!cassette);
    QCOMPARE(cassette.error().code, QString("cassette.missing_file"));
    QVERIFY(cassette.error().message.startsWith(path()));
}

void TestLlmCassette::keepsWhatIsThere()
{
    record({turn({"x"})}, {post("{}")});
    const QByteArray before = contentOf(path());
    ScriptedTransport inner;
    const auto refused = CassetteTransport::record(path(), &inner);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QString("cassette.exists"));
    QVERIFY(refused.error().message.startsWith(path()));
    QCOMPARE(contentOf(path()), before);
    QVERIFY(CassetteTransport::record(path(), &inner, true));
    QCOMPARE(contentOf(path()), head);
    QVERIFY(write(path(), {}));
    QVERIFY(CassetteTransport::record(path(), &inner)); // an empty file is none
}

void TestLlmCassette::cannotWrite()
{
    ScriptedTransport inner;
    const auto nowhere = CassetteTransport::record(m_folder->filePath("none/run.jsonl"), &inner);
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, QString("cassette.write"));
    // The folder goes while recording.
    inner.turns = {turn({"x"})};
    auto cassette = CassetteTransport::record(path(), &inner);
    QVERIFY2(cassette, errorIn(cassette));
    QVERIFY(m_folder->remove());
    QCOMPARE(exchange(**cassette, post("{}")).result.error().code, QString("cassette.write"));
}

void TestLlmCassette::stopsPlaying()
{
    record({turn({"one", "two", "three"})}, {post("{}")});
    auto cassette = CassetteTransport::replay(path());
    QVERIFY2(cassette, errorIn(cassette));
    std::stop_source source;
    QList<QByteArray> chunks;
    const ChunkSink sink = [&](const QByteArray &, const QByteArray &bytes) {
        chunks.append(bytes);
        source.request_stop();
    };
    const auto result = QCoro::waitFor((*cassette)->exchange(post("{}"), sink, {}, source.get_token()));
    QVERIFY(!result);
    QCOMPARE(result.error().code, QString("run.stopped"));
    QCOMPARE(chunks, QList<QByteArray>({"one"}));
}

void TestLlmCassette::overTheNetwork()
{
    HttpRequest sent = post("{\"stream\":true}");
    {
        RawServer server;
        sent.url = server.url("/v1/chat");
        server.answerWith(
            inPieces({httpHead("200 OK", {"Content-Type: text/event-stream", "Transfer-Encoding: chunked"}),
                      httpChunk("data: \xe2\x82"), httpChunk("\xac\n\n"), httpChunk({})}));
        NetworkTransport network;
        auto cassette = CassetteTransport::record(path(), &network);
        QVERIFY2(cassette, errorIn(cassette));
        const Played played = exchange(**cassette, sent);
        QVERIFY2(played.result, errorIn(played.result));
        QCOMPARE(played.result->body, QByteArray("data: €\n\n"));
    }
    QVERIFY(!contentOf(path()).contains(secret));
    auto cassette = CassetteTransport::replay(path()); // the server is gone
    QVERIFY2(cassette, errorIn(cassette));
    const Played played = exchange(**cassette, sent);
    QVERIFY2(played.result, errorIn(played.result));
    QCOMPARE(played.chunks, QList<QByteArray>({"data: \xe2\x82", "\xac\n\n"}));
    QCOMPARE(played.contentTypes, QList<QByteArray>({"text/event-stream", "text/event-stream"}));
}

QTEST_GUILESS_MAIN(TestLlmCassette)
#include "tst_llm_cassette.moc"
