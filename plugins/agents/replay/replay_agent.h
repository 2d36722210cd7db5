// SPDX-License-Identifier: Apache-2.0
// Plays a recorded session again, in every role. What was played already is read off short-term memory, so that a run
// that was interrupted goes on where it stood. The evaluator judges anew; where it decides otherwise than it did then, the
// recorded steps go on as long as they have a footing.
#pragma once

#include "agent/roles.h"
#include "session/recording.h"

#include <optional>

namespace kernelskill::replay {

class ReplayAgent final : public Agent,
                          Generator,
                          FeatureExtractor,
                          Planner,
                          Optimizer,
                          Diagnoser,
                          Repairer
{
public:
    // {"session": path, "speed": "max" or a factor on the recorded pace}
    explicit ReplayAgent(QJsonObject settings);

    [[nodiscard]] Result<QJsonObject> prepare(const Task &task) override;
    Generator *generator() override { return this; }
    FeatureExtractor *featureExtractor() override { return this; }
    Planner *planner() override { return this; }
    Optimizer *optimizer() override { return this; }
    Diagnoser *diagnoser() override { return this; }
    Repairer *repairer() override { return this; }

private:
    QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext context) override;
    QCoro::Task<Result<Features>> extract(FeatureRequest request, RoleContext context) override;
    QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext context) override;
    QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext context) override;

    void findPlace(const PlanRequest &request, int round);
    [[nodiscard]] QString lostFooting(const Attempts &attempts) const; // empty: it can go on
    [[nodiscard]] const RecordedProposal *proposalFor(const Plan &plan) const;
    QCoro::Task<void> pause(double recorded_ms, std::stop_token stop) const;

    QJsonObject m_settings;
    Recording m_recording;
    double m_speed = 0;          // 0: as fast as possible
    qsizetype m_next = -1;       // of the proposals; −1: not looked for yet
    bool m_waitsForCode = false; // the plan at m_next was proposed and nobody was asked for code since
    QHash<int, int> m_diagnosed; // recorded failing node → diagnoses given
};

} // namespace kernelskill::replay
