// SPDX-License-Identifier: Apache-2.0
#include "models/skill_model.h"

#include "models/node_text.h"
#include "settings/numbers.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString groupTitle(SkillState state)
{
    switch (state) {
    case SkillState::Pinned:
        return u"Pinned"_s;
    case SkillState::Active:
        return u"Active"_s;
    case SkillState::Quarantined:
        return u"Quarantined"_s;
    case SkillState::Draft:
        return u"Draft"_s;
    case SkillState::Rejected:
        return u"Rejected"_s;
    }
    return {};
}

QString groupNote(SkillState state, qsizetype count)
{
    switch (state) {
    case SkillState::Draft:
        return u"%1 wait for review"_s.arg(count);
    case SkillState::Quarantined:
        return u"waits for a proof"_s;
    case SkillState::Rejected:
        return u"never offered"_s;
    default:
        return {};
    }
}

} // namespace

QString timeKindsOf(const SkillRecord &record)
{
    QStringList parts;
    if (record.measured > 0) parts.append(u"%1 measured"_s.arg(record.measured));
    if (record.modelled > 0) parts.append(u"%1 modelled"_s.arg(record.modelled));
    return parts.join(u", "_s);
}

SkillRecord recordOf(const QString &skill, const QList<SkillStatistics> &statistics, const QString &architecture)
{
    SkillRecord record;
    double sum = 0, squares = 0;
    for (const SkillStatistics &row : statistics) {
        if (row.skill != skill || (!architecture.isEmpty() && row.architecture != architecture)) continue;
        record.uses += row.uses;
        record.won += row.wins;
        record.lost += row.losses;
        record.measured += row.measured.uses;
        record.modelled += row.modelled.uses;
        sum += row.sumLogSpeedup;
        squares += row.sumSquaredLogSpeedup;
    }
    if (record.uses == 0) return record;
    const double mean = sum / record.uses;
    record.gain = std::exp(mean);
    if (record.uses > 1) {
        const double variance = std::max(0.0, (squares - record.uses * mean * mean) / (record.uses - 1));
        const double half = 1.96 * std::sqrt(variance / record.uses);
        record.interval = Interval{std::exp(mean - half), std::exp(mean + half)};
    }
    return record;
}

SkillModel::SkillModel(QObject *parent)
    : TreeRowsModel({tr("Skill"), tr("Won"), tr("Lost"), QString()}, {WonColumn, LostColumn}, parent)
{
}

void SkillModel::setContents(QList<Skill> skills, QList<SkillStatistics> statistics, const QString &architecture)
{
    m_skills = std::move(skills);
    m_statistics = std::move(statistics);
    auto root = std::make_unique<TreeRow>();
    for (const SkillState state :
         {SkillState::Pinned, SkillState::Active, SkillState::Quarantined, SkillState::Draft, SkillState::Rejected}) {
        struct Entry
        {
            const Skill *skill;
            SkillRecord record;
        };
        std::vector<Entry> entries;
        for (const Skill &skill : std::as_const(m_skills)) {
            if (skill.state == state) entries.push_back({&skill, recordOf(skill.name, m_statistics, architecture)});
        }
        if (entries.empty()) continue;
        // Most won first, then by title: what has worked stands on top.
        std::ranges::stable_sort(entries, [](const Entry &a, const Entry &b) {
            if (a.record.won != b.record.won) return a.record.won > b.record.won;
            return a.skill->title.localeAwareCompare(b.skill->title) < 0;
        });
        TreeRow *group =
            root->add(groupTitle(state), {groupTitle(state), QString(), QString(), QString()},
                      {{StateRole, int(state)}, {GroupNoteRole, groupNote(state, qsizetype(entries.size()))}});
        for (const Entry &entry : entries) {
            const Skill &skill = *entry.skill;
            const QString title = skill.title.isEmpty() ? node_text::titleOfSkill(skill.name) : skill.title;
            QHash<int, QVariant> data{{NameRole, skill.name},
                                      {StateRole, int(state)},
                                      {SearchRole, QStringList{title, skill.name, skill.method, skill.description,
                                                               skill.requires_.join(u' '), skill.structures.join(u' ')}
                                                       .join(u' ')}};
            QString tip = title + u'\n' + skill.description;
            if (entry.record.gain) {
                data.insert(GainRole, *entry.record.gain);
                const QString kinds = timeKindsOf(entry.record);
                tip += u"\n%1 uses%2, gain %3"_s.arg(entry.record.uses)
                           .arg(kinds.isEmpty() ? QString() : u" ("_s + kinds + u')',
                                numbers::speedupValue(*entry.record.gain));
            }
            if (entry.record.interval) {
                data.insert(LowRole, entry.record.interval->low);
                data.insert(HighRole, entry.record.interval->high);
                tip += u' ' + numbers::bounds(*entry.record.interval);
            }
            data.insert(Qt::ToolTipRole, tip);
            group->add(skill.name,
                       {title, QString::number(entry.record.won), QString::number(entry.record.lost),
                        entry.record.uses == 0 ? u"unused"_s : QString()},
                       data);
        }
    }
    setRows(std::move(root));
    Q_EMIT contentsChanged();
}

const Skill *SkillModel::skill(const QString &name) const
{
    for (const Skill &entry : m_skills) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

QHash<QString, QString> SkillModel::titles() const
{
    QHash<QString, QString> result;
    for (const Skill &entry : m_skills)
        result.insert(entry.name, entry.title);
    return result;
}

} // namespace kernelskill
