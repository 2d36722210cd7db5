// SPDX-License-Identifier: Apache-2.0
// One skill: text, gate, promises against what the selected node showed, ledger, provenance, and what may be done to
// it.
#pragma once

#include "models/session_document.h"
#include "models/skill_model.h"

#include <QWidget>

class QLineEdit;
class QPushButton;
class QTextBrowser;

namespace kernelskill {

class SkillDetail : public QWidget
{
    Q_OBJECT
public:
    SkillDetail(SkillModel *model, SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    void setSkill(const QString &name);
    void setLedger(const QList<LedgerEntry> &entries);
    [[nodiscard]] QString skill() const { return m_name; }

Q_SIGNALS:
    void stateRequested(const QString &skill, kernelskill::SkillState state, const QString &reason);
    void restoreRequested(const QString &skill); // of a rejected one; of a draft: accept it

private:
    void refresh();
    [[nodiscard]] QString html(const Skill &skill) const;
    [[nodiscard]] QString promisesHtml(const Skill &skill) const;
    [[nodiscard]] QString ledgerHtml(const Skill &skill) const;
    void askReason(bool ask);

    SkillModel *m_model;
    SessionDocument *m_document;
    NodeSelection *m_selection;
    QString m_name;
    QList<LedgerEntry> m_ledger;
    QTextBrowser *m_text;
    QPushButton *m_pin, *m_reject, *m_restore;
    QWidget *m_reasonRow;
    QLineEdit *m_reason;
    QString m_shown;
};

} // namespace kernelskill
