// SPDX-License-Identifier: Apache-2.0
// Making a prompt fit a model's window: parts give way in order, and what was left out is told.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill::llm {

struct Part
{
    enum class Keep { Head, Tail, Ends };
    QString name; // of the prompt's placeholder and of the data block
    QString text;
    int weight = 5;   // the lightest gives way first
    qint64 least = 0; // tokens it keeps in any case
    Keep keep = Keep::Head;
};

struct Fitted
{
    QList<Part> parts;
    QStringList notes;  // "history: 5200 of about 6100 tokens left out"
    qint64 missing = 0; // tokens by which even the least is too much; 0: it fits
};

// Whole lines are left out, and a line says how many. `available`: tokens for all parts together, by estimatedTokens.
[[nodiscard]] Fitted fit(QList<Part> parts, qint64 available);
// `text` cut to about so many tokens.
[[nodiscard]] QString cutTo(const QString &text, qint64 tokens, Part::Keep keep);

} // namespace kernelskill::llm
