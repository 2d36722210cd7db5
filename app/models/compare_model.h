// SPDX-License-Identifier: Apache-2.0
// Up to four nodes as columns: verdict, time, speedup, skill, then every counter any of them has. UI thread.
#pragma once

#include "models/session_document.h"

#include <QAbstractTableModel>

namespace kernelskill {

class CompareModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    static constexpr int mostNodes = 4;
    explicit CompareModel(const SessionDocument *document, QObject *parent = nullptr);

    void setNodes(const QList<int> &ids); // the first four that exist; read anew when they are the same
    [[nodiscard]] const QList<int> &nodes() const { return m_nodes; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override; // the name, then a node each
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row
    {
        QString title, meaning;
        QStringList cells;
        int best = -1; // column among the nodes; −1: none is better, or they cannot be held against each other
    };
    void addFacts();
    void addCounters();
    [[nodiscard]] int bestOf(const QList<std::optional<double>> &values, int better) const;

    const SessionDocument *m_document;
    QList<int> m_nodes;
    QList<Row> m_rows;
    bool m_comparable = false; // all of one kind, measured or modelled
};

} // namespace kernelskill
