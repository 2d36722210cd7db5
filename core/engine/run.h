// SPDX-License-Identifier: Apache-2.0
// A run: the loop of seed, review, repair, profile, retrieve, plan, optimise, promote over one session file.
#pragma once

#include "engine/proposal.h"
#include "engine/run_settings.h"
#include "memory/longterm/skill_store.h"
#include "plugin/plugin_manager.h"
#include "session/session_file.h"
#include "session/trajectory.h"

#include <QCoroTask>
#include <QObject>

#include <functional>
#include <memory>

namespace kernelskill {

struct RunSummary
{
    QString endedBy;
    QString message;
    int rounds = 0, nodes = 0;
    std::optional<double> baseline_us;
    QJsonObject json; // formats.md, `optimize --json`
};

// What a session may go on with that it did not begin with: more of a budget, other settings of its agents (a key's variable,
// a model that exists). Each replaces what it names and leaves the rest.
struct Changes
{
    Budget budget;
    QMap<QString, QJsonObject> agentSettings; // plugin id → settings
};

// Where a run gets its evaluator and agents from, by plugin id.
struct PlayerFactory
{
    std::function<Result<std::unique_ptr<Evaluator>>(const QString &id)> evaluator;
    std::function<Result<std::unique_ptr<Agent>>(const QString &id, const QJsonObject &settings)> agent;
};

[[nodiscard]] PlayerFactory playersOf(PluginManager *plugins); // which outlives it

// The wanted device of an evaluator, the first usable one when none is named. Errors: evaluator.device.
[[nodiscard]] Result<DeviceInfo> chooseDevice(const Evaluator &evaluator, const QString &wanted);

// Lives on one thread with an event loop: the engine's. All signals come from there, after the event is in the file.
class Run : public QObject
{
    Q_OBJECT
public:
    // `store` may be null (memory none). All pointers outlive the run.
    Run(PluginManager *plugins, SkillStore *store, QObject *parent = nullptr);
    Run(PlayerFactory players, SkillStore *store, QObject *parent = nullptr);
    // Stops a run in flight and waits, with the event loop going, until its last step has ended.
    ~Run() override;

    // Starts a new session in `path`, or continues the one that is there and has not ended (then `settings` is ignored
    // but for budget and rounds when they are larger, and settings of agents it names). Ends on its own, on stop, or with an error of the environment.
    QCoro::Task<Result<RunSummary>> start(RunSettings settings, QString sessionPath);
    QCoro::Task<Result<RunSummary>> resume(QString sessionPath, std::optional<int> rounds = std::nullopt,
                                           Changes changes = {});
    // Opens a session nobody runs, carries out what a person proposes, and leaves it as ended, or as open, as it was.
    QCoro::Task<Result<RunSummary>> work(QString sessionPath, QList<Proposal> proposals);

    void pause();  // after the step in flight
    void unpause();
    void stepOnce();
    void stop();   // ends the step in flight; its processes die
    void setAsk(AskFunction ask);
    // Beside the rounds of the run in flight, before the next one. Errors: proposal.node, proposal.repeat,
    // proposal.skill: it is refused at once and nothing is written.
    [[nodiscard]] Result<void> propose(const Proposal &proposal);
    // A person's change of a skill during the run: an event, effective from the next round.
    void applySkillState(const QString &skill, SkillState state, const QString &reason);
    // A person's mark on a node: "person.pin" {pinned} or "person.note" {text}. No part of what a run decides by.
    [[nodiscard]] Result<void> annotate(int node, const QString &kind, QJsonObject data);
    // Likewise a new text of a skill the run knows (revision: the store's). A text that is no skill is refused.
    [[nodiscard]] Result<void> applySkillText(const QString &skill, const QString &text, int revision,
                                              const QString &reason);

    [[nodiscard]] const Trajectory &trajectory() const;
    [[nodiscard]] const SessionFile *session() const; // null before start

Q_SIGNALS:
    void eventAppended(const kernelskill::Event &event);
    // Transient: node under evaluation, stage in words, done and total. Node −1: what an agent tells, "planner: asks …".
    void progress(int node, const QString &stage, int done, int total);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// The same in a session nobody runs; the event as it was written.
[[nodiscard]] Result<Event> annotateSession(const QString &path, int node, const QString &kind, QJsonObject data);

} // namespace kernelskill
