// SPDX-License-Identifier: Apache-2.0
// Pages under a row of tabs; pages may move between two such panels. Does not own what is taken out of it.
#pragma once

#include <QWidget>

class QStackedWidget;
class QTabBar;

namespace kernelskill {

class TabPanel : public QWidget
{
    Q_OBJECT
public:
    explicit TabPanel(QWidget *parent = nullptr);
    void insertPage(int index, const QString &title, QWidget *page);
    [[nodiscard]] bool contains(QWidget *page) const;
    void removePage(QWidget *page);
    void setCurrentPage(QWidget *page);
    [[nodiscard]] QWidget *currentPage() const;

private:
    QTabBar *m_tabs;
    QStackedWidget *m_stack;
};

} // namespace kernelskill
