// SPDX-License-Identifier: Apache-2.0
// Python programs for the agent 'process' to run.
#pragma once

#include "process_agent.h"

#include <QCoroTask>
#include <QFile>
#include <QTemporaryDir>

namespace kernelskill::test {

// What every script begins with.
inline const char *const preamble = R"(import json, os, subprocess, sys, time
ROLES = ["generator", "features", "planner", "optimizer", "diagnoser", "repairer", "distiller"]
def say(message): print(json.dumps(message), flush=True)
def hello(roles=ROLES): say({"kernelskill": 1, "name": "a script", "roles": roles})
def requests():
    for line in sys.stdin:
        message = json.loads(line)
        if "request" in message: yield message
def result(message, value): say({"id": message["id"], "result": value})
def note(name, text): open(name, "a").write(str(text) + "\n")
)";

// A folder with one program in it, and with what that notes down.
class Scripts
{
public:
    // Of a program that runs preamble and body in the folder.
    [[nodiscard]] QJsonObject settings(const QString &body, QJsonObject settings) const
    {
        QFile file(m_folder.filePath("script.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("no script");
        file.write(preamble + body.toUtf8() + '\n');
        settings.insert("command", "python3 script.py");
        settings.insert("folder", m_folder.path());
        return settings;
    }

    [[nodiscard]] QStringList noted(const QString &name) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts) : QStringList();
    }

private:
    QTemporaryDir m_folder;
};

// Two skills are allowed, M3 and M8.
inline PlanRequest planRequest()
{
    PlanRequest request;
    Skill coalescing, tiling;
    coalescing.name = "memory-coalescing";
    coalescing.method = "M3";
    coalescing.body = "Let neighbours touch neighbours.\n";
    coalescing.promises = {{"sectors_per_request", "lower", {}}};
    tiling.name = "shared-memory-tiling";
    tiling.method = "M8";
    request.skills = {coalescing, tiling};
    request.retrieval.allowed = {{"M3", "memory-coalescing", 2, false, false, "expected 1.42× from 7 uses on sm_90"},
                                 {"M8", "shared-memory-tiling", 1, false, false, "policy order 2"}};
    request.retrieval.forbidden = {"M9"};
    request.retrieval.explanation = "Loads are scattered.";
    request.base = Candidate::fromText("solve.cu", "void solve();\n");
    request.evaluation.verdict = Verdict::Verified;
    request.features = {{"has_reuse", true}, {"kernel_structure_id", "S1"}};
    return request;
}

inline Result<Plan> plan(process::ProcessAgent &agent, RoleContext context = {}, const PlanRequest &request = planRequest())
{
    return QCoro::waitFor(agent.planner()->plan(request, std::move(context)));
}

} // namespace kernelskill::test
