// SPDX-License-Identifier: Apache-2.0
#include "wire/cassette.h"

#include "base/delete_later.h"
#include "wire/cassette_difference.h"
#include "wire/cassette_file.h"
#include "wire/pending_answer.h"

#include <QCoroSignal>
#include <QFile>
#include <QFileInfo>
#include <QHash>

#include <algorithm>

namespace kernelskill::llm {

// What is on it, or the file it is written to.
class Cassette
{
public:
    explicit Cassette(const QString &path) : m_path(path) {}

    Result<void> load();
    Result<RecordedExchange> take(const RecordedRequest &request);
    [[nodiscard]] qsizetype unplayed() const;

    Result<void> create(bool replace);
    int nextOrdinal(const QByteArray &key) { return m_counts[key]++; }
    Result<void> append(const RecordedExchange &exchange);

private:
    std::unexpected<Error> miss(const RecordedRequest &request, int already) const;
    Result<void> write(const QByteArray &line, QIODevice::OpenMode mode);

    const QString m_path;
    QList<RecordedExchange> m_exchanges;
    QHash<QByteArray, QList<qsizetype>> m_left; // by key: those to come, in order
    QHash<QByteArray, int> m_counts;            // by key: begun, or played
};

Result<void> Cassette::load()
{
    auto exchanges = readCassette(m_path);
    if (!exchanges) return std::unexpected(exchanges.error());
    m_exchanges = *std::move(exchanges);
    for (qsizetype index = 0; index < m_exchanges.size(); ++index)
        m_left[m_exchanges[index].request.key()].append(index);
    // They stand in the order in which they ended.
    for (QList<qsizetype> &indices : m_left)
        std::ranges::stable_sort(indices, {}, [&](qsizetype index) { return m_exchanges[index].ordinal; });
    return {};
}

Result<RecordedExchange> Cassette::take(const RecordedRequest &request)
{
    const QByteArray key = request.key();
    const int already = m_counts[key];
    if (m_left.value(key).isEmpty()) return miss(request, already);
    ++m_counts[key];
    return m_exchanges.at(m_left[key].takeFirst());
}

qsizetype Cassette::unplayed() const
{
    qsizetype count = 0;
    for (const QList<qsizetype> &indices : m_left)
        count += indices.size();
    return count;
}

std::unexpected<Error> Cassette::miss(const RecordedRequest &request, int already) const
{
    const QString asked = QStringLiteral("%1 %2 (%3, %4 bytes)")
                              .arg(QString::fromLatin1(request.method), request.url,
                                   request.provider.isEmpty() ? QStringLiteral("no provider") : request.provider)
                              .arg(request.body.size());
    QString why;
    if (already > 0) {
        why = QStringLiteral("it is recorded %1 times and was asked for once more").arg(already);
    } else if (const RecordedExchange *near = closest(m_exchanges, request)) {
        why = QStringLiteral("the closest one is that of line %1; %2")
                  .arg(near->line)
                  .arg(firstDifference(near->request, request));
    } else {
        why = QStringLiteral("nothing is recorded");
    }
    return failure(
        QStringLiteral("cassette.miss"),
        QStringLiteral("%1 has no answer to %2: %3. If the change is meant, record the cassette again with the "
                       "provider reachable.")
            .arg(m_path, asked, why),
        QString::fromUtf8(request.body));
}

Result<void> Cassette::create(bool replace)
{
    if (!replace && QFileInfo(m_path).size() > 0)
        return failure(
            QStringLiteral("cassette.exists"),
            QStringLiteral("%1 holds a recording already: remove it, choose another file, or ask for it to be "
                           "replaced.")
                .arg(m_path));
    return write(cassetteHead(), QIODevice::WriteOnly | QIODevice::Truncate);
}

Result<void> Cassette::append(const RecordedExchange &exchange)
{
    return write(exchange.toLine(), QIODevice::WriteOnly | QIODevice::Append);
}

// In one go and without a buffer of ours: what a crash leaves is whole lines and at most one that is cut short.
Result<void> Cassette::write(const QByteArray &line, QIODevice::OpenMode mode)
{
    QFile file(m_path);
    if (file.open(mode | QIODevice::Unbuffered) && file.write(line) == line.size()) return {};
    return failure(QStringLiteral("cassette.write"),
                   QStringLiteral("%1: the recording cannot be written (%2).").arg(m_path, file.errorString()));
}

namespace {

QCoro::Task<> nextTurnOfTheEventLoop()
{
    const LaterPointer<PendingAnswer> turn(new PendingAnswer);
    turn->give(HttpAnswer{});
    co_await qCoro(turn.get(), &PendingAnswer::arrived);
}

QCoro::Task<Result<HttpAnswer>> play(std::shared_ptr<Cassette> cassette, HttpRequest request, ChunkSink sink,
                                     std::stop_token stop)
{
    auto recorded = cassette->take(redactedRequest(request));
    co_await nextTurnOfTheEventLoop(); // as from the network, never before the caller has its task
    if (!recorded) co_return std::unexpected(recorded.error());
    if (!recorded->result) co_return std::unexpected(recorded->result.error());
    HttpAnswer answer = *recorded->result;
    const bool isSuccess = answer.status >= 200 && answer.status < 300;
    for (const QByteArray &chunk : std::as_const(recorded->chunks)) {
        if (stop.stop_requested())
            co_return failure(QStringLiteral("run.stopped"),
                              QStringLiteral("Stopped while playing a recorded answer."));
        answer.body += chunk;
        if (!isSuccess || !sink) continue;
        sink(answer.header("content-type"), chunk);
        co_await nextTurnOfTheEventLoop();
    }
    co_return answer;
}

QCoro::Task<Result<HttpAnswer>> keep(std::shared_ptr<Cassette> cassette, Transport *inner, HttpRequest request,
                                     ChunkSink sink, Timeouts timeouts, std::stop_token stop)
{
    const RecordedRequest recorded = redactedRequest(request);
    const int ordinal = cassette->nextOrdinal(recorded.key());
    const auto chunks = std::make_shared<QList<QByteArray>>();
    const ChunkSink both = [chunks, sink](const QByteArray &contentType, const QByteArray &bytes) {
        chunks->append(bytes);
        if (sink) sink(contentType, bytes);
    };
    const Result<HttpAnswer> result = co_await inner->exchange(std::move(request), both, timeouts, std::move(stop));
    if (!result && result.error().code == u"run.stopped") co_return result;
    if (result && chunks->isEmpty() && !result->body.isEmpty()) chunks->append(result->body); // an error status
    const auto written = cassette->append(redactedExchange(recorded, ordinal, result, *chunks));
    if (!written) co_return std::unexpected(written.error());
    co_return result;
}

} // namespace

CassetteTransport::CassetteTransport(std::shared_ptr<Cassette> cassette, Transport *inner)
    : m_cassette(std::move(cassette)), m_inner(inner)
{
}

CassetteTransport::~CassetteTransport() = default;

Result<std::unique_ptr<CassetteTransport>> CassetteTransport::record(const QString &file, Transport *inner,
                                                                     bool replace)
{
    auto cassette = std::make_shared<Cassette>(file);
    if (const auto created = cassette->create(replace); !created) return std::unexpected(created.error());
    return std::unique_ptr<CassetteTransport>(new CassetteTransport(std::move(cassette), inner));
}

Result<std::unique_ptr<CassetteTransport>> CassetteTransport::replay(const QString &file)
{
    auto cassette = std::make_shared<Cassette>(file);
    if (const auto loaded = cassette->load(); !loaded) return std::unexpected(loaded.error());
    return std::unique_ptr<CassetteTransport>(new CassetteTransport(std::move(cassette), nullptr));
}

QCoro::Task<Result<HttpAnswer>> CassetteTransport::exchange(HttpRequest request, ChunkSink sink, Timeouts timeouts,
                                                            std::stop_token stop)
{
    if (m_inner) return keep(m_cassette, m_inner, std::move(request), std::move(sink), timeouts, std::move(stop));
    return play(m_cassette, std::move(request), std::move(sink), std::move(stop));
}

qsizetype CassetteTransport::unplayed() const
{
    return m_cassette->unplayed();
}

} // namespace kernelskill::llm
