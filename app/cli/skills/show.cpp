// SPDX-License-Identifier: Apache-2.0
// skills list, show, history.
#include "skills/actions.h"

#include <QMap>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill::cli::skill_actions {

namespace {

// "8 measured, 4 modelled", whichever there are.
QString kinds(const SkillStatistics &row)
{
    QStringList parts;
    if (row.measured.uses > 0) parts << u"%1 measured"_s.arg(row.measured.uses);
    if (row.modelled.uses > 0) parts << u"%1 modelled"_s.arg(row.modelled.uses);
    return parts.join(u", "_s);
}

QJsonObject listRow(const Skill &skill, const SkillStatistics &row)
{
    return {{u"name"_s, skill.name},
            {u"title"_s, skill.title},
            {u"method"_s, skill.method},
            {u"state"_s, toString(skill.state)},
            {u"state_reason"_s, skill.stateReason},
            {u"revision"_s, skill.revision},
            {u"description"_s, skill.description},
            {u"foreign"_s, skill.foreign},
            {u"uses"_s, row.uses},
            {u"wins"_s, row.wins},
            {u"losses"_s, row.losses},
            {u"measured"_s, row.measured.uses},
            {u"modelled"_s, row.modelled.uses}};
}

void printRow(const Skill &skill, const SkillStatistics &row, const QString &excerpt)
{
    const QString gain =
        row.uses ? u"mean step %1× (%2)"_s.arg(number(std::exp(row.sumLogSpeedup / row.uses), 2), kinds(row))
                 : u"not used yet"_s;
    print(u"%1 %2 %3 won %4 lost %5  %6"_s.arg(toString(skill.state), -11)
              .arg(skill.method, -4)
              .arg(skill.name, -26)
              .arg(row.wins, 4)
              .arg(row.losses, 4)
              .arg(gain));
    if (!excerpt.isEmpty()) print(u"            "_s + excerpt);
}

// Names and excerpts of what was looked for, best first; nothing when nothing was.
Result<QList<SkillMatch>> wanted(const SkillStore &store, const QList<Skill> &skills, const QString &text)
{
    if (!text.isEmpty()) return store.search(text);
    QList<SkillMatch> all;
    for (const Skill &skill : skills)
        all.append({skill.name, {}});
    return all;
}

QJsonArray problemsJson(const QList<SkillProblem> &problems)
{
    QJsonArray rows;
    for (const SkillProblem &problem : problems) {
        QJsonObject row = problem.diagnostic.toJson();
        row.insert(u"skill"_s, problem.skill);
        row.insert(u"revision"_s, problem.revision);
        row.insert(u"served_revision"_s, problem.servedRevision);
        rows.append(row);
    }
    return rows;
}

} // namespace

int list(SkillStore &store, const Request &request)
{
    static const QStringList states{u"active"_s, u"pinned"_s, u"rejected"_s, u"quarantined"_s, u"draft"_s};
    if (!request.state.isEmpty() && !states.contains(request.state)) {
        return report({u"usage"_s, u"--state is one of %1, not “%2”"_s.arg(states.join(u", "_s), request.state), {}},
                      request.json);
    }
    auto skills = store.skills();
    if (!skills) return report(skills.error(), request.json);
    auto matches = wanted(store, *skills, request.search);
    if (!matches) return report(matches.error(), request.json);
    auto statistics = store.statisticsBySkill();
    if (!statistics) return report(statistics.error(), request.json);
    auto problems = store.problems();
    if (!problems) return report(problems.error(), request.json);
    QHash<QString, SkillStatistics> records;
    for (const SkillStatistics &row : *statistics)
        records.insert(row.skill, row);
    QJsonArray rows;
    for (const SkillMatch &match : *matches) {
        const auto skill = std::ranges::find(*skills, match.name, &Skill::name);
        if (skill == skills->end()) continue;
        if (!request.state.isEmpty() && toString(skill->state) != request.state) continue;
        const SkillStatistics row = records.value(skill->name);
        QJsonObject object = listRow(*skill, row);
        if (!match.excerpt.isEmpty()) object.insert(u"excerpt"_s, match.excerpt);
        rows.append(object);
        if (!request.json) printRow(*skill, row, match.excerpt);
    }
    if (request.json) {
        printJson({{u"skills"_s, rows}, {u"problems"_s, problemsJson(*problems)}});
        return Done;
    }
    if (rows.isEmpty()) print(u"no skill fits"_s);
    if (!problems->isEmpty())
        progressLine(u"%1 problem%2; “kernelskill skills check” lists them"_s.arg(problems->size())
                         .arg(problems->size() == 1 ? QString() : u"s"_s));
    return Done;
}

int show(SkillStore &store, const Request &request)
{
    auto skill = findSkill(store, request.name());
    if (!skill) return report(skill.error(), request.json);
    if (request.revision) {
        auto old = store.revision(request.name(), *request.revision);
        if (!old) return report(old.error(), request.json);
        skill = std::move(old);
    }
    auto files = store.attachments(skill->name, skill->revision);
    if (!files) return report(files.error(), request.json);
    auto entries = store.ledger(skill->name);
    if (!entries) return report(entries.error(), request.json);
    const QString text = writeSkillText(*skill);
    QJsonArray attachments, uses;
    for (const SkillAttachment &file : *files) {
        attachments.append(
            QJsonObject{{u"path"_s, file.path}, {u"bytes"_s, file.bytes.size()}, {u"executable"_s, file.executable}});
    }
    for (const LedgerEntry &entry : *entries)
        uses.append(toJson(entry));
    if (request.json) {
        QJsonObject object = skill->toJson();
        object.insert(u"text"_s, text);
        object.insert(u"attachments"_s, attachments);
        object.insert(u"ledger"_s, uses);
        printJson(object);
        return Done;
    }
    print(text.endsWith(u'\n') ? text.chopped(1) : text);
    print(
        u"\nstate %1%2, revision %3%4"_s
            .arg(toString(skill->state), skill->stateReason.isEmpty() ? QString() : u" (%1)"_s.arg(skill->stateReason))
            .arg(skill->revision)
            .arg(skill->source.isEmpty() ? QString() : u", from "_s + skill->source));
    for (const SkillAttachment &file : *files) {
        print(u"  %1  %2 bytes%3"_s.arg(file.path, -40)
                  .arg(file.bytes.size())
                  .arg(file.executable ? u", executable (never run here)"_s : QString()));
    }
    if (!entries->isEmpty())
        print(u"%1 uses; “kernelskill skills ledger %2” lists them"_s.arg(entries->size()).arg(skill->name));
    return Done;
}

namespace {

QJsonObject diffJson(const SkillRevisionDiff &diff)
{
    return {{u"from"_s, diff.from},
            {u"lines"_s, QJsonArray::fromStringList(unifiedDiff(diff.text))},
            {u"added"_s, QJsonArray::fromStringList(diff.added)},
            {u"removed"_s, QJsonArray::fromStringList(diff.removed)},
            {u"changed"_s, QJsonArray::fromStringList(diff.changed)}};
}

void printDiff(const SkillRevisionDiff &diff)
{
    for (const QString &line : unifiedDiff(diff.text))
        print(u"     "_s + line);
    for (const auto &[mark, paths] :
         {std::pair{u'+', diff.added}, std::pair{u'-', diff.removed}, std::pair{u'~', diff.changed}}) {
        for (const QString &path : paths)
            print(u"     %1 %2"_s.arg(QChar(mark)).arg(path));
    }
}

} // namespace

int history(SkillStore &store, const Request &request)
{
    const QString name = request.name();
    if (auto skill = findSkill(store, name); !skill) return report(skill.error(), request.json);
    auto revisions = store.history(name);
    if (!revisions) return report(revisions.error(), request.json);
    auto states = store.stateHistory(name);
    if (!states) return report(states.error(), request.json);
    QJsonArray rows, stateRows;
    int before = 0;
    for (const SkillRevision &revision : *revisions) {
        QJsonObject row{{u"revision"_s, revision.revision},
                        {u"author"_s, revision.author},
                        {u"reason"_s, revision.reason},
                        {u"when"_s, revision.when.toString(Qt::ISODate)},
                        {u"text"_s, revision.text}};
        if (!revision.error.isEmpty()) row.insert(u"error"_s, revision.error);
        if (!request.json) {
            print(u"%1  %2  %3  %4"_s.arg(revision.revision, 3)
                      .arg(revision.when.toString(Qt::ISODate), revision.author, revision.reason));
            if (!revision.error.isEmpty()) print(u"     cannot be read: "_s + revision.error);
        }
        if (request.diff && before > 0) {
            auto diff = store.diff(name, before, revision.revision);
            if (!diff) return report(diff.error(), request.json);
            row.insert(u"diff"_s, diffJson(*diff));
            if (!request.json) printDiff(*diff);
        }
        before = revision.revision;
        rows.append(row);
    }
    for (const SkillStateChange &change : *states) {
        stateRows.append(QJsonObject{{u"state"_s, toString(change.state)},
                                     {u"reason"_s, change.reason},
                                     {u"author"_s, change.author},
                                     {u"when"_s, change.when.toString(Qt::ISODate)}});
        if (!request.json) {
            print(u"     %1  %2  %3%4"_s.arg(change.when.toString(Qt::ISODate), change.author, toString(change.state),
                                             change.reason.isEmpty() ? QString() : u": "_s + change.reason));
        }
    }
    if (request.json) printJson({{u"skill"_s, name}, {u"revisions"_s, rows}, {u"states"_s, stateRows}});
    return Done;
}

QStringList unifiedDiff(const LineDiff &diff)
{
    constexpr int around = 3;
    QStringList lines;
    const int rows = int(diff.rows.size());
    for (qsizetype i = 0; i < diff.hunks.size();) {
        const int first = std::max(0, diff.hunks[i].first - around);
        int last = std::min(rows, diff.hunks[i].first + diff.hunks[i].second + around);
        // Hunks whose surroundings touch are one.
        while (++i < diff.hunks.size() && diff.hunks[i].first - around <= last)
            last = std::min(rows, diff.hunks[i].first + diff.hunks[i].second + around);
        QStringList block, added;
        int left = -1, right = -1, leftCount = 0, rightCount = 0;
        for (int row = first; row < last; ++row) {
            const DiffRow &one = diff.rows[row];
            if (one.left >= 0 && left < 0) left = one.left;
            if (one.right >= 0 && right < 0) right = one.right;
            leftCount += one.left >= 0;
            rightCount += one.right >= 0;
            if (one.kind == DiffRow::Kind::Same) {
                block += added;
                added.clear();
                block.append(u' ' + diff.leftLines[one.left]);
                continue;
            }
            if (one.left >= 0) block.append(u'-' + diff.leftLines[one.left]);
            if (one.right >= 0) added.append(u'+' + diff.rightLines[one.right]);
        }
        lines.append(u"@@ -%1,%2 +%3,%4 @@"_s.arg(left + 1).arg(leftCount).arg(right + 1).arg(rightCount));
        lines += block + added;
    }
    return lines;
}

} // namespace kernelskill::cli::skill_actions
