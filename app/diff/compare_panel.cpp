// SPDX-License-Identifier: Apache-2.0
#include "diff/compare_panel.h"

#include "diff/diff_panel.h"
#include "models/node_text.h"
#include "settings/theme.h"
#include "settings/when_seen.h"
#include "shell/bar.h"

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

ComparePanel::ComparePanel(SessionDocument *document, QWidget *parent)
    : QWidget(parent), m_document(document), m_model(new CompareModel(document, this)), m_table(new QTableView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("Compare"));
    m_count = bar->addText({});
    bar->addStretch();
    m_linked = bar->addButton(u"link-scroll"_s, tr("Scroll the code of all as one"));
    m_linked->setCheckable(true);
    m_linked->setChecked(true);
    QToolButton *close = bar->addButton(u"close"_s, tr("Back to the diff (Esc)"));
    auto *code = new QWidget;
    auto *grid = new QGridLayout(code);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(1);
    grid->setVerticalSpacing(0);
    for (int column = 0; column < CompareModel::mostNodes; ++column) {
        auto *header = new SideHeader(QChar(u'A' + column));
        auto *view = new DiffView;
        view->setAccessibleName(tr("Code of %1").arg(QChar(u'A' + column)));
        grid->addWidget(header, 0, column);
        grid->addWidget(view, 1, column);
        m_headers.append(header);
        m_views.append(view);
        connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, view] { scrollTogether(view); });
    }
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Verdict, time and counters"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
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
    QStringList shown;
    for (int column = 0; column < m_views.size(); ++column) {
        const TrajectoryNode *node = m_document->node(nodes.value(column, -1));
        m_headers[column]->setVisible(node);
        m_views[column]->setVisible(node);
        if (!node) continue;
        m_headers[column]->setNode(node, {});
        shown.append(node->candidateBlob);
        if (m_shown.value(column) == node->candidateBlob && !node->candidateBlob.isEmpty()) continue;
        const Candidate *candidate = m_document->candidate(node->id);
        if (candidate)
            m_views[column]->compare({}, {candidate->mainText(), {}}, CodeLanguage::Cuda, true);
        else
            m_views[column]->showMessage(tr("Node %1 has no code yet: it is being written.").arg(node->id));
    }
    m_shown = shown;
    QHeaderView *header = m_table->horizontalHeader();
    for (int column = 0; column < m_model->columnCount(); ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::Fixed : QHeaderView::Stretch);
    if (m_model->columnCount() > 0) header->resizeSection(0, 200);
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
