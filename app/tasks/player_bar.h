// SPDX-License-Identifier: Apache-2.0
// The controls of a recording that is shown: play, step, where it stands, how fast.
#pragma once

#include "models/recording_player.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace kernelskill {

class PlayerBar : public QWidget
{
    Q_OBJECT
public:
    explicit PlayerBar(RecordingPlayer *player, QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();

    RecordingPlayer *m_player;
    QLabel *m_title, *m_place;
    QToolButton *m_play, *m_step;
    QSlider *m_slider;
    QComboBox *m_speed;
};

} // namespace kernelskill
