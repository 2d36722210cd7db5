// SPDX-License-Identifier: Apache-2.0
// What a new run needs, in one row over the trajectory: task, who plays, what evaluates, how long. No dialog.
#pragma once

#include "engine/run_settings.h"
#include "models/task_model.h"
#include "shell/run_controller.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace kernelskill {

class StartPanel : public QWidget
{
    Q_OBJECT
public:
    explicit StartPanel(QWidget *parent = nullptr);
    void setTasks(const QList<TaskEntry> &tasks);
    void setTaskFolder(const QString &folder);
    [[nodiscard]] QString taskFolder() const;
    // Folder, rounds and seed; the rest comes from the tool bar.
    void fill(RunSettings &settings) const;

Q_SIGNALS:
    void startRequested();
    void closed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QComboBox *m_task;
    QSpinBox *m_rounds, *m_seed;
    QCheckBox *m_step;
    QPushButton *m_start;
};

} // namespace kernelskill
