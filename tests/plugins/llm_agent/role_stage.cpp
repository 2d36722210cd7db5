// SPDX-License-Identifier: Apache-2.0
#include "role_stage.h"

#include "small_task.h"

namespace kernelskill::llm::test {

const QString baseCode = QStringLiteral(
    "__global__ void twice(const float *x, float *y, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = 2.0f * x[i];\n}\n\nextern \"C\" void solve(const float *x, float *y, int n, cudaStream_t "
    "stream)\n{\n"
    "    twice<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);\n}\n");

QString fenced(const QString &code, const QString &tag)
{
    return QStringLiteral("Summary: as asked\n\n```%1\n%2```\n").arg(tag, code);
}

RoleStage::RoleStage()
{
    qputenv("XDG_DATA_HOME", m_home.filePath("data").toLocal8Bit());
    qputenv("XDG_CONFIG_HOME", m_home.filePath("config").toLocal8Bit());
    for (const char *name : {"OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"})
        qunsetenv(name);
    task = kernelskill::test::smallTask(m_taskFolder.path());
}

void RoleStage::clear()
{
    usage.clear();
    compilations.clear();
    compiled = 0;
}

ScriptedTransport *RoleStage::script(QList<Step> steps, QJsonObject more)
{
    QJsonObject settings{
        {"provider", "openai-chat"}, {"base_url", "http://127.0.0.1:9/v1"}, {"model", "small"}, {"retries", "0"}};
    for (auto it = more.begin(); it != more.end(); ++it)
        settings.insert(it.key(), it.value());
    auto transport = std::make_unique<ScriptedTransport>(std::move(steps));
    ScriptedTransport *raw = transport.get();
    agent = std::make_unique<LlmAgent>(settings);
    agent->useTransport(std::move(transport));
    const auto prepared = agent->prepare(task);
    if (!prepared) qFatal("%s", qPrintable(prepared.error().message));
    return raw;
}

RoleContext RoleStage::context()
{
    RoleContext context;
    context.round = 3;
    context.device = "h200";
    context.session = "test";
    context.report = [this](const RoleUsage &one) { usage.append(one); };
    context.compile = [this](Candidate) -> QCoro::Task<Result<QList<Finding>>> {
        ++compiled;
        co_return compilations.isEmpty() ? QList<Finding>{} : compilations.takeFirst();
    };
    return context;
}

PlanRequest RoleStage::planRequest() const
{
    PlanRequest request;
    request.task = task;
    request.base = Candidate::fromText("solve.cu", baseCode);
    request.baseNode = 0;
    Skill coalescing, vectors;
    coalescing.name = "memory-coalescing";
    coalescing.description = "Neighbouring threads read neighbouring addresses.";
    coalescing.promises = {{"sectors_per_request", "lower", {}}};
    vectors.name = "vectorised-access";
    vectors.description = "Four elements a load.";
    request.skills = {coalescing, vectors};
    request.retrieval.allowed = {{"M3", "memory-coalescing", 2, false, false, "policy order 1"},
                                 {"M11", "vectorised-access", 1, false, false, "policy order 2"}};
    request.retrieval.explanation = "Loads are scattered.";
    request.retrieval.forbidden = {"M8"};
    KernelProfile kernel;
    kernel.name = "twice";
    kernel.duration_us = 12.3456;
    kernel.timeShare = 1;
    kernel.metrics = {{"dram_throughput_pct", 41.2345}};
    request.evaluation.profile.kernels = {kernel};
    return request;
}

OptimizeRequest RoleStage::optimizeRequest() const
{
    const PlanRequest plan = planRequest();
    Plan chosen;
    chosen.method = "M11";
    chosen.skill = "vectorised-access";
    chosen.rationale = "Wider loads.";
    Skill skill = plan.skills.last();
    skill.title = "Vectorised access";
    skill.body = "## Steps\n\nLoad float4.";
    return {task, plan.base, plan.evaluation, {}, chosen, skill, {}};
}

DiagnoseRequest RoleStage::diagnoseRequest() const
{
    DiagnoseRequest request;
    request.task = task;
    request.candidate = Candidate::fromText("solve.cu", baseCode);
    request.evaluation.status = Status::Wrong;
    request.evaluation.verdict = Verdict::Wrong;
    Finding finding;
    finding.kind = "out_of_bounds";
    finding.file = "solve.cu";
    finding.line = 4;
    finding.message = "4-byte read 4 bytes past x";
    request.evaluation.findings = {finding};
    return request;
}

QString RoleStage::notes() const
{
    QStringList notes;
    for (const RoleUsage &one : usage) {
        for (const QJsonValue &message : one.messages)
            notes.append(message["note"].toString());
    }
    return notes.join('\n');
}

} // namespace kernelskill::llm::test
