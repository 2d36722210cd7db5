// SPDX-License-Identifier: Apache-2.0
#include "shell/tab_panel.h"

#include "settings/theme.h"

#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace kernelskill {

TabPanel::TabPanel(QWidget *parent) : QWidget(parent), m_tabs(new QTabBar), m_stack(new QStackedWidget)
{
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setProperty("dense", true); // a dock is narrow
    m_tabs->setAutoHide(true); // one page needs no tabs
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(m_stack, 1);
    connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
}

void TabPanel::insertPage(int index, const QString &title, QWidget *page)
{
    if (contains(page)) return;
    m_stack->insertWidget(index, page);
    m_tabs->insertTab(index, title);
    m_stack->setCurrentIndex(m_tabs->currentIndex());
}

bool TabPanel::contains(QWidget *page) const
{
    return m_stack->indexOf(page) >= 0;
}

void TabPanel::removePage(QWidget *page)
{
    const int index = m_stack->indexOf(page);
    if (index < 0) return;
    m_stack->removeWidget(page);
    m_tabs->removeTab(index);
    m_stack->setCurrentIndex(m_tabs->currentIndex());
}

void TabPanel::setCurrentPage(QWidget *page)
{
    const int index = m_stack->indexOf(page);
    if (index >= 0) m_tabs->setCurrentIndex(index);
}

QWidget *TabPanel::currentPage() const
{
    return m_stack->currentWidget();
}

} // namespace kernelskill
