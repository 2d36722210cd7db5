// SPDX-License-Identifier: Apache-2.0
#include "diff/compare_panel.h"

#include "diff/diff_panel.h"
#include "models/node_text.h"
#include "settings/theme.h"
#include "settings/when_seen.h"
#include "shell/bar.h"

#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int nameWidth = 200; // of the table's rows

} // namespace

ComparePanel::ComparePanel(SessionDocument *document, QWidget *parent)
    : QWidget(parent), m_document(document), m_model(new CompareModel(document, this)), m_tabs(new PartTabs),
      m_table(new QTableView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("Compare"));
    bar->add(m_tabs);
    m_count = bar->addText({});
    bar->addStretch();
    m_linked = bar->addButton(u"link-scroll"_s, tr("Scroll the code of all as one"));
    m_linked->setCheckable(true);
    m_linked->setChecked(true);
    QToolButton *close = bar->addButton(u"close"_s, tr("Back to the diff (Esc)"));
    auto *code = new QWidget;
    m_grid = new QGridLayout(code);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(1);
    m_grid->setVerticalSpacing(0);
    for (int column = 0; column < CompareModel::mostNodes; ++column) {
        auto *header = new SideHeader(QChar(u'A' + column));
        auto *view = new DiffView;
        view->setAccessibleName(tr("Code of %1").arg(QChar(u'A' + column)));
        view->installEventFilter(this);
        m_grid->addWidget(header, 0, column);
        m_grid->addWidget(view, 1, column);
        m_headers.append(header);
        m_views.append(view);
        connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, view] { scrollTogether(view); });
    }
    m_table->setModel(m_model);
    m_table->viewport()->installEventFilter(this);
    m_table->setAccessibleName(tr("Verdict, time and counters"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(themeSize("row"));
    m_table->horizontalHeader()->setHighlightSections(false);
    auto *split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(code);
    split->addWidget(m_table);
    split->setSizes({600, 300});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(split, 1);
    auto *escape = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &ComparePanel::closed);
    connect(close, &QToolButton::clicked, this, &ComparePanel::closed);
    connect(m_tabs, &QTabBar::currentChanged, this, &ComparePanel::refresh);
    auto *seen = new WhenSeen(this, [this] { refresh(); });
    connect(document, &SessionDocument::nodesChanged, seen, &WhenSeen::ask);
    connect(document, &SessionDocument::reset, this, [this] {
        m_model->setNodes({});
        Q_EMIT closed();
    });
}

void ComparePanel::showNodes(const QList<int> &ids)
{
    m_model->setNodes(ids);
    m_shown.clear();
    refresh();
    m_views.first()->setFocus();
}

void ComparePanel::refresh()
{
    m_model->setNodes(QList<int>(m_model->nodes())); // their figures may be new
    const QList<int> &nodes = m_model->nodes();
    m_count->setText(tr("%1 nodes").arg(nodes.size()));
    QList<const Evaluation *> evaluations;
    for (const int node : nodes)
        evaluations.append(m_document->evaluation(node));
    m_tabs->showPartsOf(evaluations);
    m_shown.resize(m_views.size());
    for (int column = 0; column < m_views.size(); ++column) {
        const TrajectoryNode *node = m_document->node(nodes.value(column, -1));
        m_headers[column]->setVisible(node);
        m_views[column]->setVisible(node);
        m_grid->setColumnStretch(column, node ? 1 : 0);
        if (!node) continue;
        m_headers[column]->setNode(node, {});
        showCode(column, node->id);
    }
    alignColumns();
}

void ComparePanel::showCode(int column, int id)
{
    const NodePart part = m_tabs->current();
    const TrajectoryNode &node = *m_document->node(id);
    const QString shown = u"%1 %2 %3 %4 %5"_s.arg(titleOf(part)).arg(id).arg(node.candidateBlob, node.evaluationBlob, node.plan.skill);
    if (m_shown[column] == shown) return;
    m_shown[column] = shown;
    const DiffSide side = sideOf(*m_document, id, part);
    if (side.text.isEmpty())
        m_views[column]->showMessage(missingSentence(id, part));
    else
        m_views[column]->compare({}, side, languageOf(part), true);
}

bool ComparePanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) alignColumns();
    return QWidget::eventFilter(watched, event);
}

// The names share the first column of the code with A's values, so that no line of code is narrower for them.
void ComparePanel::alignColumns()
{
    const int count = int(m_model->nodes().size());
    if (count == 0) return;
    QHeaderView *header = m_table->horizontalHeader();
    const auto edge = [&](int column) { // where the column of the code ends
        return column + 1 < count ? m_views[column + 1]->x() : std::max(m_views[column]->x() + 1, m_table->viewport()->width());
    };
    const int name = std::min(nameWidth, edge(0) * 55 / 100);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->resizeSection(0, name);
    header->resizeSection(1, edge(0) - name);
    for (int column = 1; column < count; ++column)
        header->resizeSection(column + 1, edge(column) - edge(column - 1));
}

void ComparePanel::scrollTogether(const DiffView *leader)
{
    if (m_scrolling || !m_linked->isChecked()) return;
    m_scrolling = true;
    for (DiffView *view : std::as_const(m_views)) {
        if (view != leader && view->isVisible()) view->verticalScrollBar()->setValue(leader->verticalScrollBar()->value());
    }
    m_scrolling = false;
}

} // namespace kernelskill
