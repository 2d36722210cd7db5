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

QJsonArray fieldsToJson(const QList<SkillField> &fields)
{
    QJsonArray array;
    for (const SkillField &field : fields)
        array.append(QJsonArray{field.key, field.value});
    return array;
}

QList<SkillField> fieldsFromJson(const QJsonValue &value)
{
    QList<SkillField> fields;
    for (const QJsonValue &field : value.toArray())
        fields.append({field.toArray().at(0).toString(), field.toArray().at(1).toString()});
    return fields;
}

// What the skill says, without what this memory thinks of it.
QJsonObject content(const Skill &skill)
{
    QJsonArray promises;
    for (const PromisedChange &promise : skill.promises) {
        promises.append(QJsonObject{{"metric", promise.metric}, {"change", promise.change}, {"why", promise.why}});
    }
    QJsonObject object{{"name", skill.name},
                       {"title", skill.title},
                       {"description", skill.description},
                       {"method", skill.method},
                       {"languages", QJsonArray::fromStringList(skill.languages)},
                       {"structures", QJsonArray::fromStringList(skill.structures)},
                       {"requires", QJsonArray::fromStringList(skill.requires_)},
                       {"prohibits", QJsonArray::fromStringList(skill.prohibits)},
                       {"promises", promises},
                       {"body", skill.body}};
    // Most skills have none of these: left out, they do not swell a session's copy.
    const auto add = [&object](const char *key, const QString &value) {
        if (!value.isEmpty()) object.insert(QLatin1String(key), value);
    };
    add("verified_by", skill.verifiedBy);
    add("license", skill.license);
    add("compatibility", skill.compatibility);
    add("allowed_tools", skill.allowedTools);
    if (!skill.otherFields.isEmpty()) object.insert("other_fields", fieldsToJson(skill.otherFields));
    if (!skill.otherMetadata.isEmpty()) object.insert("other_metadata", fieldsToJson(skill.otherMetadata));
    if (skill.foreign) object.insert("foreign", true);
    return object;
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
    skill.verifiedBy = object.value("verified_by").toString();
    skill.license = object.value("license").toString();
    skill.compatibility = object.value("compatibility").toString();
    skill.allowedTools = object.value("allowed_tools").toString();
    skill.otherFields = fieldsFromJson(object.value("other_fields"));
    skill.otherMetadata = fieldsFromJson(object.value("other_metadata"));
    skill.foreign = object.value("foreign").toBool();
    skill.source = object.value("source").toString();
    skill.revision = object.value("revision").toInt(1);
    skill.state = skillStateFromString(object.value("state").toString());
    skill.stateReason = object.value("state_reason").toString();
    return skill;
}

} // namespace kernelskill
