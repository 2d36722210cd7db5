// SPDX-License-Identifier: Apache-2.0
// The rule-based cast: all six roles over one compiler. Stateless; every call derives what it needs from its request.
#pragma once

#include "agent/roles.h"

namespace kernelskill::expert {

class ExpertAgent final : public Agent,
                          public Generator,
                          public FeatureExtractor,
                          public Planner,
                          public Optimizer,
                          public Diagnoser,
                          public Repairer
{
public:
    ~ExpertAgent() override;
    Generator *generator() override { return this; }
    FeatureExtractor *featureExtractor() override { return this; }
    Planner *planner() override { return this; }
    Optimizer *optimizer() override { return this; }
    Diagnoser *diagnoser() override { return this; }
    Repairer *repairer() override { return this; }

    QCoro::Task<Result<QList<CodeChange>>> generate(GenerateRequest request, RoleContext context) override;
    QCoro::Task<Result<Features>> extract(FeatureRequest request, RoleContext context) override;
    QCoro::Task<Result<Plan>> plan(PlanRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> optimise(OptimizeRequest request, RoleContext context) override;
    QCoro::Task<Result<Diagnosis>> diagnose(DiagnoseRequest request, RoleContext context) override;
    QCoro::Task<Result<CodeChange>> repair(RepairRequest request, RoleContext context) override;
};

} // namespace kernelskill::expert
