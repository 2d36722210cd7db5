// SPDX-License-Identifier: Apache-2.0
#include "transcript/usage_strip.h"

#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

UsageStrip::UsageStrip(SessionDocument *document, QWidget *parent)
    : QWidget(parent), m_model(new UsageModel(document, this)), m_line(new ElidedLabel), m_table(new QTableView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    m_fold = bar->addButton(u"right"_s, tr("By role"));
    m_fold->setCheckable(true);
    bar->add(m_line, 1);
    QToolButton *copy = bar->addButton(u"copy"_s, tr("Copy the table as CSV"));
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Calls to models by role"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setFont(theme().font(TextStyle::Caption));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(themeSize("rowCompact"));
    m_table->verticalHeader()->setDefaultSectionSize(themeSize("rowCompact"));
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // it is as high as its rows
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(UsageModel::RoleColumn, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_table);
    connect(m_fold, &QToolButton::toggled, this, [this](bool open) {
        m_fold->setIcon(themedIcon(open ? u"down"_s : u"right"_s));
        m_table->setVisible(open);
    });
    connect(copy, &QToolButton::clicked, this, &UsageStrip::copyCsv);
    connect(m_model, &QAbstractItemModel::modelReset, this, &UsageStrip::refresh);
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &UsageStrip::refresh);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &UsageStrip::refresh);
    refresh();
}

void UsageStrip::setUnfolded(bool unfolded)
{
    m_fold->setChecked(unfolded);
}

void UsageStrip::copyCsv()
{
    QApplication::clipboard()->setText(m_model->toCsv());
}

void UsageStrip::refresh()
{
    setVisible(!m_model->isEmpty());
    m_line->setText(m_model->summary());
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + m_table->verticalHeader()->length() + 2 * m_table->frameWidth());
}

} // namespace kernelskill
