// SPDX-License-Identifier: Apache-2.0
// What a run of a program came to, for people and as JSON.
#pragma once

#include "evaluation/evaluation.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>

namespace kernelskill::simulator {

struct ProgramOutcome
{
    QString status = QStringLiteral("ok"); // "build_failed", "timeout", "crashed"
    bool ended = false;                    // by itself, with exitCode
    int exitCode = 0;
    QByteArray output, errors; // kept for --json; already printed otherwise
    QList<Finding> findings;
    QString buildLog;
    Profile profile;
    QJsonArray copies;
    double elapsed_us = 0; // modelled
    QString device;
    // The status of the process that reports: the program's own unless something was found. A leak is worth a line but
    // changes no result.
    [[nodiscard]] int exitStatus() const;
};

[[nodiscard]] QString findingText(const Finding &finding); // a line; paths below the current folder are relative
[[nodiscard]] QString profileText(const ProgramOutcome &outcome);
[[nodiscard]] QJsonObject toJson(const ProgramOutcome &outcome);

} // namespace kernelskill::simulator
