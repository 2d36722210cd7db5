// SPDX-License-Identifier: Apache-2.0
// What a server may do on the wire, byte by byte, and what becomes of it.
#include "exchanges.h"
#include "result_text.h"
#include "wire/network_transport.h"

#include <QTest>

#include <thread>

using namespace kernelskill;
using namespace kernelskill::llm;
using namespace kernelskill::test;

class TestLlmNetwork : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void sendsTheRequest();
    void saysNothingOfThisMachine();
    void streamsInPieces();
    void splitCharactersStayBytes();
    void connectionIsKept();
    void errorStatuses_data();
    void errorStatuses();
    void longRefusalIsShortened();
    void endsEarly_data();
    void endsEarly();
    void noAnswer_data();
    void noAnswer();
    void isSentOnce_data();
    void isSentOnce();
    void nothingListens();
    void hostNotFound();
    void tooLarge();
    void timeouts_data();
    void timeouts();
    void slowButSteadyIsNoSilence();
    void sixAtATime();
    void waitingDoesNotCount();
    void stops_data();
    void stops();
    void stoppedBefore();
    void stoppedWhileWaiting();
    void transportGoes();
};

void TestLlmNetwork::init()
{
    QTest::failOnWarning();
    forgetProxies();
}

void TestLlmNetwork::sendsTheRequest()
{
    RawServer server;
    server.answerWith({sends(httpAnswer("200 OK", "application/json", "{\"ok\":true}", {"X-Request-Id: r1"}))});
    NetworkTransport transport;
    const QByteArray body = "{\"model\":\"m\",\"text\":\"" + QByteArray(300'000, 'x') + "\"}";
    const auto answer = finish(transport, post(server.url("/v1/chat/completions"), body));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, 200);
    QCOMPARE(answer->body, QByteArray("{\"ok\":true}"));
    QCOMPARE(answer->header("x-request-id"), QByteArray("r1"));
    QVERIFY(!answer->cut);
    QCOMPARE(server.requests().size(), 1);
    QVERIFY(server.requests().first().startsWith("POST /v1/chat/completions HTTP/1.1\r\n"));
    QCOMPARE(server.body(0), body);
    QCOMPARE(server.header(0, "Authorization"), QByteArray("Bearer sk-secret-for-tests"));
    QCOMPARE(server.header(0, "Content-Type"), QByteArray("application/json"));

    HttpRequest models;
    models.method = "GET";
    models.url = server.url("/v1/models");
    QVERIFY(finish(transport, models));
    QVERIFY(server.requests().last().startsWith("GET /v1/models HTTP/1.1\r\n"));
}

void TestLlmNetwork::saysNothingOfThisMachine()
{
    RawServer server;
    server.answerWith({sends(httpAnswer("200 OK", "text/plain", "x", {"Set-Cookie: seen=1; Path=/"}))});
    NetworkTransport transport;
    QVERIFY(finish(transport, post(server.url())));
    QVERIFY(finish(transport, post(server.url())));
    for (int request : {0, 1}) {
        QCOMPARE(server.header(request, "User-Agent"), QByteArray("kernelskill"));
        QCOMPARE(server.header(request, "Accept-Language"), QByteArray("en"));
        QCOMPARE(server.header(request, "Accept-Encoding"), QByteArray("identity"));
        QCOMPARE(server.header(request, "Cookie"), QByteArray());
    }
}

void TestLlmNetwork::streamsInPieces()
{
    RawServer server;
    server.answerWith(inPieces({chunked, httpChunk("data: one\n\n"), httpChunk("data: two\n\n"), httpChunk({})}));
    NetworkTransport transport;
    const auto running = begin(transport, post(server.url()));
    QTRY_VERIFY(running->result.has_value());
    QVERIFY2(*running->result, errorIn(*running->result));
    QCOMPARE(running->pieces, QList<QByteArray>({"data: one\n\n", "data: two\n\n"}));
    QCOMPARE(running->contentTypes, QList<QByteArray>({"text/event-stream", "text/event-stream"}));
    QCOMPARE((*running->result)->body, QByteArray("data: one\n\ndata: two\n\n"));
    QVERIFY(!(*running->result)->cut);
}

void TestLlmNetwork::splitCharactersStayBytes()
{
    RawServer server;
    server.answerWith(inPieces({noLength, "data: \xe2\x82", "\xac \xf0\x9f", "\x98\x80\n\n"}) << closes());
    NetworkTransport transport;
    const auto running = begin(transport, post(server.url()));
    QTRY_VERIFY(running->result.has_value());
    QCOMPARE(running->pieces.size(), 3);
    QCOMPARE(running->pieces.first(), QByteArray("data: \xe2\x82"));
    QCOMPARE((*running->result)->body, QByteArray("data: € 😀\n\n"));
}

void TestLlmNetwork::connectionIsKept()
{
    RawServer server;
    server.answerWith({sends(httpAnswer("200 OK", "text/plain", "x"))});
    NetworkTransport transport;
    for (int round = 0; round < 3; ++round)
        QVERIFY(finish(transport, post(server.url())));
    QCOMPARE(server.requests().size(), 3);
    QCOMPARE(server.connections(), 1);
}

void TestLlmNetwork::errorStatuses_data()
{
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QList<QByteArray>>("lines");
    const QList<QByteArray> none;
    QTest::newRow("400") << QByteArray("400 Bad Request") << none;
    QTest::newRow("401") << QByteArray("401 Unauthorized") << none;
    QTest::newRow("401 with a challenge")
        << QByteArray("401 Unauthorized") << QList<QByteArray>{"WWW-Authenticate: Bearer realm=\"api\""};
    QTest::newRow("401 with a basic challenge")
        << QByteArray("401 Unauthorized") << QList<QByteArray>{"WWW-Authenticate: Basic realm=\"api\""};
    QTest::newRow("402") << QByteArray("402 Payment Required") << none;
    QTest::newRow("403") << QByteArray("403 Forbidden") << none;
    QTest::newRow("404") << QByteArray("404 Not Found") << none;
    QTest::newRow("408") << QByteArray("408 Request Timeout") << none;
    QTest::newRow("409") << QByteArray("409 Conflict") << none;
    QTest::newRow("413") << QByteArray("413 Payload Too Large") << none;
    QTest::newRow("429") << QByteArray("429 Too Many Requests") << QList<QByteArray>{"Retry-After: 7"};
    QTest::newRow("500") << QByteArray("500 Internal Server Error") << none;
    QTest::newRow("503") << QByteArray("503 Service Unavailable") << none;
    QTest::newRow("529") << QByteArray("529 Overloaded") << none;
}

void TestLlmNetwork::errorStatuses()
{
    QFETCH(const QByteArray, status);
    QFETCH(const QList<QByteArray>, lines);
    const QByteArray body = "{\"error\":{\"message\":\"no\",\"type\":\"t\"}}";
    RawServer server;
    server.answerWith({sends(httpAnswer(status, "application/json", body, lines))});
    NetworkTransport transport;
    const auto running = begin(transport, post(server.url()));
    QTRY_VERIFY(running->result.has_value());
    const Result<HttpAnswer> &answer = *running->result;
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, status.first(3).toInt());
    QCOMPARE(answer->body, body);
    QVERIFY(!answer->cut);
    QCOMPARE(running->pieces, QList<QByteArray>()); // nothing of a refusal is taken for a reply
    if (status.startsWith("429")) QCOMPARE(answer->header("retry-after"), QByteArray("7"));
    QCOMPARE(server.requests().size(), 1);
}

void TestLlmNetwork::longRefusalIsShortened()
{
    RawServer server;
    server.answerWith({sends(httpAnswer("500 Internal Server Error", "text/html", QByteArray(5000, 'e')))});
    NetworkOptions options;
    options.largestRefusal_bytes = 1000;
    NetworkTransport transport(options);
    const auto answer = finish(transport, post(server.url()));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, 500);
    QCOMPARE(answer->body, QByteArray(1000, 'e'));
}

void TestLlmNetwork::endsEarly_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<bool>("cut");
    const QByteArray length = httpHead("200 OK", {"Content-Type: text/event-stream", "Content-Length: 1000"});
    QTest::newRow("with a length") << Script{sends(length + "data: one\n\n"), pauses(), closes()} << true;
    QTest::newRow("in the middle of a chunk")
        << Script{sends(chunked + "ff\r\ndata: one\n\n"), pauses(), closes()} << true;
    QTest::newRow("between chunks") << Script{sends(chunked + httpChunk("data: one\n\n")), pauses(), closes()} << true;
    QTest::newRow("reset") << Script{sends(chunked + httpChunk("data: one\n\n")), pauses(100), resets()} << true;
    QTest::newRow("at once") << Script{sends(chunked + httpChunk("data: one\n\n")), closes()} << true;
    // Nothing tells this from a body that is whole: the reader's own end decides.
    QTest::newRow("without a length") << Script{sends(noLength + "data: one\n\n"), pauses(), closes()} << false;
}

void TestLlmNetwork::endsEarly()
{
    QFETCH(const Script, script);
    QFETCH(const bool, cut);
    RawServer server;
    server.answerWith(script);
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url()));
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->status, 200);
    QCOMPARE(answer->body, QByteArray("data: one\n\n"));
    QCOMPARE(answer->cut, cut);
    QCOMPARE(server.requests().size(), 1);
}

void TestLlmNetwork::noAnswer_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<QString>("says");
    QTest::newRow("closed") << Script{closes()} << "closed the connection before it answered";
    QTest::newRow("reset") << Script{resets()} << "closed the connection before it answered";
    QTest::newRow("half a head") << Script{sends("HTTP/1.1 200 OK\r\nContent-Ty"), pauses(), closes()}
                                 << "closed the connection before it answered";
    QTest::newRow("no HTTP") << Script{sends("SSH-2.0-OpenSSH_9.6\r\n\r\n"), pauses(), closes()}
                             << "closed the connection before it answered";
}

void TestLlmNetwork::noAnswer()
{
    QFETCH(const Script, script);
    QFETCH(const QString, says);
    RawServer server;
    server.answerWith(script);
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url()));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.connection"));
    QVERIFY2(answer.error().message.contains(says), qPrintable(answer.error().message));
    QVERIFY(answer.error().message.contains(server.url({}).toString()));
    QCOMPARE(server.requests().size(), 1);
}

void TestLlmNetwork::isSentOnce_data()
{
    QTest::addColumn<Step>("end");
    QTest::newRow("closed") << closes();
    QTest::newRow("reset") << resets();
}

// Left to itself Qt sends a request up to four times when a kept connection ends before the answer.
void TestLlmNetwork::isSentOnce()
{
    QFETCH(const Step, end);
    RawServer server;
    server.answerWith(QList<Script>{{sends(httpAnswer("200 OK", "text/plain", "x"))}, {end}});
    NetworkTransport transport;
    QVERIFY(finish(transport, post(server.url())));
    const auto second = finish(transport, post(server.url()));
    QVERIFY(!second);
    QCOMPARE(second.error().code, QString("http.connection"));
    QCOMPARE(server.requests().size(), 2);
}

void TestLlmNetwork::nothingListens()
{
    QUrl url;
    {
        RawServer server;
        url = server.url();
    }
    NetworkTransport transport;
    const auto answer = finish(transport, post(url));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.connection"));
    QCOMPARE(answer.error().message,
             QString("Nothing listens at http://127.0.0.1:%1: is the server running?").arg(url.port()));
}

void TestLlmNetwork::hostNotFound()
{
    NetworkTransport transport;
    const auto answer = finish(transport, post(QUrl("https://no-such-host.invalid/v1")));
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.connection"));
    QCOMPARE(answer.error().message,
             QString("The host no-such-host.invalid was not found: check the address, or whether "
                     "this machine is online."));
}

void TestLlmNetwork::tooLarge()
{
    RawServer server;
    Script script{sends(chunked)};
    for (int chunk = 0; chunk < 40; ++chunk)
        script << sends(httpChunk(QByteArray(100'000, 'x'))) << pauses(1);
    server.answerWith(script);
    NetworkOptions options;
    options.largestAnswer_bytes = 1 << 20;
    NetworkTransport transport(options);
    const auto running = begin(transport, post(server.url()));
    QTRY_VERIFY(running->result.has_value());
    QVERIFY(!*running->result);
    QCOMPARE(running->result->error().code, QString("http.size"));
    QVERIFY(running->result->error().message.contains("larger than 1 MiB"));
    QVERIFY(running->pieces.join().size() <= 1 << 20);
    QTRY_COMPARE(server.openConnections(), 0); // no longer read
}

void TestLlmNetwork::timeouts_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<Timeouts>("limits");
    QTest::addColumn<QString>("says");
    QTest::newRow("no head") << Script{holds()} << Timeouts{20'000, 300, 20'000} << "has sent nothing for 300 ms.";
    QTest::newRow("silent body") << Script{sends(chunked), sends(httpChunk("data: one\n\n")), holds()}
                                 << Timeouts{20'000, 300, 20'000} << "has sent nothing for 300 ms.";
    Script steady{sends(chunked)};
    for (int chunk = 0; chunk < 100; ++chunk)
        steady << sends(httpChunk("data: x\n\n")) << pauses(50);
    QTest::newRow("never done") << steady << Timeouts{20'000, 10'000, 1000} << "has not finished its answer within 1 s.";
}

void TestLlmNetwork::timeouts()
{
    QFETCH(const Script, script);
    QFETCH(const Timeouts, limits);
    QFETCH(const QString, says);
    RawServer server;
    server.answerWith(script);
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url()), limits);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, QString("http.timeout"));
    QVERIFY2(answer.error().message.endsWith(says), qPrintable(answer.error().message));
    QTRY_COMPARE(server.openConnections(), 0);
}

void TestLlmNetwork::slowButSteadyIsNoSilence()
{
    RawServer server;
    Script steady{sends(chunked)};
    for (int chunk = 0; chunk < 12; ++chunk)
        steady << sends(httpChunk("x")) << pauses(100);
    server.answerWith(steady << sends(httpChunk({})));
    NetworkTransport transport;
    const auto answer = finish(transport, post(server.url()), {20'000, 600, 20'000});
    QVERIFY2(answer, errorIn(answer));
    QCOMPARE(answer->body, QByteArray(12, 'x'));
}

void TestLlmNetwork::sixAtATime()
{
    RawServer server;
    server.answerWith({holds(), sends(httpAnswer("200 OK", "text/plain", "x"))});
    NetworkTransport transport;
    QList<std::shared_ptr<Running>> all;
    for (int exchange = 0; exchange < 9; ++exchange)
        all.append(begin(transport, post(server.url(), QByteArray::number(exchange))));
    QTRY_COMPARE(server.held(), 6);
    QTest::qWait(100);
    QCOMPARE(server.requests().size(), 6);
    server.release();
    QTRY_COMPARE(server.held(), 3);
    server.release();
    for (const auto &exchange : all)
        QTRY_VERIFY(exchange->result.has_value() && exchange->result->has_value());
    QCOMPARE(server.requests().size(), 9);
    QVERIFY(server.connections() <= 6);
    QCOMPARE(server.body(6).toInt() + server.body(7).toInt() + server.body(8).toInt(),
             6 + 7 + 8); // first come, first served
}

void TestLlmNetwork::waitingDoesNotCount()
{
    RawServer server;
    server.answerWith({pauses(500), sends(httpAnswer("200 OK", "text/plain", "x"))});
    NetworkOptions options;
    options.exchangesPerOrigin = 1;
    NetworkTransport transport(options);
    QList<std::shared_ptr<Running>> all;
    for (int exchange = 0; exchange < 4; ++exchange)
        all.append(begin(transport, post(server.url()), {1500, 1500, 1500}));
    for (const auto &exchange : all) {
        QTRY_VERIFY(exchange->result.has_value());
        QVERIFY2(*exchange->result, errorIn(*exchange->result));
    }
}

void TestLlmNetwork::stops_data()
{
    QTest::addColumn<Script>("script");
    QTest::addColumn<int>("pieces");
    QTest::newRow("before the head") << Script{holds()} << 0;
    QTest::newRow("in the body") << Script{sends(chunked), sends(httpChunk("data: one\n\n")), holds()} << 1;
}

void TestLlmNetwork::stops()
{
    QFETCH(const Script, script);
    QFETCH(const int, pieces);
    RawServer server;
    server.answerWith(script);
    NetworkTransport transport;
    std::stop_source source;
    const auto running = begin(transport, post(server.url()), {}, source.get_token());
    QTRY_COMPARE(server.held(), 1);
    QTRY_COMPARE(running->pieces.size(), pieces);
    std::thread([&] { source.request_stop(); }).join(); // any thread may
    QTRY_VERIFY_WITH_TIMEOUT(running->result.has_value(), 1000);
    QVERIFY(!*running->result);
    QCOMPARE(running->result->error().code, QString("run.stopped"));
    QTRY_COMPARE(server.openConnections(), 0);
    // What was stopped no longer takes a place.
    server.answerWith({sends(httpAnswer("200 OK", "text/plain", "x"))});
    QVERIFY(finish(transport, post(server.url())));
}

void TestLlmNetwork::stoppedBefore()
{
    RawServer server;
    NetworkTransport transport;
    std::stop_source source;
    source.request_stop();
    const auto running = begin(transport, post(server.url()), {}, source.get_token());
    QTRY_VERIFY(running->result.has_value());
    QCOMPARE(running->result->error().code, QString("run.stopped"));
    QCOMPARE(server.connections(), 0);
}

void TestLlmNetwork::stoppedWhileWaiting()
{
    RawServer server;
    server.answerWith({holds(), sends(httpAnswer("200 OK", "text/plain", "x"))});
    NetworkOptions options;
    options.exchangesPerOrigin = 1;
    NetworkTransport transport(options);
    std::stop_source source;
    const auto first = begin(transport, post(server.url()));
    const auto second = begin(transport, post(server.url()), {}, source.get_token());
    const auto third = begin(transport, post(server.url()));
    QTRY_COMPARE(server.held(), 1);
    source.request_stop();
    QTRY_VERIFY(second->result.has_value());
    QCOMPARE(second->result->error().code, QString("run.stopped"));
    server.release();
    QTRY_COMPARE(server.held(), 1);
    server.release();
    QTRY_VERIFY(first->result && third->result && *first->result && *third->result);
    QCOMPARE(server.requests().size(), 2);
}

void TestLlmNetwork::transportGoes()
{
    RawServer server;
    server.answerWith({sends(chunked), sends(httpChunk("data: one\n\n")), holds()});
    NetworkOptions options;
    options.exchangesPerOrigin = 1;
    auto transport = std::make_unique<NetworkTransport>(options);
    const auto runs = begin(*transport, post(server.url()));
    const auto waits = begin(*transport, post(server.url()));
    QTRY_COMPARE(runs->pieces.size(), 1);
    transport.reset();
    QTRY_VERIFY(runs->result.has_value() && waits->result.has_value());
    QCOMPARE(runs->result->error().code, QString("run.stopped"));
    QCOMPARE(waits->result->error().code, QString("run.stopped"));
    QTRY_COMPARE(server.openConnections(), 0);
    QCOMPARE(server.requests().size(), 1);
}

QTEST_GUILESS_MAIN(TestLlmNetwork)
#include "tst_llm_network.moc"
