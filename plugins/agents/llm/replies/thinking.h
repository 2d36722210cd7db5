// SPDX-License-Identifier: Apache-2.0
// What a model said aloud to itself, apart from what it answers.
#pragma once

#include <QString>
#include <QStringList>

namespace kernelskill::llm {

struct Answer
{
    QString text;
    QString thought;
    bool neverEnds = false; // an opening tag without its closing one: the answer, if any, is in `thought`
    bool guessed = false;   // a closing tag alone: that all before it is thought is likely, not certain
};

// Of a longer answer only the end is looked at: no object and no file of ours comes near.
inline constexpr qsizetype longestAnswer = 256 * 1024;

// Tags of all families, with attributes or without, opened by the prompt or the reply, closed or not.
[[nodiscard]] Answer withoutThinking(const QString &reply, QStringList &notes);

} // namespace kernelskill::llm
