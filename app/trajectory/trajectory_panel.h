// SPDX-License-Identifier: Apache-2.0
// The trajectory under its bar: task facts, dim failures, follow, zoom; the graph, or the same nodes as a list.
#pragma once

#include "trajectory/trajectory_view.h"

class QCheckBox;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace kernelskill {

class Bar;
class ElidedLabel;
class RepairFolds;
class TrajectoryModel;

class TrajectoryPanel : public QWidget
{
    Q_OBJECT
public:
    TrajectoryPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    [[nodiscard]] TrajectoryView *view() const { return m_view; }
    [[nodiscard]] TrajectoryModel *model() const { return m_model; }
    [[nodiscard]] RepairFolds *folds() const { return m_folds; }
    [[nodiscard]] QTreeView *list() const { return m_tree; }
    void setFacts(const QString &facts);
    void showAsList(bool list);

Q_SIGNALS:
    void menuWanted(QMenu *menu, int node); // of the graph or the list

private:
    void showSelection();
    void showFollow();
    void showFolds();
    void addFold(QMenu *menu, int node);

    SessionDocument *m_document;
    NodeSelection *m_selection;
    RepairFolds *m_folds;
    TrajectoryModel *m_model;
    TrajectoryView *m_view;
    QTreeView *m_tree;
    QStackedWidget *m_stack;
    ElidedLabel *m_facts;
    QCheckBox *m_follow;
    QLabel *m_badge, *m_zoom;
};

} // namespace kernelskill
