// SPDX-License-Identifier: Apache-2.0
#include "agents/choice_list.h"

#include "settings/icons.h"
#include "settings/theme.h"
#include "settings/tone_label.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSortFilterProxyModel>
#include <QStringListModel>
#include <QVBoxLayout>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

constexpr int mostRows = 9; // before it scrolls

} // namespace

ChoiceList::ChoiceList(QWidget *parent)
    : QWidget(parent), m_all(new QStringListModel(this)), m_shown(new QSortFilterProxyModel(this)), m_search(new QLineEdit),
      m_list(new QListView), m_state(new ToneLabel(u"text.secondary"_s))
{
    m_shown->setSourceModel(m_all);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search the list"));
    m_search->addAction(themedIcon(u"search"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_list->setModel(m_shown);
    m_list->setAccessibleName(tr("What may stand there"));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setUniformItemSizes(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, theme().space(2), 0, 0);
    layout->setSpacing(theme().space(2));
    layout->addWidget(m_search);
    layout->addWidget(m_list);
    layout->addWidget(m_state);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_shown->setFilterFixedString(text.trimmed());
        m_list->setCurrentIndex(m_shown->index(0, 0));
    });
    connect(m_list, &QListView::clicked, this, &ChoiceList::choose);
    connect(m_list, &QListView::activated, this, &ChoiceList::choose);
    m_search->installEventFilter(this);
    hide();
}

void ChoiceList::showState(const QString &text, bool list)
{
    m_search->setVisible(list);
    m_list->setVisible(list);
    m_state->setText(text);
    m_state->setVisible(!text.isEmpty());
    m_state->setAccessibleName(text);
    show();
}

void ChoiceList::setBusy()
{
    m_state->setTone(u"text.secondary"_s);
    showState(tr("asking"), false);
}

void ChoiceList::setTrouble(const QString &trouble)
{
    m_state->setTone(u"severity.errorText"_s);
    showState(trouble, false);
}

void ChoiceList::setChoices(const QStringList &choices, const QString &current)
{
    m_all->setStringList(choices);
    m_state->setTone(u"text.secondary"_s);
    m_search->clear();
    showState(choices.isEmpty() ? tr("It offers nothing.") : QString(), !choices.isEmpty());
    if (choices.isEmpty()) return;
    const int rows = std::clamp(int(choices.size()), 2, mostRows);
    m_list->setFixedHeight(rows * std::max(m_list->sizeHintForRow(0), themeSize("rowCompact")) + 2 * m_list->frameWidth());
    m_list->setCurrentIndex(m_shown->index(std::max(0, int(choices.indexOf(current))), 0));
    m_search->setFocus();
}

void ChoiceList::choose(const QModelIndex &index)
{
    if (!index.isValid()) return;
    hide();
    Q_EMIT chosen(index.data().toString());
}

// Arrows and Return in the search field are meant for the list.
bool ChoiceList::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            const int row = m_list->currentIndex().row() + (key->key() == Qt::Key_Down ? 1 : -1);
            if (m_shown->index(row, 0).isValid()) m_list->setCurrentIndex(m_shown->index(row, 0));
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            choose(m_list->currentIndex());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ChoiceList::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape) return QWidget::keyPressEvent(event);
    hide();
    Q_EMIT closed();
}

} // namespace kernelskill
