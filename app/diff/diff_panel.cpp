// SPDX-License-Identifier: Apache-2.0
#include "diff/diff_panel.h"

#include "models/node_text.h"
#include "profile/metric_catalogue.h"
#include "settings/glyphs.h"
#include "settings/icons.h"
#include "settings/numbers.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QPainter>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

const QString cudaTab = u"CUDA"_s, ptxTab = u"PTX"_s, sassTab = u"SASS"_s, planTab = u"Plan"_s, profileTab = u"Profile"_s;

// A plan as text, one fact a line, so that two plans compare line by line.
QString planText(const TrajectoryNode &node)
{
    const Plan &plan = node.plan;
    if (plan.skill.isEmpty() && plan.method.isEmpty() && plan.rationale.isEmpty()) return {};
    QString text = u"Method      %1\nSkill       %2\n"_s.arg(plan.method, plan.skill);
    if (plan.overridesPolicy) text += u"Overrides the policy\n"_s;
    text += u"\nWhy\n"_s;
    for (const QString &sentence : plan.rationale.split(u". "_s, Qt::SkipEmptyParts))
        text += u"    "_s + sentence.trimmed() + (sentence.endsWith(u'.') ? u"\n"_s : u".\n"_s);
    text += u"\nParameters\n"_s;
    for (auto value = plan.parameters.begin(); value != plan.parameters.end(); ++value)
        text += u"    %1 = %2\n"_s.arg(value.key(), value->toVariant().toString());
    text += u"\nPromises\n"_s;
    for (const MetricPromise &promise : plan.promises) {
        const MetricInfo *info = metricInfo(promise.metric);
        text += u"    %1: %2\n"_s.arg(info ? info->title : promise.metric, numbers::promise(promise.change));
    }
    return text;
}

QString profileText(const Evaluation &evaluation)
{
    QString text;
    for (const KernelProfile &kernel : evaluation.profile.kernels) {
        text += u"%1  grid %2×%3×%4  block %5×%6×%7\n"_s.arg(kernel.name)
                    .arg(kernel.grid[0])
                    .arg(kernel.grid[1])
                    .arg(kernel.grid[2])
                    .arg(kernel.block[0])
                    .arg(kernel.block[1])
                    .arg(kernel.block[2]);
        text += u"    %1 %2\n"_s.arg(u"Duration"_s, -34).arg(numbers::duration_us(kernel.duration_us), 14);
        text += u"    %1 %2\n"_s.arg(u"Roofline time"_s, -34).arg(numbers::duration_us(kernel.roofline_us), 14);
        for (auto metric = kernel.metrics.begin(); metric != kernel.metrics.end(); ++metric) {
            const MetricInfo *info = metricInfo(metric.key());
            text += u"    %1 %2\n"_s.arg(info ? info->title : metric.key(), -34)
                        .arg(numbers::metricValue(*metric, info ? info->unit : QString()), 14);
        }
        for (auto stall = kernel.stalls.begin(); stall != kernel.stalls.end(); ++stall)
            text +=
                u"    %1 %2\n"_s.arg(u"Stall "_s + stall.key(), -34).arg(numbers::withUnit(*stall * 100, u"%"_s), 14);
        text += u'\n';
    }
    return text;
}

QHash<int, LineNote> notesOf(const Candidate &candidate, const Evaluation *evaluation)
{
    QHash<int, LineNote> notes;
    if (!evaluation || candidate.isEmpty()) return notes;
    const QString path = candidate.files.first().path;
    const auto isMain = [&](const QString &file) {
        return file.isEmpty() || file == path || file.endsWith(u'/' + path);
    };
    for (const KernelProfile &kernel : evaluation->profile.kernels) {
        for (const HotSpot &spot : kernel.hotSpots) {
            // Lines that take less than a twentieth of the stalls would only be noise.
            if (spot.line > 0 && isMain(spot.file) && spot.stallShare >= 0.05 && !notes.contains(spot.line - 1))
                notes.insert(spot.line - 1, {spot.text, false});
        }
    }
    for (const Finding &finding : evaluation->findings) {
        if (finding.line > 0 && isMain(finding.file))
            notes.insert(finding.line - 1, {finding.message.section(u'\n', 0, 0), true});
    }
    return notes;
}

} // namespace

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
    : QWidget(parent), m_document(document), m_selection(selection), m_tabs(new QTabBar), m_step(new ElidedLabel),
      m_left(new SideHeader(u'A')), m_right(new SideHeader(u'B')), m_view(new DiffView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("Diff"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setDocumentMode(true);
    for (const QString &name : {cudaTab, ptxTab, sassTab, planTab, profileTab})
        m_tabs->addTab(name);
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

QString DiffPanel::currentTab() const
{
    return m_tabs->tabText(m_tabs->currentIndex());
}

DiffSide DiffPanel::sideOf(int id, const QString &tab) const
{
    const TrajectoryNode *node = m_document->node(id);
    const Candidate *candidate = m_document->candidate(id);
    const Evaluation *evaluation = m_document->evaluation(id);
    if (!node) return {};
    if (tab == ptxTab || tab == sassTab) return {evaluation ? evaluation->artefacts.value(tab.toLower()) : QString(), {}};
    if (tab == planTab) return {planText(*node), {}};
    if (tab == profileTab) return {evaluation ? profileText(*evaluation) : QString(), {}};
    return candidate ? DiffSide{candidate->mainText(), notesOf(*candidate, evaluation)} : DiffSide{};
}

void DiffPanel::updateTabs(const Evaluation *evaluation)
{
    // A tab whose text does not exist for this node stays away rather than showing nothing.
    for (int i = 0; i < m_tabs->count(); ++i) {
        const QString name = m_tabs->tabText(i);
        const bool there = name == cudaTab || name == planTab ||
                           ((name == ptxTab || name == sassTab) && evaluation &&
                            !evaluation->artefacts.value(name.toLower()).isEmpty()) ||
                           (name == profileTab && evaluation && !evaluation->profile.isEmpty());
        m_tabs->setTabVisible(i, there || i == m_tabs->currentIndex());
    }
    m_tabs->updateGeometry();
}

void DiffPanel::refresh()
{
    const TrajectoryNode *b = m_document->node(m_selection->selected());
    const TrajectoryNode *a = m_document->node(m_selection->compared());
    const QString tab = currentTab();
    updateTabs(b ? m_document->evaluation(b->id) : nullptr);
    const Candidate *candidate = b ? m_document->candidate(b->id) : nullptr;
    const QString file = candidate && !candidate->isEmpty() ? candidate->files.first().path : QString();
    m_left->setVisible(a != nullptr);
    m_left->setNode(a, {});
    m_right->setVisible(b != nullptr);
    m_right->setNode(b, tab == cudaTab ? file : QString());
    showStep(a, b);
    const auto signature = [](const TrajectoryNode *node) {
        return node ? u"%1 %2 %3 %4"_s.arg(node->id).arg(node->candidateBlob, node->evaluationBlob, node->plan.skill)
                    : QString();
    };
    const QString shown = tab + u'|' + signature(a) + u'|' + signature(b);
    if (shown == m_shown) return;
    m_shown = shown;
    if (!b) {
        m_view->showMessage(m_document->isEmpty()
                                ? tr("The code of the selected candidate appears here, beside its parent's.")
                                : tr("Select a node to see its code beside its parent's."));
        return;
    }
    const DiffSide right = sideOf(b->id, tab);
    if (right.text.isEmpty()) {
        m_view->showMessage(tab == cudaTab ? tr("Node %1 has no code yet: it is being written.").arg(b->id)
                            : tab == planTab
                                ? tr("Node %1 has no plan: it is the starting point or a repair.").arg(b->id)
                                : tr("Node %1 has no %2.").arg(b->id).arg(tab));
        return;
    }
    const DiffSide left = a ? sideOf(a->id, tab) : DiffSide{};
    m_view->compare(left, right,
                    tab == cudaTab   ? CodeLanguage::Cuda
                    : tab == ptxTab  ? CodeLanguage::Ptx
                    : tab == sassTab ? CodeLanguage::Sass
                                     : CodeLanguage::Plain,
                    !a || left.text.isEmpty());
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
