// SPDX-License-Identifier: Apache-2.0
// Two to four nodes side by side: their code (or PTX, SASS, plan, profile), scrolled as one, over a table of verdict,
// time and counters whose columns end where those of the code do.
#pragma once

#include "models/compare_model.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QTableView;
class QToolButton;

namespace kernelskill {

class DiffView;
class PartTabs;
class SideHeader;

class ComparePanel : public QWidget
{
    Q_OBJECT
public:
    explicit ComparePanel(SessionDocument *document, QWidget *parent = nullptr);
    void showNodes(const QList<int> &ids);
    [[nodiscard]] CompareModel *model() const { return m_model; }
    [[nodiscard]] DiffView *view(int column) const { return m_views.value(column); }
    [[nodiscard]] PartTabs *tabs() const { return m_tabs; }
    [[nodiscard]] QTableView *table() const { return m_table; }

Q_SIGNALS:
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // of the code's columns and the table

private:
    void refresh();
    void showCode(int column, int node);
    void alignColumns();
    void scrollTogether(const DiffView *leader);

    SessionDocument *m_document;
    CompareModel *m_model;
    PartTabs *m_tabs;
    QLabel *m_count;
    QToolButton *m_linked;
    QList<SideHeader *> m_headers;
    QList<DiffView *> m_views;
    QGridLayout *m_grid;
    QStringList m_shown; // what each view holds
    QTableView *m_table;
    bool m_scrolling = false;
};

} // namespace kernelskill
