// SPDX-License-Identifier: Apache-2.0
// Rows about one skill (models/skill_rows.h): its ledger, its revisions, the nodes it shaped. Enter opens the node
// behind a row, and so does a click where the table is one of links.
#pragma once

#include "models/tree_rows.h"

#include <QTreeView>

namespace kernelskill {

class SkillTable : public QTreeView
{
    Q_OBJECT
public:
    SkillTable(const QStringList &headers, const QList<int> &numberColumns, const QString &name,
               QWidget *parent = nullptr);
    void setRows(std::unique_ptr<TreeRow> root);
    void setEmptySentence(const QString &sentence) { m_empty = sentence; }
    void setOpensOnClick(bool opens) { m_opensOnClick = opens; }
    // Groups in one cell each, with all their words; for where there is no room for columns.
    void setSpansGroups(bool spans);
    [[nodiscard]] bool spansGroups() const { return m_spansGroups; }
    [[nodiscard]] TreeRowsModel *rows() const { return m_model; }

Q_SIGNALS:
    void nodeWanted(const QString &sessionPath, const QString &session, int node);

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void drawBranches(QPainter *, const QRect &, const QModelIndex &) const override {}

private:
    bool open(const QModelIndex &index); // false: there is no node behind it

    TreeRowsModel *m_model;
    QString m_empty;
    void span();
    bool m_opensOnClick = false, m_spansGroups = false;
};

} // namespace kernelskill
