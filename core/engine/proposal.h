// SPDX-License-Identifier: Apache-2.0
// What a person asks of a session beside its rounds. Taken between two rounds, also while the run is paused.
#pragma once

#include "agent/roles.h"

#include <QString>

namespace kernelskill {

struct Proposal
{
    enum class Kind {
        Code,       // a candidate of the person's own, made from the code of `node`
        Plan,       // a skill or an idea of one's own to try on `node`, whatever the policy allows there: a round
        Evaluation, // `node` is evaluated again; the new evaluation takes the place of the old one
        Base        // the next round improves `node`
    };
    Kind kind = Kind::Code;
    int node = -1;
    Candidate candidate; // Code
    QString summary;     // Code: one line for the node
    Plan plan;           // Plan: skill and method, or "free" with a name and what to do
};

} // namespace kernelskill
