// SPDX-License-Identifier: Apache-2.0
#include "agent/roles.h"

#include <algorithm>
#include <array>

namespace kernelskill {

namespace {

struct RoleName
{
    Role role;
    const char *name;
};
constexpr std::array roleNames{
    RoleName{Role::Generator, "generator"}, RoleName{Role::FeatureExtractor, "features"},
    RoleName{Role::Planner, "planner"},     RoleName{Role::Optimizer, "optimizer"},
    RoleName{Role::Diagnoser, "diagnoser"}, RoleName{Role::Repairer, "repairer"},
    RoleName{Role::Distiller, "distiller"},
};

} // namespace

QString toString(Role role)
{
    const auto *found = std::ranges::find(roleNames, role, &RoleName::role);
    return found == roleNames.end() ? QString() : QString::fromLatin1(found->name);
}

std::optional<Role> roleFromString(const QString &text)
{
    for (const RoleName &entry : roleNames) {
        if (text == QLatin1String(entry.name)) return entry.role;
    }
    return std::nullopt;
}

QList<Role> allRoles()
{
    QList<Role> roles;
    for (const RoleName &entry : roleNames)
        roles.append(entry.role);
    return roles;
}

bool isOptional(Role role)
{
    return role == Role::Distiller;
}

QJsonObject Plan::toJson() const
{
    QJsonArray promised;
    for (const MetricPromise &promise : promises) {
        promised.append(QJsonObject{{"metric", promise.metric}, {"change", promise.change}});
    }
    QJsonObject object{{"method", method},
                       {"skill", skill},
                       {"parameters", parameters},
                       {"rationale", rationale},
                       {"promises", promised}};
    if (overridesPolicy) object.insert("overrides_policy", true);
    return object;
}

Plan Plan::fromJson(const QJsonObject &object)
{
    Plan plan;
    plan.method = object.value("method").toString();
    plan.skill = object.value("skill").toString();
    plan.parameters = object.value("parameters").toObject();
    plan.rationale = object.value("rationale").toString();
    plan.overridesPolicy = object.value("overrides_policy").toBool();
    for (const QJsonValue &value : object.value("promises").toArray()) {
        const QJsonObject promise = value.toObject();
        plan.promises.append({promise.value("metric").toString(), promise.value("change").toString()});
    }
    return plan;
}

QJsonObject Diagnosis::toJson() const
{
    return {{"error_class", errorClass}, {"cause", cause}, {"fix", fix}};
}

Diagnosis Diagnosis::fromJson(const QJsonObject &object)
{
    return {object.value("error_class").toString(), object.value("cause").toString(), object.value("fix").toString()};
}

// Out of line, so that each interface has one vtable, in this library, whatever plugin implements it.
Generator::~Generator() = default;
FeatureExtractor::~FeatureExtractor() = default;
Planner::~Planner() = default;
Optimizer::~Optimizer() = default;
Diagnoser::~Diagnoser() = default;
Repairer::~Repairer() = default;
Distiller::~Distiller() = default;
Agent::~Agent() = default;

Result<QJsonObject> Agent::prepare(const Task &)
{
    return QJsonObject{};
}

bool Agent::plays(Role role)
{
    switch (role) {
    case Role::Generator:
        return generator() != nullptr;
    case Role::FeatureExtractor:
        return featureExtractor() != nullptr;
    case Role::Planner:
        return planner() != nullptr;
    case Role::Optimizer:
        return optimizer() != nullptr;
    case Role::Diagnoser:
        return diagnoser() != nullptr;
    case Role::Repairer:
        return repairer() != nullptr;
    case Role::Distiller:
        return distiller() != nullptr;
    }
    return false;
}

QList<MetricPromise> promisesOf(const Skill &skill)
{
    QList<MetricPromise> promises;
    for (const PromisedChange &promise : skill.promises)
        promises.append({promise.metric, promise.change});
    return promises;
}

} // namespace kernelskill
