// SPDX-License-Identifier: Apache-2.0
// What the roles' calls to models took: a row a role, the total last. Follows the session's events. UI thread.
#pragma once

#include "models/session_document.h"

#include <QAbstractTableModel>

namespace kernelskill {

class UsageModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { RoleColumn, CallsColumn, InColumn, CachedColumn, OutColumn, MoneyColumn };
    explicit UsageModel(SessionDocument *document, QObject *parent = nullptr);

    [[nodiscard]] bool isEmpty() const { return m_rows.isEmpty(); }
    [[nodiscard]] QString summary() const; // "18 calls · 24.1k tokens · $0.12"; empty where there were none
    [[nodiscard]] QString toCsv() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Usage
    {
        QString role;
        qint64 calls = 0, in = 0, cached = 0, out = 0;
        double cost_usd = 0;
        void add(const QJsonObject &call);
    };
    void takeAll();
    void take(const Event &event);
    [[nodiscard]] static bool isPaid(const Event &event);
    [[nodiscard]] Usage *rowOf(const QString &role);

    SessionDocument *m_document;
    QList<Usage> m_rows; // in the cast's order
    Usage m_total;
};

} // namespace kernelskill
