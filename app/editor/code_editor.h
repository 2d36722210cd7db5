// SPDX-License-Identifier: Apache-2.0
// A plain editor for a candidate's code: line numbers, syntax colours, and marks on lines with their words at the line's end.
#pragma once

#include "diff/diff_rows.h"

#include <QPlainTextEdit>

namespace KSyntaxHighlighting {
class SyntaxHighlighter;
}

namespace kernelskill {

class CodeEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit CodeEditor(QWidget *parent = nullptr);

    void setCode(const QString &text, CodeLanguage language); // there is nothing to undo afterwards
    void setNotes(const QHash<int, LineNote> &notes);         // by 0-based line
    [[nodiscard]] const QHash<int, LineNote> &notes() const { return m_notes; }
    void goToLine(int line); // 0-based

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Gutter;
    void paintGutter(QPaintEvent *event);
    void layOutGutter();
    [[nodiscard]] int gutterWidth() const;
    void breakLine();
    void indentLines(bool inwards);

    Gutter *m_gutter;
    KSyntaxHighlighting::SyntaxHighlighter *m_highlighter;
    QHash<int, LineNote> m_notes;
};

} // namespace kernelskill
