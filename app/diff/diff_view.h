// SPDX-License-Identifier: Apache-2.0
// Two texts side by side, or unified when there is no room. Both sides scroll as one. Comparing and colouring happen in
// a worker; what arrives late for an earlier request is dropped by its number.
#pragma once

#include "diff/diff_rows.h"

#include <QAbstractScrollArea>

#include <memory>

namespace kernelskill {

class DiffView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit DiffView(QWidget *parent = nullptr);
    ~DiffView() override;

    // `single`: nothing to compare with, show the right text plain. Keeps the scroll position for equal line counts.
    void compare(DiffSide left, DiffSide right, CodeLanguage language, bool single);
    void showMessage(const QString &sentence); // instead of code
    [[nodiscard]] QString text() const; // of the right side, or the sentence in its place
    void setFold(bool fold);
    [[nodiscard]] bool folds() const { return m_fold; }

    [[nodiscard]] int hunkCount() const;
    [[nodiscard]] int currentHunk() const { return m_hunk; } // −1 none
    void goToHunk(int hunk);
    [[nodiscard]] bool isUnified() const;
    [[nodiscard]] bool isSettled() const { return !m_busy; }
    [[nodiscard]] int currentLine() const { return m_currentLine; } // 1-based line of the right side, 0 none

Q_SIGNALS:
    void hunkChanged();
    void settled();
    void currentLineChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    void rebuildRows();
    void updateScrollBars();
    void accept(std::shared_ptr<const DiffContents> contents);
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int rowAt(int y) const;
    void paintRow(QPainter &painter, int y, const ViewRow &row);
    void paintFold(QPainter &painter, int y, const ViewRow &row);
    void paintSide(QPainter &painter, const QRect &rect, const ViewRow &row, bool right);
    void paintUnified(QPainter &painter, const QRect &rect, const ViewRow &row);
    void paintGutter(QPainter &painter, const QRect &rect, const QString &numbers, DiffRow::Kind mark,
                     const LineNote *note);
    void paintCode(QPainter &painter, const QRect &rect, const QString &line, const QList<SyntaxSpan> &spans,
                   const QList<WordRange> &words, const QColor &wordColor, const LineNote *note, const QColor &ground);

    std::shared_ptr<const DiffContents> m_contents;
    QList<ViewRow> m_rows;
    QSet<int> m_opened;
    QString m_message;
    bool m_showFocus = false; // only a focus that came by keyboard needs a ring
    bool m_fold = true, m_busy = false, m_wasUnified = false;
    int m_generation = 0;
    int m_hunk = -1;
    int m_currentRow = -1, m_currentLine = 0;
    int m_longest = 0; // characters
    double m_charWidth = 7;
};

} // namespace kernelskill
