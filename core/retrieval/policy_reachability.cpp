// SPDX-License-Identifier: Apache-2.0
// Is there a row of evidence that satisfies a case? Conditions compare fields with constants, so only the values at and
// beside those constants matter. From a random choice of them, one field after the other is set to the value with which
// most predicates hold, a few sweeps, many starts: a search that always finds a simple conjunction and gives up on a
// contradiction. The random numbers are fixed, so a policy is accepted or refused the same way everywhere.
#include "retrieval/compiled_policy.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <random>

namespace kernelskill {

namespace {

constexpr int starts = 80, sweeps = 3;

using Candidates = QMap<QString, QVariantList>;

QList<double> constantsIn(const QString &expression)
{
    static const QRegularExpression number(QStringLiteral("(?<![A-Za-z_0-9.])[0-9]+(?:\\.[0-9]+)?(?![A-Za-z_0-9.])"));
    QList<double> result;
    for (auto match = number.globalMatch(expression); match.hasNext();)
        result.append(match.next().captured().toDouble());
    return result;
}

class Search
{
public:
    Search(const Policy &policy, CompiledPolicy &compiled);
    bool satisfies(const std::vector<CompiledPredicate> &predicates);

private:
    void addConstants(const QString &expression, const QStringList &names);
    [[nodiscard]] int holding(const std::vector<CompiledPredicate> &predicates) const;
    bool climb(const std::vector<CompiledPredicate> &predicates, QStringList fields);

    PolicyEvaluator &m_evaluator;
    Candidates m_candidates;
    std::mt19937 m_random{20240229};
};

Search::Search(const Policy &policy, CompiledPolicy &compiled) : m_evaluator(*compiled.evaluator)
{
    for (const QString &field : policy.fields) {
        const QString kind = policy.kinds.value(field);
        if (kind == u"boolean")
            m_candidates[field] = {true, false};
        else if (kind == u"structure")
            m_candidates[field] = {"S0", "S1", "S2", "S3", "S4"};
        else
            m_candidates[field] = {0.0, 0.1, 0.5, 1.0, 4.0, 10.0, 50.0, 100.0, 1e3, 1e5};
    }
    for (const DerivedField &derived : policy.derived) {
        addConstants(derived.expression, m_evaluator.rawFieldsBehind(derived.name));
    }
    const auto addAll = [&](const std::vector<CompiledPredicate> &predicates) {
        for (const CompiledPredicate &predicate : predicates) {
            QStringList raw;
            for (const QString &name : m_evaluator.reads(predicate.number))
                raw += m_evaluator.rawFieldsBehind(name);
            addConstants(predicate.text, raw);
        }
    };
    for (const CompiledBottleneck &bottleneck : compiled.bottlenecks)
        addAll(bottleneck.predicates);
    for (const CompiledCase &one : compiled.cases)
        addAll(one.predicates);
    for (const auto &[name, expression] : policy.tiers.asKeyValueRange()) {
        addConstants(expression, m_evaluator.rawFieldsBehind(QStringLiteral("primary_limiter_util")));
    }
}

void Search::addConstants(const QString &expression, const QStringList &names)
{
    for (const double constant : constantsIn(expression)) {
        for (const QString &name : names) {
            QVariantList &values = m_candidates[name];
            if (values.isEmpty() || values.first().typeId() != QMetaType::Double) continue;
            for (const double value : {constant * 0.97, constant, constant * 1.03 + 0.01}) {
                if (!values.contains(value)) values.append(value);
            }
        }
    }
}

int Search::holding(const std::vector<CompiledPredicate> &predicates) const
{
    int count = 0;
    for (const CompiledPredicate &predicate : predicates)
        count += m_evaluator.truth(predicate.number) == Truth::True;
    return count;
}

bool Search::climb(const std::vector<CompiledPredicate> &predicates, QStringList fields)
{
    const int wanted = int(predicates.size());
    int best = holding(predicates);
    for (int sweep = 0; sweep < sweeps && best < wanted; ++sweep) {
        std::shuffle(fields.begin(), fields.end(), m_random);
        for (const QString &field : std::as_const(fields)) {
            const QVariant before = m_evaluator.value(field);
            QVariantList equals{before};
            for (const QVariant &value : std::as_const(m_candidates[field])) {
                m_evaluator.setField(field, value);
                const int count = holding(predicates);
                if (count > best)
                    best = count, equals = {value};
                else if (count == best)
                    equals.append(value);
            }
            m_evaluator.setField(field, equals[qsizetype(m_random() % std::uint32_t(equals.size()))]);
            if (best == wanted) return true;
        }
    }
    return best == wanted;
}

bool Search::satisfies(const std::vector<CompiledPredicate> &predicates)
{
    QSet<QString> read;
    for (const CompiledPredicate &predicate : predicates) {
        for (const QString &name : m_evaluator.reads(predicate.number)) {
            for (const QString &raw : m_evaluator.rawFieldsBehind(name))
                read.insert(raw);
        }
    }
    QStringList fields(read.begin(), read.end());
    fields.sort();
    m_evaluator.setRow({});
    if (holding(predicates) == int(predicates.size())) return true;
    for (int start = 0; start < starts; ++start) {
        for (const QString &field : std::as_const(fields)) {
            const QVariantList &values = m_candidates[field];
            m_evaluator.setField(field, values[qsizetype(m_random() % std::uint32_t(values.size()))]);
        }
        if (climb(predicates, fields)) return true;
    }
    return false;
}

// Conditions of a case and of its bottleneck.
std::vector<CompiledPredicate> withBottleneck(const CompiledPolicy &compiled, size_t index)
{
    std::vector<CompiledPredicate> predicates = compiled.bottlenecks[size_t(compiled.cases[index].bottleneck)].predicates;
    const auto &own = compiled.cases[index].predicates;
    predicates.insert(predicates.end(), own.begin(), own.end());
    return predicates;
}

// A case holds, and of those above it in its bottleneck none that allows the method.
std::vector<CompiledPredicate> withoutThoseThatAllow(const Policy &policy, CompiledPolicy &compiled, size_t index,
                                                     const QString &method)
{
    std::vector<CompiledPredicate> wanted = withBottleneck(compiled, index);
    for (size_t earlier = 0; earlier < index; ++earlier) {
        if (compiled.cases[earlier].bottleneck != compiled.cases[index].bottleneck) continue;
        if (!policy.cases[qsizetype(earlier)].allowed.contains(method)) continue;
        QStringList conditions;
        for (const CompiledPredicate &predicate : compiled.cases[earlier].predicates)
            conditions.append(u'(' + predicate.expression + u')');
        const QString fails = conditions.isEmpty()
                                  ? QStringLiteral("primary_limiter_util < primary_limiter_util") // it always holds
                                  : QStringLiteral("NOT (%1)").arg(conditions.join(QStringLiteral(" AND ")));
        if (auto number = compiled.evaluator->addPredicate(fails)) wanted.push_back({*number, fails, fails});
    }
    return wanted;
}

} // namespace

const PolicyCase *unreachableCase(const Policy &policy, CompiledPolicy &compiled)
{
    Search search(policy, compiled);
    for (size_t i = 0; i < compiled.cases.size(); ++i) {
        if (!search.satisfies(withBottleneck(compiled, i))) return &policy.cases[qsizetype(i)];
    }
    return nullptr;
}

const PolicyCase *shadowedCase(const Policy &policy, CompiledPolicy &compiled)
{
    Search search(policy, compiled);
    for (size_t i = 0; i < compiled.cases.size(); ++i) {
        const PolicyCase &one = policy.cases[qsizetype(i)];
        const bool adds = std::ranges::any_of(one.allowed, [&](const QString &method) {
            return search.satisfies(withoutThoseThatAllow(policy, compiled, i, method));
        });
        if (!adds) return &one;
    }
    return nullptr;
}

} // namespace kernelskill
