// SPDX-License-Identifier: Apache-2.0
#include "diff/syntax.h"

#include "base/paths.h"

#include <KSyntaxHighlighting/Repository>

#include <QStringList>

#include <memory>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Loading it takes some milliseconds, so each thread keeps its own.
KSyntaxHighlighting::Repository &repository()
{
    thread_local const std::unique_ptr<KSyntaxHighlighting::Repository> instance = [] {
        auto fresh = std::make_unique<KSyntaxHighlighting::Repository>();
        fresh->addCustomSearchPath(paths::resources());
        return fresh;
    }();
    return *instance;
}

} // namespace

KSyntaxHighlighting::Definition syntaxDefinition(CodeLanguage language)
{
    if (language == CodeLanguage::Plain) return {};
    auto definition = repository().definitionForName(language == CodeLanguage::Cuda  ? u"CUDA C++"_s
                                                     : language == CodeLanguage::Ptx ? u"PTX"_s
                                                                                     : u"NVIDIA SASS"_s);
    if (!definition.isValid()) qWarning("No syntax definition below %s", qUtf8Printable(paths::resources()));
    return definition;
}

QString syntaxRole(const KSyntaxHighlighting::Format &format)
{
    static const QStringList known{u"keyword"_s, u"type"_s,   u"cuda"_s,    u"function"_s,
                                   u"number"_s,  u"string"_s, u"comment"_s, u"preprocessor"_s};
    const QString name = format.name().toLower();
    return known.contains(name) ? u"syntax."_s + name : QString();
}

} // namespace kernelskill
