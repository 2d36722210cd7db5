// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_list.h"

#include "settings/glyphs.h"
#include "settings/icons.h"
#include "settings/numbers.h"
#include "settings/theme.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

// The gain axis of the list: 1× at a quarter, factors as equal distances.
constexpr double axisLow = 0.7, axisHigh = 2.4;

double onAxis(double value, const QRect &cell)
{
    const double share = std::log(value / axisLow) / std::log(axisHigh / axisLow);
    return cell.left() + share * cell.width();
}

class SkillDelegate : public QStyledItemDelegate
{
public:
    explicit SkillDelegate(QTreeView *view) : QStyledItemDelegate(view), m_view(view) {}

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override { return {10, themeSize("row")}; }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        painter->save();
        const QModelIndex first = index.siblingAtColumn(0);
        if (!first.data(SkillModel::NameRole).isValid()) {
            paintGroup(*painter, option, index);
        } else {
            if (option.state & QStyle::State_Selected)
                painter->fillRect(option.rect,
                                  themeColor(m_view->hasFocus() ? "accent.selection" : "accent.selectionInactive"));
            paintSkill(*painter, option, index);
        }
        painter->restore();
    }

private:
    void paintGroup(QPainter &painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
    {
        if (index.column() != 0) return; // the first column paints the whole band
        const QRect band(0, option.rect.top(), m_view->viewport()->width(), option.rect.height());
        painter.setClipping(false);
        painter.fillRect(band, themeColor("surface.window"));
        for (const int y : {band.top(), band.bottom()})
            painter.fillRect(QRect(0, y, band.width(), 1), themeColor("surface.line"));
        QStyleOption chevron;
        chevron.rect = QRect(4, band.top(), 14, band.height());
        chevron.state = QStyle::State_Children | (m_view->isExpanded(index) ? QStyle::State_Open : QStyle::State_None);
        m_view->style()->drawPrimitive(QStyle::PE_IndicatorBranch, &chevron, &painter, m_view);
        painter.setFont(theme().font(TextStyle::Strong));
        painter.setPen(themeColor("text.primary"));
        const QString title = index.data().toString();
        painter.drawText(band.adjusted(24, 0, -8, 0), Qt::AlignVCenter, title);
        const int after = 24 + painter.fontMetrics().horizontalAdvance(title) + 6;
        painter.setFont(theme().font(TextStyle::Body));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(band.adjusted(after, 0, -8, 0), Qt::AlignVCenter,
                         QString::number(index.model()->rowCount(index)));
        painter.setFont(theme().font(TextStyle::Caption));
        painter.drawText(band.adjusted(24, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight,
                         index.data(SkillModel::GroupNoteRole).toString());
    }

    void paintSkill(QPainter &painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
    {
        const QModelIndex first = index.siblingAtColumn(0);
        const auto state = SkillState(first.data(SkillModel::StateRole).toInt());
        const bool rejected = state == SkillState::Rejected;
        painter.setFont(theme().font(TextStyle::Body));
        painter.setPen(themeColor(rejected ? "text.secondary" : "text.primary"));
        const QRect rect = option.rect;
        switch (index.column()) {
        case SkillModel::SkillColumn:
            glyphs::paintSkill(painter, QRectF(8, rect.center().y() - 5, 11, 11), state);
            paintName(painter, rect.adjusted(28, 0, -2, 0), index);
            break;
        case SkillModel::WonColumn:
        case SkillModel::LostColumn:
            if (index.column() == SkillModel::LostColumn) painter.setPen(themeColor("text.secondary"));
            painter.drawText(rect.adjusted(0, 0, -6, 0), Qt::AlignVCenter | Qt::AlignRight, index.data().toString());
            break;
        case SkillModel::UsedColumn:
            painter.setPen(themeColor("text.secondary"));
            painter.drawText(rect.adjusted(0, 0, -6, 0), Qt::AlignVCenter | Qt::AlignRight, index.data().toString());
            break;
        case SkillModel::GainColumn:
            paintGain(painter, rect.adjusted(6, 0, -8, 0), first, index.data().toString());
            break;
        }
    }

    // What is not saved is said with a pencil, and in the row's words.
    static void paintName(QPainter &painter, const QRect &rect, const QModelIndex &index)
    {
        const bool unsaved = index.data(SkillModel::UnsavedRole).toBool();
        const int room = rect.width() - (unsaved ? 18 : 0);
        const QString name = painter.fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room);
        painter.drawText(rect, Qt::AlignVCenter, name);
        if (!unsaved) return;
        const int left = rect.left() + painter.fontMetrics().horizontalAdvance(name) + 4;
        themedIcon(u"edit"_s).paint(&painter, QRect(left, rect.center().y() - 6, 13, 13));
    }

    void paintGain(QPainter &painter, const QRect &cell, const QModelIndex &row, const QString &word) const
    {
        const int one = int(std::lround(onAxis(1, cell)));
        const QVariant gain = row.data(SkillModel::GainRole);
        if (!gain.isValid()) {
            painter.setFont(theme().font(TextStyle::Caption));
            painter.setPen(themeColor("text.secondary"));
            painter.drawText(cell, Qt::AlignVCenter | Qt::AlignRight, word);
            return;
        }
        painter.fillRect(QRect(one, cell.top(), 1, cell.height()), themeColor("text.primary"));
        const QColor color = themeColor("kind.modelled");
        const QVariant low = row.data(SkillModel::LowRole), high = row.data(SkillModel::HighRole);
        const auto clamp = [&](double x) { return std::clamp(x, double(cell.left()), double(cell.right())); };
        if (low.isValid() && high.isValid()) {
            const double from = clamp(onAxis(low.toDouble(), cell)), to = clamp(onAxis(high.toDouble(), cell));
            const QRectF bar(std::round(from), cell.center().y() - 4, std::max(3.0, std::round(to - from)), 9);
            glyphs::fillValue(painter, bar, color, TimeKind(row.data(SkillModel::GainKindRole).toInt()));
            painter.fillRect(
                QRectF(std::round(clamp(onAxis(gain.toDouble(), cell))), bar.top() - 1, 2, bar.height() + 2), color);
            if (onAxis(high.toDouble(), cell) > cell.right()) { // it goes on beyond the axis
                painter.setRenderHint(QPainter::Antialiasing);
                painter.setPen(Qt::NoPen);
                painter.setBrush(color);
                painter.drawPolygon(QPolygonF({{cell.right() + 1.0, bar.top()},
                                               {cell.right() + 6.0, bar.center().y()},
                                               {cell.right() + 1.0, bar.bottom()}}));
            }
        } else { // one use: no interval
            const double at = clamp(onAxis(gain.toDouble(), cell));
            painter.fillRect(QRectF(std::round(at) - 1, cell.center().y() - 5, 3, 11), color);
        }
    }

    QTreeView *m_view;
};

// Names over their column's text, and the gain axis' own figures.
class SkillHeader : public QHeaderView
{
public:
    explicit SkillHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent) {}

protected:
    void paintSection(QPainter *painter, const QRect &rect, int column) const override
    {
        painter->save();
        painter->fillRect(rect, themeColor("surface.panel"));
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), themeColor("surface.line"));
        painter->setFont(theme().font(TextStyle::Caption));
        painter->setPen(themeColor("text.secondary"));
        const QString text = model()->headerData(column, Qt::Horizontal).toString();
        if (column == SkillModel::SkillColumn) {
            painter->drawText(rect.adjusted(28, 0, 0, 0), Qt::AlignVCenter, text);
        } else if (column == SkillModel::GainColumn) {
            const QRect cell = rect.adjusted(6, 0, -8, 0);
            for (const int factor : {1, 2})
                painter->drawText(QRectF(onAxis(factor, cell) - 15, rect.top(), 30, rect.height()), Qt::AlignCenter,
                                  u"%1×"_s.arg(factor));
        } else {
            painter->drawText(rect.adjusted(0, 0, -6, 0), Qt::AlignVCenter | Qt::AlignRight, text);
        }
        painter->restore();
    }
};

class SkillFilter : public QSortFilterProxyModel
{
public:
    SkillFilter(SkillModel *model, QObject *parent) : QSortFilterProxyModel(parent), m_model(model) {}
    void setText(const QString &text)
    {
        m_query = SkillQuery::parse(text, QDateTime::currentDateTime());
        invalidateFilter();
    }
    [[nodiscard]] const SkillQuery &query() const { return m_query; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex &parent) const override
    {
        const SkillFacts *facts =
            m_model->facts(m_model->index(row, 0, parent).data(SkillModel::NameRole).toString());
        return facts && m_query.accepts(*facts); // a group stays for the rows below it
    }

private:
    SkillModel *m_model;
    SkillQuery m_query;
};

} // namespace

SkillList::SkillList(SkillModel *model, QWidget *parent)
    : QTreeView(parent), m_model(model), m_proxy(new SkillFilter(model, this))
{
    m_proxy->setSourceModel(model);
    m_proxy->setRecursiveFilteringEnabled(true);
    setHeader(new SkillHeader(this));
    setModel(m_proxy);
    setFrameShape(QFrame::NoFrame);
    setIndentation(0);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setItemDelegate(new SkillDelegate(this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Skills"));
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(20);
    header()->setSectionResizeMode(SkillModel::SkillColumn, QHeaderView::Stretch);
    for (const auto &[column, width] :
         {std::pair(int(SkillModel::WonColumn), 32), std::pair(int(SkillModel::LostColumn), 30),
          std::pair(int(SkillModel::GainColumn), 58), std::pair(int(SkillModel::UsedColumn), 46)}) {
        header()->setSectionResizeMode(column, QHeaderView::Fixed);
        header()->resizeSection(column, width);
    }
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &QTreeView::expandAll);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { Q_EMIT skillSelected(currentSkill()); });
    expandAll();
}

void SkillList::setFilter(const QString &text)
{
    static_cast<SkillFilter *>(m_proxy)->setText(text);
    expandAll();
}

QString SkillList::currentSkill() const
{
    return currentIndex().siblingAtColumn(0).data(SkillModel::NameRole).toString();
}

void SkillList::selectSkill(const QString &name)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->find(SkillModel::NameRole, name));
    if (index.isValid() && index != currentIndex().siblingAtColumn(0)) {
        setCurrentIndex(index);
        scrollTo(index);
    }
}

void SkillList::selectFirst()
{
    const QModelIndex first = m_proxy->index(0, 0, m_proxy->index(0, 0));
    if (first.isValid()) setCurrentIndex(first);
}

bool SkillList::shows(const QString &name) const
{
    return m_proxy->mapFromSource(m_model->find(SkillModel::NameRole, name)).isValid();
}

QString SkillList::filterTrouble() const
{
    return static_cast<const SkillFilter *>(m_proxy)->query().trouble();
}

void SkillList::resizeEvent(QResizeEvent *event)
{
    QTreeView::resizeEvent(event);
    setColumnHidden(SkillModel::UsedColumn, viewport()->width() < 310); // names come first
}

void SkillList::drawBranches(QPainter *, const QRect &, const QModelIndex &) const
{
    // The delegate draws group bands across all columns, chevrons included.
}

void SkillList::mouseReleaseEvent(QMouseEvent *event)
{
    QTreeView::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->position().toPoint()).siblingAtColumn(0);
    if (index.isValid() && m_proxy->rowCount(index) > 0) setExpanded(index, !isExpanded(index));
}

void SkillList::paintEvent(QPaintEvent *event)
{
    QTreeView::paintEvent(event);
    if (m_proxy->rowCount() == 0) {
        QPainter painter(viewport());
        painter.setFont(theme().font(TextStyle::Body));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(viewport()->rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                         m_model->skills().isEmpty()
                             ? tr("The skills of the long-term memory appear here once it is open.")
                             : tr("No skill matches the filter."));
    }
}

} // namespace kernelskill
