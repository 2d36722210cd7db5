// SPDX-License-Identifier: Apache-2.0
// SKILL.md in strict form; skill_reader.h shows it.
#include "memory/longterm/skill_reader.h"
#include "memory/longterm/skill_yaml.h"

#include <algorithm>

namespace kernelskill {

namespace {

class Writer
{
public:
    QString write(const Skill &skill);

private:
    void field(const QString &key, const QString &yamlValue) { m_lines.append(key + QStringLiteral(": ") + yamlValue); }
    void text(const QString &key, const QString &value)
    {
        if (!value.isEmpty()) field(key, yaml::scalar(value));
    }
    void entry(const QString &key, const QString &yamlValue)
    {
        m_metadata.append(QStringLiteral("  %1: %2").arg(key, yamlValue));
    }
    void list(const QString &key, const QStringList &items)
    {
        if (!items.isEmpty()) entry(key, yaml::block(items, 2));
    }
    void metadata(const Skill &skill);

    QStringList m_lines, m_metadata;
};

void Writer::metadata(const Skill &skill)
{
    if (!skill.title.isEmpty()) entry(QStringLiteral("title"), yaml::scalar(skill.title));
    if (!skill.foreign) {
        if (!skill.method.isEmpty()) entry(QStringLiteral("method"), yaml::scalar(skill.method));
        const QStringList languages = skill.languages.isEmpty() ? QStringList{QStringLiteral("any")} : skill.languages;
        entry(QStringLiteral("languages"), yaml::scalar(languages.join(QStringLiteral("; "))));
        if (!skill.structures.isEmpty())
            entry(QStringLiteral("structures"), yaml::scalar(skill.structures.join(QStringLiteral("; "))));
        list(QStringLiteral("gate"), skill.requires_);
        QStringList promises;
        for (const PromisedChange &promise : skill.promises) {
            promises.append(promise.metric + QStringLiteral(": ") + promise.change +
                            (promise.why.isEmpty() ? QString() : QStringLiteral(" \u2014 ") + promise.why));
        }
        list(QStringLiteral("promises"), promises);
        list(QStringLiteral("prohibits"), skill.prohibits);
        if (!skill.verifiedBy.isEmpty()) entry(QStringLiteral("verified_by"), yaml::scalar(skill.verifiedBy));
    }
    for (const SkillField &other : skill.otherMetadata)
        entry(yaml::scalar(other.key), yaml::scalar(other.value));
}

QString Writer::write(const Skill &skill)
{
    text(QStringLiteral("name"), skill.name);
    text(QStringLiteral("description"), skill.description);
    text(QStringLiteral("license"), skill.license);
    text(QStringLiteral("compatibility"), skill.compatibility);
    text(QStringLiteral("allowed-tools"), skill.allowedTools);
    for (const SkillField &other : skill.otherFields)
        field(yaml::scalar(other.key), other.value);
    const bool kept = std::ranges::any_of(
        skill.otherFields, [](const SkillField &other) { return other.key == QLatin1String("metadata"); });
    if (!kept) metadata(skill);
    if (!m_metadata.isEmpty()) m_lines += QStringList{QStringLiteral("metadata:")} + m_metadata;
    return QStringLiteral("---\n%1\n---\n\n%2\n").arg(m_lines.join(u'\n'), skill.body);
}

} // namespace

QString writeSkillText(const Skill &skill)
{
    if (!skill.text.isEmpty()) {
        const SkillReading reading = examineSkillText(skill.text, skill.source, skill.name);
        if (reading.skill && reading.skill->digest() == skill.digest()) return skill.text;
    }
    return Writer().write(skill);
}

} // namespace kernelskill
