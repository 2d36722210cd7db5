// SPDX-License-Identifier: Apache-2.0
// A pane of the bottom dock: a chooser of charts over the chosen one.
#pragma once

#include "charts/chart.h"

class QComboBox;
class QLabel;
class QStackedWidget;

namespace kernelskill {

class ChartPane : public QWidget
{
    Q_OBJECT
public:
    // `first`: index of the chart shown at the start, in the chooser's order.
    ChartPane(SessionDocument *document, NodeSelection *selection, int first, QWidget *parent = nullptr);
    [[nodiscard]] int chartIndex() const;
    void setChartIndex(int index);
    [[nodiscard]] Chart *current() const;
    [[nodiscard]] static int chartCount() { return 4; }

private:
    void showState();
    void exportChart();
    QList<Chart *> m_charts;
    QComboBox *m_chooser;
    QLabel *m_note;
    QLabel *m_empty;
    QStackedWidget *m_stack;
};

} // namespace kernelskill
