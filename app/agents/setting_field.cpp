// SPDX-License-Identifier: Apache-2.0
#include "agents/setting_field.h"

#include "agents/choice_list.h"
#include "settings/theme.h"
#include "settings/tone_label.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

SettingField::SettingField(const FormField &field, QWidget *parent)
    : QWidget(parent), m_field(field), m_hint(new ToneLabel(u"text.secondary"_s))
{
    auto *name = new QLabel(field.title);
    name->setFont(theme().font(TextStyle::Caption));
    name->setForegroundRole(QPalette::PlaceholderText);
    m_hint->hide();
    auto *row = new QHBoxLayout;
    row->setSpacing(theme().space(4));
    makeEditor(row);
    name->setBuddy(editor());
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme().space(2));
    layout->addWidget(name);
    layout->addLayout(row);
    if (m_list) layout->addWidget(m_list);
    layout->addWidget(m_hint);
    editor()->setAccessibleName(field.title);
    editor()->setAccessibleDescription(field.description);
    editor()->setToolTip(field.description);
    editor()->installEventFilter(this);
}

void SettingField::makeEditor(QHBoxLayout *row)
{
    if (m_field.kind == FormField::Kind::Choice) {
        m_box = new QComboBox;
        m_box->addItem(m_field.fallback.isEmpty() ? tr("not set") : tr("not set: %1").arg(m_field.fallback), QString());
        for (const QString &choice : std::as_const(m_field.choices))
            m_box->addItem(choice, choice);
        row->addWidget(m_box, 1);
        connect(m_box, &QComboBox::currentIndexChanged, this, [this] {
            showHint();
            Q_EMIT edited();
        });
        return;
    }
    m_line = new QLineEdit;
    m_line->setPlaceholderText(m_field.fallback);
    row->addWidget(m_line, 1);
    connect(m_line, &QLineEdit::textChanged, this, [this] {
        m_touched = true;
        showHint();
        Q_EMIT edited();
    });
    if (!m_field.listable) return;
    m_list = new ChoiceList;
    m_listButton = new QPushButton(tr("List"));
    m_listButton->setToolTip(tr("Ask what may stand here"));
    m_listButton->setAccessibleName(tr("List for %1").arg(m_field.title));
    row->addWidget(m_listButton);
    connect(m_listButton, &QPushButton::clicked, this, [this] {
        if (m_list->isVisible()) return m_list->hide();
        m_list->setBusy();
        Q_EMIT listWanted();
    });
    connect(m_list, &ChoiceList::chosen, this, [this](const QString &choice) {
        m_line->setText(choice);
        m_line->setFocus();
    });
    connect(m_list, &ChoiceList::closed, this, [this] { m_line->setFocus(); });
}

QWidget *SettingField::editor() const
{
    return m_line ? static_cast<QWidget *>(m_line) : m_box;
}

QString SettingField::text() const
{
    return m_line ? m_line->text().trimmed() : m_box->currentData().toString();
}

void SettingField::setText(const QString &text)
{
    const QSignalBlocker quiet(editor());
    m_touched = false;
    if (m_line) {
        m_line->setText(text);
    } else {
        // What somebody wrote into the file stays, even where it is none of the choices: it is marked.
        if (m_box->findData(text) < 0) m_box->addItem(text, text);
        m_box->setCurrentIndex(m_box->findData(text));
    }
    showHint();
}

QString SettingField::hint() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void SettingField::showHint()
{
    const QString wrong = m_touched || !text().isEmpty() ? mistake() : QString(); // nobody is scolded for a form not begun
    const bool described = editor()->hasFocus() && !m_field.description.isEmpty();
    m_hint->setText(wrong.isEmpty() ? m_field.description : wrong);
    m_hint->setVisible(!wrong.isEmpty() || described);
    m_hint->setTone(wrong.isEmpty() ? u"text.secondary"_s : u"severity.errorText"_s);
    editor()->setProperty("mistake", !wrong.isEmpty());
    editor()->update();
    editor()->setAccessibleDescription(wrong.isEmpty() ? m_field.description : wrong);
}

bool SettingField::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        QMetaObject::invokeMethod(this, &SettingField::showHint, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

} // namespace kernelskill
