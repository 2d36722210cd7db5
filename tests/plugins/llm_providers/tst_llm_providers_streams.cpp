// SPDX-License-Identifier: Apache-2.0
// Answers as the protocols have them, read whatever way they are cut. streams/PROVIDER/NAME.{sse,ndjson,json} are the bytes,
// NAME.expected has one neutral event a line and, last, whether the end was seen.
#include "providers/event_stream.h"
#include "providers/provider.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QTest>

using namespace kernelskill::llm;

class TestLlmProvidersStreams : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void splitsEvents_data();
    void splitsEvents();
    void splitsLines();
    void capsAnEvent();
    void readsAnswers_data();
    void readsAnswers();
    void readsOtherLineEnds_data() { readsAnswers_data(); }
    void readsOtherLineEnds();
    void endsOnlyWithTheTerminal_data() { readsAnswers_data(); }
    void endsOnlyWithTheTerminal();
    void survivesNoise();
    void survivesMutations_data() { readsAnswers_data(); }
    void survivesMutations();
    void replacesBrokenText();
    void saysWhenAnEventIsBroken();
    void readsJsonWhateverTheTypeSays();
    void givesBackWhatItRead_data();
    void givesBackWhatItRead();

private:
    struct Fixture
    {
        QString provider;
        QByteArray bytes, contentType, expected;
    };
    [[nodiscard]] static Fixture fixture(const QString &file);
};

namespace {

QByteArray content(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QJsonArray shown(const StreamEvent &event)
{
    const Usage &usage = event.usage;
    switch (event.kind) {
    case StreamEvent::Kind::Text:
        return {QStringLiteral("text"), event.text};
    case StreamEvent::Kind::Reasoning:
        return {QStringLiteral("reasoning"), event.text};
    case StreamEvent::Kind::ToolCall:
        if (event.whole)
            return {QStringLiteral("whole"), event.key, event.id, event.name, *event.whole};
        return {QStringLiteral("call"), event.key, event.id, event.name, event.text};
    case StreamEvent::Kind::Usage:
        return {QStringLiteral("usage"), QJsonObject{{QStringLiteral("in"), usage.tokensIn},
                                                     {QStringLiteral("cached"), usage.tokensCached},
                                                     {QStringLiteral("write"), usage.tokensCacheWrite},
                                                     {QStringLiteral("out"), usage.tokensOut},
                                                     {QStringLiteral("reasoning"), usage.tokensReasoning}}};
    case StreamEvent::Kind::Stop:
        return {QStringLiteral("stop"), toString(event.stop), event.text};
    case StreamEvent::Kind::Model:
        return {QStringLiteral("model"), event.text};
    case StreamEvent::Kind::Verbatim:
        return {QStringLiteral("verbatim"), event.verbatim};
    case StreamEvent::Kind::Error:
        return {QStringLiteral("error"), event.key, event.text};
    }
    return {};
}

QByteArray compact(const QJsonArray &array)
{
    return QJsonDocument(array).toJson(QJsonDocument::Compact);
}

// Fed in these pieces.
QByteArrayList readInPieces(const QString &id, const QByteArray &contentType, const QByteArrayList &pieces)
{
    const auto reader = provider(id)->reader(contentType);
    QByteArrayList lines;
    for (const QByteArray &piece : pieces)
        for (const StreamEvent &event : reader->feed(piece))
            lines.append(compact(shown(event)));
    for (const StreamEvent &event : reader->finish())
        lines.append(compact(shown(event)));
    lines.append(compact({QStringLiteral("end"), reader->sawEnd()}));
    return lines;
}

QByteArrayList singly(const QByteArray &bytes)
{
    QByteArrayList pieces;
    for (qsizetype at = 0; at < bytes.size(); ++at)
        pieces.append(bytes.sliced(at, 1));
    return pieces;
}

QByteArrayList randomly(const QByteArray &bytes, QRandomGenerator &random)
{
    QByteArrayList pieces;
    for (qsizetype at = 0; at < bytes.size();) {
        const qsizetype length = qMin<qsizetype>(bytes.size() - at, random.bounded(90));
        pieces.append(bytes.sliced(at, length));
        at += length;
    }
    return pieces;
}

bool hasTerminal(const QString &id, const QByteArray &bytes)
{
    if (id == QLatin1String("openai-chat"))
        return bytes.contains("[DONE]") || (bytes.contains("finish_reason") && bytes.contains("usage"));
    if (id == QLatin1String("openai-responses"))
        return bytes.contains("response.completed") || bytes.contains("response.incomplete");
    if (id == QLatin1String("anthropic"))
        return bytes.contains("message_stop");
    if (id == QLatin1String("gemini"))
        return bytes.contains("finishReason") || bytes.contains("blockReason");
    return bytes.contains("\"done\"") && bytes.contains("true");
}

QByteArrayList expectedLines(const QByteArray &text)
{
    QByteArrayList lines;
    for (const QByteArray &line : text.split('\n'))
        if (!line.isEmpty())
            lines.append(compact(QJsonDocument::fromJson(line).array()));
    return lines;
}

} // namespace

TestLlmProvidersStreams::Fixture TestLlmProvidersStreams::fixture(const QString &file)
{
    const QString path = QStringLiteral(TEST_DIR "/streams/") + file;
    Fixture found;
    found.provider = file.section(QLatin1Char('/'), 0, 0);
    found.bytes = content(path);
    found.contentType = file.endsWith(QLatin1String(".json")) ? "application/json; charset=utf-8"
        : file.endsWith(QLatin1String(".ndjson"))             ? "application/x-ndjson"
                                                              : "text/event-stream; charset=utf-8";
    found.expected = content(path.section(QLatin1Char('.'), 0, -2) + QStringLiteral(".expected"));
    return found;
}

void TestLlmProvidersStreams::splitsEvents_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArrayList>("events"); // name, data, name, data …
    QTest::newRow("LF") << QByteArray("data: a\n\ndata: b\n\n") << QByteArrayList{"", "a", "", "b"};
    QTest::newRow("CR") << QByteArray("data: a\r\rdata: b\r\r") << QByteArrayList{"", "a", "", "b"};
    QTest::newRow("CRLF") << QByteArray("event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n") << QByteArrayList{"x", "a", "", "b"};
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF" "data: a\n\n") << QByteArrayList{"", "a"};
    QTest::newRow("a mark later is data") << QByteArray("data: \xEF\xBB\xBF" "a\n\n") << QByteArrayList{"", "\xEF\xBB\xBF" "a"};
    QTest::newRow("several data lines") << QByteArray("data: a\ndata:\ndata:  b\n\n") << QByteArrayList{"", "a\n\n b"};
    QTest::newRow("no space") << QByteArray("data:a\nevent:x\n\n") << QByteArrayList{"x", "a"};
    QTest::newRow("comments, ids, unknown fields")
        << QByteArray(": hello\nid: 4\nretry: 10\nfoo: bar\nbare\ndata: a\n:\n\n") << QByteArrayList{"", "a"};
    QTest::newRow("no data, no event") << QByteArray("event: ping\n\n\n\ndata: a\n\n") << QByteArrayList{"", "a"};
    QTest::newRow("empty data") << QByteArray("data\n\n") << QByteArrayList{"", ""};
    QTest::newRow("last one left open") << QByteArray("data: a\n\ndata: b") << QByteArrayList{"", "a", "", "b"};
    QTest::newRow("named error") << QByteArray("error: {}\n\n") << QByteArrayList{"error", "{}"};
    QTest::newRow("nothing") << QByteArray() << QByteArrayList{};
}

void TestLlmProvidersStreams::splitsEvents()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArrayList, events);
    for (const QByteArrayList &pieces : {QByteArrayList{bytes}, singly(bytes)}) {
        EventStream stream;
        QByteArrayList found;
        QList<ServerEvent> all;
        for (const QByteArray &piece : pieces)
            all += stream.feed(piece);
        all += stream.rest();
        for (const ServerEvent &event : std::as_const(all))
            found << event.name << event.data;
        QCOMPARE(found, events);
        QVERIFY(!stream.overflowed());
    }
}

void TestLlmProvidersStreams::splitsLines()
{
    LineStream lines;
    QCOMPARE(lines.feed("a\r"), QByteArrayList{"a"});
    QCOMPARE(lines.feed("\nb\n\nc\xC3"), (QByteArrayList{"b", ""}));
    QCOMPARE(lines.feed("\xA4"), QByteArrayList{});
    QCOMPARE(lines.rest(), QByteArray("cä"));
    QCOMPARE(lines.rest(), QByteArray());
}

void TestLlmProvidersStreams::capsAnEvent()
{
    EventStream longLine(100);
    QVERIFY(longLine.feed("data: " + QByteArray(50, 'x') + "\n\n").size() == 1);
    QVERIFY(longLine.feed("data: " + QByteArray(120, 'x')).isEmpty());
    QVERIFY(longLine.overflowed());
    QVERIFY(longLine.feed("\n\ndata: a\n\n").isEmpty());

    EventStream manyLines(100);
    for (int line = 0; line < 40; ++line)
        QVERIFY(manyLines.feed("data: xxxx\n").isEmpty());
    QVERIFY(manyLines.overflowed());

    const auto reader = provider(QStringLiteral("openai-chat"))->reader("text/event-stream");
    QList<StreamEvent> events = reader->feed("data: {\"choices\":[]}\n\n");
    const QByteArray megabyte(1024 * 1024, 'x');
    for (int count = 0; count < 20; ++count)
        events += reader->feed(count == 0 ? "data: " + megabyte : megabyte);
    QCOMPARE(events.size(), 1);
    QCOMPARE(events.first().kind, StreamEvent::Kind::Error);
    QCOMPARE(events.first().key, QStringLiteral("stream.size"));
    QVERIFY(reader->feed("\n\ndata: [DONE]\n\n").isEmpty());
    QVERIFY(!reader->sawEnd());
}

void TestLlmProvidersStreams::readsAnswers_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(TEST_DIR "/streams"));
    int files = 0;
    for (const QString &id : providerIds()) {
        const QStringList names = QDir(folder.filePath(id)).entryList({QStringLiteral("*.sse"), QStringLiteral("*.ndjson"),
                                                                       QStringLiteral("*.json")});
        files += int(names.size());
        for (const QString &name : names)
            QTest::newRow(qPrintable(id + QLatin1Char('/') + name)) << id + QLatin1Char('/') + name;
    }
    QVERIFY(files >= 40);
}

void TestLlmProvidersStreams::readsAnswers()
{
    QFETCH(QString, file);
    const Fixture given = fixture(file);
    const QByteArrayList expected = expectedLines(given.expected);
    QVERIFY(expected.size() > 0);
    QCOMPARE(readInPieces(given.provider, given.contentType, {given.bytes}).join('\n'), expected.join('\n'));
    QCOMPARE(readInPieces(given.provider, given.contentType, singly(given.bytes)).join('\n'), expected.join('\n'));
    QRandomGenerator random(7);
    for (int round = 0; round < 20; ++round)
        QCOMPARE(readInPieces(given.provider, given.contentType, randomly(given.bytes, random)).join('\n'),
                 expected.join('\n'));
}

void TestLlmProvidersStreams::readsOtherLineEnds()
{
    QFETCH(QString, file);
    Fixture given = fixture(file);
    const QByteArray expected = expectedLines(given.expected).join('\n');
    for (const QByteArray &end : {QByteArray("\r\n"), QByteArray("\r")}) {
        QByteArray bytes = given.bytes;
        bytes.replace("\n", end).prepend("\xEF\xBB\xBF");
        QCOMPARE(readInPieces(given.provider, given.contentType, {bytes}).join('\n'), expected);
        QCOMPARE(readInPieces(given.provider, given.contentType, singly(bytes)).join('\n'), expected);
    }
}

// Cut off anywhere before its last event, an answer is not whole.
void TestLlmProvidersStreams::endsOnlyWithTheTerminal()
{
    QFETCH(QString, file);
    const Fixture given = fixture(file);
    const bool ends = given.expected.trimmed().endsWith("[\"end\",true]");
    const QByteArray trimmed = given.bytes.trimmed();
    // Where the protocol's own end begins; the bytes behind it may be lost.
    const QByteArray terminal = given.bytes.contains("\"usage\":{") && given.provider == QLatin1String("openai-chat")
        ? "\"usage\":{"
        : given.provider == QLatin1String("openai-chat") ? "[DONE]"
        : given.provider == QLatin1String("anthropic")   ? "event: message_stop"
        : given.provider == QLatin1String("gemini")      ? "finishReason\":\""
                                                         : "no such";
    qsizetype last = file.endsWith(QLatin1String(".json")) ? -1 : trimmed.lastIndexOf(terminal);
    if (last < 0)
        last = trimmed.size() - 1;
    for (qsizetype length = 0; length <= last; ++length)
        QVERIFY2(readInPieces(given.provider, given.contentType, {trimmed.first(length)}).last() == "[\"end\",false]",
                 qPrintable(QStringLiteral("cut after %1 of %2").arg(length).arg(trimmed.size())));
    QCOMPARE(readInPieces(given.provider, given.contentType, {trimmed}).last() == "[\"end\",true]", ends);
}

void TestLlmProvidersStreams::survivesNoise()
{
    QRandomGenerator random(11);
    const QByteArray alphabet = "{}[]\":,\\n\r\n dataevntDONE0123456789\xC3\xA4\xEF\xBB\xBF\xF0\x9F\x98\x80u";
    for (int round = 0; round < 3000; ++round) {
        QByteArray bytes;
        const int length = random.bounded(200);
        for (int at = 0; at < length; ++at)
            bytes += random.bounded(3) == 0 ? char(random.bounded(256)) : alphabet[random.bounded(int(alphabet.size()))];
        if (round % 3 == 0)
            bytes = "data: {\"" + bytes.replace("\n", "") + "}\n\n";
        const QByteArray type = round % 2 ? "text/event-stream" : "application/json";
        for (const QString &id : providerIds())
            QCOMPARE(readInPieces(id, type, randomly(bytes, random)).last(), QByteArray("[\"end\",false]"));
    }
}

void TestLlmProvidersStreams::survivesMutations()
{
    QFETCH(QString, file);
    const Fixture given = fixture(file);
    QRandomGenerator random(13);
    for (int round = 0; round < 300; ++round) {
        QByteArray bytes = given.bytes;
        const int changes = 1 + random.bounded(6);
        for (int change = 0; change < changes && !bytes.isEmpty(); ++change) {
            const qsizetype at = random.bounded(int(bytes.size()));
            const qsizetype length = qMin<qsizetype>(bytes.size() - at, random.bounded(40));
            switch (random.bounded(4)) {
            case 0:
                bytes[at] = char(random.bounded(256));
                break;
            case 1:
                bytes.remove(at, length);
                break;
            case 2:
                bytes.insert(at, bytes.sliced(at, length));
                break;
            default:
                bytes.truncate(at);
            }
        }
        const QByteArrayList once = readInPieces(given.provider, given.contentType, {bytes});
        QCOMPARE(readInPieces(given.provider, given.contentType, randomly(bytes, random)).join('\n'), once.join('\n'));
        if (once.last() != "[\"end\",true]")
            continue;
        // One whole JSON ends where it closes; of a stream the protocol's word for the end is still in the bytes.
        QVERIFY2(file.endsWith(QLatin1String(".json")) ? !QJsonDocument::fromJson(QString::fromUtf8(bytes).toUtf8()).isNull()
                                                       : hasTerminal(given.provider, bytes),
                 bytes.constData());
    }
}

void TestLlmProvidersStreams::replacesBrokenText()
{
    const QByteArray bytes = "data: {\"choices\":[{\"delta\":{\"content\":\"a\xC3(b\"}}]}\n\n";
    const QByteArrayList lines = readInPieces(QStringLiteral("openai-chat"), "text/event-stream", {bytes});
    QCOMPARE(lines.first(), compact({QStringLiteral("text"), QStringLiteral("a\uFFFD(b")}));
}

void TestLlmProvidersStreams::saysWhenAnEventIsBroken()
{
    const QByteArray bytes =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    const QByteArrayList lines = readInPieces(QStringLiteral("openai-chat"), "text/event-stream", {bytes});
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines.first().startsWith("[\"error\",\"stream.malformed\""));
    QCOMPARE(lines.last(), QByteArray("[\"end\",false]"));
    const QByteArrayList plain =
        readInPieces(QStringLiteral("anthropic"), "text/event-stream", {"event: error\ndata: upstream went away\n\n"});
    QCOMPARE(plain.first(), QByteArray("[\"error\",\"\",\"upstream went away\"]"));
}

void TestLlmProvidersStreams::readsJsonWhateverTheTypeSays()
{
    const Fixture whole = fixture(QStringLiteral("openai-chat/whole.json"));
    const QByteArray expected = expectedLines(whole.expected).join('\n');
    QCOMPARE(readInPieces(whole.provider, "text/event-stream", {whole.bytes}).join('\n'), expected);
    QCOMPARE(readInPieces(whole.provider, "", {"\n \n", whole.bytes}).join('\n'), expected);
    const Fixture stream = fixture(QStringLiteral("openai-chat/text.sse"));
    QCOMPARE(readInPieces(stream.provider, "application/json", {stream.bytes}).join('\n'),
             expectedLines(stream.expected).join('\n'));
    const Fixture lines = fixture(QStringLiteral("ollama/thinking_and_call.ndjson"));
    QCOMPARE(readInPieces(lines.provider, "application/json", {lines.bytes}).join('\n'),
             expectedLines(lines.expected).join('\n'));
}

void TestLlmProvidersStreams::givesBackWhatItRead_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("list"); // of the body
    QTest::addColumn<QByteArray>("sent");
    QTest::newRow("anthropic") << QStringLiteral("anthropic/thinking_and_call.sse") << QStringLiteral("messages")
                               << QByteArray(R"({
        "role":"assistant","content":[{"type":"thinking","thinking":"Let me see.","signature":"EqQBCkY="},
        {"type":"redacted_thinking","data":"EmwK"},{"type":"text","text":"I read."},
        {"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"a.cu"}},
        {"type":"tool_use","id":"toolu_2","name":"measure","input":{}}]})");
    QTest::newRow("gemini") << QStringLiteral("gemini/thought_and_calls.sse") << QStringLiteral("contents") << QByteArray(R"({
        "role":"model","parts":[{"text":"Looking."},
        {"functionCall":{"name":"read_file","args":{"path":"a"}},"thoughtSignature":"EqwC/+="},
        {"functionCall":{"id":"fc7","name":"measure","args":{}}},{"text":"","thoughtSignature":"AAA="}]})");
    QTest::newRow("responses") << QStringLiteral("openai-responses/text.sse") << QStringLiteral("input") << QByteArray(R"({
        "id":"rs_1","type":"reasoning","encrypted_content":"gAAA1",
        "summary":[{"type":"summary_text","text":"First"},{"type":"summary_text","text":"second"}]})");
    QTest::newRow("chat") << QStringLiteral("openai-chat/whole.json") << QStringLiteral("messages") << QByteArray(R"({
        "role":"assistant","content":"Hi","reasoning_content":"Mm",
        "tool_calls":[{"id":"z","type":"function","function":{"name":"measure","arguments":"{\"n\":3}"}}]})");
    QTest::newRow("ollama") << QStringLiteral("ollama/thinking_and_call.ndjson") << QStringLiteral("messages")
                            << QByteArray(R"({
        "role":"assistant","content":"Ja, ü","thinking":"Hm so.","tool_calls":[
        {"id":"call_1_0","function":{"name":"read_file","arguments":{"path":"a"}}},
        {"id":"call_x","function":{"name":"measure","arguments":{}}}]})");
}

// An answer read, put together as a client does, and sent again as a turn of the conversation.
void TestLlmProvidersStreams::givesBackWhatItRead()
{
    QFETCH(QString, file);
    QFETCH(QString, list);
    QFETCH(QByteArray, sent);
    const Fixture given = fixture(file);
    const auto reader = provider(given.provider)->reader(given.contentType);
    Reply reply;
    QHash<QString, qsizetype> calls;
    QList<StreamEvent> events = reader->feed(given.bytes);
    events += reader->finish();
    for (const StreamEvent &event : std::as_const(events)) {
        if (event.kind == StreamEvent::Kind::Text)
            reply.text += event.text;
        if (event.kind == StreamEvent::Kind::Verbatim)
            reply.verbatim = event.verbatim;
        if (event.kind != StreamEvent::Kind::ToolCall)
            continue;
        if (!calls.contains(event.key)) {
            calls.insert(event.key, reply.toolCalls.size());
            reply.toolCalls.emplaceBack();
        }
        ToolCall &call = reply.toolCalls[calls.value(event.key)];
        call.id = event.id.isEmpty() ? call.id : event.id;
        call.name = event.name.isEmpty() ? call.name : event.name;
        call.argumentsText += event.text;
        if (event.whole)
            call.arguments = *event.whole;
    }
    QVERIFY(reader->sawEnd());
    Request request;
    request.messages = {Message(), reply.asMessage()};
    request.messages.first().text = QStringLiteral("Go.");
    Endpoint endpoint;
    endpoint.base = provider(given.provider)->defaultBase();
    const QByteArray body = provider(given.provider)->request(request, endpoint, {}).body;
    const QJsonArray said = QJsonDocument::fromJson(body).object()[list].toArray();
    QCOMPARE(QJsonDocument(said[1].toObject()).toJson(), QJsonDocument(QJsonDocument::fromJson(sent).object()).toJson());
}

QTEST_GUILESS_MAIN(TestLlmProvidersStreams)
#include "tst_llm_providers_streams.moc"
