// SPDX-License-Identifier: Apache-2.0
// What is odd about a skill, said so that a person can mend it.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QString>

namespace kernelskill {

struct SkillDiagnostic
{
    enum class Severity {
        Note,    // harmless: kept, but without meaning here
        Warning, // taken in, but another program may refuse it or something was guessed
        Error,   // the skill cannot be used as it is
    };
    Severity severity = Severity::Warning;
    QString file;
    int line = 1; // from 1
    QString message, remedy;

    [[nodiscard]] QString text() const; // "file:line: message; remedy"
    [[nodiscard]] QJsonObject toJson() const;
};
[[nodiscard]] QString toString(SkillDiagnostic::Severity severity);
[[nodiscard]] bool hasErrors(const QList<SkillDiagnostic> &diagnostics);

} // namespace kernelskill
