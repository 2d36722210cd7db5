// SPDX-License-Identifier: Apache-2.0
#include "retrieval/retriever.h"

#include "retrieval/compiled_policy.h"
#include "retrieval/offer.h"

#include <algorithm>
#include <functional>

namespace kernelskill {

namespace {

Truth both(Truth a, Truth b)
{
    if (a == Truth::False || b == Truth::False) return Truth::False;
    return a == Truth::True && b == Truth::True ? Truth::True : Truth::Unknown;
}

// The row: metrics of the deciding kernel, facts of the run, features of the code.
QVariantMap rowOf(const RetrievalInput &input)
{
    QVariantMap row = input.features;
    if (const KernelProfile *kernel = input.profile.deciding()) {
        for (const auto &[name, value] : kernel->metrics.asKeyValueRange())
            row.insert(name, value);
        if (!row.contains(QStringLiteral("kernel_duration_ns")) && kernel->duration_us > 0) {
            row.insert(QStringLiteral("kernel_duration_ns"),
                       1000 * kernel->duration_us / std::max(1, kernel->launches));
        }
    }
    if (input.profile.launchCount > 0) row.insert(QStringLiteral("kernel_launch_count"), input.profile.launchCount);
    return row;
}

class RowEvaluation
{
public:
    RowEvaluation(const RetrievalInput &input, CompiledPolicy &compiled) : m_policy(*input.policy), m_compiled(compiled)
    {
        const QVariantMap row = rowOf(input);
        m_compiled.evaluator->setRow(row);
        m_result.evidence = row;
        // What was computed stands over what a profiler called by the same name: conditions read the former.
        for (const QString &name : m_compiled.evaluator->names())
            m_result.evidence.insert(name, m_compiled.evaluator->value(name));
        if (const KernelProfile *kernel = input.profile.deciding()) m_result.kernel = kernel->name;
        for (const KernelProfile &kernel : input.profile.kernels)
            m_result.kernels.append({kernel.name, kernel.timeShare, kernel.duration_us, kernel.recoverable_us()});
        std::ranges::stable_sort(m_result.kernels, std::greater(), &KernelTrace::recoverable_us);
    }
    Retrieval run();

private:
    Truth trace(const std::vector<CompiledPredicate> &predicates, QList<PredicateTrace> &traces);
    void findTier();

    const Policy &m_policy;
    CompiledPolicy &m_compiled;
    Retrieval m_result;
};

Truth RowEvaluation::trace(const std::vector<CompiledPredicate> &predicates, QList<PredicateTrace> &traces)
{
    Truth all = Truth::True;
    for (const CompiledPredicate &predicate : predicates) {
        PredicateTrace entry{predicate.text, m_compiled.evaluator->truth(predicate.number), {}};
        for (const QString &name : m_compiled.evaluator->reads(predicate.number)) {
            entry.values.insert(name, m_result.evidence.value(name));
        }
        all = both(all, entry.truth);
        traces.append(entry);
    }
    return all;
}

void RowEvaluation::findTier()
{
    m_result.tier = QStringLiteral("unknown");
    for (const auto &[tier, predicate] : m_compiled.tiers) {
        if (m_compiled.evaluator->truth(predicate) != Truth::True) continue;
        m_result.tier = tier;
        return;
    }
}

Retrieval RowEvaluation::run()
{
    findTier();
    for (size_t i = 0; i < m_compiled.bottlenecks.size(); ++i) {
        const PolicyBottleneck &bottleneck = m_policy.bottlenecks[qsizetype(i)];
        BottleneckTrace entry{bottleneck.id, bottleneck.title, Truth::Unknown, {}};
        entry.truth = trace(m_compiled.bottlenecks[i].predicates, entry.predicates);
        m_result.bottlenecks.append(entry);
    }
    bool chosen = false;
    for (size_t i = 0; i < m_compiled.cases.size(); ++i) {
        const PolicyCase &one = m_policy.cases[qsizetype(i)];
        CaseTrace entry;
        entry.id = one.id;
        entry.bottleneck = one.bottleneck;
        entry.title = one.title;
        entry.allowed = one.allowed;
        entry.forbidden = one.forbidden;
        const Truth own = trace(m_compiled.cases[i].predicates, entry.predicates);
        entry.truth = both(own, m_result.bottlenecks[m_compiled.cases[i].bottleneck].truth);
        entry.chosen = !chosen && entry.truth == Truth::True;
        chosen = chosen || entry.chosen;
        m_result.cases.append(entry);
    }
    return m_result;
}

} // namespace

Result<Retrieval> retrieve(const RetrievalInput &input)
{
    if (!input.policy) return failure("retrieval.policy", QStringLiteral("no policy is loaded"));
    auto compiled = CompiledPolicy::cached(*input.policy);
    if (!compiled) return std::unexpected(compiled.error());
    Retrieval result = RowEvaluation(input, **compiled).run();
    offerMethods(input, **compiled, result);
    if (result.allowed.isEmpty()) {
        return failure(
            "retrieval.no_skill",
            QStringLiteral("no active skill fits the language '%1'; `kernelskill skills list` shows their states")
                .arg(input.language));
    }
    return result;
}

} // namespace kernelskill
