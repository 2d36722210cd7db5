// SPDX-License-Identifier: Apache-2.0
#include "evidence/row_view.h"

#include "models/panel_rows.h"
#include "settings/glyphs.h"
#include "settings/theme.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOption>
#include <QStyledItemDelegate>

#include <functional>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

using panel_rows::Kind;

Kind kindOf(const QModelIndex &index)
{
    return Kind(index.data(panel_rows::KindRole).toInt());
}

QString cell(const QModelIndex &index, int column)
{
    return index.siblingAtColumn(column).data().toString();
}

class RowDelegate : public QStyledItemDelegate
{
public:
    explicit RowDelegate(const QTreeView *view) : QStyledItemDelegate(const_cast<QTreeView *>(view)), m_view(view) {}

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const override
    {
        const int row = themeSize("rowCompact");
        switch (kindOf(index)) {
        case Kind::Section:
            return {10, themeSize("row")};
        case Kind::Ranked:
            return {10, themeSize("rowTwoLine")};
        case Kind::Note:
        case Kind::Text: {
            const QFontMetrics metrics(textFont(index));
            const int room = m_view->viewport()->width() - textLeft(index) - 10;
            const QRect bounds = metrics.boundingRect(0, 0, std::max(60, room), 100'000, Qt::TextWordWrap, index.data().toString());
            return {10, bounds.height() + theme().space(8)};
        }
        default:
            return {10, index.data(panel_rows::SubtextRole).toString().isEmpty() ? row : themeSize("rowTwoLine")};
        }
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        painter->save();
        QRect rect = option.rect;
        rect.setLeft(0);
        rect.setRight(m_view->viewport()->width() - 1);
        const Kind kind = kindOf(index);
        if (kind == Kind::Section) {
            paintSection(*painter, rect, index);
        } else {
            if (option.state & QStyle::State_Selected)
                painter->fillRect(rect,
                                  themeColor(m_view->hasFocus() ? "accent.selection" : "accent.selectionInactive"));
            if (kind == Kind::Text || kind == Kind::Note)
                paintText(*painter, rect, index);
            else if (kind == Kind::Ranked)
                paintRanked(*painter, rect, index);
            else
                paintItem(*painter, rect, index, kind);
            paintStripe(*painter, rect, index);
        }
        painter->restore();
    }

private:
    void paintSection(QPainter &painter, const QRect &rect, const QModelIndex &index) const
    {
        painter.fillRect(rect, themeColor("surface.window"));
        for (const int y : {rect.top(), rect.bottom()})
            painter.fillRect(QRect(rect.left(), y, rect.width(), 1), themeColor("surface.line"));
        painter.setFont(theme().font(TextStyle::Strong));
        painter.setPen(themeColor("text.primary"));
        painter.drawText(rect.adjusted(8, 0, -8, 0), Qt::AlignVCenter, cell(index, 0));
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(rect.adjusted(8, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight, cell(index, 2));
    }

    // Whose words a group and what is below it are.
    static void paintStripe(QPainter &painter, const QRect &rect, const QModelIndex &index)
    {
        for (QModelIndex up = index; up.isValid(); up = up.parent()) {
            const QString role = up.data(panel_rows::StripeRole).toString();
            if (role.isEmpty()) continue;
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), theme().color(role));
            return;
        }
    }

    void paintText(QPainter &painter, const QRect &rect, const QModelIndex &index) const
    {
        const bool isNote = kindOf(index) == Kind::Note;
        if (isNote && m_view->currentIndex() != index) painter.fillRect(rect.adjusted(3, 1, 0, -1), themeColor("severity.infoFill"));
        painter.setFont(textFont(index));
        painter.setPen(themeColor(isNote ? "severity.infoText" : "text.primary"));
        painter.drawText(rect.adjusted(textLeft(index), 4, -10, -4), Qt::TextWordWrap, cell(index, 0));
    }

    static const QFont &textFont(const QModelIndex &index)
    {
        return theme().font(index.data(panel_rows::MonospaceRole).toBool() ? TextStyle::Code : TextStyle::Body);
    }

    // Under a group, where its name begins.
    static int textLeft(const QModelIndex &index)
    {
        int left = 10;
        for (QModelIndex up = index.parent(); up.isValid() && kindOf(up) == Kind::Group; up = up.parent())
            left += 12;
        return left;
    }

    void paintRanked(QPainter &painter, const QRect &rect, const QModelIndex &index) const
    {
        const QString note = index.data(panel_rows::NoteRole).toString();
        if (!note.isEmpty()) painter.fillRect(rect, themeColor("accent.selectionInactive"));
        const QRect inner = rect.adjusted(10, 2, -8, -2);
        const int half = inner.height() / 2;
        painter.setFont(theme().font(note.isEmpty() ? TextStyle::Body : TextStyle::Strong));
        painter.setPen(themeColor("text.primary"));
        const QFontMetrics metrics(painter.font());
        painter.drawText(QRect(inner.left(), inner.top(), inner.width(), half), Qt::AlignVCenter,
                         metrics.elidedText(cell(index, 0), Qt::ElideRight, inner.width() - 30));
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(QRect(inner.left(), inner.top(), inner.width(), half), Qt::AlignVCenter | Qt::AlignRight,
                         cell(index, 2));
        const QRect lower(inner.left() + 14, inner.top() + half, inner.width() - 14, half);
        int noteWidth = 0;
        if (!note.isEmpty()) {
            painter.setFont(theme().font(TextStyle::Strong));
            painter.setPen(theme().color(index.data(panel_rows::NoteColorRole).toString()));
            noteWidth = painter.fontMetrics().horizontalAdvance(note) + 8;
            painter.drawText(lower, Qt::AlignVCenter | Qt::AlignRight, note);
        }
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(lower, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(index.data(panel_rows::SubtextRole).toString(),
                                                          Qt::ElideRight, lower.width() - noteWidth));
    }

    void paintItem(QPainter &painter, const QRect &whole, const QModelIndex &index, Kind kind) const
    {
        int depth = 0;
        for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
            ++depth;
        const QString subtext = index.data(panel_rows::SubtextRole).toString();
        QRect rect = whole;
        if (!subtext.isEmpty()) rect.setHeight(whole.height() / 2 + 1);
        int left = 8 + (depth - 1) * 12;
        const QVariant truth = index.data(panel_rows::TruthRole);
        const bool hasState = index.data(panel_rows::StateRole).isValid();
        if (kind == Kind::Group) {
            QStyleOption chevron;
            chevron.rect = QRect(left - 4, rect.top(), 14, rect.height());
            chevron.state =
                QStyle::State_Children | (m_view->isExpanded(index) ? QStyle::State_Open : QStyle::State_None);
            m_view->style()->drawPrimitive(QStyle::PE_IndicatorBranch, &chevron, &painter, m_view);
            left += 14;
        } else if (hasState) {
            glyphs::paintState(painter, QRectF(left, rect.center().y() - 5.5, 12, 12),
                               NodeState(index.data(panel_rows::StateRole).toInt()));
            left += 18;
        } else if (truth.isValid()) {
            glyphs::paintTruth(painter, QRectF(left + 1, rect.center().y() - 4, 9, 9), Truth(truth.toInt()));
            left += 18;
        }
        const int right = rect.right() - 8;
        const QString value = cell(index, 1), last = cell(index, 2);
        const bool bold = kind == Kind::Group || hasState;
        const QFontMetrics body(theme().font(bold ? TextStyle::Strong : TextStyle::Body));
        const int lastColumn = value.isEmpty() ? 0 : 74; // values line up left of what they are held against
        painter.setFont(theme().font(bold && kind != Kind::Group ? TextStyle::Body
                                     : bold                      ? TextStyle::Strong
                                                                 : TextStyle::Body));
        QColor lastColor = themeColor(
            kind == Kind::Group || value.isEmpty() || kind == Kind::Promise ? "text.primary" : "text.secondary");
        if (kind == Kind::Group && truth.isValid())
            lastColor = themeColor(Truth(truth.toInt()) == Truth::True    ? "severity.okText"
                                   : Truth(truth.toInt()) == Truth::False ? "severity.errorText"
                                                                          : "text.secondary");
        painter.setPen(lastColor);
        const QFontMetrics current(painter.font());
        const int lastWidth = current.horizontalAdvance(last);
        painter.drawText(QRect(left, rect.top(), right - left, rect.height()), Qt::AlignVCenter | Qt::AlignRight, last);
        int end = right - (last.isEmpty() ? 0 : lastWidth + 10);
        if (!value.isEmpty()) {
            painter.setPen(themeColor(kind == Kind::Promise ? "text.secondary" : "text.primary"));
            const int valueRight = kind == Kind::Promise ? right - std::max(lastWidth + 12, lastColumn)
                                                         : right - std::max(lastColumn, lastWidth + 10);
            painter.drawText(QRect(left, rect.top(), valueRight - left, rect.height()),
                             Qt::AlignVCenter | Qt::AlignRight, value);
            end = valueRight - current.horizontalAdvance(value) - 10;
        }
        const bool mono = index.data(panel_rows::MonospaceRole).toBool();
        painter.setFont(theme().font(mono                              ? TextStyle::Code
                                     : kind == Kind::Group || hasState ? TextStyle::Strong
                                                                       : TextStyle::Body));
        QString name = cell(index, 0);
        // "Bottleneck  Memory latency": what it is stands back behind what it is called.
        if (const qsizetype cut = name.indexOf(u"  "_s); kind == Kind::Group && cut > 0) {
            painter.save();
            painter.setFont(theme().font(TextStyle::Body));
            painter.setPen(themeColor("text.secondary"));
            painter.drawText(QRect(left, rect.top(), end - left, rect.height()), Qt::AlignVCenter, name.left(cut));
            left += painter.fontMetrics().horizontalAdvance(depth == 1 ? u"Bottleneck"_s : name.left(cut)) + 8;
            name = name.mid(cut + 2);
            painter.restore();
        }
        painter.setPen(themeColor("text.primary"));
        painter.drawText(QRect(left, rect.top(), std::max(10, end - left), rect.height()), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideRight, std::max(10, end - left)));
        if (!subtext.isEmpty()) {
            painter.setFont(theme().font(TextStyle::Caption));
            painter.setPen(themeColor("text.secondary"));
            painter.drawText(QRect(left, rect.bottom(), right - left, whole.height() / 2 - 2), Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(subtext.simplified(), Qt::ElideRight, right - left));
        }
    }

    const QTreeView *m_view;
};

QString pathOf(const TreeRowsModel &model, QModelIndex index)
{
    QString path;
    for (; index.isValid(); index = index.parent())
        path.prepend(u'/' + model.row(index)->key);
    return path;
}

} // namespace

RowView::RowView(QWidget *parent, TreeRowsModel *model)
    : QTreeView(parent), m_model(model ? model : new TreeRowsModel({u"name"_s, u"value"_s, u"needs"_s}, {1, 2}, this))
{
    setFrameShape(QFrame::NoFrame);
    setHeaderHidden(true);
    setIndentation(0);
    setRootIsDecorated(false);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setItemDelegate(new RowDelegate(this));
    setModel(m_model);
    setColumnHidden(1, true);
    setColumnHidden(2, true);
    setExpandsOnDoubleClick(false);
}

void RowView::setRows(std::unique_ptr<TreeRow> root, const QString &emptySentence)
{
    m_model->setRows(std::move(root));
    rowsChanged(emptySentence);
}

void RowView::rowsChanged(const QString &emptySentence)
{
    m_empty = emptySentence;
    openAsNeeded();
    viewport()->update();
}

void RowView::openAsNeeded()
{
    std::function<void(const QModelIndex &)> open = [&](const QModelIndex &parent) {
        for (int row = 0; row < m_model->rowCount(parent); ++row) {
            const QModelIndex index = m_model->index(row, 0, parent);
            if (m_model->rowCount(index) == 0) continue;
            const QVariant truth = index.data(panel_rows::TruthRole);
            const bool byItself =
                kindOf(index) == Kind::Section ||
                (!index.data(panel_rows::ClosedRole).toBool() && (!truth.isValid() || Truth(truth.toInt()) == Truth::True));
            const auto chosen = m_opened.constFind(pathOf(*m_model, index));
            setExpanded(index, chosen != m_opened.constEnd() ? *chosen : byItself);
            open(index);
        }
    };
    open({});
}

void RowView::mouseReleaseEvent(QMouseEvent *event)
{
    QTreeView::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid() && m_model->rowCount(index) > 0) {
        setExpanded(index, !isExpanded(index));
        m_opened[pathOf(*m_model, index)] = isExpanded(index);
    }
}

void RowView::drawBranches(QPainter *, const QRect &, const QModelIndex &) const
{
    // The delegate draws the chevrons: rows span the whole width.
}

void RowView::paintEvent(QPaintEvent *event)
{
    QTreeView::paintEvent(event);
    if (m_model->rowCount() == 0) {
        QPainter painter(viewport());
        painter.setFont(theme().font(TextStyle::Body));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(viewport()->rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    }
}

void RowView::resizeEvent(QResizeEvent *event)
{
    QTreeView::resizeEvent(event);
    scheduleDelayedItemsLayout(); // wrapped texts change their height
}

} // namespace kernelskill
