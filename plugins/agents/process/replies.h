// SPDX-License-Identifier: Apache-2.0
// From the "result" of a reply to a role's value. What does not fit is an error of that one reply, in a sentence that says
// what came and what was expected. Members it does not know are ignored. Pure.
#pragma once

#include "agent/roles.h"

#include <QJsonObject>

namespace kernelskill::process {

// The code of an error in the reply of a role: "plan.reply", "agent.reply", …
[[nodiscard]] QString replyCode(Role role);

// {"candidates": [{code or files, summary}, …]}: as many as were asked for at most.
[[nodiscard]] Result<QList<CodeChange>> candidatesFrom(const QJsonObject &result, const GenerateRequest &request);
// {"features": {name: boolean, number or text}}; null: unknown
[[nodiscard]] Result<Features> featuresFrom(const QJsonObject &result);
// {"skill" or "method", "rationale", "parameters"?, "promises"?}, one of those allowed, or the method "free" with a name of
// its own. Without promises those of the skill stand.
[[nodiscard]] Result<Plan> planFrom(const QJsonObject &result, const PlanRequest &request);
// {"code": the main file's text} or {"files": [{"path", "content"}]}, which replace those of the base by the same path and
// are added where there is none; "summary"?, "agent_data"?
[[nodiscard]] Result<CodeChange> changeFrom(const QJsonObject &result, const Candidate &base, Role role, const QString &summary);
// {"error_class", "cause", "fix"}
[[nodiscard]] Result<Diagnosis> diagnosisFrom(const QJsonObject &result);
// {"skill_md": text}
[[nodiscard]] Result<QString> skillFrom(const QJsonObject &result);

// {"calls"?, "tokens_in"?, "tokens_out"?, "tokens_cached"?, "cost_usd"?, "provider"?, "model"?}. With tokens or money but no
// calls it was one.
[[nodiscard]] Result<RoleUsage> usageFrom(const QJsonObject &usage, Role role);

// {"code", "message"}: the program's own refusal. Codes that concern one reply stand, and so do those of limits and of a
// provider that is down, which end the run so that it can be resumed; any other becomes "agent.error".
[[nodiscard]] Error errorFrom(const QJsonValue &error, Role role);

} // namespace kernelskill::process
