// SPDX-License-Identifier: Apache-2.0
// The steps of a round and how far it is, read from the session's events and the stage under way.
#pragma once

#include "models/session_document.h"

namespace kernelskill {

struct RoundStep
{
    enum class State { Done, Active, Waiting };
    QString title;
    State state = State::Waiting;
    QString detail; // "3.1 s", "14 of 24"
    bool failed = false;
};

struct RoundProgress
{
    int round = -1;   // −1: nothing ran yet
    QString title;    // "Fused exp2"
    QString subtitle; // "from base 6, Vectorised loads"
    QList<RoundStep> steps;
};

[[nodiscard]] RoundProgress roundProgress(const SessionDocument &document, bool running);

} // namespace kernelskill
