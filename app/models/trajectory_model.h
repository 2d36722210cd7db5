// SPDX-License-Identifier: Apache-2.0
// The nodes of a session as a tree: the same facts as the graph, for keyboards, screen readers and search.
#pragma once

#include "models/session_document.h"
#include "models/tree_rows.h"

namespace kernelskill {

class TrajectoryModel : public TreeRowsModel
{
    Q_OBJECT
public:
    enum Column { NodeColumn, RoundColumn, SpeedupColumn, TimeColumn, SkillColumn, ColumnCount };
    enum Role { NodeIdRole = Qt::UserRole + 1, StateRole };

    explicit TrajectoryModel(SessionDocument *document, QObject *parent = nullptr);
    [[nodiscard]] int nodeAt(const QModelIndex &index) const; // −1 none
    [[nodiscard]] QModelIndex indexOfNode(int node) const;

private:
    void rebuild();
    SessionDocument *m_document;
};

} // namespace kernelskill
