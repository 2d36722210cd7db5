// SPDX-License-Identifier: Apache-2.0
// What waits for a reviewer: how many, and of the one at hand what it says, where it comes from, what it won on and what
// it promises; accept it, edit it first, or reject it. One line where there is no room.
#pragma once

#include "memory/skill_actions.h"
#include "memory/skill_memory.h"

#include <QWidget>

class QLabel;

namespace kernelskill {

class SkillModel;

class DraftCard : public QWidget
{
    Q_OBJECT
public:
    DraftCard(SkillModel *model, SkillActions *actions, QWidget *parent = nullptr);
    void setCompact(bool compact); // only the line with the count
    void setDraft(const QString &name, const SkillDossier &dossier); // an empty name: the chosen skill is no draft
    void showCount();
    [[nodiscard]] QString draft() const { return m_name; }
    [[nodiscard]] QString origin() const; // as text

Q_SIGNALS:
    void nodeWanted(const QString &sessionPath, const QString &session, int node);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void fill();

    SkillModel *m_model;
    QString m_name;
    SkillDossier m_dossier;
    QList<LedgerEntry> m_origin; // what the links lead to
    bool m_compact = true;
    QLabel *m_count, *m_title, *m_says, *m_from;
    QWidget *m_body;
    QList<ActionButton *> m_decisions;
};

} // namespace kernelskill
