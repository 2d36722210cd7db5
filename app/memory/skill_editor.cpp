// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_editor.h"

#include "editor/code_editor.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QShortcut>
#include <QStringListModel>
#include <QTextBlock>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// Longer texts are not examined at each key: that would take more than a few milliseconds.
constexpr qsizetype examinedAtOnce = 64 << 10;
constexpr int pauseBeforeExamining_ms = 200;
constexpr int problemRows = 3;

// Leaves the keys that choose among the offered names to their list while that is open.
class SkillTextEditor : public CodeEditor
{
public:
    SkillTextEditor() : m_names(new QStringListModel(this)), m_completer(new QCompleter(m_names, this))
    {
        setLineWrapMode(WidgetWidth);
        setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        setTabChangesFocus(true);
        m_completer->setWidget(this);
        m_completer->setCaseSensitivity(Qt::CaseInsensitive);
        m_completer->setFilterMode(Qt::MatchContains);
        connect(m_completer, qOverload<const QString &>(&QCompleter::activated), this, [this](const QString &name) {
            QTextCursor cursor = wordCursor();
            cursor.insertText(name);
            setTextCursor(cursor);
        });
    }

    void setNames(const QStringList &names) { m_names->setStringList(names); }
    void complete()
    {
        m_completer->setCompletionPrefix(wordCursor().selectedText());
        m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
        QRect place = cursorRect();
        place.setWidth(m_completer->popup()->sizeHintForColumn(0) +
                       m_completer->popup()->verticalScrollBar()->sizeHint().width());
        m_completer->complete(place.translated(viewport()->x(), 0));
    }

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        if (m_completer->popup()->isVisible()) {
            switch (event->key()) {
            case Qt::Key_Return:
            case Qt::Key_Enter:
            case Qt::Key_Escape:
            case Qt::Key_Tab:
                event->ignore();
                return;
            default:
                CodeEditor::keyPressEvent(event);
                complete();
                return;
            }
        }
        CodeEditor::keyPressEvent(event);
    }

private:
    [[nodiscard]] QTextCursor wordCursor() const
    {
        QTextCursor cursor = textCursor();
        cursor.clearSelection();
        cursor.movePosition(QTextCursor::StartOfWord, QTextCursor::KeepAnchor);
        return cursor;
    }

    QStringListModel *m_names;
    QCompleter *m_completer;
};

} // namespace

SkillEditor::SkillEditor(QWidget *parent)
    : QWidget(parent), m_editor(new SkillTextEditor), m_status(new ElidedLabel), m_problems(new QListWidget),
      m_reason(new QLineEdit), m_pause(new QTimer(this))
{
    m_editor->setAccessibleName(tr("Text of the skill"));
    m_status->setFixedHeight(themeSize("row"));
    m_status->setForegroundRole(QPalette::WindowText);
    m_problems->setAccessibleName(tr("What is wrong with the text"));
    m_problems->setFrameShape(QFrame::NoFrame);
    m_problems->setWordWrap(true);
    m_problems->setResizeMode(QListView::Adjust);
    m_problems->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_problems->hide();
    m_reason->setAccessibleName(tr("Why it is changed"));
    m_reason->setPlaceholderText(tr("Why? Kept in the history"));
    auto *below = new QHBoxLayout;
    below->setContentsMargins(theme().space(8), theme().space(4), theme().space(8), theme().space(6));
    below->addWidget(m_reason);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_editor, 1);
    layout->addWidget(m_problems);
    auto *status = new QHBoxLayout;
    status->setContentsMargins(theme().space(8), 0, theme().space(8), 0);
    status->addWidget(m_status);
    layout->addLayout(status);
    layout->addLayout(below);
    m_pause->setSingleShot(true);
    m_pause->setInterval(pauseBeforeExamining_ms);
    connect(m_pause, &QTimer::timeout, this, &SkillEditor::examine);
    connect(m_editor, &QPlainTextEdit::textChanged, this, [this] {
        if (!isEditing()) return;
        if (m_editor->document()->characterCount() < examinedAtOnce)
            examine();
        else
            m_pause->start();
    });
    connect(m_reason, &QLineEdit::textChanged, this, &SkillEditor::touched);
    connect(m_reason, &QLineEdit::returnPressed, this, &SkillEditor::saveWanted);
    connect(m_problems, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem *item) { goTo(m_check.findings[m_problems->row(item)]); });
    connect(m_problems, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem *item) { goTo(m_check.findings[m_problems->row(item)]); });
    const auto shortcut = [this](const QKeySequence &keys, auto slot) {
        auto *made = new QShortcut(keys, this);
        made->setContext(Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, slot);
    };
    shortcut(QKeySequence(u"Ctrl+Return"_s), &SkillEditor::saveWanted);
    shortcut(QKeySequence(Qt::Key_Escape), &SkillEditor::revertWanted);
    shortcut(QKeySequence(u"Ctrl+Space"_s), &SkillEditor::complete);
}

void SkillEditor::begin(const QString &name, const SkillEdit &edit, const QString &saved, GateCheck *gates)
{
    m_name.clear(); // what the editor says of its new text is nobody's typing
    m_saved = saved;
    m_revision = edit.revision;
    m_editor->setCode(edit.text, CodeLanguage::Plain);
    m_reason->setText(edit.reason);
    m_name = name;
    setGates(gates);
}

void SkillEditor::setGates(GateCheck *gates)
{
    m_gates = gates;
    static_cast<SkillTextEditor *>(m_editor)->setNames(gates ? gates->names() : QStringList());
    if (isEditing()) examine();
}

void SkillEditor::finish()
{
    m_pause->stop();
    m_name.clear();
}

SkillEdit SkillEditor::edit() const
{
    return {m_editor->toPlainText(), m_reason->text(), m_revision};
}

bool SkillEditor::isModified() const
{
    return isEditing() && m_editor->toPlainText() != m_saved;
}

bool SkillEditor::canSave() const
{
    return isModified() && !m_pause->isActive() && !m_check.firstError();
}

QString SkillEditor::status() const
{
    return m_status->text();
}

void SkillEditor::examine()
{
    m_check = checkSkillText(m_editor->toPlainText(), m_name, m_gates);
    showFindings();
    Q_EMIT touched();
}

void SkillEditor::showFindings()
{
    QHash<int, LineNote> notes;
    QList<QTextEdit::ExtraSelection> marks;
    m_problems->clear();
    for (const SkillFinding &finding : std::as_const(m_check.findings)) {
        const QString said = finding.allowed.isEmpty()
                                 ? finding.message
                                 : tr("%1\nAllowed here: %2").arg(finding.message, finding.allowed);
        if (!notes.contains(finding.line)) notes.insert(finding.line, {finding.message, finding.isError});
        auto *item = new QListWidgetItem(
            themedIcon(finding.isError ? u"reject"_s : u"warning"_s,
                       finding.isError ? u"severity.errorText"_s : u"severity.warnText"_s),
            tr("Line %1: %2").arg(finding.line + 1).arg(said), m_problems);
        item->setToolTip(item->text());
        const QTextBlock block = m_editor->document()->findBlockByNumber(finding.line);
        if (!block.isValid()) continue;
        const int length = int(block.text().size());
        // Behind the end there is nothing to underline: then the last character is.
        const int to = finding.length < 0 ? length : std::min(length, int(finding.column + finding.length));
        const int from = std::clamp(int(finding.column), 0, std::max(0, to - 1));
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.cursor.setPosition(block.position() + from);
        mark.cursor.setPosition(block.position() + std::max(from, to), QTextCursor::KeepAnchor);
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(themeColor(finding.isError ? "severity.errorText" : "severity.warnText"));
        marks.append(mark);
    }
    m_editor->setNotes(notes);
    m_editor->setExtraSelections(marks);
    const int rows = std::min(m_problems->count(), problemRows);
    int height = 0;
    for (int row = 0; row < rows; ++row)
        height += (m_problems->item(row)->text().contains(u'\n') ? 2 : 1) * theme().lineHeight(TextStyle::Body) + theme().space(6);
    m_problems->setVisible(rows > 0);
    m_problems->setFixedHeight(height + theme().space(4));
    const SkillFinding *error = m_check.firstError();
    QPalette colours = m_status->palette();
    colours.setColor(QPalette::WindowText, themeColor(error ? "severity.errorText" : "text.secondary"));
    m_status->setPalette(colours);
    m_status->setText(error          ? tr("Error in line %1: not to be saved yet").arg(error->line + 1)
                      : isModified() ? tr("Valid, not saved")
                                     : tr("Unchanged; Ctrl+Space offers names for the gate"));
}

void SkillEditor::goTo(const SkillFinding &finding)
{
    m_editor->goToLine(finding.line);
    QTextCursor cursor = m_editor->textCursor();
    cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor,
                        std::min(int(finding.column), int(cursor.block().text().size())));
    m_editor->setTextCursor(cursor);
}

void SkillEditor::goToFirstError()
{
    if (const SkillFinding *error = m_check.firstError()) goTo(*error);
}

void SkillEditor::goToGate()
{
    m_editor->goToLine(std::max(0, gateLine(m_editor->toPlainText())));
}

void SkillEditor::goToReason()
{
    m_reason->setFocus();
}

void SkillEditor::complete()
{
    static_cast<SkillTextEditor *>(m_editor)->complete();
}

} // namespace kernelskill
