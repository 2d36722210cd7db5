// SPDX-License-Identifier: Apache-2.0
#include "diff/code_highlighter.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
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
        if (role == m_roles.constEnd()) role = m_roles.insert(format.id(), syntaxRole(format));
        if (!role->isEmpty()) m_spans.append({offset, length, *role});
    }

private:
    QList<SyntaxSpan> m_spans;
    QHash<int, QString> m_roles;
};

} // namespace

QThreadPool &codeThreads()
{
    static QThreadPool pool;
    static const bool once [[maybe_unused]] = [] {
        pool.setMaxThreadCount(2); // a side each
        pool.setExpiryTimeout(-1);
        return true;
    }();
    return pool;
}

void warmCodeThreads()
{
    for (int i = 0; i < codeThreads().maxThreadCount(); ++i)
        codeThreads().start([] {
            for (const CodeLanguage language : {CodeLanguage::Cuda, CodeLanguage::Ptx, CodeLanguage::Sass})
                (void)highlight({u"int x;"_s}, language);
        });
}

QList<QList<SyntaxSpan>> highlight(const QStringList &lines, CodeLanguage language)
{
    const auto definition = syntaxDefinition(language);
    if (!definition.isValid()) return QList<QList<SyntaxSpan>>(lines.size());
    SpanCollector collector;
    collector.setDefinition(definition);
    return collector.collect(lines);
}

} // namespace kernelskill
