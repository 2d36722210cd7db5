// SPDX-License-Identifier: Apache-2.0
#include "shell/palette_line.h"

#include "settings/icons.h"
#include "settings/theme.h"

#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int mostRows = 14;
constexpr int kindWidth = 62;

// Kind, title, and what belongs on the right.
class PaletteDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override { return {200, themeSize("row")}; }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        painter->fillRect(option.rect, option.state & QStyle::State_Selected ? themeColor("accent.selection")
                                                                              : themeColor("surface.raised"));
        QRect room = option.rect.adjusted(8, 0, -8, 0);
        painter->setFont(theme().font(TextStyle::Caption));
        painter->setPen(themeColor("text.secondary"));
        painter->drawText(room, Qt::AlignVCenter | Qt::AlignLeft, index.data(PaletteModel::KindRole).toString());
        const QString detail = index.data(PaletteModel::DetailRole).toString();
        const int width = std::min(room.width() / 2, painter->fontMetrics().horizontalAdvance(detail) + 4);
        painter->drawText(room, Qt::AlignVCenter | Qt::AlignRight, painter->fontMetrics().elidedText(detail, Qt::ElideMiddle, width));
        room.adjust(kindWidth, 0, -width - 8, 0);
        painter->setFont(theme().font(TextStyle::Body));
        painter->setPen(enabled ? themeColor("text.primary") : themeColor("text.disabled"));
        painter->drawText(room, Qt::AlignVCenter, painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, room.width()));
    }
};

} // namespace

PaletteLine::PaletteLine(QWidget *parent) : QLineEdit(parent), m_model(new PaletteModel(this)), m_list(new QListView)
{
    addAction(themedIcon(u"search"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    setPlaceholderText(tr("Search or do anything  (Ctrl+K)"));
    setAccessibleName(tr("Search nodes, skills, tasks, sessions and actions"));
    setClearButtonEnabled(true);
    m_list->setWindowFlags(Qt::ToolTip); // no window of its own: the line keeps the focus
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("What was found"));
    m_list->viewport()->installEventFilter(this);
    connect(this, &QLineEdit::textEdited, this, [this] { showList(); });
}

PaletteLine::~PaletteLine()
{
    delete m_list;
}

void PaletteLine::open()
{
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
    showList();
}

void PaletteLine::showList()
{
    if (!m_list->isVisible() && m_source) m_model->setEntries(m_source());
    m_model->setFilter(text());
    const int rows = std::min(mostRows, m_model->rowCount());
    if (rows == 0) {
        m_list->hide();
        return;
    }
    const int width = std::max(this->width(), 460), height = rows * themeSize("row") + 2 * m_list->frameWidth();
    m_list->setGeometry(QRect(mapToGlobal(QPoint(this->width() - width, this->height() + 2)), QSize(width, height)));
    m_list->show();
    m_list->setCurrentIndex({});
    moveBy(1);
}

// On to the next one that can be done.
void PaletteLine::moveBy(int rows)
{
    const int step = rows > 0 ? 1 : -1, count = m_model->rowCount();
    int row = m_list->currentIndex().row();
    for (int left = std::abs(rows); left > 0;) {
        row += step;
        if (row < 0 || row >= count) return;
        if (m_model->index(row).flags() & Qt::ItemIsEnabled) {
            m_list->setCurrentIndex(m_model->index(row));
            --left;
        }
    }
}

void PaletteLine::accept(const QModelIndex &index)
{
    const PaletteEntry *entry = m_model->entry(index);
    if (!entry || !entry->enabled) return;
    const auto run = entry->run; // the list may change by what it does
    m_list->hide();
    clear();
    clearFocus();
    if (run) run();
}

void PaletteLine::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Down:
        if (!m_list->isVisible())
            showList();
        else
            moveBy(1);
        return;
    case Qt::Key_Up:
        moveBy(-1);
        return;
    case Qt::Key_PageDown:
        moveBy(mostRows - 1);
        return;
    case Qt::Key_PageUp:
        moveBy(1 - mostRows);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_list->isVisible()) accept(m_list->currentIndex());
        return;
    case Qt::Key_Escape:
        m_list->hide();
        clear();
        clearFocus();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

void PaletteLine::focusInEvent(QFocusEvent *event)
{
    QLineEdit::focusInEvent(event);
    if (event->reason() == Qt::MouseFocusReason) showList();
}

void PaletteLine::focusOutEvent(QFocusEvent *event)
{
    QLineEdit::focusOutEvent(event);
    m_list->hide();
}

bool PaletteLine::eventFilter(QObject *watched, QEvent *event)
{
    // By the event first: when the window goes, the list is half gone while its viewport still tells its own end.
    if (event->type() == QEvent::MouseButtonRelease && watched == m_list->viewport()) {
        accept(m_list->indexAt(static_cast<QMouseEvent *>(event)->position().toPoint()));
        return true;
    }
    return QLineEdit::eventFilter(watched, event);
}

} // namespace kernelskill
