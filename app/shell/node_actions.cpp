// SPDX-License-Identifier: Apache-2.0
#include "shell/node_actions.h"

#include "models/node_text.h"
#include "models/skill_model.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QInputDialog>
#include <QJsonObject>
#include <QMenu>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

void copy(const QString &text)
{
    QApplication::clipboard()->setText(text);
}

} // namespace

NodeActions::NodeActions(SessionDocument *document, NodeSelection *selection, SkillModel *skills, QWidget *window)
    : QObject(window), m_document(document), m_selection(selection), m_skills(skills), m_window(window)
{
}

void NodeActions::fill(QMenu *menu, int id)
{
    const TrajectoryNode *node = m_document->node(id);
    if (!node) return;
    const int selected = m_selection->selected();
    if (id != selected) {
        menu->addAction(tr("&Show node %1").arg(id), this, [this, id] { m_selection->select(id); });
        menu->addAction(tr("&Compare node %1 with %2").arg(selected).arg(id), this,
                        [this, id] { m_selection->compareWith(id); });
    }
    menu->addAction(tr("Compare with its &parent"), this, [this, id] {
        m_selection->select(id);
        m_selection->compareWith(-1);
    });
    menu->addAction(tr("Compare with the &baseline"), this, [this, id] {
        m_selection->select(id);
        m_selection->compareWith(0);
    });
    const bool marked = m_selection->marked().contains(id);
    QAction *mark = menu->addAction(marked ? tr("Take its &mark away") : tr("&Mark it for a comparison"), this,
                                    [this, id] { m_selection->toggleMark(id); });
    mark->setToolTip(tr("Shift and a click do the same; up to four"));
    QList<int> several = m_selection->marked();
    if (!marked) several.append(id);
    if (several.size() >= 2 && several.size() <= 4)
        menu->addAction(tr("Compare %1 nodes side by si&de").arg(several.size()), this, [this, several] { Q_EMIT compareWanted(several); });
    menu->addSeparator();
    if (!node->candidateBlob.isEmpty()) addFork(menu, *node);
    addMarks(menu, *node);
    menu->addSeparator();
    addCopies(menu, *node);
}

void NodeActions::addFork(QMenu *menu, const TrajectoryNode &node)
{
    const int id = node.id;
    menu->addAction(tr("&Edit its code…"), this, [this, id] { Q_EMIT editWanted(id); });
    QMenu *skills = menu->addMenu(tr("&Try a skill on it"));
    addSkills(skills, node);
    QAction *base = menu->addAction(tr("&Go on from here"), this,
                                    [this, id] { Q_EMIT proposed({Proposal::Kind::Base, id, {}, {}, {}}); });
    base->setToolTip(tr("The next round improves node %1").arg(id));
    base->setEnabled(canBeBuiltOn(node) && !node.isBase);
    QAction *fork = menu->addAction(tr("&Fork into a session of its own"), this, [this, id] { Q_EMIT forkWanted(id); });
    fork->setEnabled(canBeBuiltOn(node));
    menu->addAction(tr("E&valuate it again"), this,
                    [this, id] { Q_EMIT proposed({Proposal::Kind::Evaluation, id, {}, {}, {}}); });
    menu->addSeparator();
}

void NodeActions::addSkills(QMenu *menu, const TrajectoryNode &node)
{
    menu->setEnabled(canBeBuiltOn(node));
    QList<const Skill *> skills;
    for (const Skill &skill : m_skills->skills()) {
        if (skill.state == SkillState::Active || skill.state == SkillState::Pinned) skills.append(&skill);
    }
    std::ranges::sort(skills, {}, [](const Skill *skill) { return std::pair(skill->state != SkillState::Pinned, skill->title); });
    for (const Skill *skill : std::as_const(skills)) {
        menu->addAction(skill->title.isEmpty() ? node_text::titleOfSkill(skill->name) : skill->title, this,
                        [this, id = node.id, name = skill->name, method = skill->method] {
                            Plan plan;
                            plan.skill = name;
                            plan.method = method;
                            plan.rationale = tr("Asked for by the person.");
                            Q_EMIT proposed({Proposal::Kind::Plan, id, {}, {}, plan});
                        });
    }
}

void NodeActions::addMarks(QMenu *menu, const TrajectoryNode &node)
{
    const int id = node.id;
    const bool pinned = node.pinned;
    menu->addAction(pinned ? tr("&Unpin") : tr("P&in"), this,
                    [this, id, pinned] { Q_EMIT annotated(id, u"person.pin"_s, {{u"pinned"_s, !pinned}}); });
    menu->addAction(node.note.isEmpty() ? tr("&Name it…") : tr("Re&name “%1”…").arg(node.note.left(24)), this,
                    [this, id] { editNote(id); });
}

void NodeActions::editNote(int id)
{
    const TrajectoryNode *node = m_document->node(id);
    if (!node) return;
    auto *dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Name node %1").arg(id));
    dialog->setLabelText(tr("A name of your own for this node; empty takes it away."));
    dialog->setTextValue(node->note);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, id](const QString &text) {
        Q_EMIT annotated(id, u"person.note"_s, {{u"text"_s, text.simplified().left(200)}});
    });
    dialog->open();
}

void NodeActions::addCopies(QMenu *menu, const TrajectoryNode &node)
{
    menu->addAction(tr("Copy &facts"), this,
                    [text = node_text::summary(node, m_document->stageText(node.id))] { copy(text); });
    menu->addAction(tr("Copy &link"), this, [link = u"%1:%2"_s.arg(m_document->path()).arg(node.id)] { copy(link); });
    if (const Candidate *candidate = m_document->candidate(node.id))
        menu->addAction(tr("Copy c&ode"), this, [text = candidate->mainText()] { copy(text); });
}

} // namespace kernelskill
