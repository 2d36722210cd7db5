// SPDX-License-Identifier: Apache-2.0
#include "models/log_model.h"

#include <QDateTime>
#include <QJsonArray>

#include <numeric>

using namespace Qt::StringLiterals;

namespace kernelskill {

QString eventSentence(const Event &event)
{
    const QJsonObject &data = event.data;
    const auto text = [&](const char *field) { return data[QLatin1StringView(field)].toString(); };
    const auto number = [&](const char *field) { return data[QLatin1StringView(field)].toInt(); };
    const QJsonObject plan = data["plan"_L1].toObject();
    if (event.kind == "session.start"_L1) {
        for (const QJsonValue &agent : data["agents"_L1].toObject()) {
            const QString path = agent["recording"_L1]["path"_L1].toString();
            if (path.isEmpty()) continue;
            const bool changed = agent["recording"_L1]["task_changed"_L1].toBool();
            return u"session of %1 starts: a replay of %2%3"_s.arg(text("task"), path, changed ? u", whose task has changed since"_s : QString());
        }
        return u"session of %1 starts"_s.arg(text("task"));
    }
    if (event.kind == "memory.snapshot"_L1) return u"memory copied into the session"_s;
    if (event.kind == "round.start"_L1) return u"round %1 from base %2"_s.arg(number("round")).arg(number("base"));
    if (event.kind == "round.features"_L1) return u"features extracted by %1"_s.arg(text("agent"));
    if (event.kind == "round.retrieval"_L1)
        return u"case %1, %2 methods allowed"_s.arg(text("chosen_case")).arg(data["allowed"_L1].toArray().size());
    if (event.kind == "round.plan"_L1)
        return u"plan: %1 %2"_s.arg(plan["method"_L1].toString(), plan["skill"_L1].toString());
    if (event.kind == "round.refused"_L1) return u"refused %1: %2"_s.arg(plan["skill"_L1].toString(), text("reason"));
    if (event.kind == "node.start"_L1)
        return u"node %1 (%2) from %3"_s.arg(number("node")).arg(text("kind")).arg(number("parent"));
    if (event.kind == "node.candidate"_L1) return u"node %1: %2"_s.arg(number("node")).arg(text("summary"));
    if (event.kind == "node.evaluated"_L1) {
        const QString why = text("why");
        const QString otherwise = text("divergence");
        return u"node %1: %2%3%4"_s.arg(number("node")).arg(text("verdict"), why.isEmpty() ? QString() : u", "_s + why,
                                                            otherwise.isEmpty() ? QString() : u"; "_s + otherwise);
    }
    if (event.kind == "node.dropped"_L1) return u"node %1 dropped: %2"_s.arg(number("node")).arg(text("reason"));
    if (event.kind == "node.promoted"_L1)
        return u"node %1 is %2"_s.arg(number("node"))
            .arg(data["base"_L1].toBool() && data["best"_L1].toBool() ? u"base and best"_s
                 : data["best"_L1].toBool()                           ? u"best"_s
                                                                      : u"base"_s);
    if (event.kind == "repair.diagnosis"_L1)
        return u"diagnosis of node %1: %2"_s.arg(number("node"))
            .arg(data["diagnosis"_L1].toObject()["cause"_L1].toString());
    if (event.kind == "repair.rollback"_L1)
        return u"node %1 given up, back to %2"_s.arg(number("node")).arg(number("to"));
    if (event.kind == "role.call"_L1) {
        const QString error = text("error");
        QString spent;
        if (data.contains("tokens_in"_L1) || data.contains("cost_usd"_L1))
            spent = u", %1 tokens in, %2 out, $%3"_s.arg(data["tokens_in"_L1].toInteger()).arg(data["tokens_out"_L1].toInteger())
                        .arg(data["cost_usd"_L1].toDouble(), 0, 'f', 4);
        return u"%1 by %2 took %3 ms%4%5"_s.arg(text("role"), text("agent"))
            .arg(data["wall_ms"_L1].toDouble(), 0, 'f', 0)
            .arg(spent, error.isEmpty() ? QString() : u": "_s + error);
    }
    if (event.kind == "run.waiting"_L1)
        return u"%1 waits until %2: %3"_s.arg(text("role"), QDateTime::fromMSecsSinceEpoch(data["until_ms"_L1].toInteger()).toString(u"HH:mm:ss"_s), text("why"));
    if (event.kind == "person.prediction"_L1) return u"you predicted what node %1 will do"_s.arg(number("node"));
    if (event.kind == "person.skill"_L1)
        return u"%1 of skill %2 by %3 %4"_s.arg(text("action"), text("skill"), text("author"), text("reason"));
    if (event.kind == "memory.draft"_L1)
        return u"an idea that won twice is now the draft skill %1 (node %2)"_s.arg(text("skill")).arg(number("node"));
    if (event.kind == "memory.snapshot"_L1 && data.contains("problems"_L1))
        return u"warning: %1"_s.arg(data["problems"_L1].toVariant().toStringList().join(u"; "_s));
    if (event.kind == "run.paused"_L1) return u"paused"_s;
    if (event.kind == "run.resumed"_L1) return u"resumed"_s;
    if (event.kind == "run.ended"_L1) return u"ended by %1 %2"_s.arg(text("by"), text("message"));
    return event.kind;
}

LogModel::LogModel(SessionDocument *document, QObject *parent) : QAbstractListModel(parent), m_document(document)
{
    connect(document, &SessionDocument::reset, this, &LogModel::takeAll);
    connect(document, &SessionDocument::eventAppended, this, [this] { add(m_document->events().size() - 1); });
    takeAll();
}

void LogModel::takeAll()
{
    beginResetModel();
    m_notes.clear();
    m_rows.resize(m_document->events().size());
    std::iota(m_rows.begin(), m_rows.end(), qsizetype(0));
    endResetModel();
}

void LogModel::add(qsizetype row)
{
    const int at = int(m_rows.size());
    beginInsertRows({}, at, at);
    m_rows.append(row);
    endInsertRows();
}

void LogModel::note(const QString &text)
{
    m_notes.append({QDateTime::currentMSecsSinceEpoch(), text});
    add(-m_notes.size());
}

int LogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant LogModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size()) return {};
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const qsizetype row = m_rows[index.row()];
    const qint64 time_ms = row >= 0 ? m_document->events()[row].time_ms : m_notes[-row - 1].time_ms;
    const QString text = row >= 0 ? eventSentence(m_document->events()[row]) : m_notes[-row - 1].text;
    return role == Qt::ToolTipRole ? text : QDateTime::fromMSecsSinceEpoch(time_ms).toString(u"HH:mm:ss  "_s) + text;
}

} // namespace kernelskill
