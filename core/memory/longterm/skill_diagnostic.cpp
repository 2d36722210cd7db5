// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_diagnostic.h"

#include <algorithm>

namespace kernelskill {

QString toString(SkillDiagnostic::Severity severity)
{
    switch (severity) {
    case SkillDiagnostic::Severity::Note:
        return QStringLiteral("note");
    case SkillDiagnostic::Severity::Warning:
        return QStringLiteral("warning");
    case SkillDiagnostic::Severity::Error:
        return QStringLiteral("error");
    }
    return {};
}

QString SkillDiagnostic::text() const
{
    QString result = QStringLiteral("%1:%2: %3").arg(file).arg(line).arg(message);
    if (!remedy.isEmpty()) result += QStringLiteral("; ") + remedy;
    return result;
}

QJsonObject SkillDiagnostic::toJson() const
{
    return {{"severity", toString(severity)}, {"file", file}, {"line", line}, {"message", message}, {"remedy", remedy}};
}

bool hasErrors(const QList<SkillDiagnostic> &diagnostics)
{
    return std::ranges::any_of(diagnostics, [](const SkillDiagnostic &diagnostic) {
        return diagnostic.severity == SkillDiagnostic::Severity::Error;
    });
}

} // namespace kernelskill
