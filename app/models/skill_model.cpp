// SPDX-License-Identifier: Apache-2.0
#include "models/skill_model.h"

#include "models/node_text.h"
#include "settings/numbers.h"

#include <QLocale>

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

QString dayOf(const QDateTime &when, const QDateTime &now)
{
    if (!when.isValid()) return {};
    const QDate day = when.toLocalTime().date(), today = now.toLocalTime().date();
    if (day == today) return u"today"_s;
    return QLocale::c().toString(day, day.year() == today.year() ? u"d MMM"_s : u"d MMM yy"_s);
}

namespace {

// Sums over the rows of one skill, kinds apart.
struct Sums
{
    SkillTally all, measured, modelled;

    void add(const SkillStatistics &row)
    {
        all += {row.uses, row.wins, row.losses, row.sumLogSpeedup, row.sumSquaredLogSpeedup};
        measured += row.measured;
        modelled += row.modelled;
    }
    [[nodiscard]] SkillRecord record() const;
};

SkillRecord Sums::record() const
{
    SkillRecord record;
    record.uses = all.uses;
    record.won = all.wins;
    record.lost = all.losses;
    record.measured = measured.uses;
    record.modelled = modelled.uses;
    record.kind = measured.uses > 0 ? TimeKind::Measured : TimeKind::Modelled;
    const SkillTally &tally = measured.uses > 0 ? measured : modelled.uses > 0 ? modelled : all;
    if (tally.uses == 0) return record;
    const double mean = tally.sumLogSpeedup / tally.uses;
    record.gain = std::exp(mean);
    if (tally.uses > 1) {
        const double variance =
            std::max(0.0, (tally.sumSquaredLogSpeedup - tally.uses * mean * mean) / (tally.uses - 1));
        const double half = 1.96 * std::sqrt(variance / tally.uses);
        record.interval = Interval{std::exp(mean - half), std::exp(mean + half)};
    }
    return record;
}

void addOnce(QStringList &list, const QString &value)
{
    if (!value.isEmpty() && !list.contains(value)) list.append(value);
}

} // namespace

SkillRecord recordOf(const QString &skill, const QList<SkillStatistics> &statistics, const QString &architecture)
{
    Sums sums;
    for (const SkillStatistics &row : statistics) {
        if (row.skill == skill && (architecture.isEmpty() || row.architecture == architecture)) sums.add(row);
    }
    return sums.record();
}

SkillModel::SkillModel(QObject *parent)
    : TreeRowsModel({tr("Skill"), tr("Won"), tr("Lost"), tr("Gain"), tr("Used")}, {WonColumn, LostColumn, UsedColumn},
                    parent)
{
}

// One pass over the statistics: thousands of skills have tens of thousands of rows.
void SkillModel::learn(const QString &architecture, const SkillBackground &background)
{
    m_positions.clear();
    m_facts.clear();
    m_records.clear();
    for (qsizetype i = 0; i < m_skills.size(); ++i) {
        const Skill &skill = m_skills[i];
        const QString title = skill.title.isEmpty() ? node_text::titleOfSkill(skill.name) : skill.title;
        m_positions.insert(skill.name, i);
        SkillFacts facts;
        facts.state = skill.state;
        facts.structures = skill.structures;
        facts.bottlenecks = background.bottlenecks.value(skill.name);
        facts.lastUsed = background.lastUses.value(skill.name);
        facts.search = QStringList{title, skill.name, skill.method, skill.description, skill.requires_.join(u' '),
                                   skill.structures.join(u' '), facts.bottlenecks.join(u' ')}
                           .join(u' ')
                           .toLower();
        m_facts.insert(skill.name, facts);
    }
    QHash<QString, Sums> sums;
    for (const SkillStatistics &row : std::as_const(m_statistics)) {
        const auto facts = m_facts.find(row.skill);
        if (facts == m_facts.end()) continue;
        addOnce(facts->architectures, row.architecture);
        addOnce(facts->bottlenecks, row.bottleneck);
        if (architecture.isEmpty() || row.architecture == architecture) sums[row.skill].add(row);
    }
    for (const auto &[name, sum] : sums.asKeyValueRange()) {
        const SkillRecord record = sum.record();
        m_facts[name].won = record.won;
        m_facts[name].lost = record.lost;
        m_records.insert(name, record);
    }
}

QHash<int, QVariant> SkillModel::rolesOf(const Skill &skill, const QString &title) const
{
    const SkillRecord record = m_records.value(skill.name);
    const SkillFacts &facts = *m_facts.constFind(skill.name);
    QHash<int, QVariant> data{{NameRole, skill.name}, {StateRole, int(skill.state)}};
    QString tip = title + u'\n' + skill.description;
    if (record.gain) {
        data.insert(GainRole, *record.gain);
        data.insert(GainKindRole, int(record.kind));
        const QString kinds = timeKindsOf(record);
        tip += u"\n%1 uses%2, gain %3"_s.arg(record.uses)
                   .arg(kinds.isEmpty() ? QString() : u" ("_s + kinds + u')', numbers::speedupValue(*record.gain));
    }
    if (record.interval) {
        data.insert(LowRole, record.interval->low);
        data.insert(HighRole, record.interval->high);
        tip += u' ' + numbers::bounds(*record.interval);
    }
    if (record.gain && !timeKindsOf(record).isEmpty()) tip += u' ' + toString(record.kind);
    if (facts.lastUsed.isValid())
        tip += u"\nLast used "_s + QLocale::c().toString(facts.lastUsed.toLocalTime(), u"d MMM yyyy hh:mm"_s);
    data.insert(Qt::ToolTipRole, tip);
    data.insert(Qt::AccessibleTextRole,
                u"%1, %2, %3 won, %4 lost"_s.arg(title, toString(skill.state)).arg(record.won).arg(record.lost));
    return data;
}

void SkillModel::setContents(QList<Skill> skills, QList<SkillStatistics> statistics, const QString &architecture,
                             const SkillBackground &background)
{
    m_skills = std::move(skills);
    m_statistics = std::move(statistics);
    learn(architecture, background);
    const QDateTime now = QDateTime::currentDateTime();
    auto root = std::make_unique<TreeRow>();
    for (const SkillState state :
         {SkillState::Pinned, SkillState::Active, SkillState::Quarantined, SkillState::Draft, SkillState::Rejected}) {
        std::vector<const Skill *> entries;
        for (const Skill &skill : std::as_const(m_skills)) {
            if (skill.state == state) entries.push_back(&skill);
        }
        if (entries.empty()) continue;
        // Most won first, then by title: what has worked stands on top.
        std::ranges::stable_sort(entries, [this](const Skill *a, const Skill *b) {
            const int wonByA = m_facts.constFind(a->name)->won, wonByB = m_facts.constFind(b->name)->won;
            return wonByA != wonByB ? wonByA > wonByB : a->title.localeAwareCompare(b->title) < 0;
        });
        TreeRow *group =
            root->add(groupTitle(state), {groupTitle(state), QString(), QString(), QString(), QString()},
                      {{StateRole, int(state)}, {GroupNoteRole, groupNote(state, qsizetype(entries.size()))}});
        for (const Skill *skill : entries) {
            const QString title = skill->title.isEmpty() ? node_text::titleOfSkill(skill->name) : skill->title;
            const SkillRecord record = m_records.value(skill->name);
            group->add(skill->name,
                       {title, QString::number(record.won), QString::number(record.lost),
                        record.uses == 0 ? u"unused"_s : QString(),
                        dayOf(m_facts.constFind(skill->name)->lastUsed, now)},
                       rolesOf(*skill, title));
        }
    }
    setRows(std::move(root));
    Q_EMIT contentsChanged();
}

void SkillModel::setUnsaved(const QSet<QString> &names)
{
    const QSet<QString> touched = (names - m_unsaved) + (m_unsaved - names);
    m_unsaved = names;
    for (const QString &name : touched) {
        const QModelIndex index = find(NameRole, name);
        if (index.isValid()) Q_EMIT dataChanged(index, index.siblingAtColumn(ColumnCount - 1), {UnsavedRole});
    }
}

QVariant SkillModel::data(const QModelIndex &index, int role) const
{
    if (role != UnsavedRole) {
        const QVariant value = TreeRowsModel::data(index, role);
        if (role == Qt::AccessibleTextRole && m_unsaved.contains(data(index, NameRole).toString()))
            return value.toString() + u", "_s + tr("unsaved changes");
        return value;
    }
    const QString name = TreeRowsModel::data(index, NameRole).toString();
    return !name.isEmpty() && m_unsaved.contains(name);
}

const SkillFacts *SkillModel::facts(const QString &name) const
{
    const auto found = m_facts.constFind(name);
    return found == m_facts.constEnd() ? nullptr : &*found;
}

SkillRecord SkillModel::record(const QString &name) const
{
    return m_records.value(name);
}

QStringList SkillModel::waiting() const
{
    QStringList names;
    for (const SkillState state : {SkillState::Draft, SkillState::Quarantined}) {
        for (int group = 0; group < rowCount(); ++group) {
            const QModelIndex parent = index(group, 0);
            if (SkillState(parent.data(StateRole).toInt()) != state) continue;
            for (int row = 0; row < rowCount(parent); ++row)
                names.append(index(row, 0, parent).data(NameRole).toString());
        }
    }
    return names;
}

const Skill *SkillModel::skill(const QString &name) const
{
    const auto found = m_positions.constFind(name);
    return found == m_positions.constEnd() ? nullptr : &m_skills[*found];
}

QHash<QString, QString> SkillModel::titles() const
{
    QHash<QString, QString> result;
    for (const Skill &entry : m_skills)
        result.insert(entry.name, entry.title);
    return result;
}

} // namespace kernelskill
