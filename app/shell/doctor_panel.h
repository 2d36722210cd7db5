// SPDX-License-Identifier: Apache-2.0
// What the machine has and lacks, as the command `doctor` says it: what is missing first, each with its remedy.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>

class QLabel;
class QTreeWidget;

namespace kernelskill {

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
    QTreeWidget *m_lines;
};

} // namespace kernelskill
