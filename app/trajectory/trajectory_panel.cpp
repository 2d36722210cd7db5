// SPDX-License-Identifier: Apache-2.0
#include "trajectory/trajectory_panel.h"

#include "models/trajectory_model.h"
#include "settings/numbers.h"
#include "settings/popup_menu.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

TrajectoryPanel::TrajectoryPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection),
      m_folds(new RepairFolds(document, selection, this)),
      m_model(new TrajectoryModel(document, m_folds, this)), m_view(new TrajectoryView(document, selection, m_folds)), m_tree(new QTreeView), m_stack(new QStackedWidget),
      m_facts(new ElidedLabel), m_follow(new QCheckBox(tr("Follow"))), m_badge(new QLabel), m_zoom(new QLabel)
{
    auto *bar = new Bar(themeSize("chartHeader"));
    bar->addTitle(tr("Trajectory"));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    bar->add(m_facts, 1);
    auto *dim = new QCheckBox(tr("Dim failures"));
    bar->add(dim);
    bar->addSpace(theme().space(6));
    m_follow->setToolTip(tr("Select each new candidate of a live run"));
    bar->add(m_follow);
    m_badge->setFont(theme().font(TextStyle::Strong));
    bar->add(m_badge);
    bar->addSpace(theme().space(6));
    auto *list = bar->addButton(u"list"_s, tr("Show the nodes as a list"));
    list->setCheckable(true);
    auto *out = bar->addButton(u"minus"_s, tr("Zoom out (−)"));
    m_zoom->setAlignment(Qt::AlignCenter);
    m_zoom->setMinimumWidth(40);
    bar->add(m_zoom);
    auto *in = bar->addButton(u"plus"_s, tr("Zoom in (+)"));
    auto *fit = bar->addButton(u"fit"_s, tr("Fit (0)"));

    m_tree->setModel(m_model);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setAccessibleName(tr("Trajectory as a list"));
    m_tree->header()->setStretchLastSection(true);
    m_tree->header()->resizeSection(TrajectoryModel::NodeColumn, 340);
    m_tree->header()->resizeSection(TrajectoryModel::SpeedupColumn, 240);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_tree);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_stack, 1);

    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, [this](const QPoint &position) {
        QMenu *menu = newPopupMenu(this);
        Q_EMIT menuWanted(menu, m_model->nodeAt(m_tree->indexAt(position).siblingAtColumn(0)));
        popUp(menu, m_tree->viewport()->mapToGlobal(position));
    });
    connect(m_view, &TrajectoryView::menuWanted, this, &TrajectoryPanel::menuWanted);
    connect(this, &TrajectoryPanel::menuWanted, this, &TrajectoryPanel::addFold);
    connect(m_folds, &RepairFolds::changed, this, &TrajectoryPanel::showFolds);
    connect(m_tree, &QTreeView::expanded, this, [this](const QModelIndex &index) { m_folds->setOpen(m_model->nodeAt(index), true); });
    connect(m_tree, &QTreeView::collapsed, this, [this](const QModelIndex &index) { m_folds->setOpen(m_model->nodeAt(index), false); });
    connect(dim, &QCheckBox::toggled, m_view, &TrajectoryView::setDimFailures);
    connect(m_follow, &QCheckBox::clicked, selection, &NodeSelection::setFollow);
    connect(selection, &NodeSelection::followChanged, this, &TrajectoryPanel::showFollow);
    connect(list, &QToolButton::toggled, this, &TrajectoryPanel::showAsList);
    connect(out, &QToolButton::clicked, this, [this] { m_view->zoomBy(0.8); });
    connect(in, &QToolButton::clicked, this, [this] { m_view->zoomBy(1.25); });
    connect(fit, &QToolButton::clicked, m_view, &TrajectoryView::fit);
    connect(m_view, &TrajectoryView::zoomChanged, this, [this](double zoom) {
        m_zoom->setText(numbers::fixed(std::round(zoom * 100), 0) + QChar(numbers::narrowSpace) + u'%');
    });
    connect(selection, &NodeSelection::changed, this, &TrajectoryPanel::showSelection);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        showFolds();
        showSelection();
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        if (const int node = m_model->nodeAt(current.siblingAtColumn(0)); node >= 0 && m_tree->hasFocus())
            m_selection->select(node);
    });
    showFollow();
    showFolds();
    m_view->fit();
}

void TrajectoryPanel::setFacts(const QString &facts)
{
    m_facts->setText(facts);
}

void TrajectoryPanel::showAsList(bool list)
{
    m_stack->setCurrentWidget(list ? static_cast<QWidget *>(m_tree) : m_view);
    if (!list) return;
    showFolds();
    showSelection();
}

// The list opens and closes with the graph.
void TrajectoryPanel::showFolds()
{
    m_tree->setRootIsDecorated(!m_folds->runs().isEmpty());
    if (m_stack->currentWidget() != m_tree) return;
    for (const FailedRepairs &run : m_folds->runs())
        m_tree->setExpanded(m_model->indexOfNode(run.head), m_folds->isOpen(run.head));
}

void TrajectoryPanel::addFold(QMenu *menu, int node)
{
    const int head = m_folds->headOf(node) >= 0 ? m_folds->headOf(node) : node;
    const qsizetype count = m_folds->repairsOf(head).size();
    if (count == 0) return;
    menu->addAction(m_folds->isOpen(head) ? tr("F&old %1 failed repairs").arg(count) : tr("Sh&ow %1 failed repairs").arg(count), this,
                    [this, head] { m_folds->toggle(head); });
    menu->addSeparator();
}

void TrajectoryPanel::showSelection()
{
    if (m_stack->currentWidget() != m_tree) return;
    const QModelIndex index = m_model->indexOfNode(m_selection->selected());
    if (index.isValid() && m_tree->currentIndex().siblingAtColumn(0) != index) m_tree->setCurrentIndex(index);
}

void TrajectoryPanel::showFollow()
{
    m_follow->setChecked(m_selection->follows());
    const int unseen = m_selection->follows() ? 0 : m_selection->unseen();
    m_badge->setVisible(unseen > 0);
    m_badge->setText(tr("%1 new").arg(unseen));
}

} // namespace kernelskill
