// SPDX-License-Identifier: Apache-2.0
// How a plugin asks a person something; window, terminal or a replay answers.
#pragma once

#include "agent/prediction.h"
#include "base/result.h"

#include <QCoroTask>
#include <QString>
#include <QStringList>

#include <functional>

namespace kernelskill {

// A counter to predict: which way will it go?
struct AskedCounter
{
    QString metric, title;
    std::optional<double> now; // its value at the base; missing: no counter
    QString unit;
};

struct Question
{
    // Plan: a plan stands; the person predicts what it will do and lets it be, chooses another, or writes one.
    enum class Kind { Choose, Text, Code, Confirm, Plan };
    Kind kind = Kind::Confirm;
    QString title;
    QString text;
    QStringList choices; // Choose, Plan: the last of a plan's is an idea of one's own, told in the answer's text
    QStringList details; // Choose, Plan: a line on each choice, or none at all
    QString initial;     // Text, Code
    QString role;        // whose place the person takes, "planner", …; empty: nobody's
    int round = 0;
    int proposed = -1;               // Plan: the choice that goes on as planned
    QList<AskedCounter> counters{}; // Plan
};

struct Answer
{
    bool given = false; // false: the person declined
    int choice = -1;
    QString text;
    Prediction prediction{}; // Plan
};

using AskFunction = std::function<QCoro::Task<Result<Answer>>(Question)>;

} // namespace kernelskill
