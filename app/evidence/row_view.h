// SPDX-License-Identifier: Apache-2.0
// A tree of panel rows (models/panel_rows.h) under section bands: the view of the Why and Evidence panels.
#pragma once

#include "models/tree_rows.h"

#include <QTreeView>

namespace kernelskill {

class RowView : public QTreeView
{
    Q_OBJECT
public:
    // Of rows of its own, or of a model that is filled elsewhere and outlives it.
    explicit RowView(QWidget *parent = nullptr, TreeRowsModel *model = nullptr);
    // Sections are open; below them what is true is open, the rest closed, unless a person opened it.
    void setRows(std::unique_ptr<TreeRow> root, const QString &emptySentence);
    void rowsChanged(const QString &emptySentence); // the model was filled elsewhere
    [[nodiscard]] TreeRowsModel *rows() const { return m_model; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void drawBranches(QPainter *painter, const QRect &rect, const QModelIndex &index) const override;

private:
    void openAsNeeded();
    TreeRowsModel *m_model;
    QString m_empty;
    QHash<QString, bool> m_opened; // key of a group → what a person chose
};

} // namespace kernelskill
