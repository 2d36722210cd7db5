// SPDX-License-Identifier: Apache-2.0
#include "diff/diff_panel.h"

#include "models/node_text.h"
#include "settings/glyphs.h"
#include "settings/icons.h"
#include "settings/numbers.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

SideHeader::SideHeader(QChar letter, QWidget *parent) : QWidget(parent), m_letter(letter)
{
    setFixedHeight(themeSize("columnHeader"));
}

void SideHeader::setNode(const TrajectoryNode *node, const QString &file)
{
    m_empty = !node;
    if (node) {
        m_state = node->state;
        m_title = u"%1 %2"_s.arg(node->id).arg(node_text::title(*node));
        m_facts = node_text::full(*node);
        m_file = file;
        setToolTip(node_text::summary(*node, {}));
    }
    update();
}

void SideHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("surface.panel"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
    if (m_empty) return;
    int x = theme().space(8);
    glyphs::paintLetter(painter, QRectF(x, height() / 2.0 - 7.5, 14, 14), m_letter);
    x += 20;
    painter.setFont(theme().font(TextStyle::Strong));
    painter.setPen(themeColor("text.primary"));
    const QRect room = rect().adjusted(0, 0, -8, -1);
    const QFontMetrics strong(painter.font()), plain(theme().font(TextStyle::Body));
    const int factsWidth = plain.horizontalAdvance(m_facts) + 22;
    const QString title = strong.elidedText(m_title, Qt::ElideRight, std::max(60, room.right() - x - factsWidth));
    painter.drawText(QRect(x, 0, room.right() - x, room.height()), Qt::AlignVCenter, title);
    x += strong.horizontalAdvance(title) + 8;
    glyphs::paintState(painter, QRectF(x, height() / 2.0 - 6, 11, 11), m_state);
    x += 16;
    painter.setFont(theme().font(TextStyle::Body));
    painter.setPen(themeColor("text.secondary"));
    const QString facts = plain.elidedText(m_facts, Qt::ElideRight, std::max(0, room.right() - x));
    painter.drawText(QRect(x, 0, room.right() - x, room.height()), Qt::AlignVCenter, facts);
    x += plain.horizontalAdvance(facts) + 16;
    if (x + plain.horizontalAdvance(m_file) < room.right())
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignRight, m_file);
}

DiffPanel::DiffPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_tabs(new PartTabs), m_step(new ElidedLabel),
      m_left(new SideHeader(u'A')), m_right(new SideHeader(u'B')), m_view(new DiffView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("Diff"));
    bar->add(m_tabs);
    bar->add(m_step, 1);
    m_fold = bar->addButton(u"fold"_s, tr("Fold unchanged lines"));
    m_fold->setCheckable(true);
    m_fold->setChecked(true);
    m_previous = bar->addButton(u"up"_s, tr("Previous change (P)"));
    m_hunk = bar->addText({});
    m_next = bar->addButton(u"down"_s, tr("Next change (N)"));
    m_maximise = bar->addButton(u"maximise"_s, tr("Give the diff the whole window; Esc returns"));
    m_maximise->setCheckable(true);

    auto *sides = new QHBoxLayout;
    sides->setSpacing(1);
    sides->addWidget(m_left, 1);
    sides->addWidget(m_right, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addLayout(sides);
    layout->addWidget(m_view, 1);

    connect(m_tabs, &QTabBar::currentChanged, this, &DiffPanel::refresh);
    connect(m_fold, &QToolButton::toggled, m_view, &DiffView::setFold);
    connect(m_previous, &QToolButton::clicked, this, [this] { m_view->goToHunk(m_view->currentHunk() - 1); });
    connect(m_next, &QToolButton::clicked, this, [this] { m_view->goToHunk(m_view->currentHunk() + 1); });
    connect(m_maximise, &QToolButton::clicked, this, &DiffPanel::maximiseRequested);
    connect(m_view, &DiffView::hunkChanged, this, &DiffPanel::showHunk);
    connect(document, &SessionDocument::reset, this, [this] { m_shown.clear(); });
    connect(document, &SessionDocument::nodesChanged, this, &DiffPanel::refresh);
    connect(selection, &NodeSelection::changed, this, &DiffPanel::refresh);
    refresh();
}

void DiffPanel::setMaximised(bool maximised)
{
    m_maximise->setChecked(maximised);
}

void DiffPanel::refresh()
{
    const TrajectoryNode *b = m_document->node(m_selection->selected());
    const TrajectoryNode *a = m_document->node(m_selection->compared());
    const NodePart part = m_tabs->current();
    m_tabs->showPartsOf({b ? m_document->evaluation(b->id) : nullptr});
    const Candidate *candidate = b ? m_document->candidate(b->id) : nullptr;
    const QString file = candidate && !candidate->isEmpty() ? candidate->files.first().path : QString();
    m_left->setVisible(a != nullptr);
    m_left->setNode(a, {});
    m_right->setVisible(b != nullptr);
    m_right->setNode(b, part == NodePart::Cuda ? file : QString());
    showStep(a, b);
    const auto signature = [](const TrajectoryNode *node) {
        return node ? u"%1 %2 %3 %4"_s.arg(node->id).arg(node->candidateBlob, node->evaluationBlob, node->plan.skill)
                    : QString();
    };
    const QString shown = titleOf(part) + u'|' + signature(a) + u'|' + signature(b);
    if (shown == m_shown) return;
    m_shown = shown;
    if (!b) {
        m_view->showMessage(m_document->isEmpty()
                                ? tr("The code of the selected candidate appears here, beside its parent's.")
                                : tr("Select a node to see its code beside its parent's."));
        return;
    }
    const DiffSide right = sideOf(*m_document, b->id, part);
    if (right.text.isEmpty()) {
        m_view->showMessage(missingSentence(b->id, part));
        return;
    }
    const DiffSide left = a ? sideOf(*m_document, a->id, part) : DiffSide{};
    m_view->compare(left, right, languageOf(part), !a || left.text.isEmpty());
}

void DiffPanel::showStep(const TrajectoryNode *a, const TrajectoryNode *b)
{
    QString text;
    if (a && b) {
        const Evaluation *before = m_document->evaluation(a->id), *after = m_document->evaluation(b->id);
        if (b->parent == a->id && b->stepSpeedup && node_text::hasSpeedup(*b)) {
            text = tr("Step from A to B  ") + numbers::speedupFull(*b->stepSpeedup, toString(b->state));
        } else if (before && after && node_text::hasSpeedup(*a) && node_text::hasSpeedup(*b)) {
            if (const auto step = speedup(*before, *after))
                text = tr("From A to B  ") + numbers::speedupFull(*step, toString(b->state));
        }
    }
    m_step->setText(text);
}

void DiffPanel::showHunk()
{
    const int count = m_view->hunkCount(), hunk = m_view->currentHunk();
    m_hunk->setText(count == 0 ? tr("no change")
                    : hunk < 0 ? tr("%1 changes").arg(count)
                               : tr("change %1 of %2").arg(hunk + 1).arg(count));
    m_previous->setEnabled(hunk > 0);
    m_next->setEnabled(hunk + 1 < count);
}

} // namespace kernelskill
