// SPDX-License-Identifier: Apache-2.0
#include "models/usage_model.h"

#include "models/limits.h"
#include "settings/numbers.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

int placeOf(const QString &role)
{
    const auto known = roleFromString(role);
    return known ? int(allRoles().indexOf(*known)) : int(allRoles().size());
}

} // namespace

void UsageModel::Usage::add(const QJsonObject &call)
{
    calls += call["calls"_L1].toInteger(1);
    in += call["tokens_in"_L1].toInteger();
    cached += call["tokens_cached"_L1].toInteger();
    out += call["tokens_out"_L1].toInteger();
    cost_usd += call["cost_usd"_L1].toDouble();
}

UsageModel::UsageModel(SessionDocument *document, QObject *parent) : QAbstractTableModel(parent), m_document(document)
{
    connect(document, &SessionDocument::reset, this, &UsageModel::takeAll);
    connect(document, &SessionDocument::eventAppended, this, &UsageModel::take);
    takeAll();
}

bool UsageModel::isPaid(const Event &event)
{
    return event.kind == "role.call"_L1 &&
           (event.data.contains("tokens_in"_L1) || event.data.contains("tokens_out"_L1) || event.data.contains("cost_usd"_L1));
}

UsageModel::Usage *UsageModel::rowOf(const QString &role)
{
    const auto found = std::ranges::find(m_rows, role, &Usage::role);
    return found == m_rows.end() ? nullptr : &*found;
}

void UsageModel::takeAll()
{
    beginResetModel();
    m_rows.clear();
    m_total = {};
    for (const Event &event : m_document->events()) {
        if (!isPaid(event)) continue;
        const QString role = event.data["role"_L1].toString();
        if (!rowOf(role)) m_rows.append({role});
        rowOf(role)->add(event.data);
        m_total.add(event.data);
    }
    std::ranges::stable_sort(m_rows, {}, [](const Usage &usage) { return placeOf(usage.role); });
    endResetModel();
}

void UsageModel::take(const Event &event)
{
    if (!isPaid(event)) return;
    const QString role = event.data["role"_L1].toString();
    if (!rowOf(role)) {
        const auto after = std::ranges::upper_bound(m_rows, placeOf(role), {}, [](const Usage &usage) { return placeOf(usage.role); });
        const int at = int(after - m_rows.begin());
        // The total comes with the first row.
        beginInsertRows({}, at, m_rows.isEmpty() ? at + 1 : at);
        m_rows.insert(at, {role});
        endInsertRows();
    }
    rowOf(role)->add(event.data);
    m_total.add(event.data);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int UsageModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_rows.isEmpty() ? 0 : int(m_rows.size()) + 1;
}

int UsageModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : MoneyColumn + 1;
}

QVariant UsageModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount()) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (index.column() == RoleColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    const bool isTotal = index.row() == m_rows.size();
    const Usage &usage = isTotal ? m_total : m_rows[index.row()];
    switch (index.column()) {
    case RoleColumn:
        return isTotal ? tr("all") : usage.role;
    case CallsColumn:
        return numbers::fixed(double(usage.calls), 0);
    case InColumn:
        return numbers::fixed(double(usage.in), 0);
    case CachedColumn:
        return numbers::fixed(double(usage.cached), 0);
    case OutColumn:
        return numbers::fixed(double(usage.out), 0);
    case MoneyColumn:
        return u'$' + numbers::fixed(usage.cost_usd, 4);
    default:
        return {};
    }
}

QVariant UsageModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == RoleColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole && section == InColumn) return tr("Tokens of prompts, with those from the cache");
    if (role == Qt::ToolTipRole && section == CachedColumn) return tr("Tokens of prompts read from the provider's cache");
    if (role != Qt::DisplayRole) return {};
    const QStringList titles{tr("Role"), tr("Calls"), tr("In"), tr("Cached"), tr("Out"), tr("Money")};
    return titles.value(section);
}

QString UsageModel::summary() const
{
    if (m_rows.isEmpty()) return {};
    return tr("%1 calls · %2 tokens · %3").arg(numbers::fixed(double(m_total.calls), 0), limits::compact(m_total.in + m_total.out), numbers::money(m_total.cost_usd));
}

QString UsageModel::toCsv() const
{
    QString csv = u"role,calls,tokens_in,tokens_cached,tokens_out,cost_usd\n"_s;
    for (const Usage &usage : m_rows)
        csv += u"%1,%2,%3,%4,%5,%6\n"_s.arg(usage.role).arg(usage.calls).arg(usage.in).arg(usage.cached).arg(usage.out).arg(usage.cost_usd, 0, 'f', 6);
    return csv;
}

} // namespace kernelskill
