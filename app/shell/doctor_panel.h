// SPDX-License-Identifier: Apache-2.0
// What the machine has and lacks, as the command `doctor` says it: what is missing first, each with its remedy.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>

class QLabel;

namespace kernelskill {

class RowView;

class DoctorPanel : public QWidget
{
    Q_OBJECT
public:
    explicit DoctorPanel(QWidget *parent = nullptr);
    void setBusy();
    void setLines(QList<QJsonObject> lines);

Q_SIGNALS:
    void examinationWanted();

private:
    void copyRemedy();

    QLabel *m_summary;
    RowView *m_lines;
};

} // namespace kernelskill
