// SPDX-License-Identifier: Apache-2.0
// What a skill's detail shows and keeps. What stands where: skill_detail_build.cpp.
#include "memory/skill_detail.h"

#include "diff/diff_view.h"
#include "editor/code_editor.h"
#include "memory/skill_html.h"
#include "memory/skill_table.h"
#include "models/node_text.h"
#include "models/skill_rows.h"
#include "settings/glyphs.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QApplication>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextBrowser>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QPixmap glyphOf(SkillState state, qreal ratio)
{
    QPixmap picture(QSize(14, 14) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    glyphs::paintSkill(painter, QRectF(1, 1, 12, 12), state);
    return picture;
}

} // namespace

void SkillDetail::setSkill(const QString &name)
{
    if (name == m_name) return;
    keepEdit();
    m_editor->finish();
    m_textPage->setCurrentWidget(m_text);
    m_name = name;
    m_dossier = {};
    m_editWanted = m_edits.contains(name);
    m_atGate = false;
    m_reasonRow->hide();
    m_text->verticalScrollBar()->setValue(0);
    refresh();
    if (!name.isEmpty()) m_memory->askDossier(name);
    Q_EMIT situationChanged();
}

void SkillDetail::setGates(std::shared_ptr<GateCheck> gates)
{
    m_editor->setGates(gates.get());
    m_gates = std::move(gates);
    refreshText();
}

void SkillDetail::take(const SkillDossier &dossier)
{
    if (dossier.name != m_name) return;
    m_dossier = dossier;
    refresh();
    if (m_editWanted) beginEdit(m_atGate);
    Q_EMIT situationChanged();
}

void SkillDetail::beginEdit(bool atGate)
{
    if (isEditing()) {
        if (atGate) m_editor->goToGate();
        return;
    }
    if (m_dossier.name != m_name || m_name.isEmpty()) {
        m_editWanted = !m_name.isEmpty(); // when its text comes
        m_atGate = atGate;
        return;
    }
    const auto kept = m_edits.constFind(m_name);
    const bool wasKept = kept != m_edits.constEnd();
    m_editWanted = false;
    showEditor(wasKept ? *kept : SkillEdit{m_dossier.text, {}, m_dossier.revision});
    if (wasKept) return; // it is the list that has the keyboard
    m_tabs->setCurrentIndex(int(Page::Text));
    m_editor->editor()->setFocus(Qt::OtherFocusReason);
    if (atGate) m_editor->goToGate();
}

void SkillDetail::showEditor(const SkillEdit &edit)
{
    m_editor->begin(m_name, edit, m_dossier.text, m_gates.get());
    m_textPage->setCurrentWidget(m_editor);
    shareRows();
    refreshHeader();
    Q_EMIT situationChanged();
}

// Beside each other: some lines of text, seven rows of the ledger, four revisions; what is edited gets the most.
void SkillDetail::shareRows()
{
    if (!m_wide) return;
    m_rows->setSizes(m_textPage->currentWidget() == m_editor ? QList<int>{600, 120, 160} : QList<int>{98, 216, 166});
    m_history->setSizes({96, 44});
}

void SkillDetail::keepEdit()
{
    if (!isEditing()) return;
    const bool was = m_edits.contains(m_name);
    if (m_editor->isModified())
        m_edits.insert(m_name, m_editor->edit());
    else
        m_edits.remove(m_name);
    if (was != m_edits.contains(m_name)) Q_EMIT unsavedChanged();
    refreshHeader();
}

void SkillDetail::save()
{
    if (!isEditing()) return;
    if (!m_editor->canSave()) {
        m_editor->goToFirstError(); // or there is nothing to save
        return;
    }
    const SkillEdit edit = m_editor->edit();
    m_memory->edit(m_name, edit.text, edit.reason.trimmed());
}

// What was saved is no longer unsaved; what could not be stays as it was typed.
void SkillDetail::forgetSaved(const SkillChange &change)
{
    const auto kept = m_edits.constFind(change.name);
    if (kept == m_edits.constEnd() || change.undone || kept->text != change.after.text) return;
    m_edits.erase(kept);
    if (change.name == m_name) {
        const bool hadFocus = m_editor->isAncestorOf(QApplication::focusWidget());
        m_editor->finish();
        m_textPage->setCurrentWidget(m_text);
        shareRows();
        if (hadFocus) m_text->setFocus();
        refresh();
        Q_EMIT situationChanged();
    }
    Q_EMIT unsavedChanged();
}

void SkillDetail::revert()
{
    if (!isEditing()) return;
    m_editor->finish();
    m_edits.remove(m_name);
    m_textPage->setCurrentWidget(m_text);
    shareRows();
    m_text->setFocus();
    refresh();
    Q_EMIT unsavedChanged();
    Q_EMIT situationChanged();
}

void SkillDetail::askReason(bool ask)
{
    if (ask && m_name.isEmpty()) return;
    m_reasonRow->setVisible(ask);
    m_reason->clear();
    if (ask)
        m_reason->setFocus();
    else
        m_text->setFocus();
}

QSet<QString> SkillDetail::unsaved() const
{
    return {m_edits.keyBegin(), m_edits.keyEnd()};
}

QVariantMap SkillDetail::keptEdits() const
{
    QVariantMap edits;
    for (const auto &[name, edit] : m_edits.asKeyValueRange())
        edits.insert(name, QVariantList{edit.text, edit.reason, edit.revision});
    return edits;
}

void SkillDetail::restoreEdits(const QVariantMap &edits)
{
    for (const auto &[name, value] : edits.asKeyValueRange()) {
        const QVariantList edit = value.toList();
        if (edit.size() == 3) m_edits.insert(name, {edit[0].toString(), edit[1].toString(), edit[2].toInt()});
    }
    Q_EMIT unsavedChanged();
}

bool SkillDetail::isSettled() const
{
    return m_difference->isSettled();
}

void SkillDetail::refresh()
{
    refreshHeader();
    refreshText();
    refreshTables();
}

void SkillDetail::refreshHeader()
{
    const Skill *skill = m_model->skill(m_name);
    m_header->setVisible(skill);
    m_tabs->setVisible(skill && !m_wide);
    m_columns->setVisible(skill && m_wide);
    if (m_wide) m_ledgerPage->setVisible(skill);
    if (!skill) return;
    m_glyph->setPixmap(glyphOf(skill->state, devicePixelRatioF()));
    m_glyph->setToolTip(toString(skill->state));
    m_title->setText(skill->title.isEmpty() ? node_text::titleOfSkill(skill->name) : skill->title);
    const SkillRecord record = m_model->record(m_name);
    QString facts = tr("%1 · revision %2 · %3 won, %4 lost")
                        .arg(toString(skill->state))
                        .arg(skill->revision)
                        .arg(record.won)
                        .arg(record.lost);
    if (isEditing() && m_edits.contains(m_name))
        facts = skill->revision == m_editor->edit().revision
                    ? tr("unsaved changes to revision %1").arg(skill->revision)
                    : tr("unsaved changes to revision %1; %2 came meanwhile")
                          .arg(m_editor->edit().revision)
                          .arg(skill->revision);
    m_facts->setText(facts);
    const bool waits = skill->state == SkillState::Draft || skill->state == SkillState::Quarantined;
    const bool rejected = skill->state == SkillState::Rejected;
    const bool editing = isEditing();
    // save, revert, accept, pin, restore, edit, reject, undo, export: as the header was built
    const bool shown[]{editing,           editing,   waits && !editing,     !waits && !rejected && !editing, rejected && !editing,
                       !editing,          !rejected && !editing, m_wide && !editing, m_wide && !editing};
    for (int i = 0; i < m_buttons.size(); ++i)
        m_buttons[i]->setVisible(shown[i]);
}

void SkillDetail::refreshText()
{
    const Skill *skill = m_model->skill(m_name);
    QString text;
    if (!skill) {
        text = u"<p style='color:%1'>%2</p>"_s.arg(
            themeColor("text.secondary").name(),
            m_model->skills().isEmpty() ? QString() : tr("Select a skill to read it.").toHtmlEscaped());
    } else {
        SkillPage page;
        page.skill = skill;
        page.body = skill->body;
        page.wide = m_wide;
        if (m_dossier.name == m_name) page.ledger = &m_dossier.ledger;
        const TrajectoryNode *node = m_document->node(m_selection->selected());
        if (node && node->skill == m_name) page.node = node;
        const Retrieval *retrieval = node ? m_document->retrieval(node->round) : nullptr;
        for (const QString &gate : skill->requires_) {
            if (!m_gates) break;
            if (const auto trouble = m_gates->trouble(gate); trouble && page.gateTrouble.isEmpty())
                page.gateTrouble = trouble->message;
            if (retrieval) page.gateTruth.insert(gate, m_gates->truth(gate, retrieval->evidence));
        }
        if (retrieval) page.gateOf = tr("round %1").arg(node->round);
        text = skillHtml(page);
    }
    if (text == m_shown) return;
    const int scrolled = m_text->verticalScrollBar()->value();
    m_shown = text;
    m_text->setHtml(text);
    m_text->verticalScrollBar()->setValue(scrolled);
}

// A live run tells of its nodes many times a second.
void SkillDetail::followNodes()
{
    size_t here = 0;
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        if (node.skill == m_name) here = qHashMulti(here, node.id, int(node.state));
    }
    if (here == m_nodesHere) return;
    m_nodesHere = here;
    refreshTables();
}

void SkillDetail::refreshTables()
{
    const bool here = m_dossier.name == m_name && !m_name.isEmpty();
    const SkillDossier &dossier = m_dossier;
    m_ledger->setRows(here ? skill_rows::ledger(dossier.ledger) : std::make_unique<TreeRow>());
    const QString open = m_document->path();
    m_nodes->setRows(here ? skill_rows::provenance(m_name, dossier.ledger,
                                                   {open, QFileInfo(open).completeBaseName(), &m_document->trajectory()})
                          : std::make_unique<TreeRow>());
    m_revisions->setRows(
        here ? skill_rows::revisions(dossier.history, dossier.states, dossier.revision, personName())
             : std::make_unique<TreeRow>());
    for (const int column : {int(skill_rows::NumberColumn), int(skill_rows::WhenColumn), int(skill_rows::WhoColumn)})
        m_revisions->resizeColumnToContents(column);
    int nodes = 0;
    for (int row = 0; row < m_nodes->rows()->rowCount(); ++row)
        nodes += m_nodes->rows()->index(row, 0).data(skill_rows::NodesRole).toInt();
    const qsizetype uses = dossier.ledger.size(), revisions = dossier.history.size();
    m_ledgerNote->setText(!here || uses == 0 ? QString() : tr("%1 uses, newest first; Enter opens a node").arg(uses));
    m_nodeNote->setText(nodes == 1 ? tr("1 node it shaped") : tr("%1 nodes it shaped").arg(nodes));
    m_tabs->setTabText(int(Page::Ledger), here && uses > 0 ? tr("Ledger %1").arg(uses) : tr("Ledger"));
    m_tabs->setTabText(int(Page::Revisions), here && revisions > 0 ? tr("History %1").arg(revisions) : tr("History"));
    m_tabs->setTabText(int(Page::Nodes), nodes > 0 ? tr("Nodes %1").arg(nodes) : tr("Nodes"));
    compareRevisions();
}

QList<int> SkillDetail::chosenRevisions() const
{
    QList<int> chosen;
    for (const QModelIndex &index : m_revisions->selectionModel()->selectedRows()) {
        if (const QVariant number = index.data(skill_rows::RevisionRole); number.isValid()) chosen.append(number.toInt());
    }
    std::ranges::sort(chosen);
    return chosen;
}

int SkillDetail::restorableRevision() const
{
    const QList<int> chosen = chosenRevisions();
    return chosen.size() == 1 && chosen.first() != m_dossier.revision ? chosen.first() : 0;
}

const SkillRevision *SkillDetail::revision(int number) const
{
    const auto found = std::ranges::find(m_dossier.history, number, &SkillRevision::revision);
    return found == m_dossier.history.end() ? nullptr : &*found;
}

// One chosen: what it changed. Two or more: from the oldest to the newest of them. None: what the one in use changed.
void SkillDetail::compareRevisions()
{
    const bool here = m_dossier.name == m_name && !m_dossier.history.isEmpty();
    if (!here) {
        m_revisionNote->clear();
        m_compared.clear();
        m_difference->showMessage(QString());
        return;
    }
    const QList<int> chosen = chosenRevisions();
    const int to = chosen.isEmpty() ? m_dossier.revision : chosen.last();
    const int from = chosen.size() > 1 ? chosen.first() : to - 1;
    const SkillRevision *before = revision(from), *after = revision(to);
    const qsizetype count = m_dossier.history.size();
    m_revisionNote->setText(!before ? tr("%1, showing the first").arg(count)
                                    : tr("%1, showing %2 → %3").arg(count).arg(from).arg(to));
    const QString compared = u"%1 %2 %3"_s.arg(m_name).arg(from).arg(to);
    if (compared == m_compared || !after) return;
    m_compared = compared;
    m_difference->compare({before ? before->text : QString(), {}}, {after->text, {}}, CodeLanguage::Plain, !before);
}

} // namespace kernelskill
