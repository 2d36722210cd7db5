// SPDX-License-Identifier: Apache-2.0
#include "models/round_progress.h"

#include "models/node_text.h"
#include "settings/numbers.h"

#include <QHash>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString wallText(double milliseconds)
{
    if (milliseconds < 100) return numbers::fixed(milliseconds, 0) + QChar(numbers::narrowSpace) + u"ms"_s;
    return numbers::fixed(milliseconds / 1000, milliseconds < 10'000 ? 1 : 0) + QChar(numbers::narrowSpace) + u's';
}

struct RoundEvents
{
    bool retrieved = false, evaluated = false, written = false, dropped = false;
    QHash<QString, double> wall_ms; // role → time
    QHash<QString, QString> errors;
    int node = -1;
    QString kind, verdict;
};

// Where a round began, the last time it did; looked for from the end, since it is mostly the last one that is asked for.
qsizetype beginOf(const QList<Event> &events, int round)
{
    if (round == 0) return 0;
    for (qsizetype i = events.size() - 1; i > 0; --i) {
        if (events[i].kind == "round.start"_L1 && events[i].data["round"_L1].toInt() == round) return i;
    }
    return 0;
}

RoundEvents collect(const SessionDocument &document, int round)
{
    RoundEvents found;
    int current = -1; // round of the events that name none
    const QList<Event> &events = document.events();
    for (qsizetype i = beginOf(events, round); i < events.size(); ++i) {
        const Event &event = events[i];
        const QJsonObject &data = event.data;
        if (data.contains("round"_L1)) current = data["round"_L1].toInt();
        if (current != round) continue;
        if (event.kind == "node.start"_L1) {
            found = RoundEvents{found.retrieved,
                                false,
                                false,
                                false,
                                found.wall_ms,
                                found.errors,
                                data["node"_L1].toInt(),
                                data["kind"_L1].toString(),
                                {}};
        } else if (event.kind == "round.retrieval"_L1) {
            found.retrieved = true;
        } else if (event.kind == "node.candidate"_L1) {
            found.written = true;
        } else if (event.kind == "node.evaluated"_L1) {
            found.evaluated = true;
            found.verdict = data["verdict"_L1].toString();
        } else if (event.kind == "node.dropped"_L1) {
            found.dropped = true;
        } else if (event.kind == "role.call"_L1) {
            found.wall_ms[data["role"_L1].toString()] += data["wall_ms"_L1].toDouble();
            if (const QString error = data["error"_L1].toString(); !error.isEmpty())
                found.errors[data["role"_L1].toString()] = error;
        }
    }
    return found;
}

// Position of the evaluator's stage among building, checking and timing; −1 before the first.
int stageIndex(const QString &stage)
{
    const QStringList stages{u"build"_s, u"check"_s, u"tim"_s, u"profil"_s};
    for (int i = 0; i < stages.size(); ++i) {
        if (stage.startsWith(stages[i], Qt::CaseInsensitive)) return std::min(i, 2);
    }
    return -1;
}

void addRole(RoundProgress &progress, const RoundEvents &found, const QString &title, const QString &role, bool done)
{
    const bool known = found.wall_ms.contains(role);
    RoundStep step{title, done || known ? RoundStep::State::Done : RoundStep::State::Waiting,
                   known ? wallText(found.wall_ms[role]) : QString(), found.errors.contains(role) && !done};
    progress.steps.append(step);
}

} // namespace

RoundProgress roundProgress(const SessionDocument &document, bool running)
{
    RoundProgress progress;
    const Trajectory &trajectory = document.trajectory();
    if (trajectory.nodes.isEmpty() && trajectory.rounds.isEmpty()) return progress;
    progress.round = trajectory.lastRound();
    for (const RoundRecord &record : trajectory.rounds)
        progress.round = std::max(progress.round, record.round);
    const RoundEvents found = collect(document, progress.round);
    const TrajectoryNode *node = document.node(found.node);
    if (node && node->round != progress.round) node = nullptr;
    const bool isRepair = found.kind == "repair"_L1;
    progress.title = node ? node_text::title(*node) : progress.round == 0 ? u"Baseline"_s : u"Choosing a skill"_s;
    int base = -1;
    if (const RoundRecord *record = document.round(progress.round)) base = record->base;
    if (node && isRepair) base = node->parent;
    if (const TrajectoryNode *from = document.node(base); from && progress.round > 0)
        progress.subtitle =
            (isRepair ? u"repairs %1, %2"_s : u"from base %1, %2"_s).arg(from->id).arg(node_text::title(*from));

    if (const QString told = document.roleText(); running && !told.isEmpty())
        progress.subtitle = told.mid(told.indexOf(u": "_s) + 2); // the step says whose it is
    if (progress.round == 0) {
        addRole(progress, found, u"Take the baseline"_s, u"generator"_s, found.written);
    } else if (isRepair) {
        addRole(progress, found, u"Diagnose"_s, u"diagnoser"_s, found.written);
        addRole(progress, found, u"Repair"_s, u"repairer"_s, found.written);
    } else {
        addRole(progress, found, u"Extract features"_s, u"features"_s, found.retrieved);
        progress.steps.append(
            {u"Retrieve skills"_s, found.retrieved ? RoundStep::State::Done : RoundStep::State::Waiting, {}, false});
        addRole(progress, found, u"Plan"_s, u"planner"_s, node != nullptr);
        addRole(progress, found, u"Write code"_s, u"optimizer"_s, found.written);
    }
    const QString stage = node ? document.stageText(node->id) : QString();
    const int at = found.evaluated ? 3 : stageIndex(stage);
    const QStringList titles{u"Build"_s, u"Check"_s, u"Time and profile"_s};
    for (int i = 0; i < titles.size(); ++i) {
        RoundStep step{titles[i], RoundStep::State::Waiting, {}, false};
        if (found.written && at > i)
            step.state = RoundStep::State::Done;
        else if (found.written && at == i && running) {
            step.state = RoundStep::State::Active;
            if (document.stageTotal() > 0)
                step.detail = u"%1 of %2"_s.arg(document.stageDone()).arg(document.stageTotal());
        }
        progress.steps.append(step);
    }
    // A failed build has no check behind it, a failed check no time.
    if (found.evaluated && node && !node_text::hasSpeedup(*node)) {
        const bool built = node->state != NodeState::Failed;
        progress.steps[progress.steps.size() - 3].failed = !built;
        progress.steps[progress.steps.size() - 2].failed = built;
        progress.steps[progress.steps.size() - 2].state = built ? RoundStep::State::Done : RoundStep::State::Waiting;
        progress.steps.last().state = RoundStep::State::Waiting;
    }
    // What waits first is what runs, unless the evaluator said otherwise.
    if (running && !found.evaluated) {
        const bool anyActive =
            std::ranges::any_of(progress.steps, [](const RoundStep &s) { return s.state == RoundStep::State::Active; });
        for (RoundStep &step : progress.steps) {
            if (!anyActive && step.state == RoundStep::State::Waiting) {
                step.state = RoundStep::State::Active;
                break;
            }
        }
    }
    return progress;
}

} // namespace kernelskill
