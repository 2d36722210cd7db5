// SPDX-License-Identifier: Apache-2.0
#include "diff/diff_view.h"

#include "settings/popup_menu.h"
#include "settings/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFutureWatcher>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QtConcurrentRun>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int sideBySideFrom = 900; // px of the view: about 60 columns of code a side

QColor lineColor(DiffRow::Kind kind, bool right, bool filler)
{
    if (filler) return themeColor("diff.filler");
    if (kind == DiffRow::Kind::Same) return themeColor("surface.panel");
    return themeColor(right ? "diff.addedLine" : "diff.removedLine");
}

} // namespace

DiffView::DiffView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Difference of two candidates"));
    m_charWidth = QFontMetricsF(theme().font(TextStyle::Code)).horizontalAdvance(u'm');
    m_message = tr("Select a node to see its code beside its parent's.");
}

DiffView::~DiffView() = default;

void DiffView::showEvent(QShowEvent *event)
{
    QAbstractScrollArea::showEvent(event);
    static const bool once [[maybe_unused]] = (warmCodeThreads(), true);
}

void DiffView::compare(DiffSide left, DiffSide right, CodeLanguage language, bool single)
{
    const int generation = ++m_generation;
    m_busy = true;
    auto *watcher = new QFutureWatcher<std::shared_ptr<const DiffContents>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        if (generation != m_generation) return;
        accept(watcher->result());
    });
    watcher->setFuture(QtConcurrent::run(&codeThreads(), [left = std::move(left), right = std::move(right), language, single] {
        return std::shared_ptr<const DiffContents>(
            std::make_shared<DiffContents>(compareTexts(left, right, language, single)));
    }));
}

void DiffView::showMessage(const QString &sentence)
{
    ++m_generation;
    m_busy = false;
    m_message = sentence;
    m_contents.reset();
    m_rows.clear();
    m_hunk = -1;
    updateScrollBars();
    viewport()->update();
    Q_EMIT hunkChanged();
    Q_EMIT settled();
}

QString DiffView::text() const
{
    return m_contents ? m_contents->diff.rightLines.join(u'\n') : m_message;
}

void DiffView::accept(std::shared_ptr<const DiffContents> contents)
{
    m_busy = false;
    const bool sameText = m_contents && m_contents->diff.rightLines == contents->diff.rightLines &&
                          m_contents->diff.leftLines == contents->diff.leftLines;
    m_contents = std::move(contents);
    m_longest = 0;
    for (const QStringList *lines : {&m_contents->diff.leftLines, &m_contents->diff.rightLines}) {
        for (const QString &line : *lines)
            m_longest = std::max(m_longest, int(line.size()));
    }
    if (!sameText) {
        m_opened.clear();
        m_currentRow = -1;
        m_hunk = -1;
        rebuildRows();
        horizontalScrollBar()->setValue(0);
        verticalScrollBar()->setValue(0);
        if (hunkCount() > 0) goToHunk(0);
    }
    viewport()->update();
    Q_EMIT hunkChanged();
    Q_EMIT settled();
}

bool DiffView::isUnified() const
{
    return viewport()->width() < sideBySideFrom || (m_contents && m_contents->single);
}

void DiffView::rebuildRows()
{
    m_wasUnified = isUnified();
    m_rows = m_contents ? viewRows(m_contents->diff, m_wasUnified, m_fold, m_opened) : QList<ViewRow>();
    updateScrollBars();
    viewport()->update();
}

int DiffView::rowHeight() const
{
    return themeSize("codeLine");
}

void DiffView::updateScrollBars()
{
    const int pageRows = std::max(1, viewport()->height() / rowHeight());
    verticalScrollBar()->setRange(0, std::max(0, int(m_rows.size()) - pageRows));
    verticalScrollBar()->setPageStep(pageRows);
    const int half = isUnified() ? viewport()->width() : viewport()->width() / 2;
    const int room = half - themeSize("diffGutter") - theme().space(16);
    const int need = int(std::ceil(m_longest * m_charWidth));
    horizontalScrollBar()->setRange(0, std::max(0, need - room));
    horizontalScrollBar()->setPageStep(room);
    horizontalScrollBar()->setSingleStep(int(m_charWidth * 4));
}

void DiffView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (isUnified() != m_wasUnified)
        rebuildRows();
    else
        updateScrollBars();
}

void DiffView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    m_showFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                  event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
}

void DiffView::setFold(bool fold)
{
    m_fold = fold;
    m_opened.clear();
    rebuildRows();
    if (m_hunk >= 0) goToHunk(m_hunk);
}

int DiffView::hunkCount() const
{
    return m_contents && !m_contents->single ? int(m_contents->diff.hunks.size()) : 0;
}

void DiffView::goToHunk(int hunk)
{
    if (hunk < 0 || hunk >= hunkCount()) return;
    m_hunk = hunk;
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].hunk == hunk) {
            // A few lines of context above it.
            verticalScrollBar()->setValue(std::max(0, int(i) - 4));
            break;
        }
    }
    viewport()->update();
    Q_EMIT hunkChanged();
}

int DiffView::rowAt(int y) const
{
    const int row = y / rowHeight() + verticalScrollBar()->value();
    return row < m_rows.size() ? row : -1;
}

void DiffView::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), themeColor("surface.panel"));
    if (!m_contents) {
        painter.setFont(theme().font(TextStyle::Body));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(viewport()->rect(), Qt::AlignCenter | Qt::TextWordWrap, m_busy ? tr("Comparing…") : m_message);
        return;
    }
    painter.setFont(theme().font(TextStyle::Code));
    int y = 0;
    for (int row = verticalScrollBar()->value(); row < m_rows.size() && y < viewport()->height(); ++row) {
        paintRow(painter, y, m_rows[row]);
        y += rowHeight();
    }
    if (!isUnified()) {
        painter.fillRect(QRect(viewport()->width() / 2, 0, 1, viewport()->height()), themeColor("surface.line"));
    }
    if (hasFocus() && m_showFocus) {
        painter.setPen(QPen(themeColor("accent.focus"), theme().stroke(u"focusRing"_s)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void DiffView::paintRow(QPainter &painter, int y, const ViewRow &row)
{
    if (row.kind == ViewRow::Kind::Fold) {
        paintFold(painter, y, row);
        return;
    }
    const int width = viewport()->width();
    if (isUnified()) {
        paintUnified(painter, QRect(0, y, width, rowHeight()), row);
        return;
    }
    paintSide(painter, QRect(0, y, width / 2, rowHeight()), row, false);
    paintSide(painter, QRect(width / 2 + 1, y, width - width / 2 - 1, rowHeight()), row, true);
}

void DiffView::paintFold(QPainter &painter, int y, const ViewRow &row)
{
    const QRect rect(0, y, viewport()->width(), rowHeight());
    painter.fillRect(rect, themeColor("diff.fold"));
    painter.save();
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    const QString text = tr("%1 unchanged lines").arg(row.hidden);
    const int gutter = themeSize("diffGutter") + theme().space(8);
    const auto side = [&](int left) {
        painter.drawText(QRect(left, y, themeSize("diffGutter") - 6, rowHeight()), Qt::AlignCenter, u"⋯"_s);
        painter.drawText(QRect(left + gutter, y, 300, rowHeight()), Qt::AlignVCenter, text);
    };
    side(0);
    if (!isUnified()) side(viewport()->width() / 2 + 1);
    painter.restore();
}

void DiffView::paintGutter(QPainter &painter, const QRect &rect, const QString &numbers, DiffRow::Kind mark,
                           const LineNote *note)
{
    const int gutter = themeSize("diffGutter");
    painter.setFont(theme().font(TextStyle::Caption));
    painter.setPen(themeColor("text.secondary"));
    painter.drawText(QRect(rect.left(), rect.top(), gutter - 12, rect.height()), Qt::AlignRight | Qt::AlignVCenter,
                     numbers);
    if (mark == DiffRow::Kind::Added || mark == DiffRow::Kind::Removed) {
        const bool added = mark == DiffRow::Kind::Added;
        painter.fillRect(QRect(rect.left() + gutter - 10, rect.top(), 3, rect.height()),
                         themeColor(added ? "diff.addedWord" : "diff.removedWord"));
        painter.setFont(theme().font(TextStyle::Code));
        painter.setPen(themeColor("text.primary"));
        painter.drawText(QRect(rect.left() + gutter - 6, rect.top(), 10, rect.height()), Qt::AlignCenter,
                         added ? u"+"_s : u"−"_s);
    }
    if (note) {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor color = themeColor(note->isError ? "severity.errorText" : "severity.warnText");
        painter.setPen(QPen(color, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.translate(rect.left() + 7.5, rect.center().y() + 0.5);
        painter.drawPolygon(QPolygonF({{0, -4.5}, {5, 4}, {-5, 4}}));
        painter.drawLine(QPointF(0, -1.5), QPointF(0, 1));
        painter.drawPoint(QPointF(0, 2.6));
        painter.restore();
    }
    painter.setFont(theme().font(TextStyle::Code));
}

void DiffView::paintCode(QPainter &painter, const QRect &rect, const QString &line, const QList<SyntaxSpan> &spans,
                         const QList<WordRange> &words, const QColor &wordColor, const LineNote *note,
                         const QColor &ground)
{
    painter.save();
    painter.setClipRect(rect);
    const double left = rect.left() - horizontalScrollBar()->value();
    const auto x = [&](int column) { return left + column * m_charWidth; };
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(wordColor);
    for (const WordRange &word : words)
        painter.drawRoundedRect(
            QRectF(x(word.start) - 1, rect.top() + 1, word.length * m_charWidth + 2, rect.height() - 2),
            theme().radius(u"mark"_s), theme().radius(u"mark"_s));
    const double baseline = rect.top() + rect.height() - 4;
    const auto text = [&](int from, int to, const QColor &color) {
        if (to <= from) return;
        painter.setPen(color);
        painter.drawText(QPointF(x(from), baseline), line.mid(from, to - from));
    };
    int at = 0;
    const QColor plain = themeColor("text.primary");
    for (const SyntaxSpan &span : spans) {
        text(at, span.start, plain);
        text(span.start, span.start + span.length, theme().color(span.role));
        at = span.start + span.length;
    }
    text(at, int(line.size()), plain);
    if (note && !note->text.isEmpty()) {
        painter.setFont(theme().font(TextStyle::Caption));
        const int width = painter.fontMetrics().horizontalAdvance(note->text);
        QRect box(rect.right() - width - 12, rect.top(), width + 8, rect.height());
        // Words at the line's end never cover code: where there is no room the mark in the margin has to do.
        if (box.left() > x(int(line.size())) + 8) {
            painter.fillRect(box, ground);
            painter.setPen(themeColor(note->isError ? "severity.errorText" : "severity.warnText"));
            painter.drawText(box, Qt::AlignCenter, note->text);
        }
    }
    painter.restore();
}

void DiffView::paintSide(QPainter &painter, const QRect &rect, const ViewRow &row, bool right)
{
    const int line = right ? row.right : row.left;
    const bool changed = row.change != DiffRow::Kind::Same;
    const QColor ground = lineColor(row.change, right, line < 0);
    painter.fillRect(rect, ground);
    const bool current =
        m_currentRow >= 0 && m_currentRow < m_rows.size() && m_rows[m_currentRow].diffRow == row.diffRow;
    if (line < 0) return;
    if (!changed)
        painter.fillRect(QRect(rect.left(), rect.top(), themeSize("diffGutter") - 7, rect.height()),
                         themeColor("diff.gutter"));
    if (current && !changed) painter.fillRect(rect, themeColor("diff.currentLine"));
    const auto &notes = right ? m_contents->rightNotes : m_contents->leftNotes;
    const auto note = notes.constFind(line);
    const LineNote *mark = note != notes.constEnd() ? &*note : nullptr;
    paintGutter(painter, rect, QString::number(line + 1),
                changed ? (right ? DiffRow::Kind::Added : DiffRow::Kind::Removed) : DiffRow::Kind::Same, mark);
    const QStringList &lines = right ? m_contents->diff.rightLines : m_contents->diff.leftLines;
    const auto &spans = right ? m_contents->rightSpans : m_contents->leftSpans;
    const DiffRow &entry = m_contents->diff.rows[row.diffRow];
    QList<WordRange> words;
    if (row.change == DiffRow::Kind::Changed) words = right ? entry.rightWords : entry.leftWords;
    const QRect code = rect.adjusted(themeSize("diffGutter") + 8, 0, 0, 0);
    paintCode(painter, code, lines[line], spans.value(line), words,
              themeColor(right ? "diff.addedWord" : "diff.removedWord"), mark, ground);
}

void DiffView::paintUnified(QPainter &painter, const QRect &rect, const ViewRow &row)
{
    const bool single = m_contents->single;
    const bool right = row.right >= 0;
    const int line = right ? row.right : row.left;
    const QColor ground = lineColor(row.change, row.change == DiffRow::Kind::Added, false);
    painter.fillRect(rect, ground);
    const int second = single ? 0 : themeSize("diffGutter") - 12;
    if (row.change == DiffRow::Kind::Same)
        painter.fillRect(QRect(rect.left(), rect.top(), second + themeSize("diffGutter") - 7, rect.height()),
                         themeColor("diff.gutter"));
    if (m_currentRow >= 0 && m_currentRow < m_rows.size() && &m_rows[m_currentRow] == &row &&
        row.change == DiffRow::Kind::Same)
        painter.fillRect(rect, themeColor("diff.currentLine"));
    const auto &notes = right ? m_contents->rightNotes : m_contents->leftNotes;
    const auto note = notes.constFind(line);
    const LineNote *mark = note != notes.constEnd() ? &*note : nullptr;
    if (!single && row.left >= 0) {
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(QRect(rect.left(), rect.top(), second, rect.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(row.left + 1));
    }
    QRect inner = rect.adjusted(second, 0, 0, 0);
    paintGutter(painter, inner, row.right >= 0 ? QString::number(row.right + 1) : QString(), row.change, nullptr);
    if (mark) paintGutter(painter, rect, QString(), DiffRow::Kind::Same, mark);
    const QStringList &lines = right ? m_contents->diff.rightLines : m_contents->diff.leftLines;
    const auto &spans = right ? m_contents->rightSpans : m_contents->leftSpans;
    const DiffRow &entry = m_contents->diff.rows[row.diffRow];
    QList<WordRange> words;
    if (entry.kind == DiffRow::Kind::Changed) words = right ? entry.rightWords : entry.leftWords;
    paintCode(painter, inner.adjusted(themeSize("diffGutter") + 8, 0, 0, 0), lines[line], spans.value(line), words,
              themeColor(row.change == DiffRow::Kind::Added ? "diff.addedWord" : "diff.removedWord"), mark, ground);
}

void DiffView::mousePressEvent(QMouseEvent *event)
{
    const int index = rowAt(int(event->position().y()));
    if (index < 0) return;
    const ViewRow row = m_rows[index];
    if (row.kind == ViewRow::Kind::Fold) {
        m_opened.insert(row.diffRow);
        const int top = verticalScrollBar()->value();
        rebuildRows();
        verticalScrollBar()->setValue(top);
        return;
    }
    m_currentRow = index;
    m_currentLine = row.right + 1;
    if (row.hunk >= 0 && row.hunk != m_hunk) {
        m_hunk = row.hunk;
        Q_EMIT hunkChanged();
    }
    viewport()->update();
    Q_EMIT currentLineChanged();
}

void DiffView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepSub);
        return;
    case Qt::Key_Down:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderSingleStepAdd);
        return;
    case Qt::Key_PageUp:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepSub);
        return;
    case Qt::Key_PageDown:
        verticalScrollBar()->triggerAction(QAbstractSlider::SliderPageStepAdd);
        return;
    case Qt::Key_Home:
        verticalScrollBar()->setValue(0);
        return;
    case Qt::Key_End:
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
        return;
    case Qt::Key_N:
        goToHunk(m_hunk + 1);
        return;
    case Qt::Key_P:
        goToHunk(m_hunk - 1);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void DiffView::contextMenuEvent(QContextMenuEvent *event)
{
    if (!m_contents) return;
    QMenu *menu = newPopupMenu(this);
    const QStringList left = m_contents->diff.leftLines, right = m_contents->diff.rightLines;
    if (!m_contents->single)
        menu->addAction(tr("Copy A"), this, [left] { QApplication::clipboard()->setText(left.join(u'\n')); });
    menu->addAction(m_contents->single ? tr("Copy code") : tr("Copy B"), this,
                   [right] { QApplication::clipboard()->setText(right.join(u'\n')); });
    const int index = rowAt(event->pos().y());
    if (index >= 0 && m_rows[index].kind == ViewRow::Kind::Line) {
        const ViewRow row = m_rows[index];
        const bool onLeft = !isUnified() && event->pos().x() < viewport()->width() / 2;
        const int line = onLeft ? row.left : row.right >= 0 ? row.right : row.left;
        const QString text = (onLeft || row.right < 0 ? left : right).value(line);
        menu->addAction(tr("Copy line"), this, [text] { QApplication::clipboard()->setText(text); });
    }
    popUp(menu, event->globalPos());
}

bool DiffView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip && m_contents) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const int index = rowAt(help->pos().y());
        QString text;
        if (index >= 0 && m_rows[index].kind == ViewRow::Kind::Line) {
            const ViewRow &row = m_rows[index];
            const bool onLeft = !isUnified() && help->pos().x() < viewport()->width() / 2;
            text = (onLeft ? m_contents->leftNotes.value(row.left) : m_contents->rightNotes.value(row.right)).text;
        }
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace kernelskill
