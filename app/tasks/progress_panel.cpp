// SPDX-License-Identifier: Apache-2.0
#include "tasks/progress_panel.h"

#include "settings/glyphs.h"
#include "settings/theme.h"

#include <QPainter>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

void paintBand(QPainter &painter, const QRect &band, const QString &title)
{
    painter.fillRect(band, themeColor("surface.window"));
    for (const int y : {band.top(), band.bottom()})
        painter.fillRect(QRect(band.left(), y, band.width(), 1), themeColor("surface.line"));
    painter.setFont(theme().font(TextStyle::Strong));
    painter.setPen(themeColor("text.primary"));
    painter.drawText(band.adjusted(10, 0, -8, 0), Qt::AlignVCenter, title);
}

} // namespace

ProgressPanel::ProgressPanel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ProgressPanel::setProgress(const RoundProgress &progress, QList<BudgetLine> budget)
{
    const int before = sizeHint().height();
    m_progress = progress;
    m_budget = std::move(budget);
    QStringList words{progress.title, progress.subtitle};
    for (const BudgetLine &line : std::as_const(m_budget))
        words.append(line.title + u' ' + line.text);
    setAccessibleDescription(words.join(u", "_s));
    if (sizeHint().height() != before) updateGeometry();
    update();
}

int ProgressPanel::stepsHeight() const
{
    if (m_progress.round < 0) return 0;
    return themeSize("dockTitle") + theme().space(8) + 2 * theme().lineHeight(TextStyle::Body) +
           int(m_progress.steps.size()) * themeSize("row") + theme().space(8);
}

QSize ProgressPanel::sizeHint() const
{
    const int budget = m_budget.isEmpty() ? 0 : themeSize("dockTitle") + theme().space(6) + int(m_budget.size()) * 28;
    return {themeSize("leftDock"), stepsHeight() + budget};
}

QSize ProgressPanel::minimumSizeHint() const
{
    return {120, sizeHint().height()};
}

void ProgressPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("surface.panel"));
    if (m_progress.round >= 0) paintSteps(painter, 0);
    if (!m_budget.isEmpty()) paintBudget(painter, stepsHeight());
}

void ProgressPanel::paintSteps(QPainter &painter, int y)
{
    const int left = 10, right = width() - 10;
    paintBand(painter, QRect(0, y, width(), themeSize("dockTitle")), tr("Round %1").arg(m_progress.round));
    y += themeSize("dockTitle") + theme().space(8);
    painter.setFont(theme().font(TextStyle::Strong));
    painter.drawText(QRect(left, y, right - left, 16), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_progress.title, Qt::ElideRight, right - left));
    y += theme().lineHeight(TextStyle::Body);
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    painter.drawText(QRect(left, y, right - left, 16), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_progress.subtitle, Qt::ElideRight, right - left));
    y += theme().lineHeight(TextStyle::Body);
    const int row = themeSize("row");
    for (const RoundStep &step : std::as_const(m_progress.steps)) {
        const QRectF glyph(left + 1, y + row / 2.0 - 4.5, 9, 9);
        if (step.failed)
            glyphs::paintCross(painter, glyph, themeColor("state.wrong"));
        else if (step.state == RoundStep::State::Done)
            glyphs::paintTick(painter, glyph, themeColor("state.verified"));
        else if (step.state == RoundStep::State::Active)
            glyphs::paintState(painter, glyph.adjusted(-1, -1, 2, 2), NodeState::Running);
        else {
            painter.save();
            painter.setRenderHint(QPainter::Antialiasing);
            QPen dotted(themeColor("surface.control"), 1.2, Qt::CustomDashLine, Qt::FlatCap);
            dotted.setDashPattern({2, 1.6});
            painter.setPen(dotted);
            painter.drawEllipse(glyph.adjusted(-0.5, -0.5, 0.5, 0.5));
            painter.restore();
        }
        const bool active = step.state == RoundStep::State::Active;
        painter.setFont(theme().font(active ? TextStyle::Strong : TextStyle::Body));
        painter.setPen(themeColor(step.state == RoundStep::State::Waiting ? "text.secondary" : "text.primary"));
        painter.drawText(QRect(left + 20, y, right - left - 20, row), Qt::AlignVCenter, step.title);
        if (!active) painter.setPen(themeColor("text.secondary"));
        painter.drawText(QRect(left, y, right - left, row), Qt::AlignVCenter | Qt::AlignRight, step.detail);
        y += row;
    }
}

void ProgressPanel::paintBudget(QPainter &painter, int y)
{
    const int left = 10, right = width() - 10;
    paintBand(painter, QRect(0, y, width(), themeSize("dockTitle")), tr("Budget"));
    y += themeSize("dockTitle") + theme().space(6);
    painter.setFont(theme().font(TextStyle::Caption));
    for (const BudgetLine &line : std::as_const(m_budget)) {
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(QRect(left, y, right - left, 16), Qt::AlignVCenter, line.title);
        painter.setPen(themeColor("text.primary"));
        painter.drawText(QRect(left, y, right - left, 16), Qt::AlignVCenter | Qt::AlignRight, line.text);
        painter.fillRect(QRect(left, y + 18, right - left, 3), themeColor("surface.line"));
        painter.fillRect(QRect(left, y + 18, int((right - left) * std::clamp(line.share, 0.0, 1.0)), 3),
                         themeColor("text.secondary"));
        y += 28;
    }
}

} // namespace kernelskill
