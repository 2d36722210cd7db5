// SPDX-License-Identifier: Apache-2.0
// Diagnoser and Repairer. They know the mistakes this agent's own schedules can make; anything else rolls back.
#include "emission/emit_candidate.h"
#include "plan/student_plan.h"
#include "roles/decisions.h"
#include "skills/transform.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

const QString smallerTile = QStringLiteral("smaller tile in shared memory");
const QString scalarAccess = QStringLiteral("accesses of one element");
const QString smallerBlocking = QStringLiteral("fewer outputs a thread");
const QString fewerRegisters = QStringLiteral("rows are not kept in registers");
const QString fewerThreads = QStringLiteral("smaller blocks");
const QString stepBack = QStringLiteral("step back to the base");

bool mentions(const Evaluation &evaluation, std::initializer_list<const char *> words)
{
    QString text = evaluation.log;
    for (const Finding &finding : evaluation.findings)
        text += finding.kind + u' ' + finding.message + u'\n';
    for (const Check &check : evaluation.checks) {
        if (check.outcome == u"failed") text += check.name + u' ' + check.detail + u'\n';
    }
    return std::ranges::any_of(
        words, [&](const char *word) { return text.contains(QLatin1String(word), Qt::CaseInsensitive); });
}

QString firstTrouble(const Evaluation &evaluation)
{
    if (!evaluation.findings.isEmpty()) {
        const Finding &finding = evaluation.findings.first();
        return finding.line > 0 ? QStringLiteral("%1 at %2:%3: %4")
                                      .arg(finding.kind, finding.file)
                                      .arg(finding.line)
                                      .arg(finding.message)
                                : QStringLiteral("%1: %2").arg(finding.kind, finding.message);
    }
    for (const Check &check : evaluation.checks) {
        if (check.outcome == u"failed")
            return check.detail.isEmpty() ? check.name : QStringLiteral("%1: %2").arg(check.name, check.detail);
    }
    return evaluation.log.section(u'\n', 0, 0);
}

struct Classification
{
    QString errorClass;
    QStringList fixes; // in the order they are tried
};

Classification classify(const Evaluation &evaluation)
{
    if (mentions(evaluation, {"too much shared", "shared memory", "shared data"}))
        return {QStringLiteral("resources"), {smallerTile, smallerBlocking}};
    if (mentions(evaluation, {"too many resources", "registers", "spill"}))
        return {QStringLiteral("resources"), {smallerBlocking, fewerThreads, fewerRegisters, smallerTile}};
    if (mentions(evaluation, {"misaligned"})) return {QStringLiteral("misaligned"), {scalarAccess}};
    if (evaluation.status == Status::BuildFailed) return {QStringLiteral("build"), {scalarAccess}};
    if (mentions(evaluation, {"out_of_bounds", "out of bounds"}))
        return {QStringLiteral("out_of_bounds"), {scalarAccess, fewerRegisters}};
    if (mentions(evaluation, {"race"})) return {QStringLiteral("race"), {}};
    if (mentions(evaluation, {"uninitialised", "uninitialized"}))
        return {QStringLiteral("uninitialised"), {fewerRegisters, scalarAccess}};
    switch (evaluation.status) {
    case Status::Timeout:
        return {QStringLiteral("timeout"), {}};
    case Status::Crashed:
        return {QStringLiteral("crash"), {scalarAccess}};
    default:
        return {QStringLiteral("wrong_result"), {scalarAccess, fewerRegisters}};
    }
}

// The schedule with the fix applied, or nothing when it changes nothing.
std::optional<Schedule> repaired(const Group &group, const QString &fix)
{
    Schedule s = group.schedule;
    const int threadsBefore = s.threads;
    if (fix == smallerTile && s.tileM > 8) {
        if (s.threadM == 1) {
            s.tileM /= 2;
            s.tileN /= 2;
            s.tileK = s.tileK > 0 ? s.tileM : 0;
            s.threads =
                group.pattern == Pattern::Transpose ? std::min(threadsBefore, s.tileM * s.tileM) : s.tileM * s.tileM;
        } else {
            s.tileK = std::max(4, s.tileK / 2);
        }
    } else if (fix == smallerBlocking && s.threadM > 1) {
        s.threadM = s.threadM > 4 ? s.threadM / 2 : s.threadM;
        s.tileM = s.threadM != group.schedule.threadM ? s.tileM / 2 : s.tileM;
    } else if (fix == scalarAccess && s.vectorWidth > 1) {
        s.cachedVectors *= s.vectorWidth;
        s.vectorWidth = 1;
        s.padding = std::min(s.padding, 1);
    } else if (fix == fewerRegisters && s.cachedVectors > 0) {
        s.cachedVectors = 0;
        s.keepExponentials = false;
    }
    const bool threadsAreFree = group.pattern == Pattern::Pointwise || group.pattern == Pattern::FullReduction ||
                                group.pattern == Pattern::Rows;
    if (fix == fewerThreads && threadsAreFree && s.threads > 128) {
        s.threads /= 2;
        s.cachedVectors *= s.mapping == RowMapping::Block ? 2 : 1; // the row must still fit
    }
    const bool blocked = group.pattern == Pattern::MatrixProduct && s.threadM > 1;
    if (s == group.schedule || (blocked && !isLegalBlocking(s))) return std::nullopt;
    return s;
}

Result<KernelPlan> planWithFix(const RepairRequest &request, const TaskView &view)
{
    auto plan = KernelPlan::fromJson(request.failure.candidate.agentData);
    if (!plan) return plan;
    bool changed = false;
    for (Group &group : plan->groups) {
        if (const auto schedule = repaired(group, request.diagnosis.fix)) {
            group.schedule = *schedule;
            changed = true;
        }
    }
    Q_UNUSED(view)
    if (!changed)
        return failure(QStringLiteral("repair.give_up"),
                       QStringLiteral("\"%1\" changes nothing in this candidate").arg(request.diagnosis.fix));
    return plan;
}

} // namespace

Result<Diagnosis> findCause(const DiagnoseRequest &request)
{
    const Classification found = classify(request.evaluation);
    Diagnosis diagnosis;
    diagnosis.errorClass = found.errorClass;
    diagnosis.cause = firstTrouble(request.evaluation);
    diagnosis.fix = stepBack;
    const auto plan = KernelPlan::fromJson(request.candidate.agentData);
    for (const QString &fix : found.fixes) {
        const bool tried = std::ranges::any_of(request.chain, [&](const RepairAttempt &attempt) {
            return attempt.errorClass == found.errorClass && attempt.fix == fix;
        });
        const bool applies = plan && std::ranges::any_of(plan->groups, [&](const Group &group) {
                                 return repaired(group, fix).has_value();
                             });
        if (!tried && applies) {
            diagnosis.fix = fix;
            break;
        }
    }
    return diagnosis;
}

Result<CodeChange> applyFix(const RepairRequest &request)
{
    const auto giveUp = [](const QString &why) { return failure(QStringLiteral("repair.give_up"), why); };
    if (request.diagnosis.fix == stepBack)
        return giveUp(QStringLiteral("no fix is known for this failure (%1): back to the base")
                          .arg(request.diagnosis.errorClass));
    auto view = TaskView::make(request.failure.task);
    if (!view) return giveUp(view.error().message);
    auto plan = planWithFix(request, *view);
    if (!plan) return giveUp(plan.error().message);
    auto candidate = emitCandidate(*view, *plan);
    if (!candidate) return giveUp(candidate.error().message);
    if (candidate->mainText() == request.failure.candidate.mainText())
        return giveUp(QStringLiteral("the fix changes nothing"));
    return CodeChange{*candidate, QStringLiteral("Repair: %1").arg(request.diagnosis.fix)};
}

} // namespace kernelskill::expert
