// SPDX-License-Identifier: Apache-2.0
// Short-term memory: everything tried on this task in this run, so that nothing is tried twice.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <optional>

namespace kernelskill {

// Digest of a CUDA text with comments, spacing and the names of locals and parameters removed: two candidates that a
// compiler would see as one have one digest.
[[nodiscard]] QByteArray normalisedCodeDigest(const QString &source);

struct Attempt
{
    int node = -1;
    int baseNode = -1;
    QString method;
    QString skill;
    QJsonObject parameters;
    QByteArray codeDigest; // normalisedCodeDigest of the main file
    QString outcome;       // "verified", "wrong", "failed", "suspect", "unproven", "refused"
    double speedupOverBase = 0; // 0: not timed
    QString why;           // first failed check or finding; or "no change"
};

struct RepairAttempt
{
    int node = -1;
    QString errorClass, cause, fix;
    QString result; // outcome of the repaired candidate
};

class Attempts
{
public:
    void add(Attempt attempt);
    [[nodiscard]] const QList<Attempt> &all() const { return m_attempts; }
    [[nodiscard]] std::optional<Attempt> withCode(const QByteArray &codeDigest) const;
    // Same method, parameters and base.
    [[nodiscard]] std::optional<Attempt> withPlan(const QString &method, const QString &skill,
                                                  const QJsonObject &parameters, int baseNode) const;

private:
    QList<Attempt> m_attempts;
};

} // namespace kernelskill
