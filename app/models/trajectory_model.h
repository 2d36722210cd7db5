// SPDX-License-Identifier: Apache-2.0
// The nodes of a session as a table, in the order of their making: the twin of the graph for keyboards and screen readers.
// Holds nothing itself, so that ten thousand nodes cost nothing and one more costs one row.
#pragma once

#include "models/session_document.h"

#include <QAbstractTableModel>

namespace kernelskill {

class TrajectoryModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { NodeColumn, FromColumn, RoundColumn, SpeedupColumn, TimeColumn, SkillColumn, ColumnCount };
    enum Role { NodeIdRole = Qt::UserRole + 1, StateRole };

    explicit TrajectoryModel(SessionDocument *document, QObject *parent = nullptr);
    [[nodiscard]] int nodeAt(const QModelIndex &index) const; // −1 none
    [[nodiscard]] QModelIndex indexOfNode(int node) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void takeAll();
    void touch(int node);
    [[nodiscard]] QString text(const TrajectoryNode &node, int column) const;

    SessionDocument *m_document;
    int m_rows = 0; // that views know of
};

} // namespace kernelskill
