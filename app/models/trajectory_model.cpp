// SPDX-License-Identifier: Apache-2.0
#include "models/trajectory_model.h"

#include "models/node_text.h"
#include "settings/numbers.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

TrajectoryModel::TrajectoryModel(SessionDocument *document, QObject *parent)
    : QAbstractTableModel(parent), m_document(document)
{
    connect(document, &SessionDocument::reset, this, &TrajectoryModel::takeAll);
    connect(document, &SessionDocument::nodeTouched, this, &TrajectoryModel::touch);
    connect(document, &SessionDocument::stageChanged, this, &TrajectoryModel::touch);
    takeAll();
}

void TrajectoryModel::takeAll()
{
    beginResetModel();
    m_rows = int(m_document->trajectory().nodes.size());
    endResetModel();
}

void TrajectoryModel::touch(int node)
{
    const int count = int(m_document->trajectory().nodes.size());
    const int row = indexOfNode(node).row();
    if (count == m_rows + 1 && row == m_rows) {
        beginInsertRows({}, row, row);
        m_rows = count;
        endInsertRows();
    } else if (count != m_rows) {
        takeAll(); // a node between others: an older file continued
    } else if (row >= 0) {
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

int TrajectoryModel::nodeAt(const QModelIndex &index) const
{
    return index.isValid() && index.row() < m_rows ? m_document->trajectory().nodes[index.row()].id : -1;
}

QModelIndex TrajectoryModel::indexOfNode(int node) const
{
    const auto &nodes = m_document->trajectory().nodes;
    const auto found = std::ranges::lower_bound(nodes, node, {}, &TrajectoryNode::id);
    if (found == nodes.end() || found->id != node) return {};
    return createIndex(int(found - nodes.begin()), NodeColumn);
}

int TrajectoryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int TrajectoryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString TrajectoryModel::text(const TrajectoryNode &node, int column) const
{
    switch (column) {
    case NodeColumn:
        return u"%1 %2%3"_s.arg(node.id).arg(node.note.isEmpty() ? node_text::title(node) : node.note, node.recorded ? tr(", recorded") : QString());
    case FromColumn:
        return node.parent >= 0 ? QString::number(node.parent) : QString();
    case RoundColumn:
        return QString::number(node.round);
    case SpeedupColumn:
        return node_text::hasSpeedup(node) ? node_text::full(node) : node_text::headline(node);
    case TimeColumn:
        return node.time_us && node_text::hasSpeedup(node) ? numbers::duration_us(*node.time_us) : QString();
    case SkillColumn:
        return node_text::titleOfSkill(node.skill);
    default:
        return {};
    }
}

QVariant TrajectoryModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows) return {};
    const TrajectoryNode &node = m_document->trajectory().nodes[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return text(node, index.column());
    case Qt::ToolTipRole:
        return node_text::summary(node, m_document->stageText(node.id));
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (index.column() == NodeColumn || index.column() == SkillColumn ? Qt::AlignLeft : Qt::AlignRight));
    case NodeIdRole:
        return node.id;
    case StateRole:
        return int(node.state);
    default:
        return {};
    }
}

QVariant TrajectoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == NodeColumn || section == SkillColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    static const QStringList titles{tr("Node"), tr("From"), tr("Round"), tr("Speedup"), tr("Time"), tr("Skill")};
    return titles.value(section);
}

} // namespace kernelskill
