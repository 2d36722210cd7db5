// SPDX-License-Identifier: Apache-2.0
#include "client/pause.h"

#include <QCoroTimer>
#include <QLocale>
#include <QRegularExpression>
#include <QTimer>

#include <algorithm>

namespace kernelskill::llm {

QCoro::Task<void> pauseFor(qint64 ms, std::stop_token stop)
{
    if (stop.stop_requested()) co_return;
    QTimer timer;
    timer.setSingleShot(true);
    timer.start(std::chrono::milliseconds(std::max(qint64(0), ms)));
    // A stop may come from another thread; the timer is this one's.
    std::stop_callback wake(
        stop, [&timer] { QMetaObject::invokeMethod(&timer, [&timer] { timer.start(0); }, Qt::QueuedConnection); });
    co_await qCoro(&timer, &QTimer::timeout);
}

namespace {

constexpr double longest_ms = 366.0 * 24 * 3600 * 1000;

// Gemini says it in the body: "retryDelay": "34s".
std::optional<qint64> pauseInBody_ms(const QByteArray &body)
{
    static const QRegularExpression expression(QStringLiteral("\"retryDelay\"\\s*:\\s*\"(\\d+(?:\\.\\d+)?)s\""));
    const auto match = expression.match(QString::fromUtf8(body.left(64 * 1024)));
    if (!match.hasMatch()) return std::nullopt;
    return qint64(std::min(match.captured(1).toDouble() * 1000, longest_ms));
}

} // namespace

std::optional<qint64> askedPause_ms(const HttpAnswer &answer, const QDateTime &now)
{
    bool isNumber = false;
    if (const double ms = answer.header("retry-after-ms").toDouble(&isNumber); isNumber && ms >= 0)
        return qint64(std::min(ms, longest_ms));
    const QByteArray asked = answer.header("retry-after").trimmed();
    if (asked.isEmpty()) return pauseInBody_ms(answer.body);
    if (const double seconds = asked.toDouble(&isNumber); isNumber && seconds >= 0)
        return qint64(std::min(seconds * 1000, longest_ms));
    QDateTime until =
        QLocale::c().toDateTime(QString::fromLatin1(asked), QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"));
    if (!until.isValid()) return std::nullopt;
    until.setTimeZone(QTimeZone::UTC);
    return std::max(qint64(0), now.msecsTo(until));
}

qint64 backoff_ms(int attempt, double jitter)
{
    const double full = std::min(8000.0, 500.0 * double(1 << std::min(attempt, 10)));
    return qint64(full * (1 - 0.25 * std::clamp(jitter, 0.0, 1.0)));
}

} // namespace kernelskill::llm
