// SPDX-License-Identifier: Apache-2.0
// The round under way, step by step, and what is left of the budget. Painted from values; no controls.
#pragma once

#include "models/round_progress.h"

#include <QWidget>

namespace kernelskill {

struct BudgetLine
{
    QString title, text; // "Rounds", "8 of 12"
    double share = 0;    // 0…1
};

class ProgressPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ProgressPanel(QWidget *parent = nullptr);
    void setProgress(const RoundProgress &progress, QList<BudgetLine> budget);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintSteps(QPainter &painter, int y);
    void paintBudget(QPainter &painter, int y);
    [[nodiscard]] int stepsHeight() const;
    RoundProgress m_progress;
    QList<BudgetLine> m_budget;
};

} // namespace kernelskill
