// SPDX-License-Identifier: Apache-2.0
#include "evidence/node_panels.h"

#include "models/node_text.h"
#include "models/panel_rows.h"
#include "settings/glyphs.h"
#include "settings/theme.h"
#include "settings/when_seen.h"

#include <QPainter>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

void stack(QWidget *panel, QWidget *header, QWidget *rows)
{
    auto *layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(header);
    layout->addWidget(rows, 1);
}

} // namespace

NodeHeader::NodeHeader(QWidget *parent) : QWidget(parent)
{
    setFixedHeight(2 * themeSize("row"));
}

void NodeHeader::setNode(const TrajectoryNode *node, const QString &subtext)
{
    m_empty = !node;
    if (node) {
        m_title = u"%1 %2"_s.arg(node->id).arg(node_text::title(*node));
        m_facts = node_text::full(*node);
        m_state = node->state;
        setToolTip(node_text::summary(*node, {}));
    }
    m_subtext = subtext;
    update();
}

void NodeHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("surface.panel"));
    if (m_empty) return;
    const int half = height() / 2;
    glyphs::paintState(painter, QRectF(8, half / 2.0 - 4, 12, 12), m_state);
    painter.setFont(theme().font(TextStyle::Title));
    painter.setPen(themeColor("text.primary"));
    painter.drawText(QRect(27, 2, width() - 35, half), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_title, Qt::ElideRight, width() - 35));
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    const QString below = m_subtext.isEmpty() ? m_facts : m_facts + u" · "_s + m_subtext;
    painter.drawText(QRect(27, half, width() - 35, half - 2), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(below, Qt::ElideRight, width() - 35));
}

WhyPanel::WhyPanel(SessionDocument *document, NodeSelection *selection, SkillModel *skills, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_skills(skills), m_header(new NodeHeader),
      m_rows(new RowView)
{
    stack(this, m_header, m_rows);
    m_rows->setAccessibleName(tr("Why this candidate"));
    auto *seen = new WhenSeen(this, [this] { refresh(); });
    connect(selection, &NodeSelection::changed, seen, &WhenSeen::ask);
    connect(document, &SessionDocument::roundsChanged, seen, &WhenSeen::ask);
    connect(skills, &SkillModel::contentsChanged, seen, &WhenSeen::ask);
}

void WhyPanel::refresh()
{
    const TrajectoryNode *node = m_document->node(m_selection->selected());
    panel_rows::WhyInput input;
    input.node = node;
    if (node && node->kind != "seed"_L1) {
        input.round = m_document->round(node->round);
        input.retrieval = node->kind == "repair"_L1 ? nullptr : m_document->retrieval(node->round);
    }
    input.skillTitles = m_skills->titles();
    m_header->setNode(node, input.round && input.round->base >= 0
                                ? tr("planned from the profile of %1").arg(input.round->base)
                                : QString());
    const QString sentence =
        !node                     ? tr("Select a node to see why its skill was chosen.")
        : node->kind == "seed"_L1 ? tr("This is the starting point: no skill was chosen for it.")
        : node->kind == "repair"_L1
            ? tr("This candidate repairs node %1; repairs follow a diagnosis, not the policy.").arg(node->parent)
            : tr("Nothing was recorded for this node yet.");
    m_rows->setRows(panel_rows::why(input), sentence);
}

EvidencePanel::EvidencePanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_header(new NodeHeader), m_rows(new RowView)
{
    stack(this, m_header, m_rows);
    m_rows->setAccessibleName(tr("Evidence for the verdict"));
    auto *seen = new WhenSeen(this, [this] { refresh(); });
    connect(selection, &NodeSelection::changed, seen, &WhenSeen::ask);
}

void EvidencePanel::refresh()
{
    const TrajectoryNode *node = m_document->node(m_selection->selected());
    const Evaluation *evaluation = node ? m_document->evaluation(node->id) : nullptr;
    m_header->setNode(node, {});
    m_rows->setRows(panel_rows::evidence(evaluation, node),
                    node ? tr("Node %1 has not been evaluated yet.").arg(node->id)
                         : tr("Select a node to see the checks behind its verdict."));
}

} // namespace kernelskill
