// SPDX-License-Identifier: Apache-2.0
// Skills and evidence for tests of the retrieval.
#pragma once

#include "retrieval/retriever.h"

namespace kernelskill::test {

inline Skill skill(const QString &name, const QString &method = {}, SkillState state = SkillState::Active)
{
    Skill result;
    result.name = name;
    result.title = name;
    result.description = name;
    result.method = method;
    result.state = state;
    return result;
}

// The skills that ship, by name and method.
inline QList<Skill> shippedSkills()
{
    return {
        skill("alignment-and-tail", "M10"),      skill("bank-conflict-padding"),   skill("fewer-instructions", "M2"),
        skill("kernel-fusion", "M16"),           skill("launch-tuning", "M13"),    skill("memory-coalescing", "M3"),
        skill("memory-level-parallelism", "M4"), skill("online-softmax"),          skill("register-blocking", "M14"),
        skill("shared-memory-tiling", "M8"),     skill("software-prefetch", "M6"), skill("vectorised-access", "M11"),
        skill("warp-shuffle-reduction"),         skill("work-per-thread", "M5")};
}

inline Profile profile(const QMap<QString, double> &metrics, int launches = 1)
{
    KernelProfile kernel;
    kernel.name = "kernel";
    kernel.duration_us = metrics.value("kernel_duration_ns", 1e5) / 1000;
    kernel.metrics = metrics;
    Profile result;
    result.device = "h200";
    result.kernels = {kernel};
    result.launchCount = launches;
    return result;
}

inline QStringList names(const Retrieval &retrieval)
{
    QStringList result;
    for (const RankedMethod &method : retrieval.allowed)
        result.append(method.skill);
    return result;
}

inline QString chosenCase(const Retrieval &retrieval)
{
    for (const CaseTrace &trace : retrieval.cases) {
        if (trace.chosen) return trace.id;
    }
    return {};
}

} // namespace kernelskill::test
