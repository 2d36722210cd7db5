// SPDX-License-Identifier: Apache-2.0
// A person in any role: each call becomes questions, and what is answered becomes the role's result. Declining never ends a
// run: the planner's choice is left to the ranking, a change or repair is given up.
#pragma once

#include "agent/roles.h"

namespace kernelskill::manual {

class ManualAgent final : public Agent,
                          Generator,
                          FeatureExtractor,
                          Planner,
                          Optimizer,
                          Diagnoser,
                          Repairer
{
public:
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
};

// "name: value" a line; true, false, yes and no are booleans, numbers numbers, else text. Errors: agent.features with the
// line's number.
[[nodiscard]] Result<Features> featuresFromText(const QString &text);

} // namespace kernelskill::manual
