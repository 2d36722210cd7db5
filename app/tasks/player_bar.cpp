// SPDX-License-Identifier: Apache-2.0
#include "tasks/player_bar.h"

#include "settings/icons.h"
#include "settings/theme.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

PlayerBar::PlayerBar(RecordingPlayer *player, QWidget *parent)
    : QWidget(parent), m_player(player), m_title(new QLabel), m_place(new QLabel), m_play(new QToolButton),
      m_step(new QToolButton), m_slider(new QSlider(Qt::Horizontal)), m_speed(new QComboBox)
{
    setFixedHeight(themeSize("toolBar"));
    setAccessibleName(tr("Recording"));
    m_title->setFont(theme().font(TextStyle::Strong));
    for (QToolButton *button : {m_play, m_step}) {
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
    }
    m_step->setText(tr("Next"));
    m_step->setIcon(themedIcon(u"step"_s));
    m_step->setToolTip(tr("To the next plan, candidate or verdict"));
    m_slider->setAccessibleName(tr("Place in the recording"));
    m_speed->setAccessibleName(tr("Speed of the recording"));
    for (const auto &[text, factor] : {std::pair(tr("recorded pace"), 1.0), std::pair(tr("4 times as fast"), 4.0),
                                       std::pair(tr("20 times as fast"), 20.0), std::pair(tr("as fast as can be seen"), 0.0)})
        m_speed->addItem(text, factor);
    auto *close = new QToolButton;
    close->setIcon(themedIcon(u"close"_s));
    close->setToolTip(tr("End the show; the whole session stands again"));
    close->setAutoRaise(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme().space(8), 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    layout->addWidget(m_title);
    layout->addWidget(m_play);
    layout->addWidget(m_step);
    layout->addWidget(m_slider, 1);
    layout->addWidget(m_place);
    layout->addWidget(m_speed);
    layout->addWidget(close);
    hide();
    connect(m_play, &QToolButton::clicked, this, [this] { m_player->isPlaying() ? m_player->pause() : m_player->play(); });
    connect(m_step, &QToolButton::clicked, player, &RecordingPlayer::step);
    connect(m_slider, &QSlider::valueChanged, player, &RecordingPlayer::seek);
    connect(m_speed, &QComboBox::currentIndexChanged, this, [this] { m_player->setSpeed(m_speed->currentData().toDouble()); });
    connect(close, &QToolButton::clicked, player, &RecordingPlayer::end);
    connect(player, &RecordingPlayer::changed, this, &PlayerBar::refresh);
}

void PlayerBar::refresh()
{
    setVisible(m_player->isActive());
    if (!m_player->isActive()) return;
    m_title->setText(tr("Recording of %1").arg(QFileInfo(m_player->path()).completeBaseName()));
    m_play->setText(m_player->isPlaying() ? tr("Pause") : tr("Play"));
    m_play->setIcon(themedIcon(m_player->isPlaying() ? u"pause"_s : u"play"_s));
    const QSignalBlocker still(m_slider);
    m_slider->setRange(1, std::max(1, m_player->count()));
    m_slider->setPageStep(std::max(1, m_player->count() / 20));
    if (!m_slider->isSliderDown()) m_slider->setValue(m_player->position());
    m_place->setText(tr("%1 of %2 events").arg(m_player->position()).arg(m_player->count()));
    m_step->setEnabled(m_player->position() < m_player->count());
}

void PlayerBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.infoFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
