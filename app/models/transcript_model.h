// SPDX-License-Identifier: Apache-2.0
// A node's transcript as a tree: a row a call, below it what was asked and what was answered. UI thread.
#pragma once

#include "models/tree_rows.h"
#include "session/transcript.h"

namespace kernelskill {

class TranscriptModel : public TreeRowsModel
{
    Q_OBJECT
public:
    enum Role { WholeTextRole = Qt::UserRole + 50 }; // what a row says, uncut
    explicit TranscriptModel(QObject *parent = nullptr);

    void setEntries(QList<TranscriptEntry> entries);
    [[nodiscard]] const QList<TranscriptEntry> &entries() const { return m_entries; }
    // Rows whose text holds `text`, whatever its case, in their order; none for an empty text.
    [[nodiscard]] QModelIndexList matches(const QString &text) const;
    [[nodiscard]] QString textOf(const QModelIndex &index) const; // of a call: all of it, as Markdown
    [[nodiscard]] QString markdown() const;

private:
    QList<TranscriptEntry> m_entries;
};

// "Planner · expert, recorded"; "12 ms · 940 tokens · $0.01", empty where nothing is known.
[[nodiscard]] QString headOf(const TranscriptEntry &entry);
[[nodiscard]] QString factsOf(const TranscriptEntry &entry); // "openai-chat · peer-model · prompt planner version 1 (ab12cd34)"
[[nodiscard]] QString costOf(const TranscriptEntry &entry);

} // namespace kernelskill
