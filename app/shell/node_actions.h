// SPDX-License-Identifier: Apache-2.0
// What a person can do with a node, for every menu that offers it: look, compare, fork, evaluate again, mark, copy.
#pragma once

#include "engine/proposal.h"
#include "models/session_document.h"

class QMenu;

namespace kernelskill {

class SkillModel;

class NodeActions : public QObject
{
    Q_OBJECT
public:
    NodeActions(SessionDocument *document, NodeSelection *selection, SkillModel *skills, QWidget *window);

    // Adds the actions for a node; nothing for one that does not exist.
    void fill(QMenu *menu, int node);
    void editNote(int node);

Q_SIGNALS:
    void editWanted(int node);
    void proposed(const kernelskill::Proposal &proposal);
    void annotated(int node, const QString &kind, const QJsonObject &data);
    void forkWanted(int node);
    void compareWanted(const QList<int> &nodes);

private:
    void addFork(QMenu *menu, const TrajectoryNode &node);
    void addSkills(QMenu *menu, const TrajectoryNode &node);
    void addMarks(QMenu *menu, const TrajectoryNode &node);
    void addCopies(QMenu *menu, const TrajectoryNode &node);

    SessionDocument *m_document;
    NodeSelection *m_selection;
    SkillModel *m_skills;
    QWidget *m_window;
};

} // namespace kernelskill
