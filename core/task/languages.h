// SPDX-License-Identifier: Apache-2.0
// Languages a candidate may be written in. Open: an entry a language; evaluators say which they accept.
#pragma once

#include <QString>
#include <QStringList>

namespace kernelskill {

struct LanguageInfo
{
    QString id;            // "cuda"
    QString title;         // "CUDA C++"
    QString mainFile;      // "solve.cu"
    QString entryPoint;    // "solve"
    QStringList suffixes;  // "cu", "cuh"
    QString lineComment;   // "//"
    QString highlighting;  // name of the syntax definition for editors
};

[[nodiscard]] const LanguageInfo *languageInfo(const QString &id);           // null when unknown
[[nodiscard]] const LanguageInfo *languageOfFile(const QString &path);       // by suffix, null when unknown
[[nodiscard]] QStringList languageIds();

} // namespace kernelskill
