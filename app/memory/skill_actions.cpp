// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_actions.h"

#include "models/node_text.h"
#include "settings/icons.h"

#include <QAction>
#include <QMenu>

using namespace Qt::StringLiterals;

namespace kernelskill {

QAction *SkillActions::make(const QString &text, const QString &icon, const QString &keys, const QString &tip)
{
    auto *action = new QAction(text, this);
    if (!icon.isEmpty()) action->setIcon(themedIcon(icon));
    if (!keys.isEmpty()) action->setShortcut(QKeySequence(keys));
    action->setToolTip(keys.isEmpty() ? tip : u"%1 (%2)"_s.arg(tip, action->shortcut().toString(QKeySequence::NativeText)));
    action->setIconVisibleInMenu(false);
    return action;
}

SkillActions::SkillActions(QObject *parent) : QObject(parent)
{
    find = make(tr("&Find a skill"), u"filter"_s, u"Ctrl+L"_s, tr("To the list's filter"));
    nextDraft = make(tr("Next &draft"), u"down"_s, u"Ctrl+J"_s, tr("The next skill that waits for a person"));
    onlyDrafts = make(tr("&Only drafts"), u"filter"_s, {}, tr("Lists only what waits for a person"));
    onlyDrafts->setCheckable(true);
    pin = make(tr("&Pin skill"), u"pin"_s, u"Ctrl+Shift+P"_s, tr("Pinned skills are offered first"));
    edit = make(tr("&Edit skill"), u"edit"_s, u"Ctrl+Shift+E"_s, tr("Change its text and gate"));
    editGate = make(tr("Edit &gate"), u"edit"_s, u"Ctrl+Shift+G"_s, tr("Change when it is offered"));
    save = make(tr("&Save skill"), u"check"_s, QKeySequence(QKeySequence::Save).toString(), tr("A new revision with you as its author"));
    revert = make(tr("Re&vert skill"), u"close"_s, {}, tr("Give up what was typed"));
    accept = make(tr("&Accept draft"), u"check"_s, u"Ctrl+Shift+A"_s, tr("From now on it is offered"));
    reject = make(tr("Re&ject skill…"), u"reject"_s, u"Ctrl+Shift+J"_s, tr("Never offered again, for a reason"));
    restore = make(tr("&Restore skill"), u"restore"_s, {}, tr("What it was before it was rejected"));
    restoreRevision = make(tr("Restore re&vision"), u"restore"_s, {}, tr("A new revision with the text of the chosen one"));
    undo = make(tr("&Undo change of a skill"), u"restore"_s, QKeySequence(QKeySequence::Undo).toString(), tr("Takes the last change of a skill back"));
    showText = make(tr("Show &text"), {}, {}, tr("What the skill says"));
    showLedger = make(tr("Show &ledger"), {}, {}, tr("What each use of it did"));
    showRevisions = make(tr("Show &history"), {}, {}, tr("Its revisions and what they changed"));
    showNodes = make(tr("Show &nodes it shaped"), {}, {}, tr("Every node, to open"));
    importFolder = make(tr("&Import skills from a folder…"), u"folder"_s, {}, tr("Agent Skills folders come in as drafts"));
    importArchive = make(tr("Import skills from an archi&ve…"), u"folder"_s, {}, tr("Agent Skills in a .zip, .tar or .tar.gz"));
    exportOne = make(tr("E&xport skill…"), u"export"_s, {}, tr("As an Agent Skills folder"));
    exportAll = make(tr("Export all s&kills…"), u"export"_s, {}, tr("One folder a skill"));
    update({});
}

void SkillActions::fill(QMenu *menu)
{
    menu->addActions({find, nextDraft, onlyDrafts});
    menu->addSeparator();
    menu->addActions({pin, edit, editGate, save, revert, accept, reject, restore, restoreRevision, undo});
    menu->addSeparator();
    menu->addActions({showText, showLedger, showRevisions, showNodes});
    menu->addSeparator();
    menu->addActions({importFolder, importArchive, exportOne, exportAll});
}

void SkillActions::update(const SkillSituation &situation)
{
    const Skill *skill = situation.skill;
    const auto is = [skill](SkillState state) { return skill && skill->state == state; };
    const bool waits = is(SkillState::Draft) || is(SkillState::Quarantined);
    pin->setText(is(SkillState::Pinned) ? tr("Un&pin skill") : tr("&Pin skill"));
    pin->setEnabled(is(SkillState::Pinned) || is(SkillState::Active));
    edit->setEnabled(skill && !situation.editing);
    editGate->setEnabled(skill);
    save->setEnabled(situation.editing && situation.canSave);
    revert->setEnabled(situation.editing);
    accept->setEnabled(waits && !situation.editing);
    reject->setEnabled(skill && !is(SkillState::Rejected) && !situation.editing);
    restore->setEnabled(is(SkillState::Rejected));
    restoreRevision->setEnabled(skill && situation.restorable > 0);
    restoreRevision->setText(situation.restorable > 0 ? tr("Restore re&vision %1").arg(situation.restorable)
                                                      : tr("Restore re&vision"));
    undo->setEnabled(!situation.undoable.isEmpty());
    undo->setText(situation.undoable.isEmpty()
                      ? tr("&Undo change of a skill")
                      : tr("&Undo change of %1").arg(node_text::titleOfSkill(situation.undoable)));
    nextDraft->setEnabled(situation.waiting > 0);
    for (QAction *action : {showText, showLedger, showRevisions, showNodes, exportOne})
        action->setEnabled(skill);
}

ActionButton::ActionButton(QAction *action, Words words, QWidget *parent)
    : QPushButton(parent), m_action(action), m_words(words)
{
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, this, &ActionButton::follow);
    follow();
}

void ActionButton::follow()
{
    const QString all = m_action->text().remove(u'&');
    QString first = all.section(u' ', 0, 0);
    if (all.endsWith(u'…') && !first.endsWith(u'…')) first += u'…';
    setText(m_words == Words::First ? first : all);
    setAccessibleName(QString(all).remove(u'…'));
    setIcon(m_action->icon());
    setToolTip(m_action->toolTip());
    setEnabled(m_action->isEnabled());
    setCheckable(m_action->isCheckable());
    setChecked(m_action->isChecked());
}

} // namespace kernelskill
