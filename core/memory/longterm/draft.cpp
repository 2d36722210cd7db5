// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/draft.h"

#include "diff/difference_text.h"
#include "memory/longterm/skill_reader.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace kernelskill {

namespace {

QStringList distinct(const QList<LedgerEntry> &wins, QString LedgerEntry::*member)
{
    QStringList values;
    for (const LedgerEntry &win : wins) {
        if (!(win.*member).isEmpty() && !values.contains(win.*member)) values.append(win.*member);
    }
    values.sort();
    return values;
}

// "lower" or "higher" by metric, for what moved by more than 2 %.
QMap<QString, QString> movesOf(const LedgerEntry &win)
{
    QMap<QString, QString> moves;
    for (const QJsonValue &value : win.observed.value("changes").toArray()) {
        const QJsonObject change = value.toObject();
        if (!change.value("before").isDouble() || !change.value("after").isDouble()) continue;
        const double before = change.value("before").toDouble(), after = change.value("after").toDouble();
        if (std::abs(after - before) <= 0.02 * std::abs(before)) continue;
        moves.insert(change.value("metric").toString(), after < before ? QStringLiteral("lower") : QStringLiteral("higher"));
    }
    return moves;
}

QList<PromisedChange> commonMoves(const QList<LedgerEntry> &wins)
{
    QMap<QString, QString> common = movesOf(wins.first());
    for (const LedgerEntry &win : wins.mid(1)) {
        const QMap<QString, QString> moves = movesOf(win);
        common.removeIf([&](const auto &entry) { return moves.value(entry.key()) != entry.value(); });
    }
    QList<PromisedChange> promises;
    for (const auto &[metric, change] : common.asKeyValueRange())
        promises.append({metric, change, QStringLiteral("It moved so each time this won.")});
    return promises;
}

} // namespace

QList<LedgerEntry> winsOf(const QList<LedgerEntry> &ledger)
{
    QList<LedgerEntry> wins;
    for (const LedgerEntry &entry : ledger) {
        if (entry.verdict == u"verified" && entry.interval.low > 1) wins.append(entry);
    }
    return wins;
}

QString draftSkillText(const DraftEvidence &evidence)
{
    Skill skill;
    skill.name = evidence.name;
    skill.title = titleFromName(evidence.name);
    const QStringList bottlenecks = distinct(evidence.wins, &LedgerEntry::bottleneck);
    skill.description = QStringLiteral("%1. A draft from %2 wins; use when the evidence shows %3.")
                            .arg(skill.title)
                            .arg(evidence.wins.size())
                            .arg(bottlenecks.isEmpty() ? QStringLiteral("what it won on")
                                                       : bottlenecks.join(QStringLiteral(" or ")));
    skill.languages = evidence.languages;
    skill.structures = distinct(evidence.wins, &LedgerEntry::structure);
    skill.promises = commonMoves(evidence.wins);
    QStringList nodes;
    for (const LedgerEntry &win : evidence.wins) {
        nodes.append(QStringLiteral("- %1, session %2, node %3 (%4): %5× [%6, %7]")
                         .arg(win.task, win.session)
                         .arg(win.node)
                         .arg(win.architecture)
                         .arg(std::exp(win.logSpeedup), 0, 'f', 2)
                         .arg(win.interval.low, 0, 'f', 2)
                         .arg(win.interval.high, 0, 'f', 2));
    }
    skill.body = QStringLiteral("## Intent\n\n%1\n\n## Required evidence\n\nIt won on: %2.\n\n## Where it comes from\n\n"
                                "%3\n\n## Example\n\nThe change of the last of them.\n\n```diff\n%4\n```")
                     .arg(evidence.rationale.trimmed(),
                          bottlenecks.isEmpty() ? QStringLiteral("no named bottleneck")
                                                : bottlenecks.join(QStringLiteral(", ")),
                          nodes.join(u'\n'), differenceText(evidence.before, evidence.after));
    return writeSkillText(skill);
}

} // namespace kernelskill
