// SPDX-License-Identifier: Apache-2.0
// What is said to a model: a file a person can read and edit, filled with material.
#pragma once

#include "base/result.h"

#include <QHash>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace kernelskill::llm {

// The path of what is compiled in: "prompts/planner.md", "prices.json".
[[nodiscard]] QString bundledPath(const QString &name);

struct Prompt
{
    QString name; // "planner"
    int version = 0;
    QString digest; // SHA-256 of the file, first 16 hex digits
    QString system; // the same over a run
    QString user;
    [[nodiscard]] QJsonObject facts() const; // {"name", "version", "digest"}
};

using Fillings = QHash<QString, QString>;

// `name`.md of the folder, or the bundled one when no folder is given; a file missing in the folder is put there.
// `known`: the names it may use. Errors: prompt.read, prompt.syntax with file and line.
[[nodiscard]] Result<Prompt> readPrompt(const QString &name, const QString &folder, const QStringList &known);
[[nodiscard]] Result<Prompt> parsePrompt(const QString &name, const QString &text, const QString &source,
                                         const QStringList &known);

// Each {{name}} replaced once: what it is replaced by is not looked at again. Paragraphs that come out empty vanish.
[[nodiscard]] QString filled(const QString &text, const Fillings &fillings);

// Material between marks that carry a digest of it, so that no text can close its own. Empty text: nothing.
[[nodiscard]] QString dataBlock(const QString &name, const QString &text);

} // namespace kernelskill::llm
