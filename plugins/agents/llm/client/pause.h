// SPDX-License-Identifier: Apache-2.0
// Waiting that a stop ends, and how long to wait.
#pragma once

#include "wire/transport.h"

#include <QCoroTask>
#include <QDateTime>

#include <optional>
#include <stop_token>

namespace kernelskill::llm {

QCoro::Task<void> pauseFor(qint64 ms, std::stop_token stop);

// From retry-after-ms, retry-after (seconds or an HTTP date), or the body (Gemini's retryDelay).
[[nodiscard]] std::optional<qint64> askedPause_ms(const HttpAnswer &answer, const QDateTime &now);
// 0.5 s · 2ⁿ, at most 8 s, less up to a quarter of it by `jitter` in 0…1.
[[nodiscard]] qint64 backoff_ms(int attempt, double jitter);

} // namespace kernelskill::llm
