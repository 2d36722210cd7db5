// SPDX-License-Identifier: Apache-2.0
#include "transcript/transcript_panel.h"

#include "evidence/node_panels.h"
#include "evidence/row_view.h"
#include "settings/icons.h"
#include "settings/theme.h"
#include "settings/when_seen.h"
#include "shell/bar.h"
#include "transcript/usage_strip.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QSaveFile>
#include <QToolButton>
#include <QVBoxLayout>

using namespace Qt::StringLiterals;

namespace kernelskill {

TranscriptPanel::TranscriptPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_model(new TranscriptModel(this)),
      m_header(new NodeHeader), m_rows(new RowView(nullptr, m_model)), m_usage(new UsageStrip(document)), m_search(new QLineEdit)
{
    m_rows->setAccessibleName(tr("Transcript"));
    m_search->setPlaceholderText(tr("Search the transcript"));
    m_search->setAccessibleName(tr("Search the transcript"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(u"search"_s, u"text.secondary"_s), QLineEdit::LeadingPosition);
    auto *bar = new Bar(themeSize("tabBar"));
    bar->add(m_search, 1);
    m_place = bar->addText({});
    m_fold = bar->addButton(u"fold"_s, tr("Fold every call"));
    m_fold->setCheckable(true);
    QToolButton *copy = bar->addButton(u"copy"_s, tr("Copy the transcript as Markdown"));
    QToolButton *save = bar->addButton(u"export"_s, tr("Save the transcript as JSON"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(bar);
    layout->addWidget(m_rows, 1);
    layout->addWidget(m_usage);

    connect(m_search, &QLineEdit::textChanged, this, &TranscriptPanel::find);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { findNext(1); });
    connect(m_fold, &QToolButton::toggled, this, &TranscriptPanel::foldAll);
    connect(copy, &QToolButton::clicked, this, &TranscriptPanel::copyAll);
    connect(save, &QToolButton::clicked, this, &TranscriptPanel::save);
    auto *copyAction = new QAction(tr("Copy this part"), m_rows);
    copyAction->setShortcut(QKeySequence::Copy);
    copyAction->setShortcutContext(Qt::WidgetShortcut);
    m_rows->addAction(copyAction);
    m_rows->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copyAction, &QAction::triggered, this, &TranscriptPanel::copyRow);
    auto *seen = new WhenSeen(this, [this] { refresh(); });
    connect(selection, &NodeSelection::changed, seen, &WhenSeen::ask);
    connect(document, &SessionDocument::roundsChanged, seen, &WhenSeen::ask);
    connect(document, &SessionDocument::reset, seen, &WhenSeen::ask);
}

void TranscriptPanel::refresh()
{
    const int id = m_selection->selected();
    const TrajectoryNode *node = m_document->node(id);
    m_header->setNode(node, {});
    m_model->setEntries(transcriptOf(m_document->events(), m_document->trajectory(), id,
                                     [this](const QString &digest) { return m_document->blob(digest); }));
    m_rows->rowsChanged(node ? tr("Nothing was recorded for this node yet.")
                             : tr("Select a node to read what each role was asked for it, and what it answered."));
    if (m_fold->isChecked()) foldAll(true);
    find(m_search->text());
}

void TranscriptPanel::find(const QString &text)
{
    m_matches.clear();
    for (const QModelIndex &index : m_model->matches(text))
        m_matches.append(index);
    m_match = 0;
    showMatch();
}

void TranscriptPanel::findNext(int step)
{
    if (m_matches.isEmpty()) return;
    m_match = int((m_match + step + m_matches.size()) % m_matches.size());
    showMatch();
}

void TranscriptPanel::showMatch()
{
    m_place->setText(m_search->text().isEmpty() ? QString()
                     : m_matches.isEmpty()      ? tr("not found")
                                                : tr("%1 of %2").arg(m_match + 1).arg(m_matches.size()));
    if (m_matches.isEmpty()) return;
    const QModelIndex index = m_matches[m_match];
    for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
        m_rows->setExpanded(up, true);
    m_rows->setCurrentIndex(index);
    m_rows->scrollTo(index, QAbstractItemView::EnsureVisible);
}

void TranscriptPanel::foldAll(bool fold)
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_rows->setExpanded(m_model->index(row, 0), !fold);
}

void TranscriptPanel::copyRow()
{
    QApplication::clipboard()->setText(m_model->textOf(m_rows->currentIndex()));
}

void TranscriptPanel::copyAll()
{
    QApplication::clipboard()->setText(m_model->markdown());
}

void TranscriptPanel::save()
{
    const QString name = u"%1 node %2.json"_s.arg(QFileInfo(m_document->path()).completeBaseName()).arg(m_selection->selected());
    auto *dialog = new QFileDialog(this, tr("Save the transcript"), name, tr("JSON (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    connect(dialog, &QFileDialog::fileSelected, this, [this, node = m_selection->selected()](const QString &path) {
        const QJsonObject document{{u"session"_s, m_document->path()}, {u"node"_s, node}, {u"transcript"_s, toJson(m_model->entries())}};
        QSaveFile file(path);
        const QByteArray text = QJsonDocument(document).toJson();
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
            Q_EMIT failed(Error{u"transcript.write"_s, tr("%1 cannot be written: %2").arg(path, file.errorString()), {}});
    });
    dialog->open();
}

} // namespace kernelskill
