// SPDX-License-Identifier: Apache-2.0
#include "task/languages.h"

#include <QFileInfo>
#include <QList>

#include <algorithm>

namespace kernelskill {

namespace {

const QList<LanguageInfo> &all()
{
    static const QList<LanguageInfo> list{
        {QStringLiteral("cuda"), QStringLiteral("CUDA C++"), QStringLiteral("solve.cu"), QStringLiteral("solve"),
         {QStringLiteral("cu"), QStringLiteral("cuh")}, QStringLiteral("//"), QStringLiteral("CUDA")},
        {QStringLiteral("torch-module"), QStringLiteral("PyTorch module"), QStringLiteral("model_new.py"),
         QStringLiteral("ModelNew"), {QStringLiteral("py")}, QStringLiteral("#"), QStringLiteral("Python")},
    };
    return list;
}

} // namespace

const LanguageInfo *languageInfo(const QString &id)
{
    const auto found = std::ranges::find(all(), id, &LanguageInfo::id);
    return found == all().end() ? nullptr : &*found;
}

const LanguageInfo *languageOfFile(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix();
    const auto found = std::ranges::find_if(all(), [&](const LanguageInfo &info) { return info.suffixes.contains(suffix); });
    return found == all().end() ? nullptr : &*found;
}

QStringList languageIds()
{
    QStringList ids;
    for (const LanguageInfo &info : all()) ids.append(info.id);
    return ids;
}

} // namespace kernelskill
