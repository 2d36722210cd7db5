// SPDX-License-Identifier: Apache-2.0
#include "shell/prediction_form.h"

#include "settings/numbers.h"
#include "settings/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>

using namespace Qt::StringLiterals;

namespace kernelskill {

PredictionForm::PredictionForm(QWidget *parent) : QWidget(parent), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(theme().space(12));
    m_grid->setVerticalSpacing(theme().space(4));
    m_grid->setColumnStretch(3, 1);
}

QComboBox *PredictionForm::addRow(int row, const QString &title, const QString &now)
{
    auto *name = new QLabel(title);
    auto *value = new QLabel(now);
    value->setForegroundRole(QPalette::PlaceholderText);
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *choice = new QComboBox;
    choice->setAccessibleName(tr("Prediction of %1").arg(title));
    choice->addItem(tr("I cannot say"));
    name->setBuddy(choice);
    m_grid->addWidget(name, row, 0);
    m_grid->addWidget(value, row, 1);
    m_grid->addWidget(choice, row, 2);
    return choice;
}

void PredictionForm::setCounters(const QList<AskedCounter> &counters)
{
    while (QLayoutItem *item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_counters.clear();
    auto *head = new QLabel(tr("What do you expect, against the base?"));
    head->setFont(theme().font(TextStyle::Strong));
    m_grid->addWidget(head, 0, 0, 1, 4);
    m_speedup = addRow(1, tr("Speedup"), QString());
    for (const SpeedupGuess guess : {SpeedupGuess::Less, SpeedupGuess::Same, SpeedupGuess::Some, SpeedupGuess::More})
        m_speedup->addItem(guessTitle(guess), int(guess));
    int row = 2;
    for (const AskedCounter &counter : counters) {
        QComboBox *choice = addRow(row++, counter.title, counter.now ? tr("now %1").arg(numbers::metricValue(*counter.now, counter.unit)) : tr("no counter"));
        for (const auto &[movement, text] : {std::pair(Movement::Lower, tr("lower")), std::pair(Movement::Same, tr("the same")),
                                             std::pair(Movement::Higher, tr("higher"))})
            choice->addItem(text, int(movement));
        m_counters.append({counter.metric, choice});
    }
}

Prediction PredictionForm::prediction() const
{
    Prediction prediction;
    if (m_speedup && m_speedup->currentData().isValid()) prediction.speedup = SpeedupGuess(m_speedup->currentData().toInt());
    for (const auto &[metric, choice] : m_counters) {
        if (choice->currentData().isValid()) prediction.counters.append({metric, Movement(choice->currentData().toInt())});
    }
    return prediction;
}

} // namespace kernelskill
