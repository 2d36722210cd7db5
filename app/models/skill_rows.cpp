// SPDX-License-Identifier: Apache-2.0
#include "models/skill_rows.h"

#include "models/skill_model.h"
#include "settings/numbers.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QLocale>
#include <QMap>

#include <algorithm>
#include <cmath>
#include <ranges>

using namespace Qt::StringLiterals;

namespace kernelskill::skill_rows {

namespace {

NodeState stateOf(const QString &verdict)
{
    static const QHash<QString, NodeState> states{{u"verified"_s, NodeState::Verified},
                                                  {u"unproven"_s, NodeState::Unproven},
                                                  {u"suspect"_s, NodeState::Suspect},
                                                  {u"wrong"_s, NodeState::Wrong},
                                                  {u"failed"_s, NodeState::Failed}};
    return states.value(verdict, NodeState::Failed);
}

QString outcomeWord(int outcome)
{
    return outcome > 0 ? u"won"_s : outcome < 0 ? u"lost"_s : u"even"_s;
}

// "1.42× [1.33, 1.51] modelled"; nothing when the time does not count.
QString gainOf(const LedgerEntry &entry)
{
    if (entry.verdict != "verified"_L1) return {};
    const QString gain = numbers::speedupValue(std::exp(entry.logSpeedup)) + u' ' + numbers::bounds(entry.interval);
    return entry.kind.isEmpty() ? gain : gain + u' ' + numbers::kindShort(timeKindFromString(entry.kind));
}

QString words(QString id)
{
    return id.replace(u'_', u' ');
}

QString moment(const QDateTime &when)
{
    return QLocale::c().toString(when.toLocalTime(), u"dd MMM yy hh:mm"_s);
}

QHash<int, QVariant> placeOf(const LedgerEntry &entry)
{
    return {{SessionPathRole, entry.sessionPath},
            {SessionRole, entry.session},
            {NodeRole, entry.node},
            {SkillRole, entry.skill},
            {VerdictRole, int(stateOf(entry.verdict))},
            {WonRole, outcomeOf(entry)}};
}

QString keyOf(const LedgerEntry &entry)
{
    return u"%1:%2"_s.arg(entry.session).arg(entry.node);
}

QString tipOf(const LedgerEntry &entry)
{
    QStringList lines{u"%1, node %2, revision %3"_s.arg(sessionName(entry)).arg(entry.node).arg(entry.revision),
                      moment(entry.when)};
    if (!entry.sessionPath.isEmpty()) lines.append(entry.sessionPath);
    for (const QJsonValue &value : entry.observed["changes"_L1].toArray()) {
        const QJsonObject change = value.toObject();
        const auto side = [&](QLatin1StringView key) {
            return change[key].isDouble() ? std::optional(change[key].toDouble()) : std::nullopt;
        };
        const QJsonValue kept = change["kept"_L1];
        lines.append(u"%1: promised %2, observed %3%4"_s.arg(
            words(change["metric"_L1].toString()), numbers::promise(change["promised"_L1].toString()),
            numbers::change(side("before"_L1), side("after"_L1)),
            kept.isBool() ? (kept.toBool() ? u" – kept"_s : u" – not kept"_s) : QString()));
    }
    return lines.join(u'\n');
}

// Uses on one GPU, on one structure, with times of one kind: only such are averaged.
struct LedgerGroup
{
    QString architecture, structure, kind;
    SkillTally tally; // of the verified
    int uses = 0, won = 0, lost = 0;
    QList<const LedgerEntry *> entries; // oldest first
    QDateTime last;

    void add(const LedgerEntry &entry);
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString gain() const;
};

void LedgerGroup::add(const LedgerEntry &entry)
{
    ++uses;
    won += outcomeOf(entry) > 0;
    lost += outcomeOf(entry) < 0;
    last = std::max(last, entry.when);
    entries.append(&entry);
    if (entry.verdict == "verified"_L1)
        tally += {1, 0, 0, entry.logSpeedup, entry.logSpeedup * entry.logSpeedup};
}

QString LedgerGroup::title() const
{
    QStringList parts{architecture.isEmpty() ? u"GPU unknown"_s : architecture};
    if (!structure.isEmpty()) parts.append(structure);
    if (!kind.isEmpty()) parts.append(kind);
    return parts.join(u" · "_s);
}

QString LedgerGroup::gain() const
{
    if (tally.uses == 0) return {};
    const double mean = tally.sumLogSpeedup / tally.uses;
    QString text = numbers::speedupValue(std::exp(mean));
    if (tally.uses > 1) {
        const double variance =
            std::max(0.0, (tally.sumSquaredLogSpeedup - tally.uses * mean * mean) / (tally.uses - 1));
        const double half = 1.96 * std::sqrt(variance / tally.uses);
        text += u' ' + numbers::bounds({std::exp(mean - half), std::exp(mean + half)});
    }
    return kind.isEmpty() ? text : text + u' ' + numbers::kindShort(timeKindFromString(kind));
}

} // namespace

int outcomeOf(const LedgerEntry &entry)
{
    const bool verified = entry.verdict == "verified"_L1;
    if (verified && entry.interval.low > 1) return 1;
    const bool failed = !verified && entry.verdict != "unproven"_L1;
    return failed || (entry.interval.high > 0 && entry.interval.high < 1) ? -1 : 0;
}

QString promisesKept(const LedgerEntry &entry)
{
    int kept = 0, told = 0;
    for (const QJsonValue &value : entry.observed["changes"_L1].toArray()) {
        const QJsonValue one = value.toObject()["kept"_L1];
        told += one.isBool();
        kept += one.toBool();
    }
    const bool promised = !entry.promised["promises"_L1].toArray().isEmpty() ||
                          !entry.observed["changes"_L1].toArray().isEmpty();
    if (!promised) return {};
    return told == 0 ? u"no counter"_s : u"%1 of %2"_s.arg(kept).arg(told);
}

QString sessionName(const LedgerEntry &entry)
{
    return entry.sessionPath.isEmpty() ? entry.session.left(8) : QFileInfo(entry.sessionPath).completeBaseName();
}

QStringList ledgerHeaders()
{
    return {u"Task · session"_s, u"Node"_s, u"Bottleneck"_s, u"Promises"_s, u"Gain and interval"_s, u"Verdict"_s,
            u"Outcome"_s};
}

std::unique_ptr<TreeRow> ledger(const QList<LedgerEntry> &entries, qsizetype limit)
{
    QMap<QStringList, LedgerGroup> byKey;
    for (const LedgerEntry &entry : entries) {
        LedgerGroup &group = byKey[{entry.architecture, entry.structure, entry.kind}];
        group.architecture = entry.architecture;
        group.structure = entry.structure;
        group.kind = entry.kind;
        group.add(entry);
    }
    QList<LedgerGroup> groups = byKey.values();
    std::ranges::stable_sort(groups, std::greater(), &LedgerGroup::last);
    auto root = std::make_unique<TreeRow>();
    for (const LedgerGroup &group : std::as_const(groups)) {
        TreeRow *parent = root->add(
            group.title(),
            {group.title(), QString::number(group.uses), QString(), QString(), group.gain(), QString(),
             u"%1 won, %2 lost"_s.arg(group.won).arg(group.lost)},
            {{GroupRole, true},
             {Qt::AccessibleTextRole,
              u"%1: %2 won, %3 lost of %4, %5"_s.arg(group.title()).arg(group.won).arg(group.lost).arg(group.uses)
                  .arg(group.gain().isEmpty() ? u"none counts"_s : group.gain())}});
        for (const LedgerEntry *entry : group.entries | std::views::reverse) {
            if (--limit < 0) break;
            QHash<int, QVariant> data = placeOf(*entry);
            if (!entry->kind.isEmpty()) data.insert(KindRole, int(timeKindFromString(entry->kind)));
            data.insert(Qt::ToolTipRole, tipOf(*entry));
            parent->add(keyOf(*entry),
                        {entry->task + u" · "_s + sessionName(*entry), QString::number(entry->node),
                         words(entry->bottleneck), promisesKept(*entry), gainOf(*entry), entry->verdict,
                         outcomeWord(outcomeOf(*entry))},
                        data);
        }
    }
    return root;
}

QStringList provenanceHeaders()
{
    return {u"Task, session and node"_s, u"What came of it"_s};
}

std::unique_ptr<TreeRow> provenance(const QString &skill, const QList<LedgerEntry> &entries, const OpenSession &open,
                                    qsizetype limit)
{
    auto root = std::make_unique<TreeRow>();
    QHash<QString, TreeRow *> tasks;
    QSet<QString> known; // nodes of the open session that the ledger has
    const auto taskRow = [&](const QString &task) {
        TreeRow *&row = tasks[task];
        if (!row) row = root->add(task, {task, QString()}, {{GroupRole, true}});
        return row;
    };
    for (const LedgerEntry &entry : entries | std::views::reverse) {
        if (!open.path.isEmpty() && entry.sessionPath == open.path) known.insert(QString::number(entry.node));
        if (--limit < 0) continue;
        QHash<int, QVariant> data = placeOf(entry);
        data.insert(Qt::ToolTipRole, tipOf(entry));
        const QString gain = gainOf(entry);
        taskRow(entry.task)->add(keyOf(entry), {u"%1 · node %2"_s.arg(sessionName(entry)).arg(entry.node),
                                                gain.isEmpty() ? entry.verdict : gain + u", "_s + entry.verdict},
                                 data);
    }
    QHash<QString, int> untold; // task → nodes beyond the limit
    if (open.trajectory) {
        for (const TrajectoryNode &node : open.trajectory->nodes | std::views::reverse) {
            if (node.skill != skill || known.contains(QString::number(node.id))) continue;
            TreeRow *task = taskRow(open.trajectory->taskName);
            if (--limit < 0) {
                ++untold[task->key];
                continue;
            }
            task->add(u"open:%1"_s.arg(node.id),
                      {u"%1 · node %2"_s.arg(open.name).arg(node.id), toString(node.state) + u", not in the ledger"_s},
                      {{SessionPathRole, open.path},
                       {NodeRole, node.id},
                       {SkillRole, skill},
                       {VerdictRole, int(node.state)}});
        }
    }
    for (const auto &task : root->children) {
        const int shown = int(task->children.size()), nodes = shown + untold.value(task->key);
        task->cells[ShapedColumn] = nodes == 1      ? u"1 node"_s
                                    : nodes > shown ? u"%1 nodes, the newest %2 shown"_s.arg(nodes).arg(shown)
                                                    : u"%1 nodes"_s.arg(nodes);
        task->data.insert(NodesRole, nodes);
    }
    return root;
}

QStringList revisionHeaders()
{
    return {u"Rev."_s, u"When"_s, u"Who"_s, u"Why"_s};
}

std::unique_ptr<TreeRow> revisions(const QList<SkillRevision> &history, const QList<SkillStateChange> &states,
                                   int current, const QString &person)
{
    struct Line
    {
        QDateTime when;
        QString key;
        QStringList cells;
        QHash<int, QVariant> data;
    };
    const auto who = [&](const QString &author) { return author == person ? u"you"_s : author; };
    QList<Line> lines; // oldest first
    for (const SkillRevision &revision : history) {
        QHash<int, QVariant> data{{RevisionRole, revision.revision}, {CurrentRole, revision.revision == current}};
        QString why = revision.reason.isEmpty() ? u"edited"_s : revision.reason;
        if (!revision.error.isEmpty()) {
            why += u" (cannot be read)"_s;
            data.insert(Qt::ToolTipRole, revision.error);
        }
        data.insert(Qt::AccessibleTextRole,
                    u"Revision %1%2, %3, %4, %5"_s.arg(revision.revision)
                        .arg(revision.revision == current ? u", in use"_s : QString(), moment(revision.when),
                             who(revision.author), why));
        lines.append({revision.when, u"r%1"_s.arg(revision.revision),
                      {QString::number(revision.revision), moment(revision.when), who(revision.author), why}, data});
    }
    int number = 0;
    for (const SkillStateChange &change : states) {
        if (number++ == 0) continue; // what it was when it came, which its first revision tells
        const QString why = change.reason.isEmpty() ? toString(change.state) : toString(change.state) + u": "_s + change.reason;
        lines.append({change.when, u"s%1"_s.arg(number), {QString(), moment(change.when), who(change.author), why},
                      {{StateRole, int(change.state)}}});
    }
    std::ranges::stable_sort(lines, {}, &Line::when);
    auto root = std::make_unique<TreeRow>();
    for (const Line &line : lines | std::views::reverse)
        root->add(line.key, line.cells, line.data);
    return root;
}

} // namespace kernelskill::skill_rows
