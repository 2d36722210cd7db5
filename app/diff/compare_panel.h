// SPDX-License-Identifier: Apache-2.0
// Two to four nodes side by side: their code, scrolled as one, over a table of verdict, time and counters.
#pragma once

#include "models/compare_model.h"

#include <QWidget>

class QLabel;
class QTableView;
class QToolButton;

namespace kernelskill {

class DiffView;
class SideHeader;

class ComparePanel : public QWidget
{
    Q_OBJECT
public:
    explicit ComparePanel(SessionDocument *document, QWidget *parent = nullptr);
    void showNodes(const QList<int> &ids);
    [[nodiscard]] CompareModel *model() const { return m_model; }
    [[nodiscard]] DiffView *view(int column) const { return m_views.value(column); }

Q_SIGNALS:
    void closed();

private:
    void refresh();
    void scrollTogether(const DiffView *leader);

    SessionDocument *m_document;
    CompareModel *m_model;
    QLabel *m_count;
    QToolButton *m_linked;
    QList<SideHeader *> m_headers;
    QList<DiffView *> m_views;
    QStringList m_shown; // the code each view holds
    QTableView *m_table;
    bool m_scrolling = false;
};

} // namespace kernelskill
