// SPDX-License-Identifier: Apache-2.0
// A tree of text rows as an item model: what the lists and trees of the side panels show. UI thread.
#pragma once

#include <QAbstractItemModel>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <memory>
#include <vector>

namespace kernelskill {

// One row. `key` names it among its siblings across updates; `data` holds roles above Qt::UserRole and tooltips.
struct TreeRow
{
    QString key;
    QStringList cells;
    QHash<int, QVariant> data;
    std::vector<std::unique_ptr<TreeRow>> children;
    TreeRow *parent = nullptr;

    TreeRow *add(QString rowKey, QStringList rowCells, QHash<int, QVariant> rowData = {});
    [[nodiscard]] int position() const; // among its siblings
};

class TreeRowsModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    TreeRowsModel(QStringList headers, QList<int> numberColumns = {}, QObject *parent = nullptr);

    // Takes new content. The same keys in the same places keep selection, expansion and scrolling.
    void setRows(std::unique_ptr<TreeRow> root);
    [[nodiscard]] const TreeRow *row(const QModelIndex &index) const; // the root for an invalid index
    // The first row, depth first, whose data under `role` equals `value`.
    [[nodiscard]] QModelIndex find(int role, const QVariant &value) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &child) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

private:
    [[nodiscard]] QModelIndex indexOf(const TreeRow *row, int column) const;
    void takeOver(TreeRow *current, TreeRow *fresh);

    QStringList m_headers;
    QList<int> m_numberColumns; // right-aligned
    std::unique_ptr<TreeRow> m_root;
};

} // namespace kernelskill
