// SPDX-License-Identifier: Apache-2.0
// How a plugin asks a person something; window, terminal or a replay answers.
#pragma once

#include "base/result.h"

#include <QCoroTask>
#include <QString>
#include <QStringList>

#include <functional>

namespace kernelskill {

struct Question
{
    enum class Kind { Choose, Text, Code, Confirm };
    Kind kind = Kind::Confirm;
    QString title;
    QString text;
    QStringList choices; // Choose
    QStringList details; // Choose: a line on each choice, or none at all
    QString initial;     // Text, Code
    QString role;        // whose place the person takes, "planner", …; empty: nobody's
    int round = 0;
};

struct Answer
{
    bool given = false; // false: the person declined
    int choice = -1;
    QString text;
};

using AskFunction = std::function<QCoro::Task<Result<Answer>>(Question)>;

} // namespace kernelskill
