// SPDX-License-Identifier: Apache-2.0
// The nodes of a session as a tree, in the order of their making: the twin of the graph for keyboards and screen readers.
// Failed repairs stand below the candidate that they fold behind. Holds only numbers, so that ten thousand nodes cost
// next to nothing and one more costs one row.
#pragma once

#include "models/repair_folds.h"

#include <QAbstractItemModel>

namespace kernelskill {

class TrajectoryModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { NodeColumn, FromColumn, RoundColumn, SpeedupColumn, TimeColumn, SkillColumn, ColumnCount };
    enum Role { NodeIdRole = Qt::UserRole + 1, StateRole };

    TrajectoryModel(SessionDocument *document, RepairFolds *folds, QObject *parent = nullptr);
    [[nodiscard]] int nodeAt(const QModelIndex &index) const; // −1 none
    [[nodiscard]] QModelIndex indexOfNode(int node) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void takeAll();
    void touch(int node);
    void takeRuns();
    void moveBelow(int head, int node);
    [[nodiscard]] QString text(const TrajectoryNode &node, int column) const;

    SessionDocument *m_document;
    RepairFolds *m_folds;
    int m_known = 0;                  // nodes that views know of
    QList<int> m_top;                 // nodes of the first level
    QList<int> m_rows;                // of each node, within its level
    QHash<int, QList<int>> m_below;   // head → its failed repairs
    QHash<int, int> m_heads;          // failed repair → head
};

} // namespace kernelskill
