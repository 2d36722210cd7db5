// SPDX-License-Identifier: Apache-2.0
// The long-term memory as a list grouped by state: pinned, active, quarantined, draft, rejected.
#pragma once

#include "memory/longterm/skill_store.h"
#include "models/tree_rows.h"

#include <QSortFilterProxyModel>

namespace kernelskill {

// What the ledger says of one skill, over all rows or those of one architecture.
struct SkillRecord
{
    int uses = 0, won = 0, lost = 0;
    int measured = 0, modelled = 0; // uses whose times a GPU gave, and those a model gave
    std::optional<double> gain;       // geometric mean speedup of its verified uses
    std::optional<Interval> interval; // 95 %; missing below two uses
};
// "3 measured, 5 modelled", whichever there are; empty: not known.
[[nodiscard]] QString timeKindsOf(const SkillRecord &record);
[[nodiscard]] SkillRecord recordOf(const QString &skill, const QList<SkillStatistics> &statistics,
                                   const QString &architecture = {});

class SkillModel : public TreeRowsModel
{
    Q_OBJECT
public:
    enum Column { SkillColumn, WonColumn, LostColumn, GainColumn, ColumnCount };
    enum Role {
        NameRole = Qt::UserRole + 1, // skill name; absent on group rows
        StateRole,                   // int of SkillState
        GroupNoteRole,               // "2 wait for review"
        GainRole,
        LowRole,
        HighRole,   // doubles; absent when unknown
        SearchRole, // everything a filter looks in
    };
    explicit SkillModel(QObject *parent = nullptr);

    void setContents(QList<Skill> skills, QList<SkillStatistics> statistics, const QString &architecture = {});
    [[nodiscard]] const QList<Skill> &skills() const { return m_skills; }
    [[nodiscard]] const Skill *skill(const QString &name) const;
    [[nodiscard]] const QList<SkillStatistics> &statistics() const { return m_statistics; }
    [[nodiscard]] QHash<QString, QString> titles() const;

Q_SIGNALS:
    void contentsChanged();

private:
    QList<Skill> m_skills;
    QList<SkillStatistics> m_statistics;
};

} // namespace kernelskill
