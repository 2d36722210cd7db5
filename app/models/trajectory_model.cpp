// SPDX-License-Identifier: Apache-2.0
#include "models/trajectory_model.h"

#include "models/node_text.h"
#include "settings/numbers.h"

using namespace Qt::StringLiterals;

namespace kernelskill {

TrajectoryModel::TrajectoryModel(SessionDocument *document, RepairFolds *folds, QObject *parent)
    : QAbstractItemModel(parent), m_document(document), m_folds(folds)
{
    connect(document, &SessionDocument::reset, this, &TrajectoryModel::takeAll);
    connect(document, &SessionDocument::nodeTouched, this, &TrajectoryModel::touch);
    connect(document, &SessionDocument::stageChanged, this, &TrajectoryModel::touch);
    connect(folds, &RepairFolds::runsChanged, this, &TrajectoryModel::takeRuns);
    takeAll();
}

void TrajectoryModel::takeAll()
{
    beginResetModel();
    m_known = int(m_document->trajectory().nodes.size());
    m_top.clear();
    m_below.clear();
    m_heads.clear();
    m_rows.resize(m_known);
    for (const FailedRepairs &run : m_folds->runs()) {
        m_below.insert(run.head, run.repairs);
        for (int row = 0; row < run.repairs.size(); ++row) {
            m_heads.insert(run.repairs[row], run.head);
            m_rows[run.repairs[row]] = row;
        }
    }
    for (int node = 0; node < m_known; ++node) {
        if (m_heads.contains(node)) continue;
        m_rows[node] = int(m_top.size());
        m_top.append(node);
    }
    endResetModel();
}

void TrajectoryModel::touch(int node)
{
    const int count = int(m_document->trajectory().nodes.size());
    if (count == m_known + 1 && node == m_known) {
        beginInsertRows({}, int(m_top.size()), int(m_top.size()));
        m_rows.append(int(m_top.size()));
        m_top.append(node);
        m_known = count;
        endInsertRows();
    } else if (count != m_known) {
        takeAll(); // a node between others: an older file continued
    } else if (const QModelIndex changed = indexOfNode(node); changed.isValid()) {
        Q_EMIT dataChanged(changed, changed.siblingAtColumn(ColumnCount - 1));
    }
}

// A run that is settled moves below its head; one that comes apart, as when a repair is evaluated again, is rare.
void TrajectoryModel::takeRuns()
{
    QList<FailedRepairs> fresh;
    qsizetype kept = 0;
    for (const FailedRepairs &run : m_folds->runs()) {
        const auto known = m_below.constFind(run.head);
        if (known == m_below.constEnd())
            fresh.append(run);
        else if (*known == run.repairs)
            ++kept;
    }
    if (kept != m_below.size() || m_known != m_document->trajectory().nodes.size()) {
        takeAll();
        return;
    }
    for (const FailedRepairs &run : std::as_const(fresh)) {
        for (const int node : run.repairs)
            moveBelow(run.head, node);
    }
}

void TrajectoryModel::moveBelow(int head, int node)
{
    const int row = m_rows[node], last = int(m_below.value(head).size());
    beginMoveRows({}, row, row, indexOfNode(head), last);
    m_top.removeAt(row);
    for (qsizetype later = row; later < m_top.size(); ++later)
        m_rows[m_top[later]] = int(later);
    m_below[head].append(node);
    m_heads.insert(node, head);
    m_rows[node] = last;
    endMoveRows();
}

int TrajectoryModel::nodeAt(const QModelIndex &index) const
{
    return index.isValid() ? int(index.internalId()) : -1;
}

QModelIndex TrajectoryModel::indexOfNode(int node) const
{
    return node >= 0 && node < m_known ? createIndex(m_rows[node], NodeColumn, quintptr(node)) : QModelIndex();
}

QModelIndex TrajectoryModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent)) return {};
    const int node = parent.isValid() ? m_below[nodeAt(parent)][row] : m_top[row];
    return createIndex(row, column, quintptr(node));
}

QModelIndex TrajectoryModel::parent(const QModelIndex &child) const
{
    return child.isValid() ? indexOfNode(m_heads.value(nodeAt(child), -1)) : QModelIndex();
}

int TrajectoryModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid()) return int(m_top.size());
    return parent.column() == NodeColumn ? int(m_below.value(nodeAt(parent)).size()) : 0;
}

int TrajectoryModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

QString TrajectoryModel::text(const TrajectoryNode &node, int column) const
{
    switch (column) {
    case NodeColumn: {
        const qsizetype repairs = m_below.value(node.id).size();
        return u"%1 %2%3%4"_s.arg(node.id).arg(node.note.isEmpty() ? node_text::title(node) : node.note,
                                               node.recorded ? tr(", recorded") : QString(),
                                               repairs > 0 ? tr(", %1 repairs failed").arg(repairs) : QString());
    }
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
    const TrajectoryNode *known = m_document->node(nodeAt(index));
    if (!known) return {};
    const TrajectoryNode &node = *known;
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
