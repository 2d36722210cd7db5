// SPDX-License-Identifier: Apache-2.0
// What a replay needs, in one row: the recorded session, how fast, and whether it stops at each plan.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace kernelskill {

class ReplayPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ReplayPanel(QWidget *parent = nullptr);
    void setSession(const QString &path); // and shows itself
    [[nodiscard]] QString session() const { return m_session; }
    [[nodiscard]] QString speed() const; // as the agent takes it
    [[nodiscard]] bool stopsAtPlans() const;
    void setStopsAtPlans(bool stops);
    [[nodiscard]] QPushButton *startButton() const { return m_start; }

Q_SIGNALS:
    void startRequested();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_session;
    QLabel *m_name;
    QComboBox *m_speed;
    QCheckBox *m_step;
    QPushButton *m_start;
};

} // namespace kernelskill
