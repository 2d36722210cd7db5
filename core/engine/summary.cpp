// SPDX-License-Identifier: Apache-2.0
#include "engine/summary.h"

#include <QJsonArray>
#include <QSet>

namespace kernelskill {

namespace {

QJsonValue bestOf(const Trajectory &trajectory)
{
    const TrajectoryNode *best = trajectory.node(trajectory.best);
    if (!best) return QJsonValue();
    QJsonArray skills;
    for (const int id : trajectory.bestPath()) {
        const TrajectoryNode *node = trajectory.node(id);
        // A repair carries the skill of what it repairs: named once.
        if (node && !node->skill.isEmpty() && !skills.contains(node->skill)) skills.append(node->skill);
    }
    QJsonObject object{{"node", best->id}, {"verdict", toString(best->state)}, {"skills", skills}};
    object.insert("time_us", best->time_us ? QJsonValue(*best->time_us) : QJsonValue());
    object.insert("speedup", best->speedup ? QJsonValue(best->speedup->value) : QJsonValue());
    object.insert("interval", best->speedup
                                  ? QJsonValue(QJsonArray{best->speedup->interval.low, best->speedup->interval.high})
                                  : QJsonValue());
    object.insert("kind", best->speedup ? QJsonValue(toString(best->speedup->kind)) : QJsonValue());
    object.insert("summary", best->summary);
    return object;
}

// Candidates whose code, as short-term memory compares it, was a candidate before. Only without that memory are there any.
int repeatsIn(const Trajectory &trajectory)
{
    QSet<QString> seen;
    int repeats = 0;
    for (const TrajectoryNode &node : trajectory.nodes) {
        if (node.codeDigest.isEmpty()) continue;
        repeats += seen.contains(node.codeDigest);
        seen.insert(node.codeDigest);
    }
    return repeats;
}

} // namespace

RunSummary summarise(const Trajectory &trajectory, const QString &sessionPath)
{
    RunSummary summary;
    summary.endedBy = trajectory.endedBy;
    summary.message = trajectory.endMessage;
    summary.rounds = trajectory.lastRound();
    summary.nodes = int(trajectory.nodes.size());
    if (const TrajectoryNode *seed = trajectory.node(0)) summary.baseline_us = seed->time_us;
    summary.json = {{"task", trajectory.taskName},
                    {"session", sessionPath},
                    {"rounds", summary.rounds},
                    {"nodes", summary.nodes},
                    {"repeats", repeatsIn(trajectory)},
                    {"stopped_by", summary.endedBy},
                    {"baseline_us", summary.baseline_us ? QJsonValue(*summary.baseline_us) : QJsonValue()},
                    {"best", bestOf(trajectory)},
                    {"llm", QJsonObject{{"calls", trajectory.llmCalls},
                                        {"tokens_in", trajectory.tokensIn},
                                        {"tokens_out", trajectory.tokensOut},
                                        {"tokens_cached", trajectory.tokensCached},
                                        {"cost_usd", trajectory.cost_usd}}}};
    if (!trajectory.usageByRole.isEmpty()) {
        QJsonObject roles, llm = summary.json.value("llm").toObject();
        for (const auto &[role, usage] : trajectory.usageByRole.asKeyValueRange())
            roles.insert(role, usage.toJson());
        llm.insert("roles", roles);
        summary.json.insert("llm", llm);
    }
    if (!trajectory.recording.isEmpty()) summary.json.insert("recording", trajectory.recording);
    if (!summary.message.isEmpty()) summary.json.insert("message", summary.message);
    return summary;
}

} // namespace kernelskill
