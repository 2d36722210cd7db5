// SPDX-License-Identifier: Apache-2.0
// Code out of replies: extracted, edits applied, compiled; each trouble told to the model once.
#pragma once

#include "roles/exchange.h"

namespace kernelskill::llm {

// What one reply holds for the file it is about.
struct ReadCode
{
    QString code;         // empty: see problem
    QString problem;      // in words the model can mend it by
    QString inapplicable; // the model's reason not to do it
    QString summary;      // its "Summary:" line, one line of at most 120 characters
    QStringList notes;
};

// `file`: what edits refer to, empty where there is none. Comments that would steer the reading of features ("// @name:
// …") are taken the sting out of: only a person may say that of code.
[[nodiscard]] ReadCode readCode(const QString &reply, const QString &file, const QString &entry);

// `base` with the main file the model wrote. Compiled where context.compile is there; a candidate that does not compile
// is handed on after one correction: the Reviewer and the repairs have the last word. Errors: `gaveUp` with the reason,
// and those of Exchange.
QCoro::Task<Result<CodeChange>> writeCode(Exchange &exchange, Material material, Candidate base, QString gaveUp);

} // namespace kernelskill::llm
