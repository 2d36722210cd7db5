// SPDX-License-Identifier: Apache-2.0
#include "models/compare_model.h"

#include "models/metric_help.h"
#include "models/node_text.h"
#include "profile/metric_catalogue.h"
#include "settings/numbers.h"

#include <QFont>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernelskill {

CompareModel::CompareModel(const SessionDocument *document, QObject *parent) : QAbstractTableModel(parent), m_document(document) {}

void CompareModel::setNodes(const QList<int> &ids)
{
    beginResetModel();
    m_nodes.clear();
    m_rows.clear();
    for (const int id : ids) {
        if (m_document->node(id) && !m_nodes.contains(id) && m_nodes.size() < mostNodes) m_nodes.append(id);
    }
    QList<TimeKind> kinds;
    for (const int id : std::as_const(m_nodes)) {
        const Evaluation *evaluation = m_document->evaluation(id);
        if (evaluation && !kinds.contains(evaluation->kind)) kinds.append(evaluation->kind);
    }
    m_comparable = kinds.size() == 1;
    if (!m_nodes.isEmpty()) {
        addFacts();
        addCounters();
    }
    endResetModel();
}

void CompareModel::addFacts()
{
    Row verdict{tr("Verdict"), {}, {}, -1}, time{tr("Time"), {}, {}, -1}, speedup{tr("Speedup"), tr("Over the baseline"), {}, -1},
        skill{tr("Skill"), {}, {}, -1};
    QList<std::optional<double>> times;
    for (const int id : std::as_const(m_nodes)) {
        const TrajectoryNode &node = *m_document->node(id);
        const bool timed = node_text::hasSpeedup(node);
        verdict.cells.append(node.why.isEmpty() || timed ? toString(node.state) : toString(node.state) + u": "_s + node.why);
        times.append(timed ? node.time_us : std::nullopt);
        time.cells.append(times.last() ? numbers::duration_us(*times.last()) : QString());
        speedup.cells.append(timed ? node_text::full(node) : QString());
        skill.cells.append(node_text::titleOfSkill(node.skill));
    }
    time.best = bestOf(times, -1);
    m_rows += {verdict, time, speedup, skill};
}

// In the catalogue's order; a counter that nobody has is left out.
void CompareModel::addCounters()
{
    for (const MetricInfo &info : metricCatalogue()) {
        QList<std::optional<double>> values;
        for (const int id : std::as_const(m_nodes)) {
            const Evaluation *evaluation = m_document->evaluation(id);
            values.append(evaluation ? evaluation->profile.metric(info.name) : std::nullopt);
        }
        if (std::ranges::none_of(values, [](const auto &value) { return value.has_value(); })) continue;
        Row row{info.title, metricHelp(info.name), {}, bestOf(values, info.better)};
        for (const std::optional<double> &value : std::as_const(values))
            row.cells.append(value ? numbers::metricValue(*value, info.unit) : tr("no counter"));
        m_rows.append(row);
    }
}

int CompareModel::bestOf(const QList<std::optional<double>> &values, int better) const
{
    if (better == 0 || !m_comparable) return -1;
    int best = -1, known = 0;
    bool tied = false;
    for (int i = 0; i < values.size(); ++i) {
        if (!values[i]) continue;
        ++known;
        const double gain = best < 0 ? 1 : better * (*values[i] - *values[best]);
        tied = gain == 0 || (tied && gain < 0);
        if (gain > 0) best = i;
    }
    return known < 2 || tied ? -1 : best;
}

int CompareModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int CompareModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_nodes.isEmpty() ? 0 : int(m_nodes.size()) + 1;
}

QVariant CompareModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size() || index.column() > m_nodes.size()) return {};
    const Row &row = m_rows[index.row()];
    const int node = index.column() - 1;
    switch (role) {
    case Qt::DisplayRole:
        return node < 0 ? row.title : row.cells.value(node);
    case Qt::ToolTipRole:
        return node < 0 ? row.meaning : row.cells.value(node);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (node < 0 ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::FontRole:
        if (node >= 0 && node == row.best) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case Qt::AccessibleTextRole:
        return node >= 0 && node == row.best ? tr("%1, the best of them").arg(row.cells.value(node)) : QVariant();
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section > m_nodes.size()) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    if (section == 0) return QString();
    const TrajectoryNode *node = m_document->node(m_nodes[section - 1]);
    const QChar letter(u'A' + section - 1);
    return node ? u"%1  %2 %3"_s.arg(letter).arg(node->id).arg(node_text::title(*node)) : QString(letter);
}

} // namespace kernelskill
