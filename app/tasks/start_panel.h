// SPDX-License-Identifier: Apache-2.0
// What a new run needs, over the trajectory: task and rounds, who plays where that is not the cast of the tool bar, and
// limits. No dialog.
#pragma once

#include "engine/run_settings.h"
#include "models/limits.h"
#include "models/task_model.h"
#include "shell/run_controller.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace kernelskill {

class CastPanel;
class LimitField;

class StartPanel : public QWidget
{
    Q_OBJECT
public:
    explicit StartPanel(QWidget *parent = nullptr);
    void setTasks(const QList<TaskEntry> &tasks);
    void setTaskFolder(const QString &folder);
    [[nodiscard]] QString taskFolder() const;
    void setAgents(const QList<PluginInfo> &plugins);
    // Folder, rounds, seed, limits and the roles that are cast here; the rest comes from the tool bar.
    void fill(RunSettings &settings) const;
    // Why the run cannot be started as it stands here; empty: it can.
    [[nodiscard]] QString mistake() const;
    void showCast(bool shown);
    [[nodiscard]] CastPanel *castPanel() const { return m_cast; }
    [[nodiscard]] LimitField *limitField(limits::Limit limit) const;

Q_SIGNALS:
    void startRequested();
    void agentSettingsWanted();
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QWidget *firstRow();
    [[nodiscard]] QWidget *secondRow();
    void refresh(); // of what depends on the fields

    QComboBox *m_task;
    QSpinBox *m_rounds, *m_seed;
    QCheckBox *m_step;
    QPushButton *m_start;
    QToolButton *m_castButton;
    CastPanel *m_cast;
    QList<LimitField *> m_limits;
};

} // namespace kernelskill
