// SPDX-License-Identifier: Apache-2.0
// An agent whose model answers by a script, and requests to put to its roles.
#pragma once

#include "roles/llm_agent.h"
#include "scripted_transport.h"
#include "task/task.h"

#include <QCoroTask>
#include <QTemporaryDir>

#include <memory>

namespace kernelskill::llm::test {

// y = 2 x, one element a thread.
extern const QString baseCode;
// A reply with a summary and the code in a fence.
[[nodiscard]] QString fenced(const QString &code, const QString &tag = QStringLiteral("cuda"));

class RoleStage
{
public:
    RoleStage();
    // A fresh agent; its model says `steps`. The transport lives as long as the agent.
    ScriptedTransport *script(QList<Step> steps, QJsonObject more = {});
    [[nodiscard]] RoleContext context();
    [[nodiscard]] PlanRequest planRequest() const;
    [[nodiscard]] OptimizeRequest optimizeRequest() const;
    [[nodiscard]] DiagnoseRequest diagnoseRequest() const;
    [[nodiscard]] QString notes() const; // of all messages so far
    void clear();
    template <class T> static auto wait(QCoro::Task<T> task) { return QCoro::waitFor(std::move(task)); }

    Task task;
    std::unique_ptr<LlmAgent> agent;
    QList<RoleUsage> usage;
    QList<QList<Finding>> compilations; // answers of the compiler, in turn; then none
    int compiled = 0;

private:
    QTemporaryDir m_home, m_taskFolder;
};

} // namespace kernelskill::llm::test
