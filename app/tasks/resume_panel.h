// SPDX-License-Identifier: Apache-2.0
// What a session needs that ended at a limit or for want of a provider: why it ended, a larger limit where there is one to
// raise, and on it goes. A row over the trajectory, as the start panel is.
#pragma once

#include "engine/run_settings.h"
#include "models/limits.h"
#include "session/trajectory.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace kernelskill {

class ElidedLabel;
class LimitField;

class ResumePanel : public QWidget
{
    Q_OBJECT
public:
    explicit ResumePanel(QWidget *parent = nullptr);
    // Shows itself when the session ended so, else hides.
    void offer(const Trajectory &trajectory);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] LimitField *field() const { return m_field; }
    [[nodiscard]] QPushButton *resumeButton() const { return m_resume; }
    [[nodiscard]] QPushButton *settingsButton() const { return m_settings; }
    // With the limit as it stands here; nothing else in it.
    [[nodiscard]] Budget budget() const;

Q_SIGNALS:
    void resumeWanted();
    void agentSettingsWanted();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void refresh();
    void offerLimit(limits::Limit limit, const Trajectory &trajectory);

    bool m_limited = false; // there is a limit to raise
    ElidedLabel *m_text;
    QLabel *m_name;
    LimitField *m_field;
    QPushButton *m_settings, *m_resume;
};

} // namespace kernelskill
