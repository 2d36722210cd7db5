// SPDX-License-Identifier: Apache-2.0
// What a person can do with skills: one action each, for the menu, the palette and the buttons of the panels.
#pragma once

#include "memory/longterm/skill.h"

#include <QObject>
#include <QPushButton>

class QAction;
class QMenu;

namespace kernelskill {

// What is at hand: decides which actions can be used.
struct SkillSituation
{
    const Skill *skill = nullptr; // null: none is chosen
    bool editing = false, canSave = false;
    int waiting = 0;             // drafts and quarantined
    int restorable = 0;          // the revision chosen in the history; 0: none but the one in use
    QString undoable;            // the skill whose change is taken back
};

class SkillActions : public QObject
{
    Q_OBJECT
public:
    explicit SkillActions(QObject *parent = nullptr);
    void fill(QMenu *menu);
    void update(const SkillSituation &situation);

    QAction *find, *nextDraft, *onlyDrafts;
    QAction *pin, *edit, *editGate, *save, *revert, *accept, *reject, *restore, *restoreRevision, *undo;
    QAction *showText, *showLedger, *showRevisions, *showNodes;
    QAction *importFolder, *importArchive, *exportOne, *exportAll;

private:
    QAction *make(const QString &text, const QString &icon, const QString &keys, const QString &tip);
};

// A button that does an action: its words, picture and whether it can be used are the action's.
class ActionButton : public QPushButton
{
    Q_OBJECT
public:
    enum class Words { First, All }; // "Reject…" of "Reject skill…"
    explicit ActionButton(QAction *action, Words words = Words::First, QWidget *parent = nullptr);

private:
    void follow();
    QAction *m_action;
    Words m_words;
};

} // namespace kernelskill
