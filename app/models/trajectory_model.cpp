// SPDX-License-Identifier: Apache-2.0
#include "models/trajectory_model.h"

#include "models/node_text.h"
#include "settings/numbers.h"

using namespace Qt::StringLiterals;

namespace kernelskill {

TrajectoryModel::TrajectoryModel(SessionDocument *document, QObject *parent)
    : TreeRowsModel({tr("Node"), tr("Round"), tr("Speedup"), tr("Time"), tr("Skill")},
                    {RoundColumn, SpeedupColumn, TimeColumn}, parent),
      m_document(document)
{
    connect(document, &SessionDocument::nodesChanged, this, &TrajectoryModel::rebuild);
    connect(document, &SessionDocument::stageChanged, this, &TrajectoryModel::rebuild);
    rebuild();
}

void TrajectoryModel::rebuild()
{
    auto root = std::make_unique<TreeRow>();
    QHash<int, TreeRow *> rows;
    for (const TrajectoryNode &node : m_document->trajectory().nodes) {
        TreeRow *parent = rows.value(node.parent, root.get());
        const QString stage = m_document->stageText(node.id);
        rows[node.id] = parent->add(
            QString::number(node.id),
            {u"%1 %2"_s.arg(node.id).arg(node_text::title(node)), QString::number(node.round),
             node_text::hasSpeedup(node) ? node_text::full(node) : node_text::headline(node),
             node.time_us && node_text::hasSpeedup(node) ? numbers::duration_us(*node.time_us) : QString(),
             node_text::titleOfSkill(node.skill)},
            {{NodeIdRole, node.id}, {StateRole, int(node.state)}, {Qt::ToolTipRole, node_text::summary(node, stage)}});
    }
    setRows(std::move(root));
}

int TrajectoryModel::nodeAt(const QModelIndex &index) const
{
    return index.isValid() ? data(index, NodeIdRole).toInt() : -1;
}

QModelIndex TrajectoryModel::indexOfNode(int node) const
{
    return find(NodeIdRole, node);
}

} // namespace kernelskill
