// SPDX-License-Identifier: Apache-2.0
#include "diff/code_highlighter.h"

#include "base/paths.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/State>

#include <QHash>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

class SpanCollector : public KSyntaxHighlighting::AbstractHighlighter
{
public:
    QList<QList<SyntaxSpan>> collect(const QStringList &lines)
    {
        QList<QList<SyntaxSpan>> result;
        result.reserve(lines.size());
        KSyntaxHighlighting::State state;
        for (const QString &line : lines) {
            m_spans.clear();
            state = highlightLine(line, state);
            result.append(m_spans);
        }
        return result;
    }

protected:
    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
    {
        if (length <= 0) return;
        auto role = m_roles.constFind(format.id());
        if (role == m_roles.constEnd()) {
            const QString name = format.name().toLower();
            static const QStringList known{u"keyword"_s, u"type"_s,   u"cuda"_s,    u"function"_s,
                                           u"number"_s,  u"string"_s, u"comment"_s, u"preprocessor"_s};
            role = m_roles.insert(format.id(), known.contains(name) ? u"syntax."_s + name : QString());
        }
        if (!role->isEmpty()) m_spans.append({offset, length, *role});
    }

private:
    QList<SyntaxSpan> m_spans;
    QHash<int, QString> m_roles;
};

// A repository belongs to one thread; loading it takes some milliseconds, so each worker keeps its own.
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

QList<QList<SyntaxSpan>> highlight(const QStringList &lines, CodeLanguage language)
{
    if (language == CodeLanguage::Plain) return QList<QList<SyntaxSpan>>(lines.size());
    const auto definition = repository().definitionForName(language == CodeLanguage::Cuda ? u"CUDA C++"_s : u"PTX"_s);
    if (!definition.isValid()) {
        qWarning("No syntax definition below %s", qUtf8Printable(paths::resources()));
        return QList<QList<SyntaxSpan>>(lines.size());
    }
    SpanCollector collector;
    collector.setDefinition(definition);
    return collector.collect(lines);
}

} // namespace kernelskill
