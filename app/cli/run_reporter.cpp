// SPDX-License-Identifier: Apache-2.0
#include "run_reporter.h"

#include "session_report.h"
#include "terminal_questions.h"

#include <QDateTime>
#include <QJsonArray>

namespace kernelskill::cli {

RunReporter::RunReporter(Run *run)
    : m_run(run)
{
    connect(run, &Run::eventAppended, this, [this](const Event &event) { tell(event); });
}

void RunReporter::tell(const Event &event)
{
    const QJsonObject &data = event.data;
    const auto text = [&data](const char *key) { return data.value(QLatin1String(key)).toString(); };
    const int node = data.value(QStringLiteral("node")).toInt();
    if (event.kind == QLatin1String("memory.snapshot")) {
        for (const QJsonValue &problem : data.value(QStringLiteral("problems")).toArray())
            progressLine(QStringLiteral("warning: ") + problem.toString());
    } else if (event.kind == QLatin1String("round.refused")) {
        progressLine(QStringLiteral("  round %1: refused, %2").arg(data.value(QStringLiteral("round")).toInt()).arg(text("reason")));
    } else if (event.kind == QLatin1String("run.waiting")) {
        const QDateTime until = QDateTime::fromMSecsSinceEpoch(data.value(QStringLiteral("until_ms")).toInteger());
        progressLine(QStringLiteral("  waiting until %1: %2; everything so far is in the session")
                         .arg(until.toString(QStringLiteral("HH:mm:ss")), text("why")));
    } else if (event.kind == QLatin1String("role.call")) {
        tellCall(data);
    } else if (event.kind == QLatin1String("node.candidate")) {
        m_titles[node] = text("skill").isEmpty() ? text("summary") : text("skill");
    } else if (event.kind == QLatin1String("node.evaluated")) {
        tellEvaluated(data);
    } else if (event.kind == QLatin1String("node.dropped")) {
        progressLine(QStringLiteral("  node %1: dropped, %2").arg(node).arg(text("reason")));
    } else if (event.kind == QLatin1String("repair.rollback")) {
        progressLine(QStringLiteral("  rolled back to node %1").arg(data.value(QStringLiteral("to")).toInt()));
    }
}

// What a language model was asked, and what the session has cost by now.
void RunReporter::tellCall(const QJsonObject &data)
{
    if (data.value(QStringLiteral("calls")).toInt() == 0) return;
    progressLine(QStringLiteral("  %1: %2 tokens in, %3 out, $%4; $%5 so far")
                     .arg(data.value(QStringLiteral("role")).toString(), -10)
                     .arg(data.value(QStringLiteral("tokens_in")).toInteger())
                     .arg(data.value(QStringLiteral("tokens_out")).toInteger())
                     .arg(data.value(QStringLiteral("cost_usd")).toDouble(), 0, 'f', 4)
                     .arg(m_run->trajectory().cost_usd, 0, 'f', 4));
}

void RunReporter::tellEvaluated(const QJsonObject &data)
{
    const int id = data.value(QStringLiteral("node")).toInt();
    const TrajectoryNode *node = m_run->trajectory().node(id);
    QString result = data.value(QStringLiteral("verdict")).toString();
    if (node && node->speedup) {
        const Verdict verdict = verdictFromString(result).value_or(Verdict::Unproven);
        result = id == 0 ? QStringLiteral("baseline, %1 %2").arg(timeText(node->time_us.value_or(0)), toString(node->speedup->kind))
                         : speedupText(*node->speedup, verdict);
    } else if (const QString why = data.value(QStringLiteral("why")).toString(); !why.isEmpty()) {
        result += QStringLiteral(": ") + why;
    }
    progressLine(QStringLiteral("  node %1, round %2  %3  %4")
                     .arg(id, 2).arg(node ? node->round : 0, 2).arg(m_titles.value(id), -24).arg(result));
    if (const QString otherwise = data.value(QStringLiteral("divergence")).toString(); !otherwise.isEmpty())
        progressLine(QStringLiteral("           ") + otherwise);
}

namespace {

// Ends that one word does not explain.
const QStringList &saidInFull()
{
    static const QStringList ends{QStringLiteral("recording"), QStringLiteral("money"), QStringLiteral("tokens"), QStringLiteral("calls"), QStringLiteral("provider")};
    return ends;
}

void printSummary(const Run &run, const RunSummary &summary)
{
    const Trajectory &trajectory = run.trajectory();
    const TrajectoryNode *best = trajectory.node(trajectory.best);
    print(QStringLiteral("%1: %2 nodes in %3 rounds, ended by %4")
              .arg(trajectory.taskName).arg(summary.nodes).arg(summary.rounds).arg(summary.endedBy));
    if (summary.baseline_us) print(QStringLiteral("baseline  %1").arg(timeText(*summary.baseline_us)));
    if (best && best->speedup && best->id != 0) {
        const Verdict verdict = best->state == NodeState::Verified ? Verdict::Verified : Verdict::Unproven;
        print(QStringLiteral("best      node %1, %2, %3")
                  .arg(best->id).arg(timeText(best->time_us.value_or(0)), speedupText(*best->speedup, verdict)));
        QStringList skills;
        for (int id : trajectory.bestPath())
            if (const TrajectoryNode *node = trajectory.node(id); node && !node->skill.isEmpty()) skills << node->skill;
        print(QStringLiteral("skills    %1").arg(skills.join(QStringLiteral(" → "))));
    } else {
        print(QStringLiteral("nothing faster than the baseline was found"));
    }
    for (const QString &line : usageLines(trajectory)) print(line);
    if (!summary.message.isEmpty() && saidInFull().contains(summary.endedBy)) print(QStringLiteral("ended     %1").arg(summary.message));
    if (run.session()) print(QStringLiteral("session   %1").arg(run.session()->path()));
    if (summary.endedBy == QLatin1String("provider") && run.session())
        print(QStringLiteral("go on     kernelskill session resume %1").arg(run.session()->path()));
}

} // namespace

int runAndReport(const std::function<QCoro::Task<Result<RunSummary>>(Run &)> &begin, const QString &memoryOption, bool json, bool endsAsAsked)
{
    PluginManager manager;
    auto store = openStore(memoryOption);
    if (!store) return report(store.error(), json);
    Run run(&manager, &*store);
    RunReporter reporter(&run);
    TerminalQuestions questions;
    run.setAsk(questions.function());
    return runToEnd(
        [&]() -> QCoro::Task<int> {
            auto summary = co_await begin(run);
            if (!summary) co_return report(summary.error(), json);
            if (json) printJson(summary->json);
            else printSummary(run, *summary);
            if (summary->endedBy == QLatin1String("error")) {
                co_return report(Error{QStringLiteral("evaluator.run"), summary->message, {}}, false);
            }
            if (json && saidInFull().contains(summary->endedBy) && !summary->message.isEmpty()) progressLine(QStringLiteral("kernelskill: ") + summary->message);
            if (summary->endedBy == QLatin1String("provider")) co_return EnvironmentLacks;
            co_return summary->endedBy == QLatin1String("person") && !endsAsAsked ? StoppedByPerson : Done;
        },
        [&] {
            run.stop();
            questions.decline();
        });
}

} // namespace kernelskill::cli
