// SPDX-License-Identifier: Apache-2.0
// What a plugin library exports. Metadata (metadata.json) is read before the library is loaded:
// { "id": "simulator", "kind": "evaluator", "title": "…", "version": "0.1.0", "description": "…", "roles": […] for agents,
//   "settings": JSON Schema of an object, one property a setting, from which forms are made, "abi": filled by the build }.
// A property may have "x-choices": true, where `choices` knows what may stand in it, and beside "pattern" an "x-expected",
// what it asks for in words. The schema may have "x-order", its properties in the order of a form, and "x-keys", what keys an
// agent needs: {"choice", "address", "variable": names of settings, "services": [{"value" of the choice, "address",
// "address_variables", "variables"}]}.
#pragma once

#include "agent/roles.h"
#include "evaluation/evaluator.h"

#include <QJsonObject>
#include <QtPlugin>

#include <memory>

namespace kernelskill {

class EvaluatorPlugin
{
public:
    virtual ~EvaluatorPlugin();
    [[nodiscard]] virtual std::unique_ptr<Evaluator> createEvaluator(const QJsonObject &settings) = 0;
    // One line for each thing `doctor` should say: {"name", "ok", "text", "remedy"}.
    [[nodiscard]] virtual QList<QJsonObject> doctor();
};

class AgentPlugin
{
public:
    virtual ~AgentPlugin();
    [[nodiscard]] virtual std::unique_ptr<Agent> createAgent(const QJsonObject &settings) = 0;
    // What may stand in one of its settings, asked of whoever knows: the models a service offers. Errors: settings.choices
    // where it cannot tell, else what came in the way.
    virtual QCoro::Task<Result<QStringList>> choices(QString setting, QJsonObject settings);
    [[nodiscard]] virtual QList<QJsonObject> doctor();
};

} // namespace kernelskill

#define KernelSkillEvaluatorPlugin_iid "org.kernelskill.EvaluatorPlugin/1"
#define KernelSkillAgentPlugin_iid "org.kernelskill.AgentPlugin/1"
Q_DECLARE_INTERFACE(kernelskill::EvaluatorPlugin, KernelSkillEvaluatorPlugin_iid)
Q_DECLARE_INTERFACE(kernelskill::AgentPlugin, KernelSkillAgentPlugin_iid)
