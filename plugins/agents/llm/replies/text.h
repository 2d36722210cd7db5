// SPDX-License-Identifier: Apache-2.0
// Small matters of text that all of replies/ shares. Pure, each linear in its input.
#pragma once

#include "replies/extract.h"

#include <QStringView>

namespace kernelskill::llm {

// A space of any kind; zero-width characters and byte order marks count.
[[nodiscard]] bool isBlank(QChar c);
[[nodiscard]] bool isBlank(QStringView text);
[[nodiscard]] bool isWordCharacter(QChar c);

// As a compiler wants it: line ends are \n, nothing invisible, no-break spaces are spaces.
[[nodiscard]] QString cleanedForCode(const QString &text);
[[nodiscard]] QString htmlUnescaped(QStringView text);
// \n, \t, \" and the like in a text that carries them as two characters.
[[nodiscard]] QString backslashesResolved(QStringView text);
// “its first line…”, for a sentence.
[[nodiscard]] QString quoted(QStringView text, qsizetype most = 60);
// The end of a text, for a sentence.
[[nodiscard]] QString quotedEnd(QStringView text, qsizetype most = 40);

[[nodiscard]] QList<QStringView> linesOf(QStringView text);

// The last thousand characters repeat one piece: the model runs in circles, and going on is no use.
[[nodiscard]] bool endsInLoop(QStringView text);

// Where `needle` begins in `text`, at most `most` places. Linear whatever the texts (Knuth, Morris, Pratt).
[[nodiscard]] QList<qsizetype> placesOf(QStringView needle, QStringView text, qsizetype most);

// Why a text without what was wanted ("a JSON object", "code") has none, in a sentence.
[[nodiscard]] QString whyNothing(QStringView answer, QStringView thought, const QString &wanted);

// Says that the reply stops in the middle: of `what`, after `text`. One that runs in circles is no use going on with.
void reportCut(Extraction &extraction, const QString &what, QStringView text);

} // namespace kernelskill::llm
