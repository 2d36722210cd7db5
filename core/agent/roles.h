// SPDX-License-Identifier: Apache-2.0
// The cast. Each role is one asynchronous call from value types to a Result; no role knows another.
#pragma once

#include "agent/question.h"
#include "agent/recorded_step.h"
#include "base/result.h"
#include "evaluation/evaluation.h"
#include "memory/longterm/skill.h"
#include "memory/shortterm/attempts.h"
#include "retrieval/retrieval.h"
#include "task/task.h"

#include <QCoroTask>
#include <QJsonArray>

#include <functional>
#include <memory>
#include <stop_token>

namespace kernelskill {

enum class Role { Generator, FeatureExtractor, Planner, Optimizer, Diagnoser, Repairer, Distiller };
// "generator", "features", "planner", "optimizer", "diagnoser", "repairer", "distiller"
[[nodiscard]] QString toString(Role role);
[[nodiscard]] std::optional<Role> roleFromString(const QString &text);
[[nodiscard]] QList<Role> allRoles();
// A run does without it: the engine has words of its own.
[[nodiscard]] bool isOptional(Role role);

// What a call cost, for agents that talk to a model or want their words kept.
struct RoleUsage
{
    QString transcript; // Markdown, may be empty
    int calls = 0;      // to a model
    qint64 tokensIn = 0, tokensOut = 0; // tokensIn holds the cached ones too
    qint64 tokensCached = 0;            // of tokensIn: read from the provider's cache
    double cost_usd = 0;
    // What answered and by what: {"provider", "model", "prompt": {name, version, digest}, "price", …}. The last one stands.
    QJsonObject facts{};
    // The exchange with a model, in order: {"from": "system"|"user"|"assistant"|"tool", "text", "note"?: what was taken or
    // dropped of it, and why}.
    QJsonArray messages{};
};

// What a session may still spend; a missing limit is none.
struct Allowance
{
    std::optional<double> money_usd;
    std::optional<qint64> tokens;
    std::optional<qint64> calls;
};

// A call that cannot go on before a time: a provider's limit.
struct Waiting
{
    qint64 until_ms = 0; // since the epoch
    QString why;         // "api.example.org answers 429: rate limit reached"
};

// What the evaluator's compiler says of a candidate in the making, without running it: findings of kind "build", none when
// it compiles. Errors: evaluator.compile where it cannot.
using CompileFunction = std::function<QCoro::Task<Result<QList<Finding>>>(Candidate)>;

// What every call gets besides its own request.
struct RoleContext
{
    quint64 seed = 1;      // already keyed by run, round and role
    int round = 0;
    QString device;        // GpuSpec id
    std::stop_token stop;
    AskFunction ask;       // puts a Question to the person; may be empty: nobody is there
    std::function<void(const RoleUsage &)> report; // may be called once or more often during the call; may be empty
    QString session{};                                  // id of the session
    Allowance allowance{};                              // as the call began
    CompileFunction compile{};                          // may be empty
    std::function<void(const Waiting &)> waits{};       // goes on record and to the person; may be empty
    std::function<void(const QString &)> tells{};       // a few words on what is going on; shown, not kept; may be empty
};

// Codes of errors that end a run, which can be resumed: budgetMoney and the like for a limit the person set,
// providerUnavailable where somebody else has to change something first (a spent quota, a service that is down).
inline constexpr auto budgetMoney = "budget.money";
inline constexpr auto budgetTokens = "budget.tokens";
inline constexpr auto budgetCalls = "budget.calls";
inline constexpr auto providerUnavailable = "provider.unavailable";

struct GenerateRequest
{
    Task task;
    int count = 1;
};

// A name → value map; booleans as bool, kernel_structure_id as "S0"…"S4". A missing feature is unknown.
using Features = QVariantMap;
struct FeatureRequest
{
    Task task;
    Candidate candidate;
    Profile profile;
};

struct MetricPromise
{
    QString metric;   // catalogue name
    QString change;   // "lower", "higher", "at most 40", "at least 80"
};

// What a plan through this skill promises when nobody says otherwise.
[[nodiscard]] QList<MetricPromise> promisesOf(const Skill &skill);

// What the planner decided: exactly one method, through one skill.
struct Plan
{
    QString method;          // "M3", or a skill's own name where it has no number
    QString skill;           // skill name
    QJsonObject parameters;  // {"tile_m": 64, …}; part of what short-term memory refuses to repeat
    QString rationale;
    QList<MetricPromise> promises;
    bool overridesPolicy = false; // a person insisted; recorded
    // An idea of the planner's own: method "free", `skill` a name for it that no skill has, the rationale says what to do.
    // Legal where the policy has nothing proved to offer. One that wins twice becomes a draft skill.
    [[nodiscard]] bool isFreeForm() const { return method == u"free"; }
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Plan fromJson(const QJsonObject &object);
};

struct PlanRequest
{
    Task task;
    Candidate base;
    Evaluation evaluation; // of the base
    Features features;
    Retrieval retrieval;   // allowed methods, ranked
    QList<Skill> skills;   // revisions behind retrieval.allowed, same order
    Attempts attempts;     // everything tried on this task in this run
    QStringList refusals;  // why the engine refused this round's earlier plans
    int baseNode = -1;     // which node the base is, as attempts count them
};

struct CodeChange
{
    Candidate candidate;
    QString summary; // one line for the node
    std::optional<RecordedStep> recorded = std::nullopt; // played again, not written anew
};

struct OptimizeRequest
{
    Task task;
    Candidate base;
    Evaluation evaluation;
    Features features;
    Plan plan;
    Skill skill;
    Attempts attempts;
};

struct Diagnosis
{
    QString errorClass; // "build", "out_of_bounds", "race", "wrong_result", "timeout", "resources", …
    QString cause;
    QString fix;        // short and stable: the same fix for the same error class is refused
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Diagnosis fromJson(const QJsonObject &object);
};

struct DiagnoseRequest
{
    Task task;
    Candidate candidate;   // the failing one
    Evaluation evaluation; // why it fails
    Candidate base;        // last good one, empty when there is none
    QList<RepairAttempt> chain; // repairs tried so far for this failure
};

struct RepairRequest
{
    DiagnoseRequest failure;
    Diagnosis diagnosis;
};

// A free-form plan has won often enough to become a skill.
struct DistillRequest
{
    Task task;
    Plan plan;                   // of the last win; plan.skill is the skill's name
    Candidate before, after;     // of the last win
    Profile profileBefore, profileAfter;
    QString draft;               // SKILL.md as the engine wrote it from the ledger
};

class Generator
{
public:
    virtual ~Generator();
    // An error that concerns one reply ("agent.…") leaves the run with what there is; any other ends it.
    virtual QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext context) = 0;
};
class FeatureExtractor
{
public:
    virtual ~FeatureExtractor();
    virtual QCoro::Task<Result<Features>> extract(FeatureRequest request, RoleContext context) = 0;
};
class Planner
{
public:
    virtual ~Planner();
    // An Error with code "plan.none" says that nothing allowed is applicable: the run may stop. "recording.over": what is
    // played again has no further step; the run ends with the error's message.
    virtual QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) = 0;
};
class Optimizer
{
public:
    virtual ~Optimizer();
    // An Error with code "optimise.inapplicable" gives the method up for this base.
    virtual QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext context) = 0;
};
class Diagnoser
{
public:
    virtual ~Diagnoser();
    virtual QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext context) = 0;
};
class Repairer
{
public:
    virtual ~Repairer();
    // An Error with code "repair.give_up" rolls back to the base.
    virtual QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext context) = 0;
};

class Distiller
{
public:
    virtual ~Distiller();
    // A whole SKILL.md of the name plan.skill. With an error, or a text that is no such skill, the engine's draft stands.
    virtual QCoro::Task<Result<QString>> distil(DistillRequest request, RoleContext context) = 0;
};

// What an agent plugin makes: it plays the roles for which the pointer is not null.
class Agent
{
public:
    virtual ~Agent();
    // Once, before anything is written to a session. An error keeps the run from starting. What it gives goes into
    // session.start under "agents"; "recording" there says that the run plays a session again: {path, session, task_changed}.
    [[nodiscard]] virtual Result<QJsonObject> prepare(const Task &task);
    virtual Generator *generator() { return nullptr; }
    virtual FeatureExtractor *featureExtractor() { return nullptr; }
    virtual Planner *planner() { return nullptr; }
    virtual Optimizer *optimizer() { return nullptr; }
    virtual Diagnoser *diagnoser() { return nullptr; }
    virtual Repairer *repairer() { return nullptr; }
    virtual Distiller *distiller() { return nullptr; }
    [[nodiscard]] bool plays(Role role);
};

} // namespace kernelskill
