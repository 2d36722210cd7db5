// SPDX-License-Identifier: Apache-2.0
// Loop: evaluating a candidate and what follows from it: promotion, rollback, the ledger.
#include "engine/loop.h"

#include "engine/lineage.h"
#include "engine/observed.h"
#include "engine/promotion.h"
#include "memory/longterm/draft.h"
#include "memory/longterm/skill_reader.h"

#include <QFileInfo>
#include <QJsonArray>

#include <cmath>

namespace kernelskill {

namespace {

QJsonArray toJson(const Interval &interval)
{
    return {interval.low, interval.high};
}

// The first thing that went wrong, in a sentence. A finding names the place, so it goes before the check it fails.
QString whyNot(const Evaluation &evaluation)
{
    if (evaluation.verdict == Verdict::Verified) return {};
    if (!evaluation.findings.isEmpty() && evaluation.verdict != Verdict::Unproven) {
        const Finding &finding = evaluation.findings.first();
        const QString place =
            finding.line > 0 ? QStringLiteral(" (%1:%2)").arg(finding.file).arg(finding.line) : QString();
        return finding.message + place;
    }
    for (const Check &check : evaluation.checks) {
        if (check.outcome == u"passed") continue;
        return check.detail.isEmpty() ? check.name + QStringLiteral(": ") + check.outcome
                                      : check.name + QStringLiteral(": ") + check.detail;
    }
    return toString(evaluation.status);
}

void insertSpeedup(QJsonObject &data, const QString &name, const QString &intervalName,
                   const std::optional<Speedup> &value)
{
    if (!value) return;
    data.insert(name, value->value);
    data.insert(intervalName, toJson(value->interval));
}

} // namespace

Result<Candidate> Loop::candidateOf(int node) const
{
    auto object = m_parts.journal->json(trajectory().node(node)->candidateBlob);
    if (!object) return std::unexpected(object.error());
    return Candidate::fromJson(*object);
}

Result<Evaluation> Loop::evaluationOf(int node)
{
    if (const auto known = m_evaluations.constFind(node); known != m_evaluations.constEnd()) return *known;
    auto object = m_parts.journal->json(trajectory().node(node)->evaluationBlob);
    if (!object) return std::unexpected(object.error());
    return m_evaluations[node] = Evaluation::fromJson(*object);
}

// What the record of a replayed candidate says otherwise.
QString Loop::divergenceOf(int node, const Evaluation &evaluation)
{
    const auto &recorded = trajectory().node(node)->recorded;
    if (!recorded) return {};
    std::optional<Speedup> now;
    if (const auto baseline = node > 0 ? evaluationOf(0) : Result<Evaluation>(evaluation); baseline && evaluation.isUsable())
        now = speedup(*baseline, evaluation);
    return divergence(*recorded, toString(evaluation.verdict), now);
}

Result<QJsonObject> Loop::evaluatedData(int node, const Evaluation &evaluation)
{
    auto blob = m_parts.journal->putJson(evaluation.toJson());
    if (!blob) return std::unexpected(blob.error());
    QJsonObject data{{"node", node},
                     {"evaluation_blob", *blob},
                     {"status", toString(evaluation.status)},
                     {"verdict", toString(evaluation.verdict)},
                     {"kind", toString(evaluation.kind)}};
    if (const auto time_us = evaluation.time_us()) data.insert("time_us", *time_us);
    if (const auto interval = evaluation.interval()) data.insert("interval", toJson(*interval));
    QString why = whyNot(evaluation);
    if (evaluation.isUsable()) {
        if (node == 0) {
            insertSpeedup(data, QStringLiteral("speedup"), QStringLiteral("speedup_interval"),
                          speedup(evaluation, evaluation));
        } else if (const TrajectoryNode *first = trajectory().node(0); first && first->time_us) {
            auto baseline = evaluationOf(0);
            if (!baseline) return std::unexpected(baseline.error());
            insertSpeedup(data, QStringLiteral("speedup"), QStringLiteral("speedup_interval"),
                          speedup(*baseline, evaluation));
        }
    }
    if (const auto work = workOf(evaluation.profile))
        data.insert("work", QJsonObject{{"flops", work->flops}, {"dram_bytes", work->dramBytes}, {"time_us", work->time_us}});
    const int before = madeFrom(trajectory(), node);
    if (before >= 0) {
        auto base = evaluationOf(before);
        if (!base) return std::unexpected(base.error());
        if (evaluation.isUsable()) {
            const auto step = speedup(*base, evaluation);
            insertSpeedup(data, QStringLiteral("step_speedup"), QStringLiteral("step_interval"), step);
            if (why.isEmpty() && step && step->touchesOne()) why = QStringLiteral("no change");
        }
        const Plan &plan = trajectory().node(node)->plan;
        data.insert("observed", toJson(observedChanges(plan.promises, base->profile, evaluation.profile)));
        if (const auto &prediction = trajectory().node(node)->prediction)
            data.insert("predicted", toJson(predictedChanges(*prediction, base->profile, evaluation.profile)));
    }
    if (!why.isEmpty()) data.insert("why", why);
    if (const QString sentence = divergenceOf(node, evaluation); !sentence.isEmpty()) data.insert("divergence", sentence);
    return data;
}

QCoro::Task<Result<void>> Loop::review(int node)
{
    auto candidate = candidateOf(node);
    if (!candidate) co_return std::unexpected(candidate.error());
    EvaluationRequest request;
    request.task = m_parts.task.task;
    request.candidate = *candidate;
    request.device = m_parts.device.id;
    request.mode = m_parts.settings.mode;
    request.seed = m_parts.settings.seed;
    request.unconfined = m_parts.settings.unconfined;
    const auto sink = [this, node](const EvaluationProgress &progress) {
        if (m_parts.progress) m_parts.progress(node, progress);
    };
    auto evaluation = co_await m_parts.evaluator->evaluate(request, sink, m_parts.control->token());
    if (isStopped()) co_return stopped();
    if (!evaluation) co_return std::unexpected(evaluation.error());
    m_evaluations.insert(node, *evaluation);
    auto data = evaluatedData(node, *evaluation);
    if (!data) co_return std::unexpected(data.error());
    if (auto stored = m_parts.journal->append(QStringLiteral("node.evaluated"), *data); !stored) co_return stored;
    co_return co_await settle(node);
}

// Promotion or rollback, decided from what is on record: doing it twice changes nothing.
QCoro::Task<Result<void>> Loop::settle(int node)
{
    const TrajectoryNode &reviewed = *trajectory().node(node);
    const bool ofTheRun = reviewed.kind != u"seed" && !reviewed.isHuman;
    auto evaluation = evaluationOf(node);
    if (!evaluation) co_return std::unexpected(evaluation.error());
    std::optional<Evaluation> base, best, baseline;
    for (const auto &[id, target] :
         {std::pair(trajectory().base, &base), std::pair(trajectory().best, &best), std::pair(0, &baseline)}) {
        const TrajectoryNode *other = trajectory().node(id);
        if (!other || other->evaluationBlob.isEmpty()) continue;
        auto read = evaluationOf(id);
        if (!read) co_return std::unexpected(read.error());
        *target = *read;
    }
    PromotionInput input{
        &*evaluation,           base ? &*base : nullptr,   best ? &*best : nullptr, baseline ? &*baseline : nullptr,
        m_parts.task.task.time, m_parts.settings.promotion};
    PromotionDecision decision = decidePromotion(input);
    decision.base = decision.base && trajectory().base != node;
    decision.best = decision.best && trajectory().best != node;
    if (decision.base || decision.best) {
        auto promoted = m_parts.journal->append(QStringLiteral("node.promoted"),
                                                {{"node", node}, {"base", decision.base}, {"best", decision.best}});
        if (!promoted) co_return promoted;
    }
    const bool gaveUp = !evaluation->isUsable() && ofTheRun && !failingNode();
    if (gaveUp && !m_parts.journal->state().hasRolledBack(node)) {
        auto back =
            m_parts.journal->append(QStringLiteral("repair.rollback"), {{"node", node}, {"to", trajectory().base}});
        if (!back) co_return back;
    }
    // A repair applies the skill of the round in which the failing candidate was made.
    const QList<int> chain = chainOf(node);
    const TrajectoryNode origin = *trajectory().node(chain.isEmpty() ? node : chain.first());
    const TrajectoryNode settled = *trajectory().node(node);
    if (!isLearnt(settled)) co_return Result<void>{};
    if (auto recorded = recordInLedger(settled, origin); !recorded) co_return recorded;
    if (!origin.plan.isFreeForm()) co_return Result<void>{};
    co_return co_await draftFrom(settled);
}

// The same step played again is no new evidence; that a memory is read-only was said when it was opened.
bool Loop::isLearnt(const TrajectoryNode &node) const
{
    return m_parts.store && m_parts.settings.longTerm == LongTerm::Learning && !node.skill.isEmpty() && !node.recorded &&
           !m_parts.store->isReadOnly();
}

// Keyed (session, node) in the store, so a resume may record a node again.
Result<void> Loop::recordInLedger(const TrajectoryNode &node, const TrajectoryNode &origin)
{
    LedgerEntry entry;
    entry.session = m_parts.journal->file().id();
    entry.node = node.id;
    entry.task = trajectory().taskName;
    entry.skill = node.skill;
    if (const Skill *skill = m_parts.memory.skill(node.skill)) entry.revision = skill->revision;
    entry.method = node.method;
    entry.architecture = m_parts.device.architecture;
    entry.bottleneck = m_parts.journal->state().bottleneck(origin.round);
    for (const RoundRecord &record : trajectory().rounds) {
        if (record.round == origin.round)
            entry.structure = record.features.value(QStringLiteral("kernel_structure_id")).toString();
    }
    entry.verdict = toString(node.state);
    if (node.stepSpeedup) {
        entry.interval = node.stepSpeedup->interval;
        if (node.state == NodeState::Verified) entry.logSpeedup = std::log(node.stepSpeedup->value);
    }
    entry.kind = toString(m_parts.evaluator->facts().kind);
    entry.observed = {{"changes", kernelskill::toJson(node.observed)}};
    entry.promised = {{"promises", origin.plan.toJson().value(QStringLiteral("promises"))}};
    entry.sessionPath = QFileInfo(m_parts.journal->file().path()).absoluteFilePath();
    return m_parts.store->record(entry);
}

// A planner's own idea that has won often enough is written down as a draft, once. It is offered to nobody before a person
// accepts it or a counterfactual run proves it.
QCoro::Task<Result<void>> Loop::draftFrom(TrajectoryNode node)
{
    auto known = m_parts.store->skill(node.skill);
    if (!known) co_return std::unexpected(known.error());
    auto ledger = m_parts.store->ledger(node.skill);
    if (!ledger) co_return std::unexpected(ledger.error());
    DraftEvidence evidence{node.skill, node.plan.rationale, {}, winsOf(*ledger), {}, {}};
    if (*known || evidence.wins.size() < winsForADraft) co_return Result<void>{};
    auto before = candidateOf(madeFrom(trajectory(), node.id));
    if (!before) co_return std::unexpected(before.error());
    auto after = candidateOf(node.id);
    if (!after) co_return std::unexpected(after.error());
    evidence.languages = {after->language};
    evidence.before = before->mainText();
    evidence.after = after->mainText();
    auto text = co_await distilled(node, *before, *after, draftSkillText(evidence));
    if (!text) co_return std::unexpected(text.error());
    auto drafted = m_parts.store->edit(node.skill, *text,
                                       QStringLiteral("an idea of the planner's own that won %1 times").arg(evidence.wins.size()),
                                       QStringLiteral("run ") + m_parts.journal->file().id());
    if (!drafted) co_return std::unexpected(drafted.error());
    co_return m_parts.journal->append(QStringLiteral("memory.draft"), {{"skill", node.skill}, {"node", node.id}});
}

// The draft in the words of the cast's Distiller, where there is one and it keeps to the form.
QCoro::Task<Result<QString>> Loop::distilled(const TrajectoryNode &node, const Candidate &before, const Candidate &after,
                                             const QString &draft)
{
    Distiller *distiller = agent(Role::Distiller)->distiller();
    if (!distiller) co_return draft;
    auto evaluationBefore = evaluationOf(madeFrom(trajectory(), node.id));
    if (!evaluationBefore) co_return std::unexpected(evaluationBefore.error());
    auto evaluationAfter = evaluationOf(node.id);
    if (!evaluationAfter) co_return std::unexpected(evaluationAfter.error());
    const DistillRequest request{m_parts.task.task,          node.plan, before, after, evaluationBefore->profile,
                                 evaluationAfter->profile, draft};
    QElapsedTimer timer;
    timer.start();
    auto text = co_await distiller->distil(request, context(Role::Distiller, node.round, 0));
    std::optional<Error> refused;
    if (!text) {
        refused = text.error();
    } else if (const auto skill = parseSkillText(*text, node.skill + QStringLiteral("/SKILL.md")); !skill) {
        refused = skill.error();
    } else if (skill->name != node.skill) {
        refused = Error{QStringLiteral("distil.name"), QStringLiteral("the text names the skill '%1', not '%2'").arg(skill->name, node.skill), {}};
    }
    auto recorded = recordCall(Role::Distiller, node.round, node.id, timer, refused ? &*refused : nullptr);
    if (!recorded) co_return std::unexpected(recorded.error());
    co_return refused ? draft : *text;
}

} // namespace kernelskill
