// SPDX-License-Identifier: Apache-2.0
#include "tasks/replay_panel.h"

#include "settings/icons.h"
#include "settings/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

ReplayPanel::ReplayPanel(QWidget *parent)
    : QWidget(parent), m_name(new QLabel), m_speed(new QComboBox), m_step(new QCheckBox(tr("Stop at each plan"))),
      m_start(new QPushButton(tr("Replay")))
{
    setFixedHeight(themeSize("toolBar"));
    auto *title = new QLabel(tr("Replay"));
    title->setFont(theme().font(TextStyle::Strong));
    m_speed->setAccessibleName(tr("Speed of the replay"));
    for (const auto &[text, speed] : {std::pair(tr("as fast as possible"), u"max"_s), std::pair(tr("recorded pace"), u"1"_s),
                                      std::pair(tr("4 times as fast"), u"4"_s), std::pair(tr("20 times as fast"), u"20"_s)})
        m_speed->addItem(text, speed);
    m_step->setToolTip(tr("At each plan you say what you expect before the counters are known"));
    m_start->setIcon(themedIcon(u"replay"_s));
    auto *hint = new QLabel(tr("Its agents' steps again, judged anew; nothing is paid or learnt"));
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto *close = new QToolButton;
    close->setIcon(themedIcon(u"close"_s));
    close->setToolTip(tr("Close"));
    close->setAutoRaise(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme().space(8), 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    layout->addWidget(title);
    layout->addWidget(m_name);
    auto *label = new QLabel(tr("Speed"));
    label->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(label);
    layout->addWidget(m_speed);
    layout->addWidget(m_step);
    layout->addWidget(hint, 1);
    layout->addWidget(m_start);
    layout->addWidget(close);
    hide();
    connect(m_start, &QPushButton::clicked, this, &ReplayPanel::startRequested);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
}

void ReplayPanel::setSession(const QString &path)
{
    m_session = path;
    m_name->setText(QFileInfo(path).completeBaseName());
    m_name->setToolTip(path);
    show();
    m_start->setFocus();
}

QString ReplayPanel::speed() const
{
    return m_speed->currentData().toString();
}

bool ReplayPanel::stopsAtPlans() const
{
    return m_step->isChecked();
}

void ReplayPanel::setStopsAtPlans(bool stops)
{
    m_step->setChecked(stops);
}

void ReplayPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.infoFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
