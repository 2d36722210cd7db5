// SPDX-License-Identifier: Apache-2.0
#include "transcript/log_panel.h"

#include "settings/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

LogPanel::LogPanel(SessionDocument *document, QWidget *parent)
    : QListView(parent), m_model(new LogModel(document, this))
{
    setModel(m_model);
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setTextElideMode(Qt::ElideRight);
    setFont(theme().font(TextStyle::Body));
    setAccessibleName(tr("Log"));
    connect(m_model, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
        m_atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    });
    connect(m_model, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_atEnd && isVisible()) scrollToBottom();
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        m_atEnd = true;
        if (isVisible()) scrollToBottom();
    });
}

void LogPanel::showEvent(QShowEvent *event)
{
    QListView::showEvent(event);
    if (m_atEnd) scrollToBottom();
}

void LogPanel::paintEvent(QPaintEvent *event)
{
    QListView::paintEvent(event);
    if (m_model->rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setPen(themeColor("text.secondary"));
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                     tr("What the run does appears here, event by event."));
}

void LogPanel::keyPressEvent(QKeyEvent *event)
{
    if (!event->matches(QKeySequence::Copy)) return QListView::keyPressEvent(event);
    QModelIndexList rows = selectionModel()->selectedIndexes();
    std::ranges::sort(rows, {}, &QModelIndex::row);
    QStringList lines;
    for (const QModelIndex &row : std::as_const(rows))
        lines.append(row.data().toString());
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

} // namespace kernelskill
