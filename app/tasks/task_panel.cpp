// SPDX-License-Identifier: Apache-2.0
#include "tasks/task_panel.h"

#include "base/paths.h"
#include "settings/glyphs.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "shell/bar.h"

#include <QDir>
#include <QFutureWatcher>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <QtConcurrentRun>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

class TaskDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &index) const override
    {
        return {10, index.siblingAtColumn(0).data(TaskModel::SessionRole).isValid() ? themeSize("rowTwoLine")
                                                                                    : themeSize("row")};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const QModelIndex first = index.siblingAtColumn(0);
        const bool isSession = first.data(TaskModel::SessionRole).isValid();
        if (isSession && index.column() == 1) return; // a session has no count: its words use that column
        painter->save();
        QRect rect = option.rect;
        if (isSession) {
            painter->setClipping(false);
            rect.setRight(rect.right() + 26);
        }
        paintGround(painter, option, rect);
        if (index.column() == 1) {
            painter->setFont(theme().font(TextStyle::Body));
            painter->setPen(themeColor("text.secondary"));
            painter->drawText(rect.adjusted(0, 0, -8, 0), Qt::AlignVCenter | Qt::AlignRight, index.data().toString());
        } else if (isSession) {
            paintSession(*painter, rect, first);
        } else {
            themedIcon(u"task"_s, u"text.secondary"_s)
                .paint(painter, QRect(rect.left(), rect.center().y() - 7, 14, 14));
            painter->setFont(
                theme().font(first.data(TaskModel::CountRole).toInt() > 0 ? TextStyle::Strong : TextStyle::Body));
            painter->setPen(themeColor("text.primary"));
            painter->drawText(
                rect.adjusted(20, 0, -4, 0), Qt::AlignVCenter,
                painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, rect.width() - 24));
        }
        painter->restore();
    }

private:
    static void paintGround(QPainter *painter, const QStyleOptionViewItem &option, const QRect &rect)
    {
        const bool focused = option.widget && option.widget->hasFocus();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(rect, themeColor(focused ? "accent.selection" : "accent.selectionInactive"));
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(rect, themeColor("surface.hover"));
    }

    static void paintSession(QPainter &painter, const QRect &rect, const QModelIndex &index)
    {
        const int half = rect.height() / 2;
        const QRectF glyph(rect.left(), rect.top() + half / 2.0 - 4, 12, 12);
        const bool running = index.data(TaskModel::RunningRole).toBool();
        if (running)
            glyphs::paintState(painter, glyph, NodeState::Running);
        else
            glyphs::paintMark(painter, glyph, glyphs::Mark::Recorded);
        painter.setFont(theme().font(running ? TextStyle::Strong : TextStyle::Body));
        painter.setPen(themeColor("text.primary"));
        painter.drawText(QRect(rect.left() + 17, rect.top() + 2, rect.width() - 20, half), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, rect.width() - 22));
        painter.setFont(theme().font(TextStyle::Caption));
        painter.setPen(themeColor("text.secondary"));
        painter.drawText(QRect(rect.left() + 17, rect.top() + half, rect.width() - 20, half - 2), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(index.data(TaskModel::SecondLineRole).toString(),
                                                          Qt::ElideRight, rect.width() - 22));
    }
};

struct Collected
{
    QList<TaskEntry> tasks;
    QList<SessionEntry> sessions;
};

} // namespace

TaskPanel::TaskPanel(QWidget *parent)
    : QWidget(parent), m_model(new TaskModel(this)), m_proxy(new QSortFilterProxyModel(this)), m_tree(new QTreeView)
{
    auto *bar = new Bar(themeSize("tabBar"));
    bar->addTitle(tr("Tasks"));
    bar->addStretch();
    connect(bar->addButton(u"plus"_s, tr("New run")), &QToolButton::clicked, this, &TaskPanel::newRunRequested);
    auto *filter = new QLineEdit;
    filter->setAccessibleName(tr("Filter"));
    filter->addAction(themedIcon(u"filter"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    filter->setPlaceholderText(tr("Filter tasks"));
    filter->setClearButtonEnabled(true);
    auto *filterRow = new QVBoxLayout;
    filterRow->setContentsMargins(theme().space(6), theme().space(6), theme().space(6), theme().space(6));
    filterRow->addWidget(filter);

    m_proxy->setSourceModel(m_model);
    m_proxy->setRecursiveFilteringEnabled(true);
    m_proxy->setAutoAcceptChildRows(true);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_tree->setModel(m_proxy);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(theme().space(16));
    m_tree->setItemDelegate(new TaskDelegate(m_tree));
    m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_tree->setMouseTracking(true);
    m_tree->setAccessibleName(tr("Tasks and sessions"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setMinimumSectionSize(20);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::Fixed);
    m_tree->header()->resizeSection(1, 30);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addLayout(filterRow);
    layout->addWidget(m_tree, 1);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);

    connect(filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_proxy->setFilterFixedString(text);
        if (!text.isEmpty()) m_tree->expandAll();
    });
    connect(m_tree, &QTreeView::clicked, this, &TaskPanel::openCurrent);
    connect(m_tree, &QTreeView::activated, this, &TaskPanel::openCurrent);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &TaskPanel::showMenu);
    // Tasks with sessions stay open over a refresh.
    connect(m_proxy, &QAbstractItemModel::modelReset, this, [this] {
        for (int row = 0; row < m_proxy->rowCount(); ++row) {
            const QModelIndex index = m_proxy->index(row, 0);
            m_tree->setExpanded(index, m_proxy->rowCount(index) > 0);
        }
    });
}

void TaskPanel::openCurrent(const QModelIndex &index)
{
    const QModelIndex first = index.siblingAtColumn(0);
    if (const QString session = first.data(TaskModel::SessionRole).toString(); !session.isEmpty())
        Q_EMIT sessionChosen(session);
    else if (const QString folder = first.data(TaskModel::FolderRole).toString(); !folder.isEmpty())
        Q_EMIT taskChosen(folder);
}

void TaskPanel::showMenu(const QPoint &position)
{
    const QString session = m_tree->indexAt(position).siblingAtColumn(0).data(TaskModel::SessionRole).toString();
    if (session.isEmpty()) return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Open"), this, [this, session] { Q_EMIT sessionChosen(session); });
    menu->addAction(themedIcon(u"replay"_s), tr("&Replay…"), this, [this, session] { Q_EMIT replayWanted(session); });
    menu->addAction(tr("&Play recording"), this, [this, session] { Q_EMIT showWanted(session); });
    menu->popup(m_tree->viewport()->mapToGlobal(position));
}

void TaskPanel::addTaskFolder(const QString &folder)
{
    const QString absolute = QDir(folder).absolutePath();
    if (!m_added.contains(absolute)) m_added.append(absolute);
    reload();
}

void TaskPanel::reload()
{
    const int generation = ++m_generation;
    auto *watcher = new QFutureWatcher<Collected>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, generation] {
        watcher->deleteLater();
        if (generation != m_generation) return;
        const Collected collected = watcher->result();
        m_model->setContents(collected.tasks, collected.sessions);
        m_loaded = true;
        Q_EMIT loaded();
    });
    watcher->setFuture(QtConcurrent::run([added = m_added] {
        Collected collected;
        collected.tasks = tasksBelow(paths::resources() + u"/tasks"_s);
        for (const QString &folder : added) {
            const bool known = std::ranges::any_of(collected.tasks,
                                                   [&](const TaskEntry &t) { return QDir(t.folder) == QDir(folder); });
            if (!known) collected.tasks.append({QDir(folder).dirName(), {}, folder, false});
        }
        collected.sessions = sessionsIn(paths::sessionsFolder());
        return collected;
    }));
}

QString TaskPanel::currentTaskFolder() const
{
    QModelIndex index = m_tree->currentIndex().siblingAtColumn(0);
    if (index.isValid() && index.parent().isValid()) index = index.parent();
    return index.data(TaskModel::FolderRole).toString();
}

void TaskPanel::selectSession(const QString &path)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->find(TaskModel::SessionRole, path));
    if (index.isValid()) {
        m_tree->expand(index.parent());
        m_tree->setCurrentIndex(index);
    }
}

void TaskPanel::selectTask(const QString &folder)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->find(TaskModel::FolderRole, folder));
    if (index.isValid()) m_tree->setCurrentIndex(index);
}

} // namespace kernelskill
