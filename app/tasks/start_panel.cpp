// SPDX-License-Identifier: Apache-2.0
#include "tasks/start_panel.h"

#include "settings/icons.h"
#include "settings/theme.h"
#include "tasks/cast_panel.h"
#include "tasks/limit_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

QLabel *quiet(const QString &text)
{
    auto *label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

StartPanel::StartPanel(QWidget *parent)
    : QWidget(parent), m_task(new QComboBox), m_rounds(new QSpinBox), m_seed(new QSpinBox),
      m_step(new QCheckBox(tr("Stop at each plan"))), m_start(new QPushButton(tr("Start"))), m_castButton(new QToolButton),
      m_cast(new CastPanel)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 1);
    layout->setSpacing(0);
    layout->addWidget(firstRow());
    layout->addWidget(secondRow());
    layout->addWidget(m_cast);
    m_cast->hide();
    connect(m_cast, &CastPanel::changed, this, &StartPanel::refresh);
    refresh();
}

QWidget *StartPanel::firstRow()
{
    m_task->setMinimumWidth(180);
    m_task->setAccessibleName(tr("Task"));
    m_rounds->setRange(1, 1000);
    m_rounds->setValue(RunSettings{}.rounds);
    m_rounds->setAccessibleName(tr("Rounds"));
    m_seed->setRange(1, 1'000'000);
    m_seed->setAccessibleName(tr("Seed"));
    m_start->setIcon(themedIcon(u"play"_s));
    m_start->setDefault(true);
    auto *row = new QWidget;
    row->setFixedHeight(themeSize("toolBar"));
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(theme().space(8), 0, theme().space(6), 0);
    layout->setSpacing(theme().space(8));
    auto *title = new QLabel(tr("New run"));
    title->setFont(theme().font(TextStyle::Strong));
    layout->addWidget(title);
    const auto add = [&](const QString &text, QWidget *field) {
        layout->addSpacing(theme().space(4));
        layout->addWidget(quiet(text));
        layout->addWidget(field);
    };
    add(tr("Task"), m_task);
    add(tr("Rounds"), m_rounds);
    add(tr("Seed"), m_seed);
    m_step->setToolTip(tr("When a plan stands, you see the ranked skills, say what you expect, and let it be, choose another or write your own"));
    layout->addSpacing(theme().space(4));
    layout->addWidget(m_step);
    layout->addStretch(1);
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
    return row;
}

QWidget *StartPanel::secondRow()
{
    auto *row = new QWidget;
    row->setFixedHeight(themeSize("toolBar") - theme().space(6));
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(theme().space(8), 0, theme().space(6), theme().space(6));
    layout->setSpacing(theme().space(6));
    m_castButton->setCheckable(true);
    m_castButton->setToolTip(tr("Who plays which role, where that is not the cast of the tool bar"));
    m_castButton->setFocusPolicy(Qt::TabFocus);
    auto *settings = new QToolButton;
    settings->setText(tr("Agent settings…"));
    settings->setToolTip(tr("Model, address, key and the like"));
    settings->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(m_castButton);
    layout->addWidget(settings);
    layout->addSpacing(theme().space(8));
    layout->addWidget(quiet(tr("Limits")));
    for (const limits::Limit limit : limits::all()) {
        auto *field = new LimitField(limit);
        field->setFixedWidth(64);
        auto *label = quiet(limits::title(limit));
        label->setBuddy(field);
        layout->addSpacing(theme().space(2));
        layout->addWidget(label);
        layout->addWidget(field);
        m_limits.append(field);
        connect(field, &QLineEdit::textChanged, this, &StartPanel::refresh);
        connect(field, &QLineEdit::returnPressed, m_start, &QPushButton::click);
    }
    layout->addStretch(1);
    connect(m_castButton, &QToolButton::toggled, m_cast, &QWidget::setVisible);
    connect(settings, &QToolButton::clicked, this, &StartPanel::agentSettingsWanted);
    return row;
}

void StartPanel::refresh()
{
    const auto cast = m_cast->cast();
    m_castButton->setText(cast.isEmpty() ? tr("Cast…") : cast.size() == 1 ? tr("Cast, 1 role…") : tr("Cast, %1 roles…").arg(cast.size()));
    m_start->setEnabled(m_task->count() > 0 && mistake().isEmpty());
    m_start->setToolTip(mistake());
}

QString StartPanel::mistake() const
{
    for (const LimitField *field : m_limits) {
        if (const QString wrong = field->mistake(); !wrong.isEmpty()) return wrong;
    }
    return {};
}

LimitField *StartPanel::limitField(limits::Limit limit) const
{
    for (LimitField *field : m_limits) {
        if (field->limit() == limit) return field;
    }
    return nullptr;
}

void StartPanel::setAgents(const QList<PluginInfo> &plugins)
{
    m_cast->setAgents(plugins);
}

void StartPanel::showCast(bool shown)
{
    m_castButton->setChecked(shown);
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
    refresh();
}

void StartPanel::setTaskFolder(const QString &folder)
{
    int index = m_task->findData(folder);
    if (index < 0 && !folder.isEmpty()) {
        m_task->addItem(QDir(folder).dirName(), folder);
        index = m_task->count() - 1;
    }
    if (index >= 0) m_task->setCurrentIndex(index);
    refresh();
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
    for (const LimitField *field : m_limits)
        limits::setIn(settings.budget, field->limit(), field->value());
    const auto cast = m_cast->cast();
    for (auto role = cast.begin(); role != cast.end(); ++role)
        settings.cast.insert(role.key(), *role);
}

void StartPanel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), themeColor("severity.infoFill"));
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColor("surface.line"));
}

} // namespace kernelskill
