// SPDX-License-Identifier: Apache-2.0
// skills: the long-term memory from a terminal. What each action does is in skills/.
#include "skills/actions.h"

#include <functional>

using namespace Qt::StringLiterals;

namespace kernelskill::cli {

namespace {

using skill_actions::Request;

struct Action
{
    QString name, takes;                                   // as in "restore NAME [REVISION]"
    int minimum, maximum;                                  // arguments behind it; maximum −1: any number
    std::function<int(SkillStore &, const Request &)> run; // missing: handled apart
};

const QList<Action> &actions()
{
    namespace a = skill_actions;
    static const QList<Action> all{
        {u"list"_s, u"no name"_s, 0, 0, a::list},
        {u"show"_s, u"a skill's NAME"_s, 1, 1, a::show},
        {u"history"_s, u"a skill's NAME"_s, 1, 1, a::history},
        {u"pin"_s, u"a skill's NAME"_s, 1, 1, a::pin},
        {u"unpin"_s, u"a skill's NAME"_s, 1, 1, a::unpin},
        {u"edit"_s, u"a skill's NAME, and the new text with --file or from $EDITOR"_s, 1, 1, a::edit},
        {u"reject"_s, u"a skill's NAME and --reason"_s, 1, 1, a::reject},
        {u"restore"_s, u"a skill's NAME and perhaps a REVISION"_s, 1, 2, a::restore},
        {u"undo"_s, u"a skill's NAME"_s, 1, 1, a::undo},
        {u"accept"_s, u"a skill's NAME"_s, 1, 1, a::accept},
        {u"import"_s, u"a PATH: a skill's folder, a folder of skills, or an archive of them"_s, 1, 1, a::importFrom},
        {u"export"_s, u"a folder DIR and perhaps skills' names"_s, 1, -1, a::exportTo},
        {u"ledger"_s, u"a skill's NAME"_s, 1, 1, a::ledger},
        {u"provenance"_s, u"SESSION or SESSION:NODE, a session's file or id"_s, 1, 1, a::provenance},
        {u"freeze"_s, u"no name"_s, 0, 0, a::freeze},
        {u"check"_s, u"perhaps a folder DIR"_s, 0, 1, {}},
        {u"prove"_s, u"a skill's NAME and --on SESSION:NODE"_s, 1, 1, {}},
    };
    return all;
}

QStringList actionNames()
{
    QStringList names;
    for (const Action &action : actions())
        names.append(action.name);
    return names;
}

void addOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(
        u"The long-term memory.\n"
        "  list [--state S] [--search TEXT]     show NAME [--revision N]     history NAME [--diff]\n"
        "  pin NAME     unpin NAME     reject NAME --reason TEXT     accept NAME     undo NAME\n"
        "  edit NAME [--file SKILL.md]     restore NAME [REVISION]     ledger NAME     provenance SESSION[:NODE]\n"
        "  import PATH     export DIR [NAME…]     check [DIR]     freeze     prove NAME --on SESSION:NODE"_s);
    parser.addPositionalArgument(u"ACTION"_s, u"What to do."_s);
    parser.addPositionalArgument(u"ARGUMENTS"_s, u"What to do it with."_s, u"[ARGUMENTS…]"_s);
    parser.addOptions({{u"memory"_s, u"Long-term memory file, or none."_s, u"FILE"_s},
                       {u"state"_s, u"For list: active, pinned, rejected, quarantined or draft."_s, u"S"_s},
                       {u"search"_s, u"For list: words in name, title, description or text."_s, u"TEXT"_s},
                       {u"revision"_s, u"For show: an older text."_s, u"N"_s},
                       {u"diff"_s, u"For history: what each revision changed."_s},
                       {u"reason"_s, u"Why, kept in the history."_s, u"TEXT"_s},
                       {u"file"_s, u"For edit: the new text; - is standard input."_s, u"SKILL.md"_s},
                       {u"on"_s, u"For prove: the node to try it on."_s, u"SESSION:NODE"_s},
                       {u"agent"_s, u"For prove: who applies it where the node does not."_s, u"P"_s},
                       {u"json"_s, u"One JSON document on stdout."_s}});
}

int usage(const QString &message, bool json)
{
    return report({u"usage"_s, message, {}}, json);
}

} // namespace

Result<Skill> findSkill(const SkillStore &store, const QString &name)
{
    auto skill = store.skill(name);
    if (!skill) return std::unexpected(skill.error());
    if (*skill) return std::move(**skill);
    QStringList names;
    if (auto all = store.skills())
        for (const Skill &s : *all)
            names << s.name;
    return failure(u"skill.missing"_s, u"there is no skill “%1”; there are %2"_s.arg(name, names.join(u", "_s)));
}

int skills(const QStringList &arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    if (const auto parsed = parse(parser, u"skills"_s, arguments, 1, -1); parsed.over) return parsed.exitCode;
    const QStringList positional = parser.positionalArguments();
    Request request{positional.mid(1),         parser.value(u"state"_s), parser.value(u"search"_s),
                    parser.value(u"reason"_s), parser.value(u"file"_s),  {},
                    parser.isSet(u"diff"_s),   parser.isSet(u"json"_s)};
    const auto action = std::ranges::find(actions(), positional.first(), &Action::name);
    if (action == actions().end())
        return usage(u"skills %1: unknown action; there are %2"_s.arg(positional.first(), actionNames().join(u", "_s)),
                     request.json);
    const qsizetype given = request.arguments.size();
    if (given < action->minimum || (action->maximum >= 0 && given > action->maximum) ||
        (given > 0 && request.name().isEmpty())) {
        return usage(u"skills %1 takes %2%3"_s.arg(action->name, action->takes,
                                                   given > action->maximum && action->maximum >= 0
                                                       ? u", not “%1”"_s.arg(request.arguments[action->maximum])
                                                       : u"; “kernelskill skills list” shows the skills"_s),
                     request.json);
    }
    if (parser.isSet(u"revision"_s)) {
        bool isNumber = false;
        request.revision = parser.value(u"revision"_s).toInt(&isNumber);
        if (!isNumber || *request.revision < 1)
            return usage(u"--revision is a whole number from 1, not “%1”"_s.arg(parser.value(u"revision"_s)),
                         request.json);
    }
    if (action->name == u"check") return skill_actions::check(parser.value(u"memory"_s), request);
    auto store = openStore(parser.value(u"memory"_s));
    if (!store) return report(store.error(), request.json);
    if (action->name == u"prove")
        return proveSkill(*store, request.name(), parser.value(u"on"_s), parser.value(u"agent"_s), request.json);
    return action->run(*store, request);
}

} // namespace kernelskill::cli
