// SPDX-License-Identifier: Apache-2.0
// The session's events in words, newest last, and the program's own notes among them. Words are made when a row is shown.
#pragma once

#include "models/session_document.h"

#include <QAbstractListModel>

namespace kernelskill {

[[nodiscard]] QString eventSentence(const Event &event);

class LogModel : public QAbstractListModel
{
    Q_OBJECT
public:
    explicit LogModel(SessionDocument *document, QObject *parent = nullptr);
    void note(const QString &text);

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    struct Note
    {
        qint64 time_ms = 0;
        QString text;
    };
    void takeAll();
    void add(qsizetype row);

    SessionDocument *m_document;
    QList<qsizetype> m_rows; // ≥ 0: an event; −1 − n: note n
    QList<Note> m_notes;
};

} // namespace kernelskill
