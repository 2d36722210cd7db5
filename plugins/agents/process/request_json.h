// SPDX-License-Identifier: Apache-2.0
// What a program is told: the requests of all roles, and their context, as JSON. README.md shows each. Pure.
#pragma once

#include "agent/roles.h"

#include <QJsonObject>

namespace kernelskill::process {

[[nodiscard]] QJsonObject toJson(const Task &task);
[[nodiscard]] QJsonObject toJson(const GenerateRequest &request);
[[nodiscard]] QJsonObject toJson(const FeatureRequest &request);
[[nodiscard]] QJsonObject toJson(const PlanRequest &request);
[[nodiscard]] QJsonObject toJson(const OptimizeRequest &request);
[[nodiscard]] QJsonObject toJson(const DiagnoseRequest &request);
[[nodiscard]] QJsonObject toJson(const RepairRequest &request);
[[nodiscard]] QJsonObject toJson(const DistillRequest &request);
[[nodiscard]] QJsonObject toJson(const RoleContext &context);

} // namespace kernelskill::process
