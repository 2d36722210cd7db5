// SPDX-License-Identifier: Apache-2.0
#include "editor/code_editor.h"

#include "settings/theme.h"

#include <KSyntaxHighlighting/SyntaxHighlighter>

#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int indentation = 4;
// Longer texts are edited without colours: colouring them would hold up the window.
constexpr int mostColouredLines = 3000;

class ThemedHighlighter : public KSyntaxHighlighting::SyntaxHighlighter
{
public:
    using SyntaxHighlighter::SyntaxHighlighter;

protected:
    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
    {
        const QString role = syntaxRole(format);
        if (!role.isEmpty() && length > 0) setFormat(offset, length, kernelskill::theme().color(role));
    }
};

} // namespace

class CodeEditor::Gutter : public QWidget
{
public:
    explicit Gutter(CodeEditor *editor) : QWidget(editor), m_editor(editor) {}

protected:
    void paintEvent(QPaintEvent *event) override { m_editor->paintGutter(event); }

private:
    CodeEditor *m_editor;
};

CodeEditor::CodeEditor(QWidget *parent)
    : QPlainTextEdit(parent), m_gutter(new Gutter(this)), m_highlighter(new ThemedHighlighter(document()))
{
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(NoWrap);
    setFont(theme().font(TextStyle::Code));
    setTabStopDistance(indentation * QFontMetricsF(font()).horizontalAdvance(u' '));
    setAccessibleName(tr("Code"));
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::layOutGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect &rect, int dy) {
        if (dy != 0)
            m_gutter->scroll(0, dy);
        else
            m_gutter->update(0, rect.y(), m_gutter->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, viewport(), qOverload<>(&QWidget::update));
    layOutGutter();
}

void CodeEditor::setCode(const QString &text, CodeLanguage language)
{
    m_notes.clear();
    m_highlighter->setDefinition({});
    setPlainText(text);
    if (blockCount() <= mostColouredLines) m_highlighter->setDefinition(syntaxDefinition(language));
    layOutGutter();
}

void CodeEditor::setNotes(const QHash<int, LineNote> &notes)
{
    m_notes = notes;
    viewport()->update();
    m_gutter->update();
}

void CodeEditor::goToLine(int line)
{
    const QTextBlock block = document()->findBlockByNumber(line);
    if (!block.isValid()) return;
    QTextCursor cursor(block);
    setTextCursor(cursor);
    centerCursor();
    setFocus();
}

int CodeEditor::gutterWidth() const
{
    const qsizetype digits = std::max<qsizetype>(3, QString::number(blockCount()).size());
    return int(digits) * fontMetrics().horizontalAdvance(u'9') + theme().space(16);
}

void CodeEditor::layOutGutter()
{
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
    m_gutter->update();
}

void CodeEditor::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    layOutGutter();
}

void CodeEditor::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) m_highlighter->rehighlight();
}

void CodeEditor::paintGutter(QPaintEvent *event)
{
    QPainter painter(m_gutter);
    painter.fillRect(event->rect(), themeColor("diff.gutter"));
    painter.setFont(font());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF rect = blockBoundingGeometry(block).translated(contentOffset());
        if (rect.top() > event->rect().bottom()) break;
        const auto note = m_notes.constFind(block.blockNumber());
        if (note != m_notes.constEnd())
            painter.fillRect(QRectF(0, rect.top(), 3, rect.height()),
                             note->isError ? themeColor("state.wrong") : themeColor("state.suspect"));
        painter.setPen(block == textCursor().block() ? themeColor("text.primary") : themeColor("text.secondary"));
        const double firstLine = block.layout()->lineCount() > 0 ? block.layout()->lineAt(0).height() : rect.height();
        painter.drawText(QRectF(0, rect.top(), m_gutter->width() - theme().space(8), firstLine), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(block.blockNumber() + 1));
    }
}

void CodeEditor::paintEvent(QPaintEvent *event)
{
    {
        QPainter painter(viewport());
        const QRectF line = blockBoundingGeometry(textCursor().block()).translated(contentOffset());
        painter.fillRect(QRectF(0, line.top(), viewport()->width(), line.height()), themeColor("diff.currentLine"));
    }
    QPlainTextEdit::paintEvent(event);
    if (m_notes.isEmpty()) return;
    QPainter painter(viewport());
    painter.setFont(theme().font(TextStyle::Caption));
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF rect = blockBoundingGeometry(block).translated(contentOffset());
        if (rect.top() > event->rect().bottom()) break;
        const auto note = m_notes.constFind(block.blockNumber());
        if (note == m_notes.constEnd()) continue;
        const double left = contentOffset().x() + fontMetrics().horizontalAdvance(block.text()) + theme().space(16);
        painter.setPen(note->isError ? themeColor("severity.errorText") : themeColor("severity.warnText"));
        painter.drawText(QRectF(left, rect.top(), std::max(80.0, viewport()->width() - left - 8), rect.height()), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(note->text, Qt::ElideRight, int(std::max(80.0, viewport()->width() - left - 8))));
    }
}

// A new line begins where the last one did, and one step further after an opening brace.
void CodeEditor::breakLine()
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    QString indent;
    for (const QChar c : before) {
        if (!c.isSpace()) break;
        indent += c;
    }
    if (before.trimmed().endsWith(u'{')) indent += QString(indentation, u' ');
    cursor.insertText(u'\n' + indent);
    setTextCursor(cursor);
    ensureCursorVisible();
}

void CodeEditor::indentLines(bool inwards)
{
    QTextCursor cursor = textCursor();
    const int last = document()->findBlock(cursor.selectionEnd()).blockNumber();
    cursor.beginEditBlock();
    for (QTextBlock block = document()->findBlock(cursor.selectionStart()); block.isValid() && block.blockNumber() <= last; block = block.next()) {
        QTextCursor at(block);
        if (inwards) {
            at.insertText(QString(indentation, u' '));
            continue;
        }
        for (int i = 0; i < indentation && block.text().startsWith(u' '); ++i)
            at.deleteChar();
    }
    cursor.endEditBlock();
}

void CodeEditor::keyPressEvent(QKeyEvent *event)
{
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (plain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter))
        return breakLine();
    if (event->key() == Qt::Key_Backtab || (event->key() == Qt::Key_Tab && textCursor().hasSelection()))
        return indentLines(event->key() == Qt::Key_Tab);
    if (plain && event->key() == Qt::Key_Tab) {
        const int column = textCursor().positionInBlock();
        textCursor().insertText(QString(indentation - column % indentation, u' '));
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

} // namespace kernelskill
