// SPDX-License-Identifier: Apache-2.0
#include "retrieval/offer.h"

#include "retrieval/ranking.h"

#include <QLoggingCategory>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <random>

namespace kernelskill {

namespace {

Q_LOGGING_CATEGORY(logRetrieval, "kernelskill.retrieval")

// A skill that could be offered, and where the policy put it.
struct Candidate
{
    const Skill *skill = nullptr;
    QString caseId;
    int caseOrder = 0; // of the case it comes from
    int order = 0;     // inside the case
    bool unproven = false;
    Expectation expected;
    double bonus = 0; // for having been tried little
    [[nodiscard]] double score() const { return expected.logSpeedup + bonus; }
};

class Offer
{
public:
    Offer(const RetrievalInput &input, CompiledPolicy &compiled, Retrieval &retrieval)
        : m_input(input), m_compiled(compiled), m_retrieval(retrieval)
    {
        // By name, so that nothing depends on the order in which the skills are given.
        for (const Skill &skill : input.skills)
            m_skills.append(&skill);
        std::ranges::sort(m_skills, {}, [](const Skill *skill) { return skill->name; });
        m_context.architecture = input.architecture;
        m_context.structure = retrieval.evidence.value(QStringLiteral("kernel_structure_id")).toString();
        for (const CaseTrace &trace : retrieval.cases) {
            if (trace.chosen) m_context.bottleneck = trace.bottleneck;
        }
    }
    void run();

private:
    [[nodiscard]] bool usable(const Skill &skill) const;
    [[nodiscard]] Truth gate(const Skill &skill);
    [[nodiscard]] bool isForbidden(const Skill &skill) const;
    [[nodiscard]] bool isFallback(const CaseTrace &trace) const;
    [[nodiscard]] Truth reuseFor(const Skill &skill) const;
    void findForbidden();
    void addCase(const CaseTrace &trace, int caseOrder, bool unproven);
    void addFromPolicy();
    void addEverything();
    void addLastResort();
    void add(const Skill &skill, const QString &caseId, int caseOrder, int order, bool unproven);
    void rank();
    [[nodiscard]] QString expectationInWords(const Candidate &candidate) const;
    [[nodiscard]] QString reasonFor(const Candidate &candidate) const;
    void explain();

    const RetrievalInput &m_input;
    CompiledPolicy &m_compiled;
    Retrieval &m_retrieval;
    QList<const Skill *> m_skills;
    RankingContext m_context;
    std::vector<Candidate> m_candidates;
    QSet<QString> m_added;
    QStringList m_withoutSkill; // methods a case allows that no skill teaches
    bool m_lastResort = false;
};

bool Offer::usable(const Skill &skill) const
{
    if (skill.state != SkillState::Active && skill.state != SkillState::Pinned) return false;
    return skill.languages.isEmpty() || skill.languages.contains(m_input.language);
}

// A gate that names a field this policy does not have can never be told true or false.
Truth Offer::gate(const Skill &skill)
{
    Truth result = Truth::True;
    for (const QString &expression : skill.requires_) {
        auto predicate = m_compiled.evaluator->addPredicate(expression);
        Truth truth = Truth::Unknown;
        if (predicate)
            truth = m_compiled.evaluator->truth(*predicate);
        else
            qCWarning(logRetrieval).noquote() << "gate of" << skill.name << predicate.error().message;
        if (truth == Truth::False) return Truth::False;
        if (truth == Truth::Unknown) result = Truth::Unknown;
    }
    if (!skill.structures.isEmpty()) {
        if (m_context.structure.isEmpty()) return Truth::Unknown;
        if (!skill.structures.contains(m_context.structure)) return Truth::False;
    }
    return result;
}

bool Offer::isForbidden(const Skill &skill) const
{
    return m_retrieval.forbidden.contains(skill.name) ||
           (!skill.method.isEmpty() && m_retrieval.forbidden.contains(skill.method));
}

bool Offer::isFallback(const CaseTrace &trace) const
{
    for (const PolicyBottleneck &bottleneck : m_input.policy->bottlenecks) {
        if (bottleneck.id == trace.bottleneck) return bottleneck.fallback;
    }
    return false;
}

// Global rule: cache or reuse methods need a named source of reuse.
Truth Offer::reuseFor(const Skill &skill) const
{
    for (const PolicyMethod &method : m_input.policy->methods) {
        if ((method.id == skill.method || method.id == skill.name) && method.cacheOrReuse &&
            m_compiled.reuseSource >= 0) {
            return m_compiled.evaluator->truth(m_compiled.reuseSource);
        }
    }
    return Truth::True;
}

// Of each bottleneck the first case that holds has the say.
void Offer::findForbidden()
{
    QSet<QString> decided;
    for (const CaseTrace &trace : std::as_const(m_retrieval.cases)) {
        if (trace.truth != Truth::True || decided.contains(trace.bottleneck)) continue;
        decided.insert(trace.bottleneck);
        m_retrieval.forbidden += trace.forbidden;
    }
    m_retrieval.forbidden.removeDuplicates();
    m_retrieval.forbidden.sort();
}

void Offer::add(const Skill &skill, const QString &caseId, int caseOrder, int order, bool unproven)
{
    if (m_added.contains(skill.name)) return;
    m_added.insert(skill.name);
    m_candidates.push_back(
        {&skill, caseId, caseOrder, order, unproven, expectation(skill.name, m_input.statistics, m_context), 0});
}

void Offer::addCase(const CaseTrace &trace, int caseOrder, bool unproven)
{
    int order = 0;
    for (const QString &method : trace.allowed) {
        ++order;
        bool taught = false;
        for (const Skill *skill : std::as_const(m_skills)) {
            if (skill->method != method && skill->name != method) continue;
            taught = true;
            if (!usable(*skill) || isForbidden(*skill)) continue;
            const Truth reuse = reuseFor(*skill), gated = gate(*skill);
            if (reuse == Truth::False || gated == Truth::False) continue;
            add(*skill, trace.id, caseOrder, order, unproven || reuse == Truth::Unknown);
        }
        if (!taught && !m_withoutSkill.contains(method)) m_withoutSkill.append(method);
    }
}

void Offer::addFromPolicy()
{
    findForbidden();
    m_retrieval.fallback = true;
    int caseOrder = 0;
    for (const CaseTrace &trace : std::as_const(m_retrieval.cases)) {
        if (trace.truth != Truth::True) continue;
        addCase(trace, caseOrder++, false);
        m_retrieval.fallback = m_retrieval.fallback && isFallback(trace);
    }
    if (!m_retrieval.fallback) return;
    for (const CaseTrace &trace : std::as_const(m_retrieval.cases)) {
        if (trace.truth == Truth::Unknown && !isFallback(trace)) addCase(trace, caseOrder++, true);
    }
}

// The ablations "all" and "random": every skill that may be used at all, whatever the evidence.
void Offer::addEverything()
{
    QList<const Skill *> skills;
    for (const Skill *skill : std::as_const(m_skills)) {
        if (usable(*skill)) skills.append(skill);
    }
    if (m_input.mode == RetrievalMode::Random) {
        // Not std::shuffle: its order differs between standard libraries.
        std::mt19937_64 random(m_input.seed);
        for (qsizetype i = skills.size() - 1; i > 0; --i)
            skills.swapItemsAt(i, qsizetype(random() % quint64(i + 1)));
    }
    int order = 0;
    for (const Skill *skill : std::as_const(skills))
        add(*skill, {}, 0, ++order, false);
}

// Everything the matched cases allow is rejected, gated off or has no skill. Something must be offered still: first
// what is not forbidden and whose gate is not false, then what is not forbidden, then anything (and then nothing is
// forbidden).
void Offer::addLastResort()
{
    m_lastResort = true;
    m_retrieval.fallback = true;
    for (int level = 0; level < 3 && m_candidates.empty(); ++level) {
        int order = 0;
        for (const Skill *skill : std::as_const(m_skills)) {
            ++order;
            if (!usable(*skill)) continue;
            if (level < 2 && isForbidden(*skill)) continue;
            if (level < 1 && (gate(*skill) == Truth::False || reuseFor(*skill) == Truth::False)) continue;
            add(*skill, {}, 0, order, true);
        }
        if (level == 2 && !m_candidates.empty()) m_retrieval.forbidden.clear();
    }
}

// "expected 1.46× (7 uses in this situation, 2 elsewhere; all skills together 1.18×), +3 % for being tried little"
QString Offer::expectationInWords(const Candidate &candidate) const
{
    const Expectation &expected = candidate.expected;
    const auto number = [](double value) { return QString::number(value, 'f', 2); };
    const auto uses = [](int count) {
        return count == 1 ? QStringLiteral("1 use") : QStringLiteral("%1 uses").arg(count);
    };
    QString basis = QStringLiteral("never used");
    if (expected.uses > 0) {
        const int onThisGpu = expected.usesHere - expected.usesExactly, onOthers = expected.uses - expected.usesHere;
        QStringList where;
        if (expected.usesExactly > 0) where.append(uses(expected.usesExactly) + QStringLiteral(" in this situation"));
        if (onThisGpu > 0) where.append(uses(onThisGpu) + QStringLiteral(" in others on ") + m_input.architecture);
        if (onOthers > 0) where.append(uses(onOthers) + QStringLiteral(" on other GPUs"));
        basis = where.join(QStringLiteral(", "));
    }
    QString text = QStringLiteral("expected %1× (%2; all skills together %3×)")
                       .arg(number(expected.speedup()), basis, number(std::exp(m_input.statistics.meanLogSpeedup())));
    const int bonusPercent = int(std::lround(100 * std::expm1(candidate.bonus)));
    if (bonusPercent > 0) text += QStringLiteral(", +%1 % for being tried little").arg(bonusPercent);
    return text;
}

QString Offer::reasonFor(const Candidate &candidate) const
{
    QStringList parts;
    if (candidate.skill->state == SkillState::Pinned) parts.append(QStringLiteral("pinned"));
    if (!m_input.statistics.rows().isEmpty()) parts.append(expectationInWords(candidate));
    if (m_input.mode == RetrievalMode::Random)
        parts.append(QStringLiteral("random order %1").arg(candidate.order));
    else if (m_input.mode == RetrievalMode::All)
        parts.append(QStringLiteral("every skill is offered"));
    else if (candidate.caseId.isEmpty())
        parts.append(QStringLiteral("no case offers anything; last resort"));
    else
        parts.append(QStringLiteral("policy order %1 in %2").arg(candidate.order).arg(candidate.caseId));
    if (candidate.unproven) parts.append(QStringLiteral("unproven: a condition cannot be told from this evidence"));
    return parts.join(QStringLiteral(", "));
}

// Pinned first; then by case in the policy's priority; inside a case by expected gain, then by the policy's order.
void Offer::rank()
{
    const bool random = m_input.mode == RetrievalMode::Random;
    double usesOfAll = 0;
    for (const Candidate &candidate : m_candidates)
        usesOfAll += candidate.expected.likeUses;
    for (Candidate &candidate : m_candidates)
        candidate.bonus = explorationBonus(candidate.expected.likeUses, usesOfAll);
    std::ranges::stable_sort(m_candidates, [random](const Candidate &a, const Candidate &b) {
        const bool pinnedA = a.skill->state == SkillState::Pinned, pinnedB = b.skill->state == SkillState::Pinned;
        if (pinnedA != pinnedB && !random) return pinnedA;
        if (a.caseOrder != b.caseOrder) return a.caseOrder < b.caseOrder;
        if (a.score() != b.score() && !random) return a.score() > b.score();
        return a.order < b.order;
    });
    for (const Candidate &candidate : m_candidates) {
        m_retrieval.allowed.append({candidate.skill->method, candidate.skill->name, candidate.score(),
                                    candidate.skill->state == SkillState::Pinned, candidate.unproven,
                                    reasonFor(candidate)});
    }
}

void Offer::explain()
{
    QStringList sentences;
    if (m_retrieval.kernels.size() == 1) {
        sentences.append(QStringLiteral("Kernel %1 decides.").arg(m_retrieval.kernel));
    } else if (!m_retrieval.kernels.isEmpty()) {
        const KernelTrace &first = m_retrieval.kernels[0], &second = m_retrieval.kernels[1];
        sentences.append(QStringLiteral("Kernel %1 of %2 decides: %3 µs of it could be recovered, of the next, %4, %5 µs.")
                             .arg(first.name)
                             .arg(m_retrieval.kernels.size())
                             .arg(first.recoverable_us, 0, 'f', 1)
                             .arg(second.name)
                             .arg(second.recoverable_us, 0, 'f', 1));
    }
    if (m_input.mode == RetrievalMode::Random)
        sentences.append(QStringLiteral("Retrieval is random: the policy was not asked."));
    if (m_input.mode == RetrievalMode::All)
        sentences.append(QStringLiteral("Every skill is offered: the policy was not asked."));
    if (m_input.mode == RetrievalMode::Policy) {
        sentences.append(m_retrieval.tier == u"unknown" ? QStringLiteral("Its headroom cannot be told.")
                                                        : QStringLiteral("Headroom tier %1.").arg(m_retrieval.tier));
        for (const CaseTrace &trace : std::as_const(m_retrieval.cases)) {
            if (!trace.chosen) continue;
            for (const BottleneckTrace &bottleneck : std::as_const(m_retrieval.bottlenecks)) {
                if (bottleneck.id == trace.bottleneck)
                    sentences.append(bottleneck.title + QStringLiteral(": ") + trace.title + u'.');
            }
        }
        if (m_retrieval.fallback)
            sentences.append(QStringLiteral("No bottleneck's case is proved by this evidence, only the fallback."));
        if (m_lastResort)
            sentences.append(QStringLiteral(
                "What it allows is rejected, gated off or not taught, so all other skills are offered."));
        if (!m_retrieval.forbidden.isEmpty()) {
            sentences.append(
                QStringLiteral("Forbidden here: %1.").arg(m_retrieval.forbidden.join(QStringLiteral(", "))));
        }
        if (!m_withoutSkill.isEmpty()) {
            sentences.append(
                QStringLiteral("Legal, but no skill teaches it: %1.").arg(m_withoutSkill.join(QStringLiteral(", "))));
        }
    }
    if (!m_retrieval.allowed.isEmpty()) {
        const RankedMethod &first = m_retrieval.allowed.first();
        sentences.append(
            QStringLiteral("First of %1: %2 (%3).").arg(m_retrieval.allowed.size()).arg(first.skill, first.reason));
    }
    m_retrieval.explanation = sentences.join(u' ');
}

void Offer::run()
{
    if (m_input.mode == RetrievalMode::Policy) {
        addFromPolicy();
        if (m_candidates.empty()) addLastResort();
    } else {
        addEverything();
    }
    rank();
    explain();
}

} // namespace

void offerMethods(const RetrievalInput &input, CompiledPolicy &compiled, Retrieval &retrieval)
{
    Offer(input, compiled, retrieval).run();
}

} // namespace kernelskill
