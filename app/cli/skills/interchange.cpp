// SPDX-License-Identifier: Apache-2.0
// skills import, export.
#include "skills/actions.h"

using namespace Qt::StringLiterals;

namespace kernelskill::cli::skill_actions {

namespace {

QString word(ImportedSkill::Outcome outcome)
{
    switch (outcome) {
    case ImportedSkill::Outcome::Added:
        return u"added"_s;
    case ImportedSkill::Outcome::Changed:
        return u"changed"_s;
    case ImportedSkill::Outcome::Unchanged:
        return u"unchanged"_s;
    }
    return {};
}

} // namespace

int importFrom(SkillStore &store, const Request &request)
{
    auto imported = store.importSkills(request.arguments.value(0), person());
    if (!imported) return report(imported.error(), request.json);
    QJsonArray rows;
    QString draft;
    for (const ImportedSkill &one : *imported) {
        auto skill = findSkill(store, one.name);
        if (!skill) return report(skill.error(), request.json);
        QJsonArray diagnostics;
        for (const SkillDiagnostic &diagnostic : one.diagnostics) {
            diagnostics.append(diagnostic.toJson());
            if (diagnostic.severity != SkillDiagnostic::Severity::Note)
                progressLine(u"%1: %2"_s.arg(toString(diagnostic.severity), diagnostic.text()));
        }
        rows.append(QJsonObject{{u"name"_s, one.name},
                                {u"revision"_s, one.revision},
                                {u"outcome"_s, word(one.outcome)},
                                {u"state"_s, toString(skill->state)},
                                {u"diagnostics"_s, diagnostics}});
        if (!request.json)
            print(u"%1 %2, revision %3, %4"_s.arg(word(one.outcome), -9)
                      .arg(one.name)
                      .arg(one.revision)
                      .arg(toString(skill->state)));
        if (skill->state == SkillState::Draft) draft = one.name;
    }
    if (request.json)
        printJson({{u"imported"_s, rows}});
    else if (!draft.isEmpty())
        print(
            u"drafts are not offered; read one with “kernelskill skills show %1”, then “kernelskill skills accept %1”"_s
                .arg(draft));
    return Done;
}

int exportTo(SkillStore &store, const Request &request)
{
    auto exported = store.exportSkills(request.arguments.value(0), request.arguments.mid(1));
    if (!exported) return report(exported.error(), request.json);
    if (request.json)
        printJson({{u"exported"_s, QJsonArray::fromStringList(*exported)}});
    else
        for (const QString &folder : *exported)
            print(folder);
    return Done;
}

} // namespace kernelskill::cli::skill_actions
