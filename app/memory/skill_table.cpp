// SPDX-License-Identifier: Apache-2.0
#include "memory/skill_table.h"

#include "models/skill_rows.h"
#include "settings/glyphs.h"
#include "settings/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

class TableDelegate : public QStyledItemDelegate
{
public:
    TableDelegate(SkillTable *table, int glyphColumn) : QStyledItemDelegate(table), m_table(table), m_glyphColumn(glyphColumn) {}

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width() + theme().space(8), themeSize("row")};
    }

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const QModelIndex first = index.siblingAtColumn(0);
        option->textElideMode = Qt::ElideRight;
        const auto colour = [option](const char *role) {
            option->palette.setColor(QPalette::Text, themeColor(role));
            option->palette.setColor(QPalette::HighlightedText, themeColor(role));
        };
        if (first.data(skill_rows::GroupRole).toBool()) {
            option->font = theme().font(index.column() == 0 ? TextStyle::Strong : TextStyle::Body);
            const QString words = first.data(Qt::AccessibleTextRole).toString();
            if (m_table->spansGroups() && !words.isEmpty()) option->text = words;
            if (index.column() != 0) colour("text.secondary");
            if (!(option->state & QStyle::State_Selected)) option->backgroundBrush = themeColor("surface.window");
            return;
        }
        if (first.data(skill_rows::CurrentRole).toBool()) option->font = theme().font(TextStyle::Strong);
        const QVariant verdict = first.data(skill_rows::VerdictRole);
        if (index.column() == m_glyphColumn && verdict.isValid()) {
            option->icon = glyphs::stateIcon(NodeState(verdict.toInt()));
            option->features |= QStyleOptionViewItem::HasDecoration;
            option->decorationSize = QSize(12, 12);
        }
        const QString text = index.data().toString();
        if (first.data(skill_rows::NodeRole).isValid() && (index.column() == 0 || index.column() == 1) &&
            m_glyphColumn != 0 && index.column() == skill_rows::NodeColumn)
            colour("text.link");
        if (m_glyphColumn == 0 && index.column() == 0 && verdict.isValid()) colour("text.link");
        if (text == "won"_L1) colour("severity.okText");
        if (text == "lost"_L1) colour("severity.errorText");
        if (first.data(skill_rows::StateRole).isValid() || (m_glyphColumn == 0 && index.column() == 1))
            colour("text.secondary");
    }

private:
    SkillTable *m_table;
    int m_glyphColumn; // 0: links lead from the first column
};

} // namespace

SkillTable::SkillTable(const QStringList &headers, const QList<int> &numberColumns, const QString &name,
                       QWidget *parent)
    : QTreeView(parent), m_model(new TreeRowsModel(headers, numberColumns, this))
{
    setModel(m_model);
    setAccessibleName(name);
    setFrameShape(QFrame::NoFrame);
    setIndentation(0);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setExpandsOnDoubleClick(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const bool isProvenance = headers.size() == skill_rows::provenanceHeaders().size();
    setItemDelegate(new TableDelegate(this, isProvenance ? 0 : skill_rows::VerdictColumn));
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(24);
    header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        expandAll();
        span();
    });
}

void SkillTable::setSpansGroups(bool spans)
{
    m_spansGroups = spans;
    span();
}

void SkillTable::span()
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const bool group = m_model->index(row, 0).data(skill_rows::GroupRole).toBool();
        setFirstColumnSpanned(row, {}, m_spansGroups && group);
    }
}

void SkillTable::setRows(std::unique_ptr<TreeRow> root)
{
    m_model->setRows(std::move(root));
    viewport()->update();
}

bool SkillTable::open(const QModelIndex &index)
{
    const QModelIndex first = index.siblingAtColumn(0);
    const QVariant node = first.data(skill_rows::NodeRole);
    if (!node.isValid()) return false;
    Q_EMIT nodeWanted(first.data(skill_rows::SessionPathRole).toString(),
                      first.data(skill_rows::SessionRole).toString(), node.toInt());
    return true;
}

void SkillTable::keyPressEvent(QKeyEvent *event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers() == Qt::NoModifier && open(currentIndex())) return;
    QTreeView::keyPressEvent(event);
}

void SkillTable::mouseReleaseEvent(QMouseEvent *event)
{
    QTreeView::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton) return;
    const QModelIndex index = indexAt(event->position().toPoint()).siblingAtColumn(0);
    if (m_model->hasChildren(index) && index.isValid())
        setExpanded(index, !isExpanded(index));
    else if (m_opensOnClick)
        open(index);
}

void SkillTable::mouseDoubleClickEvent(QMouseEvent *event)
{
    QTreeView::mouseDoubleClickEvent(event);
    if (!m_opensOnClick) open(indexAt(event->position().toPoint()));
}

void SkillTable::paintEvent(QPaintEvent *event)
{
    QTreeView::paintEvent(event);
    if (m_model->rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setFont(theme().font(TextStyle::Body));
    painter.setPen(themeColor("text.secondary"));
    painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
}

} // namespace kernelskill
