// SPDX-License-Identifier: Apache-2.0
// Where a SKILL.md's front matter is, and its YAML. Private to the reader.
#pragma once

#include "memory/longterm/skill_diagnostic.h"

#include <QString>

#include <yaml-cpp/yaml.h>

#include <optional>

namespace kernelskill {

struct FrontMatter
{
    QString yaml, body; // lines end in \n
    int firstLine = 2;  // of the yaml, in the file
    YAML::Node root;
};

// Nothing when there is none or it is no YAML; then `diagnostics` says what and where.
[[nodiscard]] std::optional<FrontMatter> readFrontMatter(const QString &text, const QString &source,
                                                         QList<SkillDiagnostic> &diagnostics);

} // namespace kernelskill
