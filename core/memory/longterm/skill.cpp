// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

#include <array>

namespace kernelskill {

namespace {

struct StateName
{
    SkillState state;
    const char *name;
};
constexpr std::array stateNames{
    StateName{SkillState::Active, "active"},     StateName{SkillState::Pinned, "pinned"},
    StateName{SkillState::Rejected, "rejected"}, StateName{SkillState::Quarantined, "quarantined"},
    StateName{SkillState::Draft, "draft"},
};

QStringList strings(const QJsonValue &value)
{
    QStringList list;
    for (const QJsonValue &element : value.toArray())
        list.append(element.toString());
    return list;
}

// What the skill says, without what this memory thinks of it.
QJsonObject content(const Skill &skill)
{
    QJsonArray promises;
    for (const PromisedChange &promise : skill.promises) {
        promises.append(QJsonObject{{"metric", promise.metric}, {"change", promise.change}, {"why", promise.why}});
    }
    return {{"name", skill.name},
            {"title", skill.title},
            {"description", skill.description},
            {"method", skill.method},
            {"languages", QJsonArray::fromStringList(skill.languages)},
            {"structures", QJsonArray::fromStringList(skill.structures)},
            {"requires", QJsonArray::fromStringList(skill.requires_)},
            {"prohibits", QJsonArray::fromStringList(skill.prohibits)},
            {"promises", promises},
            {"body", skill.body}};
}

} // namespace

QString toString(SkillState state)
{
    for (const StateName &entry : stateNames) {
        if (entry.state == state) return QString::fromLatin1(entry.name);
    }
    return {};
}

SkillState skillStateFromString(const QString &text)
{
    for (const StateName &entry : stateNames) {
        if (text == QLatin1String(entry.name)) return entry.state;
    }
    return SkillState::Draft;
}

QByteArray Skill::digest() const
{
    const QByteArray bytes = QJsonDocument(content(*this)).toJson(QJsonDocument::Compact);
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

QJsonObject Skill::toJson() const
{
    QJsonObject object = content(*this);
    object.insert("source", source);
    object.insert("revision", revision);
    object.insert("state", toString(state));
    object.insert("state_reason", stateReason);
    return object;
}

Skill Skill::fromJson(const QJsonObject &object)
{
    Skill skill;
    skill.name = object.value("name").toString();
    skill.title = object.value("title").toString();
    skill.description = object.value("description").toString();
    skill.method = object.value("method").toString();
    skill.languages = strings(object.value("languages"));
    skill.structures = strings(object.value("structures"));
    skill.requires_ = strings(object.value("requires"));
    skill.prohibits = strings(object.value("prohibits"));
    for (const QJsonValue &value : object.value("promises").toArray()) {
        const QJsonObject promise = value.toObject();
        skill.promises.append(
            {promise.value("metric").toString(), promise.value("change").toString(), promise.value("why").toString()});
    }
    skill.body = object.value("body").toString();
    skill.source = object.value("source").toString();
    skill.revision = object.value("revision").toInt(1);
    skill.state = skillStateFromString(object.value("state").toString());
    skill.stateReason = object.value("state_reason").toString();
    return skill;
}

} // namespace kernelskill
