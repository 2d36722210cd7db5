// SPDX-License-Identifier: Apache-2.0
// The agent `llm`.
#pragma once

#include "agent/roles.h"
#include "client/client.h"
#include "roles/exchange.h"

namespace kernelskill::llm {

// What talks to a provider, put together from the settings.
struct Connection
{
    std::unique_ptr<Transport> network, cassette;
    std::unique_ptr<Spending> spending;
    std::unique_ptr<Client> client;
};
// Errors: settings.value, spending.open, prices.syntax, cassette.….
[[nodiscard]] Result<Connection> connectTo(const QJsonObject &settings, std::unique_ptr<Transport> transport = {});

// A language model in any role. Each call is: material → prompt → reply → what is wanted of it, checked; one
// correction; then something that lets the run go on without the model: the ranking's choice, the code as it was, the
// words of the findings. What a model may decide is what the role's result can say; nothing it writes reaches files,
// budgets or the cast.
class LlmAgent final : public Agent, Generator, FeatureExtractor, Planner, Optimizer, Diagnoser, Repairer, Distiller
{
public:
    explicit LlmAgent(QJsonObject settings);
    ~LlmAgent() override;
    Result<QJsonObject> prepare(const Task &task) override;
    Generator *generator() override { return this; }
    FeatureExtractor *featureExtractor() override { return this; }
    Planner *planner() override { return this; }
    Optimizer *optimizer() override { return this; }
    Diagnoser *diagnoser() override { return this; }
    Repairer *repairer() override { return this; }
    Distiller *distiller() override { return this; }

    // For tests: the transport takes the network's place.
    void useTransport(std::unique_ptr<Transport> transport);

private:
    QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext context) override;
    QCoro::Task<Result<Features>> extract(FeatureRequest request, RoleContext context) override;
    QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext context) override;
    QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext context) override;
    QCoro::Task<Result<QString>> distil(DistillRequest request, RoleContext context) override;

    [[nodiscard]] const Prompt &prompt(const QString &name) const { return m_prompts.at(name); }

    [[nodiscard]] Result<QJsonObject> prepared();

    QJsonObject m_settings;
    std::map<QString, Prompt> m_prompts;    // role's name, and "common"
    std::unique_ptr<Transport> m_transport; // a test's, until prepare
    Connection m_connection;
    // Why it cannot play: the engine may go on without it where a person only wants to look or try something.
    Error m_unprepared{QStringLiteral("agent.unprepared"), QStringLiteral("the agent 'llm' was not prepared"), {}};
};

} // namespace kernelskill::llm
