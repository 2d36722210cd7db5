// SPDX-License-Identifier: Apache-2.0
// A deterministic evaluator and agent, and a memory, for tests of the run.
#pragma once

#include "engine/run.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

namespace kernelskill::test {

// Reads a candidate's fate from its text: "float speed = 2.5;" is its speed over the baseline, "broken" does not build,
// "wrong" gives wrong results.
class FakeEvaluator : public Evaluator
{
public:
    std::shared_ptr<int> calls = std::make_shared<int>(0);
    std::function<void(int call)> onCall; // before it answers

    EvaluatorFacts facts() const override { return {"fake", "Fake", {"native"}, {"cuda"}, TimeKind::Modelled, {}}; }
    QList<DeviceInfo> devices() const override { return {{"fake", "Fake", "sm_90", true, {}}}; }
    QCoro::Task<Result<Evaluation>> evaluate(EvaluationRequest request, ProgressSink progress,
                                             std::stop_token stop) override
    {
        ++*calls;
        progress({"checking", 1, 1, "checking 1 of 1"});
        if (onCall) onCall(*calls);
        if (stop.stop_requested()) co_return failure("evaluator.stopped", "stopped");
        co_return evaluationOf(request.candidate.mainText());
    }

    static Evaluation evaluationOf(const QString &text)
    {
        Evaluation result;
        result.kind = TimeKind::Modelled;
        if (text.contains("broken")) {
            result.status = Status::BuildFailed;
            result.verdict = Verdict::Failed;
            result.checks = {{"build", "failed", "error: broken"}};
            return result;
        }
        if (text.contains("wrong")) {
            result.status = Status::Wrong;
            result.verdict = Verdict::Wrong;
            result.checks = {{"build", "passed", {}}, {"outputs rows=7 cols=515", "failed", "element 3"}};
            return result;
        }
        static const QRegularExpression speed(QStringLiteral("float speed = ([0-9.]+)"));
        const auto match = speed.match(text);
        const double time_us = 1000 / (match.hasMatch() ? match.captured(1).toDouble() : 1.0);
        result.verdict = Verdict::Verified;
        result.checks = {{"build", "passed", {}}, {"outputs rows=7 cols=515", "passed", {}}};
        result.timings = {{"time", 1, time_us, {time_us * 0.999, time_us * 1.001}, {time_us}}};
        KernelProfile kernel;
        kernel.name = "rowSoftmax";
        kernel.duration_us = time_us;
        kernel.roofline_us = 100;
        kernel.timeShare = 1;
        kernel.metrics = {{"dram_throughput_pct", 12},
                          {"l2_throughput_pct", 35},
                          {"sm_throughput_pct", 4},
                          {"achieved_occupancy_pct", 6},
                          {"waves_per_sm", 0.02},
                          {"sectors_per_request", 32},
                          {"store_sectors_per_request", 32},
                          {"kernel_duration_ns", 1000 * time_us},
                          {"dram_bytes", time_us}};
        result.profile.device = "fake";
        result.profile.kernels = {kernel};
        result.profile.launchCount = 1;
        return result;
    }
};

// What each skill does to the code; see FakeAgent::optimise.
class FakeAgent : public Agent,
                  public Generator,
                  public FeatureExtractor,
                  public Planner,
                  public Optimizer,
                  public Diagnoser,
                  public Repairer
{
public:
    std::function<Result<Plan>(const PlanRequest &)> planOverride;
    std::function<Result<CodeChange>(const RepairRequest &)> repairOverride;
    std::function<Result<CodeChange>(const OptimizeRequest &)> optimizeOverride;
    std::function<void(const RoleContext &)> onPlan; // what a planner that talks to a model does beside

    Generator *generator() override { return this; }
    FeatureExtractor *featureExtractor() override { return this; }
    Planner *planner() override { return this; }
    Optimizer *optimizer() override { return this; }
    Diagnoser *diagnoser() override { return this; }
    Repairer *repairer() override { return this; }

    QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext) override
    {
        QList<CodeChange> changes;
        for (int i = 0; i < request.count; ++i)
            changes.append({code(1.1 + i, "seed"), QStringLiteral("Seed %1").arg(i)});
        co_return changes;
    }
    QCoro::Task<Result<Features>> extract(FeatureRequest, RoleContext) override
    {
        co_return Features{{"kernel_structure_id", "S3"},
                           {"has_reuse", false},
                           {"streaming_no_reuse", true},
                           {"has_vector_load_store", false}};
    }
    QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) override
    {
        if (onPlan) onPlan(context);
        if (planOverride) co_return planOverride(request);
        for (qsizetype i = 0; i < request.retrieval.allowed.size(); ++i) {
            const RankedMethod &method = request.retrieval.allowed[i];
            const bool tried = std::ranges::any_of(
                request.attempts.all(), [&](const Attempt &attempt) { return attempt.skill == method.skill; });
            if (tried) continue;
            Plan plan;
            plan.skill = method.skill;
            plan.promises = {{"dram_bytes", "lower"}};
            co_return plan;
        }
        co_return failure("plan.none", "everything was tried");
    }
    QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext) override
    {
        if (optimizeOverride) co_return optimizeOverride(request);
        co_return optimised(request);
    }
    QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext) override
    {
        co_return Diagnosis{"build", "it is broken", QStringLiteral("fix %1").arg(request.chain.size())};
    }
    QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext) override
    {
        if (repairOverride) co_return repairOverride(request);
        // The second repair succeeds.
        if (request.failure.chain.size() < 1) co_return CodeChange{code(5, "broken_again"), "First repair"};
        co_return CodeChange{code(5, "mended"), "Second repair"};
    }

    static Candidate code(double speed, const QString &word)
    {
        return Candidate::fromText("solve.cu",
                                   QStringLiteral("void solve() { float speed = %1; %2(); }\n").arg(speed).arg(word));
    }
    static double speedOf(const Candidate &candidate)
    {
        return 1000 / FakeEvaluator::evaluationOf(candidate.mainText()).time_us().value_or(1000);
    }

    static Result<CodeChange> optimised(const OptimizeRequest &request)
    {
        const double speed = speedOf(request.base);
        const QString &skill = request.plan.skill;
        if (skill == u"memory-coalescing") return CodeChange{code(speed * 2, "coalesced"), "Coalesced"};
        if (skill == u"warp-shuffle-reduction") return CodeChange{code(speed, "broken"), "Shuffle"};
        if (skill == u"work-per-thread") return CodeChange{request.base, "Nothing changed"};
        if (skill == u"launch-tuning") return failure("optimise.inapplicable", "nothing to tune");
        if (skill == u"vectorised-access") return CodeChange{code(speed * 1.01, "vector"), "Vectors"};
        return CodeChange{code(speed * 0.5, skill.section(u'-', 0, 0)), "Slower"};
    }
};

// A folder of skills with the shipped policy, set as $KERNELSKILL_SKILLS, and a task's folder.
class FakeWorld
{
public:
    FakeWorld()
    {
        const QDir folder(m_folder.path());
        folder.mkpath("skills");
        QFile::copy(QStringLiteral(SOURCE_DIR "/skills/policy.yaml"), folder.filePath("skills/policy.yaml"));
        for (const auto &[name, method] :
             {std::pair("memory-coalescing", "M3"), std::pair("warp-shuffle-reduction", ""),
              std::pair("work-per-thread", "M5"), std::pair("launch-tuning", "M13"),
              std::pair("vectorised-access", "M11"), std::pair("online-softmax", "")}) {
            folder.mkpath(QStringLiteral("skills/%1").arg(name));
            QFile file(folder.filePath(QStringLiteral("skills/%1/SKILL.md").arg(name)));
            if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
            const QString number = *method ? QStringLiteral("\n  method: %1").arg(method) : QString();
            file.write(QStringLiteral("---\nname: %1\ndescription: For tests\nmetadata:\n  title: %1\n  languages: cuda%2\n---\nText\n")
                           .arg(name, number)
                           .toUtf8());
        }
        qputenv("KERNELSKILL_SKILLS", folder.filePath("skills").toUtf8());
        qputenv("XDG_DATA_HOME", folder.filePath("data").toUtf8());
    }
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] static RunSettings settings()
    {
        RunSettings settings;
        settings.taskFolder = QStringLiteral(SOURCE_DIR "/resources/tasks/row_softmax");
        settings.agent = "fake";
        settings.evaluator = "fake";
        settings.seed = 7;
        return settings;
    }

private:
    // In memory where that is possible: each append waits for the disk, and these tests append thousands of times.
    QTemporaryDir m_folder{QFileInfo(QStringLiteral("/dev/shm")).isWritable() ? QStringLiteral("/dev/shm/kernelskill-XXXXXX")
                                                                             : QDir::tempPath() + QStringLiteral("/kernelskill-XXXXXX")};
};

// Makes players; `prepare…` sees each before it is used.
struct FakePlayers
{
    std::function<void(FakeEvaluator &)> prepareEvaluator;
    std::function<void(FakeAgent &)> prepareAgent;

    [[nodiscard]] PlayerFactory factory() const
    {
        return {[evaluator = prepareEvaluator](const QString &id) -> Result<std::unique_ptr<Evaluator>> {
                    if (id != u"fake") return failure("plugin.missing", id);
                    auto made = std::make_unique<FakeEvaluator>();
                    if (evaluator) evaluator(*made);
                    return made;
                },
                // "manual" plays the same: behind it the engine supposes a person.
                [agent = prepareAgent](const QString &id, const QJsonObject &) -> Result<std::unique_ptr<Agent>> {
                    if (id != u"fake" && id != u"manual") return failure("plugin.missing", id);
                    auto made = std::make_unique<FakeAgent>();
                    if (agent) agent(*made);
                    return made;
                }};
    }
};

} // namespace kernelskill::test
