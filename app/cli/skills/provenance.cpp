// SPDX-License-Identifier: Apache-2.0
// skills ledger, provenance, freeze: from a skill to the nodes it made, and from a node to the skill that made it.
#include "skills/actions.h"

#include "session/session_file.h"
#include "session/trajectory.h"

#include <QFileInfo>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill::cli::skill_actions {

QJsonObject toJson(const LedgerEntry &entry)
{
    return {{u"session"_s, entry.session},
            {u"session_path"_s, entry.sessionPath},
            {u"node"_s, entry.node},
            {u"task"_s, entry.task},
            {u"skill"_s, entry.skill},
            {u"revision"_s, entry.revision},
            {u"method"_s, entry.method},
            {u"architecture"_s, entry.architecture},
            {u"bottleneck"_s, entry.bottleneck},
            {u"structure"_s, entry.structure},
            {u"verdict"_s, entry.verdict},
            {u"speedup"_s, std::exp(entry.logSpeedup)},
            {u"interval"_s, QJsonArray{entry.interval.low, entry.interval.high}},
            {u"kind"_s, entry.kind},
            {u"promised"_s, entry.promised},
            {u"observed"_s, entry.observed},
            {u"when"_s, entry.when.toString(Qt::ISODate)}};
}

namespace {

QString place(const LedgerEntry &entry)
{
    return u"%1:%2"_s.arg(entry.sessionPath.isEmpty() ? entry.session : entry.sessionPath).arg(entry.node);
}

QString outcome(const LedgerEntry &entry)
{
    if (entry.verdict != u"verified") return entry.verdict;
    return u"verified %1× [%2, %3] %4"_s.arg(number(std::exp(entry.logSpeedup), 2), number(entry.interval.low, 2),
                                             number(entry.interval.high, 2), entry.kind);
}

struct Place
{
    QString session; // id
    QString path;    // of its file; empty: only its id is known
    std::optional<int> node;
};

// SESSION is a file or a session's id; a file's own name may hold colons.
Result<Place> placeOf(const QString &text)
{
    Place place{text, {}, {}};
    if (!QFileInfo::exists(text)) {
        const qsizetype colon = text.lastIndexOf(u':');
        bool isNumber = false;
        const int node = colon < 0 ? -1 : text.mid(colon + 1).toInt(&isNumber);
        if (colon >= 0 && (!isNumber || node < 0))
            return failure(u"usage"_s, u"NODE in SESSION:NODE is a number from 0, not “%1”"_s.arg(text.mid(colon + 1)));
        if (isNumber) place = {text.left(colon), {}, node};
    }
    if (!QFileInfo::exists(place.session)) return place;
    place.path = place.session;
    auto file = SessionFile::open(place.path, true);
    if (!file) return std::unexpected(file.error());
    place.session = file->id();
    return place;
}

// What the session itself says: it knows nodes that no ledger has, those of frozen runs.
Result<QList<TrajectoryNode>> nodesOf(const Place &place)
{
    QList<TrajectoryNode> nodes;
    if (place.path.isEmpty()) return nodes;
    auto file = SessionFile::open(place.path, true);
    if (!file) return std::unexpected(file.error());
    auto events = file->events();
    if (!events) return std::unexpected(events.error());
    const Trajectory trajectory = Trajectory::fold(*events);
    if (place.node && !trajectory.node(*place.node)) {
        return failure(u"session.node"_s, u"%1: there is no node %2; nodes are 0 to %3"_s.arg(place.path)
                                              .arg(*place.node)
                                              .arg(trajectory.nodes.size() - 1));
    }
    for (const TrajectoryNode &node : trajectory.nodes) {
        if (!place.node || node.id == *place.node) nodes.append(node);
    }
    return nodes;
}

// Who wrote the revision that was applied, and why; nothing when the memory does not have it.
QJsonObject revisionJson(const SkillStore &store, const QString &skill, int revision)
{
    const auto history = store.history(skill);
    if (!history) return {};
    for (const SkillRevision &one : *history) {
        if (one.revision == revision)
            return {{u"author"_s, one.author}, {u"reason"_s, one.reason}, {u"when"_s, one.when.toString(Qt::ISODate)}};
    }
    return {};
}

struct Story
{
    QJsonArray rows;
    QStringList lines;
};

void addEntry(Story &story, const SkillStore &store, const LedgerEntry &entry)
{
    QJsonObject row = toJson(entry);
    row.insert(u"in_ledger"_s, true);
    const QJsonObject written = revisionJson(store, entry.skill, entry.revision);
    row.insert(u"revision_written"_s, written);
    const auto skill = store.skill(entry.skill);
    const QString state = skill && *skill ? toString((*skill)->state) : u"unknown here"_s;
    row.insert(u"state_now"_s, state);
    story.rows.append(row);
    QString by = written.value(u"author"_s).toString();
    if (const QString reason = written.value(u"reason"_s).toString(); !reason.isEmpty()) by += u": "_s + reason;
    story.lines.append(u"node %1  %2 revision %3%4, now %5  %6"_s.arg(entry.node, 3)
                           .arg(entry.skill, -26)
                           .arg(entry.revision)
                           .arg(by.isEmpty() ? QString() : u" ("_s + by + u')', state, outcome(entry)));
}

void addNode(Story &story, const TrajectoryNode &node)
{
    story.rows.append(QJsonObject{{u"node"_s, node.id},
                                  {u"skill"_s, node.skill},
                                  {u"method"_s, node.method},
                                  {u"verdict"_s, toString(node.state)},
                                  {u"in_ledger"_s, false}});
    story.lines.append(node.skill.isEmpty() ? u"node %1  no skill: %2"_s.arg(node.id, 3).arg(node.kind)
                                            : u"node %1  %2 not in this memory's ledger  %3"_s.arg(node.id, 3)
                                                  .arg(node.skill, -26)
                                                  .arg(toString(node.state)));
}

} // namespace

int ledger(SkillStore &store, const Request &request)
{
    if (auto skill = findSkill(store, request.name()); !skill) return report(skill.error(), request.json);
    auto entries = store.ledger(request.name());
    if (!entries) return report(entries.error(), request.json);
    QJsonArray rows;
    for (const LedgerEntry &entry : *entries) {
        rows.append(toJson(entry));
        if (request.json) continue;
        print(u"%1  %2 %3 %4 rev. %5  %6"_s
                  .arg(entry.when.toString(Qt::ISODate), entry.task.leftJustified(20),
                       entry.architecture.leftJustified(6), entry.bottleneck.leftJustified(22))
                  .arg(entry.revision)
                  .arg(outcome(entry)));
        print(u"    "_s + place(entry));
    }
    if (request.json)
        printJson({{u"skill"_s, request.name()}, {u"ledger"_s, rows}});
    else if (rows.isEmpty())
        print(u"%1 was not used yet"_s.arg(request.name()));
    return Done;
}

int provenance(SkillStore &store, const Request &request)
{
    auto where = placeOf(request.arguments.value(0));
    if (!where) return report(where.error(), request.json);
    auto nodes = nodesOf(*where);
    if (!nodes) return report(nodes.error(), request.json);
    auto entries = store.ledgerOfSession(where->session, where->node);
    if (!entries) return report(entries.error(), request.json);
    Story story;
    QHash<int, LedgerEntry> byNode;
    for (const LedgerEntry &entry : *entries)
        byNode.insert(entry.node, entry);
    for (const TrajectoryNode &node : *nodes) {
        if (byNode.contains(node.id))
            addEntry(story, store, byNode.take(node.id));
        else if (!node.skill.isEmpty() || where->node)
            addNode(story, node);
    }
    for (const LedgerEntry &entry : *entries) { // all of them when only the id is known
        if (byNode.contains(entry.node)) addEntry(story, store, entry);
    }
    if (story.rows.isEmpty() && where->path.isEmpty()) {
        return report(
            {u"session.missing"_s,
             u"“%1” is no session file, and no session of that id is in the ledger; give the session's file"_s.arg(
                 request.arguments.value(0)),
             {}},
            request.json);
    }
    if (request.json) {
        printJson({{u"session"_s, where->session}, {u"path"_s, where->path}, {u"nodes"_s, story.rows}});
        return Done;
    }
    print(u"session %1%2"_s.arg(where->session, where->path.isEmpty() ? QString() : u"  "_s + where->path));
    for (const QString &line : std::as_const(story.lines))
        print(line);
    return Done;
}

// From now on runs with --long-term frozen rank with what the ledger holds at this moment.
int freeze(SkillStore &store, const Request &request)
{
    auto row = store.frozenAt(true);
    if (!row) return report(row.error(), request.json);
    if (request.json)
        printJson({{u"frozen_at_row"_s, *row}});
    else
        print(u"frozen runs now rank with the ledger as it stands, up to row %1"_s.arg(*row));
    return Done;
}

} // namespace kernelskill::cli::skill_actions
