// SPDX-License-Identifier: Apache-2.0
// The long-term memory as a list grouped by state: pinned, active, quarantined, draft, rejected.
#pragma once

#include "memory/longterm/skill_store.h"
#include "models/skill_query.h"
#include "models/tree_rows.h"

#include <QSet>

namespace kernelskill {

// What the ledger says of one skill, over all rows or those of one architecture.
struct SkillRecord
{
    int uses = 0, won = 0, lost = 0;
    int measured = 0, modelled = 0; // uses whose times a GPU gave, and those a model gave
    // Geometric mean speedup and its 95 % (missing below two uses): of what was measured, else of what was modelled,
    // since the two are never averaged together.
    std::optional<double> gain;
    std::optional<Interval> interval;
    TimeKind kind = TimeKind::Modelled; // of the gain
};
// "today", "3 Nov": when a skill was used last; empty for an invalid time.
[[nodiscard]] QString dayOf(const QDateTime &when, const QDateTime &now);
// "3 measured, 5 modelled", whichever there are; empty: not known.
[[nodiscard]] QString timeKindsOf(const SkillRecord &record);
[[nodiscard]] SkillRecord recordOf(const QString &skill, const QList<SkillStatistics> &statistics,
                                   const QString &architecture = {});

// What else is known of skills than their texts and sums.
struct SkillBackground
{
    QHash<QString, QDateTime> lastUses;       // skill → when it was applied last
    QHash<QString, QStringList> bottlenecks;  // skill → those the policy offers it for
};

class SkillModel : public TreeRowsModel
{
    Q_OBJECT
public:
    enum Column { SkillColumn, WonColumn, LostColumn, GainColumn, UsedColumn, ColumnCount };
    enum Role {
        NameRole = Qt::UserRole + 1, // skill name; absent on group rows
        StateRole,                   // int of SkillState
        GroupNoteRole,               // "2 wait for review"
        GainRole,
        LowRole,
        HighRole,   // doubles; absent when unknown
        GainKindRole, // int of TimeKind
        UnsavedRole,  // bool: a person has typed what is not saved yet
    };
    explicit SkillModel(QObject *parent = nullptr);

    // `architecture`: whose rows of the ledger count; empty: all.
    void setContents(QList<Skill> skills, QList<SkillStatistics> statistics, const QString &architecture = {},
                     const SkillBackground &background = {});
    void setUnsaved(const QSet<QString> &names);
    [[nodiscard]] const QList<Skill> &skills() const { return m_skills; }
    [[nodiscard]] const Skill *skill(const QString &name) const;
    [[nodiscard]] const QList<SkillStatistics> &statistics() const { return m_statistics; }
    [[nodiscard]] QHash<QString, QString> titles() const;
    [[nodiscard]] const SkillFacts *facts(const QString &name) const; // null for a name nobody knows
    [[nodiscard]] SkillRecord record(const QString &name) const;      // of the rows that count
    // What waits for a person, in the order in which it is listed: drafts, then what is quarantined.
    [[nodiscard]] QStringList waiting() const;

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    void contentsChanged();

private:
    void learn(const QString &architecture, const SkillBackground &background);
    [[nodiscard]] QHash<int, QVariant> rolesOf(const Skill &skill, const QString &title) const;

    QList<Skill> m_skills;
    QList<SkillStatistics> m_statistics;
    QHash<QString, qsizetype> m_positions; // name → in m_skills
    QHash<QString, SkillFacts> m_facts;
    QHash<QString, SkillRecord> m_records;
    QSet<QString> m_unsaved;
};

} // namespace kernelskill
