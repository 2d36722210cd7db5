// SPDX-License-Identifier: Apache-2.0
#include "diff/code_highlighter.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/State>

#include <QHash>
#include <QtConcurrentRun>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

using Spans = QList<QList<SyntaxSpan>>;
// Spans of lines that begin and end outside of everything that goes over lines, so that they are the same wherever they stand.
using Known = QHash<QString, QList<SyntaxSpan>>;

class SpanCollector : public KSyntaxHighlighting::AbstractHighlighter
{
public:
    explicit SpanCollector(const KSyntaxHighlighting::Definition &definition)
    {
        setDefinition(definition);
        m_outside = highlightLine(QString(), {});
    }

    [[nodiscard]] KSyntaxHighlighting::State outside() const { return m_outside; }

    // The lines from `first` on, up to `end`; the state behind them.
    KSyntaxHighlighting::State collect(const QStringList &lines, qsizetype first, qsizetype end,
                                       KSyntaxHighlighting::State state, Spans &result, const Known &known)
    {
        for (qsizetype i = first; i < end; ++i) {
            const bool beginsOutside = state == m_outside;
            if (beginsOutside) {
                if (const auto before = known.constFind(lines[i]); before != known.constEnd()) {
                    result[i] = *before;
                    continue;
                }
            }
            m_spans.clear();
            state = highlightLine(lines[i], state);
            result[i] = m_spans;
            if (beginsOutside && state == m_outside) m_plain.append(i);
        }
        return state;
    }

    [[nodiscard]] const QList<qsizetype> &plain() const { return m_plain; } // lines that belong into Known

protected:
    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
    {
        if (length <= 0) return;
        auto role = m_roles.constFind(format.id());
        if (role == m_roles.constEnd()) role = m_roles.insert(format.id(), syntaxRole(format));
        if (!role->isEmpty()) m_spans.append({offset, length, *role});
    }

private:
    KSyntaxHighlighting::State m_outside;
    QList<SyntaxSpan> m_spans;
    QList<qsizetype> m_plain;
    QHash<int, QString> m_roles;
};

constexpr qsizetype worthHalving = 400; // lines

// The second half is coloured beside the first, with its thread's own definition, as if it began outside of all comments;
// where it does not, once more.
Spans inHalves(const QStringList &lines, CodeLanguage language, Known &known)
{
    struct Half
    {
        Spans spans;
        QList<qsizetype> plain;
    };
    const qsizetype middle = lines.size() < worthHalving ? lines.size() : lines.size() / 2;
    QFuture<Half> rest;
    if (middle < lines.size()) {
        rest = QtConcurrent::run(&codeThreads(), [&lines, &known, language, middle] {
            SpanCollector later(syntaxDefinition(language));
            Half half{Spans(lines.size()), {}};
            (void)later.collect(lines, middle, lines.size(), later.outside(), half.spans, known);
            half.plain = later.plain();
            return half;
        });
    }
    SpanCollector collector(syntaxDefinition(language));
    Spans spans(lines.size());
    const auto state = collector.collect(lines, 0, middle, collector.outside(), spans, known);
    QList<qsizetype> plain;
    if (rest.isValid()) {
        Half half = rest.takeResult();
        if (state == collector.outside()) {
            std::move(half.spans.begin() + middle, half.spans.end(), spans.begin() + middle);
            plain = half.plain;
        } else {
            (void)collector.collect(lines, middle, lines.size(), state, spans, known);
        }
    }
    for (const qsizetype i : collector.plain() + plain)
        known.insert(lines[i], spans[i]);
    return spans;
}

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
    return highlightBoth(lines, {}, language).first;
}

std::pair<Spans, Spans> highlightBoth(const QStringList &left, const QStringList &right, CodeLanguage language)
{
    if (!syntaxDefinition(language).isValid()) return {Spans(left.size()), Spans(right.size())};
    Known known;
    Spans leftSpans = inHalves(left, language, known);
    Spans rightSpans = inHalves(right, language, known);
    return {std::move(leftSpans), std::move(rightSpans)};
}

} // namespace kernelskill
