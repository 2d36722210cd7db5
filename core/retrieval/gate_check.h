// SPDX-License-Identifier: Apache-2.0
// Whether a policy can tell a skill's gate true or false; if not, where it goes wrong and what may stand there. For
// editors and checks; one thread at a time.
#pragma once

#include "retrieval/policy.h"
#include "retrieval/policy_evaluator.h"

#include <memory>
#include <optional>

namespace kernelskill {

struct GateTrouble
{
    qsizetype at = 0, length = 0; // characters of the expression; length 0: behind its end
    QString message;              // "unknown name 'dram_pct'; did you mean 'dram_throughput_pct'?"
    QString allowed;              // "a name of the evidence, a number, NOT, ("
};

class GateCheck
{
public:
    [[nodiscard]] static Result<std::unique_ptr<GateCheck>> make(const Policy &policy);

    // Nothing: the expression is sound. The evaluator has the last word; the walk over the tokens finds the place.
    [[nodiscard]] std::optional<GateTrouble> trouble(const QString &expression);
    // Unknown for an expression that is not sound.
    [[nodiscard]] Truth truth(const QString &expression, const QVariantMap &evidence);
    [[nodiscard]] const QStringList &names() const { return m_names; } // fields and derived values, sorted
    [[nodiscard]] QString kindOf(const QString &name) const { return m_policy.kinds.value(name); }

private:
    explicit GateCheck(const Policy &policy) : m_policy(policy) {}
    [[nodiscard]] Result<void> renew();
    [[nodiscard]] std::optional<GateTrouble> place(const QString &expression, const Error &error) const;

    Policy m_policy;
    std::unique_ptr<PolicyEvaluator> m_evaluator;
    QStringList m_names;
    int m_asked = 0; // each text that is typed leaves a statement in the evaluator
};

} // namespace kernelskill
