// SPDX-License-Identifier: Apache-2.0
// skills: the long-term memory from a terminal.
#include "command.h"

#include <QFile>
#include <QJsonArray>
#include <QMap>

#include <cmath>

namespace kernelskill::cli {

namespace {

struct Tally
{
    int uses = 0, wins = 0, losses = 0;
    double sumLogSpeedup = 0;
};

Result<QMap<QString, Tally>> tallies(const SkillStore &store)
{
    auto statistics = store.statistics();
    if (!statistics) return std::unexpected(statistics.error());
    QMap<QString, Tally> result;
    for (const SkillStatistics &row : *statistics) {
        Tally &tally = result[row.skill];
        tally.uses += row.uses;
        tally.wins += row.wins;
        tally.losses += row.losses;
        tally.sumLogSpeedup += row.sumLogSpeedup;
    }
    return result;
}

int list(SkillStore &store, bool json)
{
    auto skills = store.skills();
    if (!skills) return report(skills.error(), json);
    auto counts = tallies(store);
    if (!counts) return report(counts.error(), json);
    QJsonArray rows;
    for (const Skill &skill : *skills) {
        const Tally tally = counts->value(skill.name);
        rows.append(QJsonObject{{QStringLiteral("name"), skill.name}, {QStringLiteral("title"), skill.title}, {QStringLiteral("method"), skill.method},
                                {QStringLiteral("state"), toString(skill.state)}, {QStringLiteral("revision"), skill.revision},
                                {QStringLiteral("description"), skill.description}, {QStringLiteral("uses"), tally.uses},
                                {QStringLiteral("wins"), tally.wins}, {QStringLiteral("losses"), tally.losses}});
        if (!json)
            print(QStringLiteral("%1 %2 %3 won %4 lost %5  %6").arg(toString(skill.state), -11).arg(skill.method, -4).arg(skill.name, -26)
                      .arg(tally.wins, 4).arg(tally.losses, 4)
                      .arg(tally.uses ? QStringLiteral("mean step %1×").arg(number(std::exp(tally.sumLogSpeedup / tally.uses), 2)) : QStringLiteral("not used yet")));
    }
    if (json) printJson({{QStringLiteral("skills"), rows}});
    return Done;
}

// From now on runs with --long-term frozen rank with what the ledger holds at this moment.
int freeze(SkillStore &store, bool json)
{
    auto row = store.frozenAt(true);
    if (!row) return report(row.error(), json);
    if (json) printJson({{QStringLiteral("frozen_at_row"), *row}});
    else print(QStringLiteral("frozen runs now rank with the ledger as it stands, up to row %1").arg(*row));
    return Done;
}

Result<Skill> find(const SkillStore &store, const QString &name)
{
    auto skill = store.skill(name);
    if (!skill) return std::unexpected(skill.error());
    if (*skill) return **skill;
    QStringList names;
    if (auto all = store.skills())
        for (const Skill &s : *all) names << s.name;
    return failure(QStringLiteral("skill.missing"), QStringLiteral("there is no skill “%1”; there are %2").arg(name, names.join(QStringLiteral(", "))));
}

int show(SkillStore &store, const QString &name, bool json)
{
    auto skill = find(store, name);
    if (!skill) return report(skill.error(), json);
    auto ledger = store.ledger(name);
    if (!ledger) return report(ledger.error(), json);
    QJsonArray uses;
    for (const LedgerEntry &entry : *ledger)
        uses.append(QJsonObject{{QStringLiteral("session"), entry.session}, {QStringLiteral("node"), entry.node}, {QStringLiteral("task"), entry.task},
                                {QStringLiteral("architecture"), entry.architecture}, {QStringLiteral("bottleneck"), entry.bottleneck},
                                {QStringLiteral("verdict"), entry.verdict}, {QStringLiteral("speedup"), std::exp(entry.logSpeedup)}});
    if (json) {
        QJsonObject object = skill->toJson();
        object[QStringLiteral("ledger")] = uses;
        printJson(object);
        return Done;
    }
    print(writeSkillText(*skill));
    print(QStringLiteral("state %1%2, revision %3, from %4").arg(toString(skill->state),
              skill->stateReason.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(skill->stateReason)).arg(skill->revision).arg(skill->source));
    for (const LedgerEntry &entry : *ledger)
        print(QStringLiteral("%1 node %2  %3  %4  %5×").arg(entry.task, -20).arg(entry.node, 3).arg(entry.architecture, entry.verdict, number(std::exp(entry.logSpeedup), 2)));
    return Done;
}

int history(SkillStore &store, const QString &name, bool json)
{
    auto revisions = store.history(name);
    if (auto skill = find(store, name); !skill) return report(skill.error(), json);
    if (!revisions) return report(revisions.error(), json);
    QJsonArray rows;
    for (const SkillRevision &revision : *revisions) {
        rows.append(QJsonObject{{QStringLiteral("revision"), revision.revision}, {QStringLiteral("author"), revision.author},
                                {QStringLiteral("reason"), revision.reason}, {QStringLiteral("when"), revision.when.toString(Qt::ISODate)},
                                {QStringLiteral("text"), revision.text}});
        if (!json) print(QStringLiteral("%1  %2  %3  %4").arg(revision.revision, 3).arg(revision.when.toString(Qt::ISODate), revision.author, revision.reason));
    }
    if (json) printJson({{QStringLiteral("skill"), name}, {QStringLiteral("revisions"), rows}});
    return Done;
}

QString person()
{
    const QString user = qEnvironmentVariable("USER");
    return user.isEmpty() ? QStringLiteral("person") : user;
}

int setState(SkillStore &store, const QString &name, SkillState state, const QString &reason, bool json)
{
    if (auto skill = find(store, name); !skill) return report(skill.error(), json);
    if (auto done = store.setState(name, state, reason, person()); !done) return report(done.error(), json);
    return show(store, name, json);
}

int edit(SkillStore &store, const QString &name, const QString &path, const QString &reason, bool json)
{
    if (auto skill = find(store, name); !skill) return report(skill.error(), json);
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly))
        return report(Error{QStringLiteral("usage"), QStringLiteral("edit takes --file SKILL.md with the new text%1")
                                .arg(path.isEmpty() ? QString() : QStringLiteral("; %1 cannot be read: %2").arg(path, file.errorString())), {}}, json);
    if (auto edited = store.edit(name, QString::fromUtf8(file.readAll()), reason, person()); !edited) return report(edited.error(), json);
    return show(store, name, json);
}

} // namespace

int skills(const QStringList &arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("The long-term memory: list, show, history, pin, unpin, reject, restore, accept, edit, freeze."));
    parser.addPositionalArgument(QStringLiteral("ACTION"), QStringLiteral("What to do."));
    parser.addPositionalArgument(QStringLiteral("NAME"), QStringLiteral("Skill, for all but list."));
    parser.addOptions({{QStringLiteral("memory"), QStringLiteral("Long-term memory file."), QStringLiteral("FILE")},
                       {QStringLiteral("reason"), QStringLiteral("Why, kept in the history."), QStringLiteral("TEXT")},
                       {QStringLiteral("file"), QStringLiteral("New text for edit."), QStringLiteral("SKILL.md")},
                       {QStringLiteral("json"), QStringLiteral("One JSON document on stdout.")}});
    if (const auto parsed = parse(parser, QStringLiteral("skills"), arguments, 1, 2); parsed.over) return parsed.exitCode;
    const bool json = parser.isSet(QStringLiteral("json"));
    const QString action = parser.positionalArguments().first();
    const QString name = parser.positionalArguments().value(1);
    const QString reason = parser.value(QStringLiteral("reason"));
    static const QStringList actions{QStringLiteral("list"),   QStringLiteral("show"),    QStringLiteral("history"), QStringLiteral("pin"), QStringLiteral("unpin"),
                                     QStringLiteral("reject"), QStringLiteral("restore"), QStringLiteral("accept"),  QStringLiteral("edit"), QStringLiteral("freeze")};
    if (!actions.contains(action))
        return report(Error{QStringLiteral("usage"), QStringLiteral("skills %1: unknown action; there are %2").arg(action, actions.join(QStringLiteral(", "))), {}}, json);
    const bool takesName = action != QLatin1String("list") && action != QLatin1String("freeze");
    if (takesName && name.isEmpty())
        return report(Error{QStringLiteral("usage"), QStringLiteral("skills %1 takes a skill's name; “kernelskill skills list” shows them").arg(action), {}}, json);
    if (action == QLatin1String("reject") && reason.isEmpty())
        return report(Error{QStringLiteral("usage"), QStringLiteral("a rejection needs --reason, so that others can judge it"), {}}, json);
    auto store = openStore(parser.value(QStringLiteral("memory")));
    if (!store) return report(store.error(), json);
    if (action == QLatin1String("list")) return list(*store, json);
    if (action == QLatin1String("freeze")) return freeze(*store, json);
    if (action == QLatin1String("show")) return show(*store, name, json);
    if (action == QLatin1String("history")) return history(*store, name, json);
    if (action == QLatin1String("edit")) return edit(*store, name, parser.value(QStringLiteral("file")), reason, json);
    const SkillState state = action == QLatin1String("pin") ? SkillState::Pinned : action == QLatin1String("reject") ? SkillState::Rejected : SkillState::Active;
    return setState(*store, name, state, reason, json);
}

} // namespace kernelskill::cli
