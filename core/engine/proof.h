// SPDX-License-Identifier: Apache-2.0
// A counterfactual run: the same node with and without a skill, evaluated side by side, to tell whether the skill gains.
#pragma once

#include "engine/observed.h"
#include "engine/run.h"

#include <stop_token>

namespace kernelskill {

struct ProofRequest
{
    QString sessionPath;
    int node = -1;
    // Who applies the skill where the node itself does not: agent plugin id; empty: the session's Optimizer.
    QString agent;
    quint64 seed = 0; // of the inputs; 0: another than the session's, so that the gain is shown on fresh ones
};

struct Proof
{
    int without = -1, with = -1; // nodes; with −1: the skill was applied for this proof
    QString task, architecture, evaluator;
    Evaluation evaluationWithout, evaluationWith;
    std::optional<Speedup> gain;      // missing: one of them is not usable
    QList<ObservedChange> observed;   // the skill's promises against the counters
    bool proved = false;              // both verified and the whole interval above 1
    QString why;                      // in a sentence
};

// Evaluates both with the session's evaluator, device and mode. Where the node applies the skill, that is the one with
// it and what it was made from the one without; else the agent applies the skill to the node. Changes nothing stored.
// Errors: proof.node, proof.apply, and those of the session, the agent and the evaluator.
QCoro::Task<Result<Proof>> prove(ProofRequest request, PlayerFactory players, Skill skill, ProgressSink progress,
                                 std::stop_token stop);

} // namespace kernelskill
