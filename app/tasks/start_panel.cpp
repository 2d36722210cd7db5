// SPDX-License-Identifier: Apache-2.0
#include "tasks/start_panel.h"

#include "settings/icons.h"
#include "settings/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

using namespace Qt::StringLiterals;

namespace kernelskill {

StartPanel::StartPanel(QWidget *parent)
    : QWidget(parent), m_task(new QComboBox), m_rounds(new QSpinBox), m_seed(new QSpinBox),
      m_step(new QCheckBox(tr("Stop at each plan"))), m_start(new QPushButton(tr("Start")))
{
    setFixedHeight(themeSize("toolBar"));
    m_task->setMinimumWidth(180);
    m_task->setAccessibleName(tr("Task"));
    m_rounds->setRange(1, 1000);
    m_rounds->setValue(RunSettings{}.rounds);
    m_rounds->setAccessibleName(tr("Rounds"));
    m_seed->setRange(1, 1'000'000);
    m_seed->setAccessibleName(tr("Seed"));
    m_start->setIcon(themedIcon(u"play"_s));
    m_start->setDefault(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme().space(8), 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    auto *title = new QLabel(tr("New run"));
    title->setFont(theme().font(TextStyle::Strong));
    layout->addWidget(title);
    const auto add = [&](const QString &text, QWidget *field) {
        auto *label = new QLabel(text);
        label->setForegroundRole(QPalette::PlaceholderText);
        layout->addSpacing(theme().space(4));
        layout->addWidget(label);
        layout->addWidget(field);
    };
    add(tr("Task"), m_task);
    add(tr("Rounds"), m_rounds);
    add(tr("Seed"), m_seed);
    m_step->setToolTip(tr("When a plan stands, you see the ranked skills, say what you expect, and let it be, choose another or write your own"));
    layout->addSpacing(theme().space(4));
    layout->addWidget(m_step);
    auto *hint = new QLabel(tr("Cast, evaluator and memory: tool bar"));
    hint->setForegroundRole(QPalette::PlaceholderText);
    layout->addSpacing(theme().space(4));
    layout->addWidget(hint, 1);
    layout->addWidget(m_start);
    auto *close = new QToolButton;
    close->setIcon(themedIcon(u"close"_s));
    close->setToolTip(tr("Close"));
    close->setAutoRaise(true);
    layout->addWidget(close);
    connect(m_start, &QPushButton::clicked, this, &StartPanel::startRequested);
    connect(close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
}

void StartPanel::setTasks(const QList<TaskEntry> &tasks)
{
    const QString chosen = taskFolder();
    m_task->clear();
    for (const TaskEntry &task : tasks)
        m_task->addItem(task.name, task.folder);
    int index = m_task->findData(chosen);
    if (index < 0) index = m_task->findText(u"row_softmax"_s); // the bundled example, ready to run
    m_task->setCurrentIndex(std::max(0, index));
    m_start->setEnabled(m_task->count() > 0);
}

void StartPanel::setTaskFolder(const QString &folder)
{
    int index = m_task->findData(folder);
    if (index < 0 && !folder.isEmpty()) {
        m_task->addItem(QDir(folder).dirName(), folder);
        index = m_task->count() - 1;
    }
    if (index >= 0) m_task->setCurrentIndex(index);
    m_start->setEnabled(m_task->count() > 0);
}

QString StartPanel::taskFolder() const
{
    return m_task->currentData().toString();
}

void StartPanel::fill(RunSettings &settings) const
{
    settings.taskFolder = taskFolder();
    settings.rounds = m_rounds->value();
    settings.seed = quint64(m_seed->value());
    settings.stepMode = m_step->isChecked();
}

void StartPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.infoFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
