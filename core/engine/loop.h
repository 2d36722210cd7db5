// SPDX-License-Identifier: Apache-2.0
// The loop. Read run() first (loop.cpp): it is the whole method in one screen.
//
// Every step looks at the trajectory, does one thing, and appends what came of it; nothing else is remembered. So a run
// that was killed goes on by entering run() again: a candidate without evaluation is evaluated, a round without
// candidate is done again with the same seeds, a promotion that was not written is decided again from the same numbers.
#pragma once

#include "agent/roles.h"
#include "engine/control.h"
#include "engine/journal.h"
#include "engine/run_settings.h"
#include "engine/snapshot.h"
#include "evaluation/evaluator.h"
#include "retrieval/retriever.h"

#include <QElapsedTimer>

#include <map>
#include <memory>

namespace kernelskill {

// Everything a loop works with. All of it outlives the loop.
struct LoopParts
{
    RunSettings settings;
    SessionTask task;
    std::map<QString, std::unique_ptr<Agent>> agents; // plugin id → agent
    QJsonObject agentFacts;                           // plugin id → what Agent::prepare gave, where it gave any
    std::unique_ptr<Evaluator> evaluator;
    DeviceInfo device;
    MemorySnapshot memory;
    SkillStore *store = nullptr; // the ledger goes here; null: nowhere
    Journal *journal = nullptr;
    Control *control = nullptr;
    AskFunction ask;
    std::function<void(int node, const EvaluationProgress &)> progress;
    // No rounds: only what the person proposed, then the session has ended as before, by this.
    std::optional<QString> onlyProposalsEndBy;
};

class Loop
{
public:
    explicit Loop(LoopParts parts);

    // Until a rule, the person or an error of the environment ends it; run.ended is appended, the reason returned.
    // After an error run.ended says so too, and the error is returned.
    QCoro::Task<Result<QString>> run();

private:
    // How a round went.
    enum class RoundEnd { Done, Exhausted, RecordingOver };
    // A plan the engine accepts, with the change that came of it.
    struct Written
    {
        Plan plan;
        CodeChange change;
    };
    // Why a plan or candidate is not taken. Final: not to be tried again on this base.
    struct Refusal
    {
        QString reason;
        bool final = false;
        bool policy = false; // outside the allowed list
    };
    // What planning works from, fixed for a round.
    struct Planning
    {
        int round = 0, node = 0, base = -1;
        Candidate candidate;
        Evaluation evaluation;
        Features features;
        Retrieval retrieval;
        QStringList refusals;
        QStringList engineTook; // skills the engine chose itself
        int policyRefusals = 0;
        bool byPerson = false;  // the round is a person's
        bool choseByPerson = false; // the plan that stands now is one the person put in another's place
        Prediction prediction;      // of the plan that stands now
    };

    // loop.cpp
    QCoro::Task<Result<QString>> rounds();
    QCoro::Task<Result<QString>> proposalsOnly();
    QCoro::Task<Result<void>> seed();
    QCoro::Task<Result<QList<CodeChange>>> seedCandidates();
    QCoro::Task<Result<void>> finishWhatIsOpen();
    QCoro::Task<Result<void>> waitIfPaused(Control::Place place);
    [[nodiscard]] QString reasonToStop();
    [[nodiscard]] int roundToDo() const;
    [[nodiscard]] int nodeOfRound(int round) const; // the one an interrupted step has started, or the next number

    // proposals.cpp
    QCoro::Task<Result<void>> carryOut(Proposal proposal);
    QCoro::Task<Result<void>> reviewOwnCode(const Proposal &proposal);
    QCoro::Task<Result<void>> tryOwnPlan(const Proposal &proposal);

    // planning.cpp
    QCoro::Task<Result<RoundEnd>> optimiseRound(int round);
    QCoro::Task<Result<bool>> prepareRound(Planning &planning); // false: no skill is legal
    QCoro::Task<Result<RoundEnd>> finishRound(const Planning &planning, const std::optional<Written> &written);
    QCoro::Task<Result<Features>> featuresOf(const Planning &planning);
    QCoro::Task<Result<std::optional<Written>>> planAndWrite(Planning &planning);
    QCoro::Task<Result<std::optional<Written>>> tryPlan(Planning &planning, Plan plan, int question);
    // step_mode.cpp
    [[nodiscard]] bool asksAtPlans(const Planning &planning) const;
    QCoro::Task<Result<Plan>> settleWithPerson(Planning &planning, Plan planned);
    [[nodiscard]] Question questionOf(const Planning &planning, const Plan &planned) const;

    // planning.cpp
    QCoro::Task<Result<Plan>> askPlanner(const Planning &planning, int question);
    QCoro::Task<Result<std::expected<CodeChange, Refusal>>> write(const Planning &planning, const Plan &plan,
                                                                  int question);
    [[nodiscard]] Result<Retrieval> retrieveFor(const Planning &planning);
    [[nodiscard]] std::optional<Refusal> refusalOf(const Planning &planning, Plan &plan) const;
    [[nodiscard]] std::optional<Refusal> refusalOfOwnIdea(const Planning &planning, const Plan &plan, bool insisted) const;
    [[nodiscard]] std::optional<Refusal> repeatRefusal(const Planning &planning, const Plan &plan) const;
    [[nodiscard]] Result<void> recordPlan(const Planning &planning, const Plan &plan);
    [[nodiscard]] std::optional<Plan> engineChoice(Planning &planning) const;
    [[nodiscard]] Result<void> recordRefusal(Planning &planning, const Plan &plan, const Refusal &refusal);
    [[nodiscard]] QList<Skill> currentSkills() const;
    [[nodiscard]] QList<MetricPromise> promisesOf(const QString &skillName) const;
    [[nodiscard]] Attempts attempts() const;

    // repair.cpp
    [[nodiscard]] std::optional<int> failingNode() const;
    [[nodiscard]] QList<int> chainOf(int node) const; // failing node first, then its repairs up to `node`
    [[nodiscard]] QList<RepairAttempt> repairsOf(const QList<int> &chain) const;
    QCoro::Task<Result<void>> repairRound(int round, int failing);
    QCoro::Task<Result<std::expected<CodeChange, QString>>> repairedCandidate(const DiagnoseRequest &request, int round,
                                                                              int failing, int node);
    QCoro::Task<Result<std::expected<Diagnosis, QString>>> diagnose(const DiagnoseRequest &request, int round,
                                                                    int failing, int node, int question);

    // review.cpp
    QCoro::Task<Result<void>> review(int node);
    QCoro::Task<Result<void>> settle(int node);
    [[nodiscard]] QString divergenceOf(int node, const Evaluation &evaluation);
    [[nodiscard]] Result<QJsonObject> evaluatedData(int node, const Evaluation &evaluation);
    [[nodiscard]] bool isLearnt(const TrajectoryNode &node) const;
    [[nodiscard]] Result<void> recordInLedger(const TrajectoryNode &node, const TrajectoryNode &origin);
    QCoro::Task<Result<void>> draftFrom(TrajectoryNode node);
    QCoro::Task<Result<QString>> distilled(const TrajectoryNode &node, const Candidate &before, const Candidate &after,
                                           const QString &draft);
    [[nodiscard]] Result<Evaluation> evaluationOf(int node);
    [[nodiscard]] Result<Candidate> candidateOf(int node) const;

    // roles.cpp
    [[nodiscard]] Agent *agent(Role role) const;
    [[nodiscard]] RoleContext context(Role role, int round, int question);
    [[nodiscard]] Allowance allowance() const;
    QCoro::Task<Result<QList<Finding>>> compile(Candidate candidate);
    [[nodiscard]] Result<void> recordCall(Role role, int round, int node, const QElapsedTimer &timer,
                                          const Error *error);
    [[nodiscard]] PendingEvent candidateEvent(int node, const CodeChange &change, const Plan &plan,
                                              const QString &blob) const;
    [[nodiscard]] Result<void> storeCandidate(int node, const CodeChange &change, const Plan &plan);
    [[nodiscard]] std::unexpected<Error> stopped() const;
    [[nodiscard]] bool isStopped() const { return m_parts.control->isStopped(); }
    [[nodiscard]] const Trajectory &trajectory() const { return m_parts.journal->trajectory(); }

    LoopParts m_parts;
    QElapsedTimer m_timer;
    QString m_recordingOver; // why what is played again has no further step
    QHash<int, Evaluation> m_evaluations; // by node, as read from their blobs
    QList<RoleUsage> m_usage;             // of the role call in flight
};

// A stream of random numbers of its own for each (seed, run, round, role, question).
[[nodiscard]] quint64 keyedSeed(quint64 seed, int run, int round, const QString &role, int question);
// The code of an error that ends a run because the person stopped it.
inline constexpr auto stoppedCode = "run.stopped";
// Who stands in the events for the person at the window.
inline constexpr auto personAgent = "person";
// Whether an error is about one plan, candidate or reply, so that the run can go on without it.
[[nodiscard]] bool concernsOneReply(const Error &error);
// The digest short-term memory compares: without comments, spacing and local names where the language is known.
[[nodiscard]] QByteArray comparedDigest(const Candidate &candidate);

} // namespace kernelskill
