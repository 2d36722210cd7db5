// SPDX-License-Identifier: Apache-2.0
// What a person expects of a plan: which way counters go, and roughly how much faster it gets.
#pragma once

#include "agent/question.h"

#include <QWidget>

class QComboBox;
class QGridLayout;

namespace kernelskill {

class PredictionForm : public QWidget
{
    Q_OBJECT
public:
    explicit PredictionForm(QWidget *parent = nullptr);
    void setCounters(const QList<AskedCounter> &counters); // nothing is predicted yet
    [[nodiscard]] Prediction prediction() const;           // only what was chosen

private:
    QComboBox *addRow(int row, const QString &title, const QString &now);

    QGridLayout *m_grid;
    QComboBox *m_speedup = nullptr;
    QList<std::pair<QString, QComboBox *>> m_counters; // metric → its choice
};

} // namespace kernelskill
