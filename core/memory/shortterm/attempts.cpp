// SPDX-License-Identifier: Apache-2.0
#include "memory/shortterm/attempts.h"

namespace kernelskill {

void Attempts::add(Attempt attempt)
{
    m_attempts.append(std::move(attempt));
}

std::optional<Attempt> Attempts::withCode(const QByteArray &codeDigest) const
{
    if (codeDigest.isEmpty()) return std::nullopt;
    for (const Attempt &attempt : m_attempts) {
        if (attempt.codeDigest == codeDigest) return attempt;
    }
    return std::nullopt;
}

std::optional<Attempt> Attempts::withPlan(const QString &method, const QString &skill, const QJsonObject &parameters,
                                          int baseNode) const
{
    for (const Attempt &attempt : m_attempts) {
        if (attempt.baseNode == baseNode && attempt.method == method && attempt.skill == skill &&
            attempt.parameters == parameters) {
            return attempt;
        }
    }
    return std::nullopt;
}

} // namespace kernelskill
