// SPDX-License-Identifier: Apache-2.0
#include "session_report.h"

#include "command.h"

#include "task/candidate.h"

#include <QFileInfo>
#include <QJsonDocument>

namespace kernelskill::cli {

namespace {

QString outcome(const TrajectoryNode &node)
{
    if (!node.speedup) return node.why.isEmpty() ? toString(node.state) : QStringLiteral("%1: %2").arg(toString(node.state), node.why);
    const Verdict verdict = verdictFromString(toString(node.state)).value_or(Verdict::Unproven);
    if (node.id == 0) return QStringLiteral("baseline, %1 %2").arg(timeText(node.time_us.value_or(0)), toString(node.speedup->kind));
    return speedupText(*node.speedup, verdict);
}

QString marks(const TrajectoryNode &node)
{
    return QString(node.isBest ? QStringLiteral(" best") : QString()) + (node.isBase ? QStringLiteral(" base") : QString()) +
           (node.recorded ? QStringLiteral(" recorded") : QString());
}

} // namespace

QString nodeLine(const TrajectoryNode &node)
{
    const QString line = QStringLiteral("node %1  round %2  from %3  %4  %5%6")
        .arg(node.id, 3).arg(node.round, 2).arg(node.parent, 3).arg(node.skill.isEmpty() ? node.kind : node.skill, -24).arg(outcome(node), marks(node));
    return node.divergence.isEmpty() ? line : line + QStringLiteral("\n          ") + node.divergence;
}

QString sessionLine(const Trajectory &trajectory)
{
    const TrajectoryNode *best = trajectory.node(trajectory.best);
    const QString name = trajectory.recording.isEmpty()
                             ? trajectory.taskName
                             : QStringLiteral("%1, replay of %2").arg(trajectory.taskName, QFileInfo(trajectory.recording.value(QStringLiteral("path")).toString()).fileName());
    return QStringLiteral("%1: %2 nodes, %3, %4").arg(name).arg(trajectory.nodes.size())
        .arg(trajectory.endedBy.isEmpty() ? QStringLiteral("not ended") : QStringLiteral("ended by ") + trajectory.endedBy,
             best ? outcome(*best) : QStringLiteral("nothing verified yet"));
}

QJsonObject sessionSummary(const Trajectory &trajectory)
{
    QJsonObject summary{{QStringLiteral("task"), trajectory.taskName}, {QStringLiteral("nodes"), int(trajectory.nodes.size())},
                        {QStringLiteral("rounds"), trajectory.lastRound()}, {QStringLiteral("ended_by"), trajectory.endedBy},
                        {QStringLiteral("base"), trajectory.base}, {QStringLiteral("settings"), trajectory.settings}};
    if (!trajectory.recording.isEmpty()) summary[QStringLiteral("recording")] = trajectory.recording;
    if (const TrajectoryNode *best = trajectory.node(trajectory.best); best && best->speedup)
        summary[QStringLiteral("best")] = QJsonObject{{QStringLiteral("node"), best->id}, {QStringLiteral("speedup"), best->speedup->value},
            {QStringLiteral("interval"), QJsonArray{best->speedup->interval.low, best->speedup->interval.high}},
            {QStringLiteral("kind"), toString(best->speedup->kind)}, {QStringLiteral("verdict"), toString(best->state)}};
    return summary;
}

QJsonArray nodesJson(const Trajectory &trajectory)
{
    QJsonArray nodes;
    for (const TrajectoryNode &node : trajectory.nodes) {
        QJsonObject object{{QStringLiteral("node"), node.id}, {QStringLiteral("parent"), node.parent}, {QStringLiteral("round"), node.round},
                           {QStringLiteral("kind"), node.kind}, {QStringLiteral("state"), toString(node.state)}, {QStringLiteral("summary"), node.summary},
                           {QStringLiteral("method"), node.method}, {QStringLiteral("skill"), node.skill}, {QStringLiteral("parameters"), node.plan.parameters},
                           {QStringLiteral("code_digest"), node.codeDigest}, {QStringLiteral("why"), node.why},
                           {QStringLiteral("base"), node.isBase}, {QStringLiteral("best"), node.isBest}};
        if (node.time_us) object[QStringLiteral("time_us")] = *node.time_us;
        if (node.speedup) {
            object[QStringLiteral("speedup")] = node.speedup->value;
            object[QStringLiteral("interval")] = QJsonArray{node.speedup->interval.low, node.speedup->interval.high};
            object[QStringLiteral("time_kind")] = toString(node.speedup->kind);
        }
        if (node.recorded) object[QStringLiteral("recorded")] = node.recorded->toJson();
        if (!node.divergence.isEmpty()) object[QStringLiteral("divergence")] = node.divergence;
        if (node.prediction) object[QStringLiteral("prediction")] = node.prediction->toJson();
        nodes.append(object);
    }
    return nodes;
}

QString sessionHtml(const SessionFile &file, const Trajectory &trajectory)
{
    QString rows, code;
    for (const TrajectoryNode &node : trajectory.nodes) {
        rows += QStringLiteral("<tr><td>%1</td><td>%2</td><td>%3</td><td>%4</td><td>%5</td><td>%6</td></tr>\n")
                    .arg(node.id).arg(node.round).arg(node.parent < 0 ? QString() : QString::number(node.parent))
                    .arg((node.skill.isEmpty() ? node.kind : node.skill).toHtmlEscaped(), outcome(node).toHtmlEscaped(), marks(node));
        auto blob = file.blob(node.candidateBlob);
        if (!blob) continue;
        const Candidate candidate = Candidate::fromJson(QJsonDocument::fromJson(*blob).object());
        code += QStringLiteral("<details%1><summary>node %2: %3</summary><pre>%4</pre></details>\n")
                    .arg(node.isBest ? QStringLiteral(" open") : QString()).arg(node.id).arg(node.summary.toHtmlEscaped(), candidate.mainText().toHtmlEscaped());
    }
    return QStringLiteral("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>%1</title><style>"
                          "body{font:14px/1.5 \"Noto Sans\",sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#1a1e24}"
                          "table{border-collapse:collapse}td,th{padding:2px 12px 2px 0;text-align:left;border-bottom:1px solid #d3d7dd}"
                          "pre{background:#f1f2f4;padding:8px;overflow:auto}</style>"
                          "<h1>%1</h1><p>%2</p><table><tr><th>Node</th><th>Round</th><th>From</th><th>Skill</th><th>Outcome</th><th></th></tr>\n%3</table>"
                          "<h2>Code</h2>%4</html>\n")
        .arg(trajectory.taskName.toHtmlEscaped(), sessionLine(trajectory).toHtmlEscaped(), rows, code);
}

QStringList usageLines(const Trajectory &trajectory)
{
    if (trajectory.llmCalls == 0) return {};
    QStringList lines{QStringLiteral("models    %1 calls, %2 tokens in (%3 cached), %4 out, $%5")
                          .arg(trajectory.llmCalls).arg(trajectory.tokensIn).arg(trajectory.tokensCached).arg(trajectory.tokensOut)
                          .arg(trajectory.cost_usd, 0, 'f', 4)};
    for (const auto &[role, usage] : trajectory.usageByRole.asKeyValueRange())
        lines.append(QStringLiteral("          %1 %2 calls, %3 in, %4 out, $%5")
                         .arg(role, -10).arg(usage.calls, 3).arg(usage.tokensIn).arg(usage.tokensOut).arg(usage.cost_usd, 0, 'f', 4));
    return lines;
}

} // namespace kernelskill::cli
