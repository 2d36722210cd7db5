// SPDX-License-Identifier: Apache-2.0
#include "editor/edit_panel.h"

#include "editor/code_editor.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QTextCursor>
#include <QTimer>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int pauseBeforeCompiling_ms = 600;

} // namespace

EditPanel::EditPanel(QWidget *parent)
    : QWidget(parent), m_title(new ElidedLabel), m_advice(new ElidedLabel), m_status(new QLabel),
      m_submit(new QPushButton), m_cancel(new QPushButton(tr("Cancel"))), m_goTo(new QPushButton(tr("Go to error"))),
      m_editor(new CodeEditor), m_pause(new QTimer(this))
{
    auto *bar = new Bar(themeSize("tabBar"));
    m_title->setFont(theme().font(TextStyle::Strong));
    bar->add(m_title, 1);
    bar->add(m_status);
    bar->addSpace(theme().space(6));
    bar->add(m_goTo);
    bar->add(m_cancel);
    bar->add(m_submit);
    m_advice->setForegroundRole(QPalette::PlaceholderText);
    m_advice->setContentsMargins(theme().space(8), 0, theme().space(8), 0);
    m_submit->setDefault(true);
    m_submit->setToolTip(tr("Hand the code in (Ctrl+Return)"));
    m_cancel->setToolTip(tr("Back to the diff; what was changed is lost (Esc)"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_advice);
    layout->addWidget(m_editor, 1);
    m_pause->setSingleShot(true);
    m_pause->setInterval(pauseBeforeCompiling_ms);
    connect(m_pause, &QTimer::timeout, this, [this] {
        setStatus(tr("compiling"), "text.secondary");
        Q_EMIT compileWanted(++m_ticket, edited());
    });
    connect(m_editor, &CodeEditor::textChanged, this, &EditPanel::textChanged);
    connect(m_submit, &QPushButton::clicked, this, [this] { Q_EMIT submitted(edited()); });
    connect(m_cancel, &QPushButton::clicked, this, &EditPanel::cancelled);
    connect(m_goTo, &QPushButton::clicked, this, [this] { m_editor->goToLine(m_firstError); });
    for (const QKeySequence &keys : {QKeySequence(u"Ctrl+Return"_s), QKeySequence(u"Ctrl+Enter"_s)}) {
        auto *hand = new QShortcut(keys, this);
        hand->setContext(Qt::WidgetWithChildrenShortcut);
        connect(hand, &QShortcut::activated, m_submit, &QPushButton::click);
    }
    auto *leave = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    leave->setContext(Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, m_cancel, &QPushButton::click);
}

void EditPanel::begin(const EditOrder &order)
{
    m_order = order;
    m_editing = true;
    ++m_ticket; // what is still being compiled is of another text
    m_title->setText(order.title);
    m_advice->setText(order.advice.simplified());
    m_advice->setVisible(!order.advice.isEmpty());
    m_submit->setText(order.hint);
    m_editor->setCode(order.candidate.mainText(), CodeLanguage::Cuda);
    m_goTo->hide();
    m_pause->stop();
    setStatus(tr("unchanged"), "text.secondary");
    m_editor->setFocus();
}

bool EditPanel::isModified() const
{
    return m_editing && m_editor->toPlainText() != m_order.candidate.mainText();
}

void EditPanel::setText(const QString &text)
{
    QTextCursor all(m_editor->document());
    all.select(QTextCursor::Document);
    all.insertText(text);
}

Candidate EditPanel::edited() const
{
    return m_order.candidate.withMainText(m_editor->toPlainText());
}

void EditPanel::textChanged()
{
    if (!m_editing) return;
    ++m_ticket;
    m_pause->start();
}

void EditPanel::showCompiled(int ticket, const QList<Finding> &findings, const QString &trouble)
{
    if (ticket != m_ticket || !m_editing) return;
    QHash<int, LineNote> notes;
    m_firstError = -1;
    for (const Finding &finding : findings) {
        if (finding.line <= 0 || notes.contains(finding.line - 1)) continue;
        notes.insert(finding.line - 1, {finding.message.section(u'\n', 0, 0), true});
        if (m_firstError < 0 || finding.line - 1 < m_firstError) m_firstError = finding.line - 1;
    }
    m_editor->setNotes(notes);
    m_goTo->setVisible(m_firstError >= 0);
    if (!trouble.isEmpty())
        setStatus(tr("not compiled: %1").arg(trouble), "severity.warnText");
    else if (findings.isEmpty())
        setStatus(tr("compiles"), "severity.okText");
    else
        setStatus(m_firstError >= 0 ? tr("error in line %1").arg(m_firstError + 1) : findings.first().message.section(u'\n', 0, 0),
                  "severity.errorText");
}

void EditPanel::setStatus(const QString &text, const char *role)
{
    QPalette colours = m_status->palette();
    colours.setColor(QPalette::WindowText, themeColor(role));
    m_status->setPalette(colours);
    m_status->setText(m_status->fontMetrics().elidedText(text, Qt::ElideRight, 420));
    m_status->setToolTip(text);
}

void EditPanel::finish()
{
    m_editing = false;
    m_pause->stop();
    ++m_ticket;
}

} // namespace kernelskill
