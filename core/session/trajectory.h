// SPDX-License-Identifier: Apache-2.0
// The state of a run as a fold over its events: what engine, window and reports all look at. Value type, no I/O.
#pragma once

#include "agent/roles.h"
#include "evaluation/evaluation.h"
#include "session/event.h"

#include <QHash>
#include <QList>
#include <QString>

#include <optional>

namespace kernelskill {

enum class NodeState { Running, Verified, Unproven, Suspect, Wrong, Failed };
[[nodiscard]] QString toString(NodeState state);

struct ObservedChange
{
    QString metric;
    QString promised;              // "lower", "at most 40"
    std::optional<double> before, after; // missing: no counter
    std::optional<bool> kept;      // missing: cannot be told
};

// What all kernels of a candidate did together, for the roofline: kept with the node, so that a long session can be drawn
// without reading every profile.
struct NodeWork
{
    double flops = 0, dramBytes = 0, time_us = 0;
};
// Missing when a kernel lacks a counter.
[[nodiscard]] std::optional<NodeWork> workOf(const Profile &profile);

struct TrajectoryNode
{
    int id = 0;                 // 0 is the seed
    int parent = -1;
    int round = 0;
    QString kind;               // "seed", "optimise", "repair", "human"
    QString agent;
    NodeState state = NodeState::Running;
    QString summary;            // "Warp-shuffle reduction"
    QString method, skill;
    Plan plan;
    QString candidateBlob, evaluationBlob, codeDigest;
    std::optional<double> time_us;
    std::optional<Interval> interval_us;
    std::optional<Speedup> speedup;     // over the baseline
    std::optional<Speedup> stepSpeedup; // over the parent
    std::optional<NodeWork> work;
    QList<ObservedChange> observed;
    std::optional<RecordedStep> recorded;   // played again from a recorded session
    QString divergence;                     // what its record says otherwise
    std::optional<Prediction> prediction;   // a person's, made before it was evaluated
    QList<ObservedChange> predicted;        // its counters: what came of them
    QString why;                // first failed check or finding, in a sentence
    bool isBase = false, isBest = false; // now
    bool wasBase = false;       // at some time
    bool isHuman = false;
    bool pinned = false;
    QString note;
    QString stage;              // transient: "checking 14 of 24"
};

// It passed its checks, as far as they were made.
[[nodiscard]] bool canBeBuiltOn(const TrajectoryNode &node);

struct RoundRecord
{
    int round = 0;
    int base = -1;
    Features features;
    QString retrievalBlob;
    std::optional<Plan> plan;
    QStringList refusals;
};

// What talking to models came to.
struct ModelUsage
{
    qint64 calls = 0, tokensIn = 0, tokensCached = 0, tokensOut = 0;
    double cost_usd = 0;
    [[nodiscard]] QJsonObject toJson() const; // {calls, tokens_in, tokens_cached, tokens_out, cost_usd}
};

struct Trajectory
{
    QString taskName, taskFolder, taskBlob;
    QJsonObject settings;
    QJsonObject recording; // {path, session, task_changed} of the session that is played again; else empty
    QString policyBlob, skillsBlob, statisticsBlob;
    QList<TrajectoryNode> nodes; // node i at place i; one that a damaged file lost stands there as failed
    QList<RoundRecord> rounds;
    int base = -1, best = -1;
    bool paused = false;
    QString endedBy;             // empty: not ended
    QString endMessage;
    qint64 lastSequence = 0;
    std::optional<Waiting> waiting; // a role's provider takes no calls now
    qint64 llmCalls = 0, tokensIn = 0, tokensOut = 0, tokensCached = 0;
    double cost_usd = 0;
    QMap<QString, ModelUsage> usageByRole; // of the roles that talked to a model

    // Unknown kinds are skipped: a newer program's events do no harm.
    void apply(const Event &event);
    [[nodiscard]] static Trajectory fold(const QList<Event> &events);
    [[nodiscard]] const TrajectoryNode *node(int id) const;
    [[nodiscard]] QList<int> bestPath() const; // ids from the seed to best
    [[nodiscard]] int lastRound() const;
};

} // namespace kernelskill
