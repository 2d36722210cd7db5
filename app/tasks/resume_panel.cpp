// SPDX-License-Identifier: Apache-2.0
#include "tasks/resume_panel.h"

#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"
#include "tasks/limit_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QString sentenceOf(const Trajectory &trajectory)
{
    QString message = trajectory.endMessage;
    if (!message.isEmpty()) message[0] = message[0].toUpper();
    const QString &by = trajectory.endedBy;
    if (by == "provider"_L1) return message.isEmpty() ? ResumePanel::tr("The provider takes no calls") : message;
    if (!message.isEmpty()) return message;
    const auto limit = limits::thatEnded(by);
    if (!limit) return {};
    const double most = limits::valueIn(Budget::fromJson(trajectory.settings["budget"_L1].toObject()), *limit);
    return ResumePanel::tr("The limit of %1, %2, is reached; everything so far is saved").arg(limits::title(*limit).toLower(), limits::amount(*limit, most));
}

} // namespace

ResumePanel::ResumePanel(QWidget *parent)
    : QWidget(parent), m_text(new ElidedLabel), m_name(new QLabel), m_field(new LimitField(limits::Limit::Money)),
      m_settings(new QPushButton(tr("Agent settings…"))), m_resume(new QPushButton(tr("Resume")))
{
    setFixedHeight(themeSize("banner"));
    setAccessibleName(tr("Why the run ended"));
    m_resume->setIcon(themedIcon(u"play"_s));
    m_field->setFixedWidth(84);
    m_name->setBuddy(m_field);
    auto *close = new QToolButton;
    close->setIcon(themedIcon(u"close"_s));
    close->setToolTip(tr("Dismiss"));
    close->setAutoRaise(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(30, 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    layout->addWidget(m_text, 1);
    layout->addWidget(m_name);
    layout->addWidget(m_field);
    layout->addWidget(m_settings);
    layout->addWidget(m_resume);
    layout->addWidget(close);
    connect(m_field, &QLineEdit::textChanged, this, &ResumePanel::refresh);
    connect(m_field, &QLineEdit::returnPressed, m_resume, &QPushButton::click);
    connect(m_settings, &QPushButton::clicked, this, &ResumePanel::agentSettingsWanted);
    connect(m_resume, &QPushButton::clicked, this, &ResumePanel::resumeWanted);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void ResumePanel::offer(const Trajectory &trajectory)
{
    const auto limit = limits::thatEnded(trajectory.endedBy);
    if (!limit && trajectory.endedBy != "provider"_L1) {
        hide();
        return;
    }
    m_text->setText(sentenceOf(trajectory));
    m_limited = false;
    if (limit) offerLimit(*limit, trajectory);
    m_name->setVisible(m_limited);
    m_field->setVisible(m_limited);
    m_settings->setVisible(!m_limited); // a limit of the day stands there, as do address, model and key
    refresh();
    show();
    update();
}

// Twice as much is proposed. Time counts anew, so the same again does as well.
void ResumePanel::offerLimit(limits::Limit limit, const Trajectory &trajectory)
{
    const double most = limits::valueIn(Budget::fromJson(trajectory.settings["budget"_L1].toObject()), limit);
    m_limited = most > 0;
    if (!m_limited) return;
    const bool again = limit == limits::Limit::Time;
    const double used = limits::usedBy(trajectory, limit, 0);
    m_field->setLimit(limit);
    m_field->setLeast(again ? 0 : std::max(most, used));
    m_field->setText(limits::text(limit, again ? most : 2 * std::max(most, used)));
    m_name->setText(again ? tr("Once more, for") : tr("New limit"));
}

QString ResumePanel::sentence() const
{
    return m_text->text();
}

Budget ResumePanel::budget() const
{
    Budget budget;
    if (m_limited) limits::setIn(budget, m_field->limit(), m_field->value());
    return budget;
}

void ResumePanel::refresh()
{
    const bool raised = !m_limited || (m_field->mistake().isEmpty() && m_field->value() > 0);
    m_resume->setEnabled(raised);
    m_resume->setToolTip(raised ? tr("Goes on where the run ended") : m_field->mistake());
}

void ResumePanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.warnFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
    themedIcon(u"warning"_s, u"severity.warnText"_s).paint(&painter, QRect(9, (height() - 14) / 2, 14, 14));
}

} // namespace kernelskill
