// SPDX-License-Identifier: Apache-2.0
#include "models/tree_rows.h"

namespace kernelskill {

namespace {

bool sameShape(const TreeRow *a, const TreeRow *b)
{
    if (a->children.size() != b->children.size()) return false;
    for (size_t i = 0; i < a->children.size(); ++i) {
        if (a->children[i]->key != b->children[i]->key || !sameShape(a->children[i].get(), b->children[i].get()))
            return false;
    }
    return true;
}

const TreeRow *findRow(const TreeRow *row, int role, const QVariant &value)
{
    for (const auto &child : row->children) {
        const auto found = child->data.constFind(role);
        if (found != child->data.constEnd() && *found == value) return child.get();
        if (const TreeRow *below = findRow(child.get(), role, value)) return below;
    }
    return nullptr;
}

} // namespace

TreeRow *TreeRow::add(QString rowKey, QStringList rowCells, QHash<int, QVariant> rowData)
{
    auto child = std::make_unique<TreeRow>();
    child->key = std::move(rowKey);
    child->cells = std::move(rowCells);
    child->data = std::move(rowData);
    child->parent = this;
    children.push_back(std::move(child));
    return children.back().get();
}

int TreeRow::position() const
{
    if (parent) {
        for (size_t i = 0; i < parent->children.size(); ++i) {
            if (parent->children[i].get() == this) return int(i);
        }
    }
    return 0;
}

TreeRowsModel::TreeRowsModel(QStringList headers, QList<int> numberColumns, QObject *parent)
    : QAbstractItemModel(parent), m_headers(std::move(headers)), m_numberColumns(std::move(numberColumns)),
      m_root(std::make_unique<TreeRow>())
{
}

void TreeRowsModel::setRows(std::unique_ptr<TreeRow> root)
{
    if (sameShape(m_root.get(), root.get())) {
        takeOver(m_root.get(), root.get());
        return;
    }
    beginResetModel();
    m_root = std::move(root);
    endResetModel();
}

void TreeRowsModel::takeOver(TreeRow *current, TreeRow *fresh)
{
    for (size_t i = 0; i < current->children.size(); ++i) {
        TreeRow *mine = current->children[i].get();
        TreeRow *theirs = fresh->children[i].get();
        const bool differs = mine->cells != theirs->cells || mine->data != theirs->data;
        mine->cells = std::move(theirs->cells);
        mine->data = std::move(theirs->data);
        if (differs) Q_EMIT dataChanged(indexOf(mine, 0), indexOf(mine, int(m_headers.size()) - 1));
        takeOver(mine, theirs);
    }
}

const TreeRow *TreeRowsModel::row(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<const TreeRow *>(index.constInternalPointer()) : m_root.get();
}

QModelIndex TreeRowsModel::find(int role, const QVariant &value) const
{
    const TreeRow *found = findRow(m_root.get(), role, value);
    return found ? indexOf(found, 0) : QModelIndex();
}

QModelIndex TreeRowsModel::indexOf(const TreeRow *row, int column) const
{
    return row == m_root.get() ? QModelIndex() : createIndex(row->position(), column, row);
}

QModelIndex TreeRowsModel::index(int rowNumber, int column, const QModelIndex &parentIndex) const
{
    if (!hasIndex(rowNumber, column, parentIndex)) return {};
    return createIndex(rowNumber, column, row(parentIndex)->children[size_t(rowNumber)].get());
}

QModelIndex TreeRowsModel::parent(const QModelIndex &child) const
{
    return child.isValid() ? indexOf(row(child)->parent, 0) : QModelIndex();
}

int TreeRowsModel::rowCount(const QModelIndex &parentIndex) const
{
    return parentIndex.column() > 0 ? 0 : int(row(parentIndex)->children.size());
}

int TreeRowsModel::columnCount(const QModelIndex &) const
{
    return int(m_headers.size());
}

QVariant TreeRowsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid()) return {};
    const TreeRow *entry = row(index);
    if (role == Qt::DisplayRole) return entry->cells.value(index.column());
    if (role == Qt::TextAlignmentRole)
        return int((m_numberColumns.contains(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const auto found = entry->data.constFind(role);
    if (found != entry->data.constEnd()) return *found;
    return role == Qt::ToolTipRole ? QVariant(entry->cells.value(index.column())) : QVariant();
}

QVariant TreeRowsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return m_headers.value(section);
    if (role == Qt::TextAlignmentRole)
        return int((m_numberColumns.contains(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

Qt::ItemFlags TreeRowsModel::flags(const QModelIndex &index) const
{
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (row(index)->children.empty()) flags |= Qt::ItemNeverHasChildren;
    return flags;
}

} // namespace kernelskill
