// SPDX-License-Identifier: Apache-2.0
#include "models/transcript_model.h"

#include "models/message_parts.h"
#include "models/panel_rows.h"
#include "settings/numbers.h"

#include <functional>

using namespace Qt::StringLiterals;

namespace kernelskill {

namespace {

using panel_rows::Kind;
constexpr qsizetype mostLinesShown = 300; // of one part; copies and exports have all of it
constexpr qsizetype mostLinesOpen = 12;    // of a part that is open by itself
constexpr qsizetype mostLinesOfReply = 60; // likewise, of what a model answers

QString roleTitle(const QString &role)
{
    static const QHash<QString, QString> titles{
        {u"generator"_s, u"Generator"_s}, {u"features"_s, u"Feature extractor"_s}, {u"planner"_s, u"Planner"_s},
        {u"optimizer"_s, u"Optimizer"_s}, {u"diagnoser"_s, u"Diagnoser"_s},        {u"repairer"_s, u"Repairer"_s},
        {u"reviewer"_s, u"Reviewer"_s},   {u"person"_s, u"You"_s},
        {u"distiller"_s, u"Distiller"_s}};
    return titles.value(role, role);
}

QString shown(const QString &text)
{
    const QStringList lines = text.split(u'\n');
    if (lines.size() <= mostLinesShown) return text;
    return lines.mid(0, mostLinesShown).join(u'\n') + u"\n… %1 more lines; copy to see them"_s.arg(lines.size() - mostLinesShown);
}

void addParts(TreeRow *parent, const QString &side, const QList<TranscriptPart> &parts, bool closed = false)
{
    int number = 0;
    for (const TranscriptPart &part : parts) {
        const qsizetype lines = part.text.count(u'\n') + 1;
        TreeRow *group = parent->add(u"%1 %2"_s.arg(side).arg(number++), {side + u"  "_s + part.title, QString(), part.isCode ? u"%1 lines"_s.arg(lines) : QString()},
                                     {{panel_rows::KindRole, int(Kind::Group)},
                                      {panel_rows::ClosedRole, closed || part.isCode || lines > mostLinesOpen},
                                      {TranscriptModel::WholeTextRole, part.text}});
        group->add(u"text"_s, {shown(part.text)},
                   {{panel_rows::KindRole, int(Kind::Text)},
                    {panel_rows::MonospaceRole, part.isCode},
                    {TranscriptModel::WholeTextRole, part.text}});
    }
}

struct Speaker
{
    QString title, stripe;
};

Speaker speakerOf(const QString &from)
{
    static const QHash<QString, Speaker> speakers{{u"system"_s, {u"System"_s, u"series.s6"_s}},
                                                  {u"user"_s, {u"User"_s, u"series.s1"_s}},
                                                  {u"assistant"_s, {u"Assistant"_s, u"series.s3"_s}},
                                                  {u"reasoning"_s, {u"Reasoning"_s, u"series.s4"_s}},
                                                  {u"tool"_s, {u"Tool"_s, u"series.s2"_s}}};
    return speakers.value(from, {from, u"series.s5"_s});
}

QString linesText(qsizetype lines)
{
    return lines == 1 ? QString() : u"%1 lines"_s.arg(lines);
}

void addText(TreeRow *parent, int number, const QString &text, bool monospace)
{
    parent->add(u"text %1"_s.arg(number), {shown(text)},
                {{panel_rows::KindRole, int(Kind::Text)}, {panel_rows::MonospaceRole, monospace}, {TranscriptModel::WholeTextRole, text}});
}

// Prose as it is; material and long code under a name of their own.
void addMessageParts(TreeRow *parent, const QString &text, qsizetype mostLines)
{
    int number = 0;
    for (const MessagePart &part : messageParts(text)) {
        const qsizetype lines = part.text.count(u'\n') + 1;
        const bool isData = part.kind == MessagePart::Kind::Data;
        if (part.kind == MessagePart::Kind::Prose || (!isData && lines <= mostLines)) {
            addText(parent, number++, part.text, part.kind != MessagePart::Kind::Prose);
            continue;
        }
        const QString name = isData ? u"Data  %1"_s.arg(part.title) : u"Code  %1"_s.arg(part.title.isEmpty() ? u"text"_s : part.title);
        TreeRow *group = parent->add(u"part %1"_s.arg(number++), {name, QString(), linesText(lines)},
                                     {{panel_rows::KindRole, int(Kind::Group)},
                                      {panel_rows::ClosedRole, lines > mostLines},
                                      {TranscriptModel::WholeTextRole, part.text}});
        addText(group, 0, part.text, true);
    }
}

void addMessages(TreeRow *call, const QList<TranscriptMessage> &messages)
{
    int number = 0;
    for (const TranscriptMessage &message : messages) {
        const Speaker speaker = speakerOf(message.from);
        const qsizetype lines = message.text.count(u'\n') + 1;
        const qsizetype mostLines = message.from == "assistant"_L1 ? mostLinesOfReply : mostLinesOpen;
        const bool closed = message.from == "system"_L1 || lines > mostLines;
        TreeRow *group = call->add(u"message %1 %2"_s.arg(number).arg(message.from), {speaker.title, QString(), linesText(lines)},
                                   {{panel_rows::KindRole, int(Kind::Group)},
                                    {panel_rows::ClosedRole, closed},
                                    {panel_rows::StripeRole, speaker.stripe},
                                    {TranscriptModel::WholeTextRole, message.text}});
        addMessageParts(group, message.text, mostLines);
        if (!message.note.isEmpty()) // beside the message, not in it: seen while that is folded
            call->add(u"note %1"_s.arg(number), {message.note},
                      {{panel_rows::KindRole, int(Kind::Note)}, {panel_rows::StripeRole, speaker.stripe}, {TranscriptModel::WholeTextRole, message.note}});
        ++number;
    }
}

QString messagesMarkdown(const QList<TranscriptMessage> &messages)
{
    QString text;
    for (const TranscriptMessage &message : messages) {
        text += u"\n**%1**\n\n%2\n"_s.arg(speakerOf(message.from).title, message.text);
        if (!message.note.isEmpty()) text += u"\n> %1\n"_s.arg(message.note);
    }
    return text;
}

QString markdownOf(const TranscriptEntry &entry)
{
    QString text = u"## %1\n"_s.arg(headOf(entry));
    if (const QString cost = costOf(entry); !cost.isEmpty()) text += cost + u'\n';
    if (const QString facts = factsOf(entry); !facts.isEmpty()) text += facts + u'\n';
    if (!entry.outcome.isEmpty()) text += entry.outcome + u'\n';
    const auto add = [&text](const QString &side, const QList<TranscriptPart> &parts) {
        for (const TranscriptPart &part : parts) {
            text += u"\n**%1: %2**\n\n"_s.arg(side, part.title);
            text += part.isCode ? u"```\n%1\n```\n"_s.arg(part.text) : part.text + u'\n';
        }
    };
    add(u"Asked"_s, entry.asked);
    text += messagesMarkdown(entry.messages);
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

QString factsOf(const TranscriptEntry &entry)
{
    const QJsonObject &facts = entry.facts;
    QStringList words;
    for (const QString &fact : {facts["provider"_L1].toString(), facts["model"_L1].toString()}) {
        if (!fact.isEmpty()) words.append(fact);
    }
    const QJsonObject prompt = facts["prompt"_L1].toObject();
    if (const QString name = prompt["name"_L1].toString(); !name.isEmpty()) {
        const QString version = prompt["version"_L1].toVariant().toString(), digest = prompt["digest"_L1].toString().left(8);
        words.append(u"prompt %1"_s.arg(name) + (version.isEmpty() ? QString() : u" version %1"_s.arg(version)) +
                     (digest.isEmpty() ? QString() : u" (%1)"_s.arg(digest)));
    }
    return words.join(u" · "_s);
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
        if (const QString facts = factsOf(entry); !facts.isEmpty())
            call->add(u"facts"_s, {facts}, {{panel_rows::KindRole, int(Kind::Text)}, {WholeTextRole, facts}});
        if (!entry.outcome.isEmpty())
            call->add(u"outcome"_s, {entry.outcome}, {{panel_rows::KindRole, int(Kind::Text)}, {WholeTextRole, entry.outcome}});
        addParts(call, u"Asked"_s, entry.asked, !entry.messages.isEmpty()); // the same stands in the prompt
        addMessages(call, entry.messages);
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
