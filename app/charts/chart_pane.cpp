// SPDX-License-Identifier: Apache-2.0
#include "charts/chart_pane.h"

#include "charts/bars_chart.h"
#include "charts/occupancy_chart.h"
#include "charts/roofline_chart.h"
#include "charts/speedup_chart.h"
#include "charts/timeline_chart.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

ChartPane::ChartPane(SessionDocument *document, NodeSelection *selection, int first, QWidget *parent)
    : QWidget(parent), m_chooser(new QComboBox), m_note(new QLabel), m_empty(new QLabel), m_stack(new QStackedWidget)
{
    m_charts = {new SpeedupChart(document, selection), new RooflineChart(document, selection),
                new StallChart(document, selection),   new MemoryChart(document, selection),
                new OccupancyChart(document, selection), new TimelineChart(document, selection)};
    m_chooser->setFrame(false);
    m_chooser->setFont(theme().font(TextStyle::Strong));
    m_chooser->setAccessibleName(tr("Chart"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setBackgroundRole(QPalette::Base);
    m_empty->setAutoFillBackground(true);
    m_stack->addWidget(m_empty);
    for (Chart *chart : m_charts) {
        chart->setTurn(first % 2);
        m_chooser->addItem(chart->title());
        m_stack->addWidget(chart);
        connect(chart, &Chart::refreshed, this, &ChartPane::showState);
    }
    m_note->setForegroundRole(QPalette::PlaceholderText);
    auto *save = new QToolButton;
    save->setIcon(themedIcon(u"export"_s));
    save->setToolTip(tr("Save this chart as PNG, PDF or CSV"));
    save->setAutoRaise(true);
    connect(save, &QToolButton::clicked, this, &ChartPane::exportChart);

    auto *header = new Bar(themeSize("chartHeader"));
    header->add(m_chooser);
    header->addStretch();
    header->add(m_note);
    header->add(save);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(header);
    layout->addWidget(m_stack, 1);
    connect(m_chooser, &QComboBox::currentIndexChanged, this, &ChartPane::showState);
    m_chooser->setCurrentIndex(first);
    showState();
}

int ChartPane::chartIndex() const
{
    return m_chooser->currentIndex();
}

void ChartPane::setChartIndex(int index)
{
    m_chooser->setCurrentIndex(index);
}

Chart *ChartPane::current() const
{
    return m_charts[std::max(0, m_chooser->currentIndex())];
}

void ChartPane::showState()
{
    // As wide as its words: the header has other things to show.
    m_chooser->setFixedWidth(QFontMetrics(m_chooser->font()).horizontalAdvance(m_chooser->currentText()) + 32);
    Chart *chart = current();
    for (Chart *each : std::as_const(m_charts))
        each->setWanted(each == chart);
    m_note->setText(chart->note());
    m_empty->setText(chart->emptySentence());
    m_stack->setCurrentWidget(chart->emptySentence().isEmpty() ? static_cast<QWidget *>(chart) : m_empty);
}

void ChartPane::exportChart()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save chart"), current()->title() + u".png"_s,
                                                      tr("PNG (*.png);;PDF (*.pdf);;CSV (*.csv)"));
    if (path.isEmpty()) return;
    if (path.endsWith(".csv"_L1, Qt::CaseInsensitive)) {
        QSaveFile file(path);
        if (file.open(QIODevice::WriteOnly)) {
            file.write(current()->toCsv().toUtf8());
            file.commit();
        }
    } else if (path.endsWith(".pdf"_L1, Qt::CaseInsensitive)) {
        current()->savePdf(path);
    } else {
        current()->savePng(path, 0, 0, 2);
    }
}

} // namespace kernelskill
