// SPDX-License-Identifier: Apache-2.0
// The transcript of the selected node: calls that fold, a search through them, copies and an export.
#pragma once

#include "models/session_document.h"
#include "models/transcript_model.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace kernelskill {

class NodeHeader;
class RowView;
class UsageStrip;

class TranscriptPanel : public QWidget
{
    Q_OBJECT
public:
    TranscriptPanel(SessionDocument *document, NodeSelection *selection, QWidget *parent = nullptr);
    [[nodiscard]] TranscriptModel *model() const { return m_model; }
    [[nodiscard]] RowView *rows() const { return m_rows; }
    [[nodiscard]] UsageStrip *usage() const { return m_usage; }
    void find(const QString &text); // goes to the first place
    void findNext(int step);
    void foldAll(bool fold);
    void copyAll();

Q_SIGNALS:
    void failed(const kernelskill::Error &error);

private:
    void refresh();
    void copyRow();
    void save();
    void showMatch();

    SessionDocument *m_document;
    NodeSelection *m_selection;
    TranscriptModel *m_model;
    NodeHeader *m_header;
    RowView *m_rows;
    UsageStrip *m_usage;
    QLineEdit *m_search;
    QLabel *m_place;
    QToolButton *m_fold;
    QList<QPersistentModelIndex> m_matches;
    int m_match = 0;
};

} // namespace kernelskill
