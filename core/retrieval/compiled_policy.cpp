// SPDX-License-Identifier: Apache-2.0
#include "retrieval/compiled_policy.h"

namespace kernelskill {

namespace {

const QStringList tierOrder{QStringLiteral("H"), QStringLiteral("M"), QStringLiteral("L")};

class Compiler
{
public:
    explicit Compiler(const Policy &policy) : m_policy(policy), m_compiled(std::make_unique<CompiledPolicy>()) {}
    Result<std::unique_ptr<CompiledPolicy>> run();

private:
    Result<void> add(std::vector<CompiledPredicate> &target, const QString &expression, const QString &text);
    Result<void> addConditions(std::vector<CompiledPredicate> &target, const QStringList &all, const QStringList &any);
    Result<void> addDerived();
    Result<void> addCase(const PolicyCase &one);

    const Policy &m_policy;
    std::unique_ptr<CompiledPolicy> m_compiled;
};

Result<void> Compiler::add(std::vector<CompiledPredicate> &target, const QString &expression, const QString &text)
{
    auto number = m_compiled->evaluator->addPredicate(expression);
    if (!number) return std::unexpected(number.error());
    target.push_back({*number, text, expression});
    return {};
}

Result<void> Compiler::addConditions(std::vector<CompiledPredicate> &target, const QStringList &all,
                                     const QStringList &any)
{
    for (const QString &expression : all) {
        if (auto added = add(target, expression, expression); !added) return added;
    }
    if (any.isEmpty()) return {};
    return add(target, anyOf(any), anyOf(any));
}

Result<void> Compiler::addDerived()
{
    for (const DerivedField &derived : m_policy.derived) {
        auto added =
            m_compiled->evaluator->addDerived(derived.name, derived.expression, m_policy.kinds.value(derived.name));
        if (!added) return added;
    }
    return {};
}

Result<void> Compiler::addCase(const PolicyCase &one)
{
    CompiledCase compiled;
    for (qsizetype i = 0; i < m_policy.bottlenecks.size(); ++i) {
        if (m_policy.bottlenecks[i].id == one.bottleneck) compiled.bottleneck = i;
    }
    if (!one.tiers.isEmpty()) {
        QStringList alternatives;
        for (const QString &tier : one.tiers)
            alternatives.append(m_policy.tiers.value(tier));
        auto added = add(compiled.predicates, anyOf(alternatives),
                         QStringLiteral("headroom tier is %1").arg(one.tiers.join(QStringLiteral(" or "))));
        if (!added) return added;
    }
    if (!one.structures.isEmpty()) {
        QStringList quoted;
        for (const QString &structure : one.structures)
            quoted.append(QStringLiteral("'%1'").arg(structure));
        const QString expression = QStringLiteral("kernel_structure_id IN (%1)").arg(quoted.join(QStringLiteral(", ")));
        if (auto added = add(compiled.predicates, expression, expression); !added) return added;
    }
    if (auto added = addConditions(compiled.predicates, one.all, one.any); !added) return added;
    m_compiled->cases.push_back(std::move(compiled));
    return {};
}

Result<std::unique_ptr<CompiledPolicy>> Compiler::run()
{
    auto evaluator = PolicyEvaluator::make(m_policy.fields, m_policy.kinds);
    if (!evaluator) return std::unexpected(evaluator.error());
    m_compiled->evaluator = std::move(*evaluator);
    if (auto added = addDerived(); !added) return std::unexpected(added.error());
    for (const QString &tier : tierOrder) {
        auto number = m_compiled->evaluator->addPredicate(m_policy.tiers.value(tier));
        if (!number) return std::unexpected(number.error());
        m_compiled->tiers.emplace_back(tier, *number);
    }
    for (const PolicyBottleneck &bottleneck : m_policy.bottlenecks) {
        CompiledBottleneck compiled;
        if (auto added = addConditions(compiled.predicates, bottleneck.all, bottleneck.any); !added) {
            return std::unexpected(added.error());
        }
        m_compiled->bottlenecks.push_back(std::move(compiled));
    }
    for (const PolicyCase &one : m_policy.cases) {
        if (auto added = addCase(one); !added) return std::unexpected(added.error());
    }
    if (!m_policy.reuseSource.isEmpty()) {
        auto number = m_compiled->evaluator->addPredicate(m_policy.reuseSource);
        if (!number) return std::unexpected(number.error());
        m_compiled->reuseSource = *number;
    }
    return std::move(m_compiled);
}

} // namespace

QString anyOf(const QStringList &alternatives)
{
    if (alternatives.size() <= 1) return alternatives.value(0);
    QStringList bracketed;
    for (const QString &alternative : alternatives)
        bracketed.append(u'(' + alternative + u')');
    return bracketed.join(QStringLiteral(" OR "));
}

Result<std::unique_ptr<CompiledPolicy>> CompiledPolicy::compile(const Policy &policy)
{
    return Compiler(policy).run();
}

Result<CompiledPolicy *> CompiledPolicy::cached(const Policy &policy)
{
    struct Entry
    {
        QByteArray digest;
        std::unique_ptr<CompiledPolicy> compiled;
    };
    // A run uses one policy and a window a few; the oldest goes.
    constexpr size_t most = 4;
    static thread_local std::vector<Entry> entries;
    const QByteArray digest = policy.digest();
    for (const Entry &entry : entries) {
        if (entry.digest == digest) return entry.compiled.get();
    }
    auto compiled = compile(policy);
    if (!compiled) return std::unexpected(compiled.error());
    if (entries.size() >= most) entries.erase(entries.begin());
    entries.push_back({digest, std::move(*compiled)});
    return entries.back().compiled.get();
}

} // namespace kernelskill
