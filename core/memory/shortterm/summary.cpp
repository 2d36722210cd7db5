// SPDX-License-Identifier: Apache-2.0
#include "memory/shortterm/summary.h"

#include <QJsonDocument>
#include <QMap>

#include <algorithm>
#include <cmath>

namespace kernelskill {

namespace {

constexpr double charactersPerToken = 3; // safe for code; English takes 4
constexpr int leastBudget = 16;
constexpr qsizetype longestWhy = 120;

QString speedupIn(double value)
{
    return QString::number(value, 'f', 2) + QChar(0xd7);
}

QString lineOf(const Attempt &attempt)
{
    QString line = attempt.node >= 0 ? QStringLiteral("node %1 on %2: ").arg(attempt.node).arg(attempt.baseNode)
                                     : QStringLiteral("on node %1: ").arg(attempt.baseNode);
    line += attempt.skill.isEmpty() ? QStringLiteral("first candidate") : attempt.skill;
    if (!attempt.parameters.isEmpty())
        line += u' ' + QString::fromUtf8(QJsonDocument(attempt.parameters).toJson(QJsonDocument::Compact));
    line += QStringLiteral(": ") + attempt.outcome;
    if (attempt.speedupOverBase > 0) line += QStringLiteral(", ") + speedupIn(attempt.speedupOverBase);
    if (!attempt.why.isEmpty()) line += QStringLiteral(" (") + attempt.why.simplified().left(longestWhy) + u')';
    return line;
}

// What became of the attempts that have no line of their own.
QString countsOf(const QList<Attempt> &attempts)
{
    struct Count
    {
        int tries = 0;
        double best = 0;
        QMap<QString, int> outcomes; // but for the verified
    };
    QMap<QString, Count> counts;
    for (const Attempt &attempt : attempts) {
        Count &count = counts[attempt.skill.isEmpty() ? QStringLiteral("first candidates") : attempt.skill];
        ++count.tries;
        count.best = std::max(count.best, attempt.speedupOverBase);
        if (attempt.outcome != u"verified") ++count.outcomes[attempt.outcome];
    }
    QStringList parts;
    for (const auto &[skill, count] : counts.asKeyValueRange()) {
        QString part = QStringLiteral("%1 %2 %3").arg(skill).arg(count.tries).arg(
            count.tries == 1 ? QStringLiteral("try") : QStringLiteral("tries"));
        if (count.best > 0) part += QStringLiteral(", best ") + speedupIn(count.best);
        for (const auto &[outcome, times] : count.outcomes.asKeyValueRange())
            part += QStringLiteral(", %1 %2").arg(times).arg(outcome);
        parts.append(part);
    }
    return QStringLiteral("earlier: ") + parts.join(QStringLiteral("; "));
}

QString cut(QString text, int tokenBudget)
{
    if (estimatedTokens(text) <= tokenBudget) return text;
    const QString mark = QStringLiteral(" … (cut)");
    text.truncate(std::max<qsizetype>(0, qsizetype(tokenBudget * charactersPerToken) - mark.size()));
    return text + mark;
}

} // namespace

int estimatedTokens(const QString &text)
{
    return int(std::ceil(double(text.size()) / charactersPerToken));
}

QString summarise(const Attempts &attempts, int tokenBudget)
{
    const QList<Attempt> &all = attempts.all();
    if (all.isEmpty() || tokenBudget < leastBudget) return {};
    const auto best = std::ranges::max_element(all, {}, &Attempt::speedupOverBase);
    const qsizetype bestIndex = best->speedupOverBase > 0 ? best - all.begin() : -1;
    QStringList lines;
    qsizetype characters = 0; // of the newest lines from `first` on
    for (const Attempt &attempt : all) {
        lines.append(lineOf(attempt));
        characters += lines.last().size() + 1;
    }
    // As many of the newest lines as fit beside the best one and the counts of the rest.
    for (qsizetype first = 0; first < all.size(); characters -= lines[first].size() + 1, ++first) {
        if (double(characters - 1) / charactersPerToken > tokenBudget) continue;
        QStringList kept;
        if (bestIndex >= 0 && bestIndex < first) kept.append(lines[bestIndex]);
        kept += lines.mid(first);
        QList<Attempt> others = all.mid(0, first);
        if (bestIndex >= 0 && bestIndex < first) others.removeAt(bestIndex);
        if (!others.isEmpty()) kept.prepend(countsOf(others));
        const QString text = kept.join(u'\n');
        if (estimatedTokens(text) <= tokenBudget) return text;
    }
    return cut(countsOf(all), tokenBudget);
}

} // namespace kernelskill
