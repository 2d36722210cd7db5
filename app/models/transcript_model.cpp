// SPDX-License-Identifier: Apache-2.0
#include "models/transcript_model.h"

#include "models/panel_rows.h"
#include "settings/numbers.h"

#include <functional>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

using panel_rows::Kind;
constexpr qsizetype mostLinesShown = 300; // of one part; copies and exports have all of it
constexpr qsizetype mostLinesOpen = 12;    // of a part that is open by itself

QString roleTitle(const QString &role)
{
    static const QHash<QString, QString> titles{
        {u"generator"_s, u"Generator"_s}, {u"features"_s, u"Feature extractor"_s}, {u"planner"_s, u"Planner"_s},
        {u"optimizer"_s, u"Optimizer"_s}, {u"diagnoser"_s, u"Diagnoser"_s},        {u"repairer"_s, u"Repairer"_s},
        {u"reviewer"_s, u"Reviewer"_s},   {u"person"_s, u"You"_s}};
    return titles.value(role, role);
}

QString shown(const QString &text)
{
    const QStringList lines = text.split(u'\n');
    if (lines.size() <= mostLinesShown) return text;
    return lines.mid(0, mostLinesShown).join(u'\n') + u"\n… %1 more lines; copy to see them"_s.arg(lines.size() - mostLinesShown);
}

void addParts(TreeRow *parent, const QString &side, const QList<TranscriptPart> &parts)
{
    int number = 0;
    for (const TranscriptPart &part : parts) {
        const qsizetype lines = part.text.count(u'\n') + 1;
        TreeRow *group = parent->add(u"%1 %2"_s.arg(side).arg(number++), {side + u"  "_s + part.title, QString(), part.isCode ? u"%1 lines"_s.arg(lines) : QString()},
                                     {{panel_rows::KindRole, int(Kind::Group)},
                                      {panel_rows::ClosedRole, part.isCode || lines > mostLinesOpen},
                                      {TranscriptModel::WholeTextRole, part.text}});
        group->add(u"text"_s, {shown(part.text)},
                   {{panel_rows::KindRole, int(Kind::Text)},
                    {panel_rows::MonospaceRole, part.isCode},
                    {TranscriptModel::WholeTextRole, part.text}});
    }
}

QString markdownOf(const TranscriptEntry &entry)
{
    QString text = u"## %1\n"_s.arg(headOf(entry));
    if (const QString cost = costOf(entry); !cost.isEmpty()) text += cost + u'\n';
    if (!entry.outcome.isEmpty()) text += entry.outcome + u'\n';
    const auto add = [&text](const QString &side, const QList<TranscriptPart> &parts) {
        for (const TranscriptPart &part : parts) {
            text += u"\n**%1: %2**\n\n"_s.arg(side, part.title);
            text += part.isCode ? u"```\n%1\n```\n"_s.arg(part.text) : part.text + u'\n';
        }
    };
    add(u"Asked"_s, entry.asked);
    add(u"Answered"_s, entry.answered);
    return text;
}

} // namespace

QString headOf(const TranscriptEntry &entry)
{
    QString head = roleTitle(entry.role);
    if (entry.agent != "person"_L1) head += u" · "_s + entry.agent;
    return entry.recorded ? head + u", recorded"_s : head;
}

QString costOf(const TranscriptEntry &entry)
{
    QStringList facts;
    if (entry.wall_ms >= 1000)
        facts.append(numbers::fixed(entry.wall_ms / 1000, 1) + QChar(numbers::narrowSpace) + u's');
    else if (entry.wall_ms >= 0)
        facts.append(numbers::fixed(entry.wall_ms, entry.wall_ms < 10 ? 1 : 0) + QChar(numbers::narrowSpace) + u"ms"_s);
    if (entry.calls > 0) {
        facts.append(u"%1 tokens"_s.arg(numbers::fixed(double(entry.tokensIn + entry.tokensOut), 0)));
        facts.append(numbers::money(entry.cost_usd));
    }
    return facts.join(u" · "_s);
}

TranscriptModel::TranscriptModel(QObject *parent) : TreeRowsModel({tr("Transcript"), QString(), QString()}, {1, 2}, parent) {}

void TranscriptModel::setEntries(QList<TranscriptEntry> entries)
{
    m_entries = std::move(entries);
    auto root = std::make_unique<TreeRow>();
    int number = 0;
    for (const TranscriptEntry &entry : std::as_const(m_entries)) {
        TreeRow *call = root->add(u"%1 %2"_s.arg(number).arg(entry.role), {headOf(entry), QString(), costOf(entry)},
                                  {{panel_rows::KindRole, int(Kind::Section)}, {WholeTextRole, markdownOf(entry)}});
        if (!entry.outcome.isEmpty())
            call->add(u"outcome"_s, {entry.outcome}, {{panel_rows::KindRole, int(Kind::Text)}, {WholeTextRole, entry.outcome}});
        addParts(call, u"Asked"_s, entry.asked);
        addParts(call, u"Answered"_s, entry.answered);
        ++number;
    }
    setRows(std::move(root));
}

QModelIndexList TranscriptModel::matches(const QString &text) const
{
    QModelIndexList found;
    if (text.isEmpty()) return found;
    std::function<void(const QModelIndex &)> walk = [&](const QModelIndex &parent) {
        for (int line = 0; line < rowCount(parent); ++line) {
            const QModelIndex here = index(line, 0, parent);
            const bool leaf = rowCount(here) == 0;
            const QString words = leaf ? here.data(WholeTextRole).toString() : here.data().toString();
            if (words.contains(text, Qt::CaseInsensitive)) found.append(here);
            walk(here);
        }
    };
    walk({});
    return found;
}

QString TranscriptModel::textOf(const QModelIndex &index) const
{
    return index.siblingAtColumn(0).data(WholeTextRole).toString();
}

QString TranscriptModel::markdown() const
{
    QStringList calls;
    for (const TranscriptEntry &entry : m_entries)
        calls.append(markdownOf(entry));
    return calls.join(u'\n');
}

} // namespace kernelskill
