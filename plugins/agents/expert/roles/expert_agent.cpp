// SPDX-License-Identifier: Apache-2.0
#include "roles/expert_agent.h"

#include "features/feature_extractor.h"
#include "roles/decisions.h"

namespace kernelskill::expert {

namespace {

std::optional<Error> stopped(const RoleContext &context)
{
    if (!context.stop.stop_requested()) return std::nullopt;
    return Error{QStringLiteral("stopped"), QStringLiteral("stopped before it began"), {}};
}

} // namespace

ExpertAgent::~ExpertAgent() = default;

QCoro::Task<Result<QList<CodeChange>>> ExpertAgent::generate(GenerateRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    co_return firstCandidates(request);
}

QCoro::Task<Result<Features>> ExpertAgent::extract(FeatureRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    auto found = extractWithOrigins(request.candidate);
    if (!found) co_return std::unexpected(found.error());
    if (context.report) {
        RoleUsage usage;
        usage.transcript = describeOrigins(*found);
        context.report(usage);
    }
    co_return found->features;
}

QCoro::Task<Result<Plan>> ExpertAgent::plan(PlanRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    co_return choosePlan(request);
}

QCoro::Task<Result<CodeChange>> ExpertAgent::optimise(OptimizeRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    co_return applyPlan(request);
}

QCoro::Task<Result<Diagnosis>> ExpertAgent::diagnose(DiagnoseRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    co_return findCause(request);
}

QCoro::Task<Result<CodeChange>> ExpertAgent::repair(RepairRequest request, RoleContext context)
{
    if (auto error = stopped(context)) co_return std::unexpected(*error);
    co_return applyFix(request);
}

} // namespace kernelskill::expert
