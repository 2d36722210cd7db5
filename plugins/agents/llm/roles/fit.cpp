// SPDX-License-Identifier: Apache-2.0
#include "roles/fit.h"

#include "money/spending.h"

#include <algorithm>
#include <numeric>

namespace kernelskill::llm {

namespace {

constexpr qint64 bytesPerToken = 3; // as estimatedTokens reckons; summed over lines it would round each up

// Whole lines from the front (or the back) that stay within so many tokens.
QStringList within(const QStringList &lines, qint64 tokens, bool fromBack)
{
    QStringList kept;
    qint64 spent = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString &line = lines[fromBack ? lines.size() - 1 - i : i];
        spent += line.toUtf8().size() + 1;
        if (spent > tokens * bytesPerToken) break;
        kept.append(line);
    }
    if (fromBack) std::ranges::reverse(kept);
    return kept;
}

} // namespace

QString cutTo(const QString &text, qint64 tokens, Part::Keep keep)
{
    if (estimatedTokens(text) <= tokens) return text;
    const QStringList lines = text.split(u'\n');
    constexpr qint64 forTheMark = 16;
    const qint64 room = std::max(qint64(0), tokens - forTheMark);
    QStringList head, tail;
    if (keep != Part::Keep::Tail) head = within(lines, keep == Part::Keep::Ends ? room / 2 : room, false);
    if (keep != Part::Keep::Head)
        tail = within(lines.mid(head.size()), keep == Part::Keep::Ends ? room - room / 2 : room, true);
    const qsizetype left = lines.size() - head.size() - tail.size();
    if (left <= 0) return text;
    return (head + QStringList{QStringLiteral("[… %1 lines left out …]").arg(left)} + tail).join(u'\n');
}

Fitted fit(QList<Part> parts, qint64 available)
{
    Fitted fitted;
    QList<qint64> sizes;
    for (const Part &part : std::as_const(parts))
        sizes.append(estimatedTokens(part.text));
    qint64 excess = std::accumulate(sizes.begin(), sizes.end(), qint64(0)) - available;
    QList<qsizetype> order(parts.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](qsizetype i) { return parts[i].weight; });
    for (const qsizetype i : std::as_const(order)) {
        if (excess <= 0) break;
        const qint64 target = std::max(std::min(parts[i].least, sizes[i]), sizes[i] - excess);
        if (target >= sizes[i]) continue;
        parts[i].text = target == 0 ? QString() : cutTo(parts[i].text, target, parts[i].keep);
        const qint64 after = estimatedTokens(parts[i].text);
        excess -= sizes[i] - after;
        fitted.notes.append(QStringLiteral("%1: %2 of about %3 tokens left out to fit the model's window")
                                .arg(parts[i].name)
                                .arg(sizes[i] - after)
                                .arg(sizes[i]));
    }
    fitted.missing = std::max(qint64(0), excess);
    fitted.parts = std::move(parts);
    return fitted;
}

} // namespace kernelskill::llm
