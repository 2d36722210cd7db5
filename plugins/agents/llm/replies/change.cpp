// SPDX-License-Identifier: Apache-2.0
#include "replies/code.h"
#include "replies/edits.h"
#include "replies/objects.h"
#include "replies/text.h"
#include "replies/thinking.h"

#include <QJsonArray>
#include <QSet>

#include <algorithm>
#include <utility>

namespace kernelskill::llm {

namespace {

std::optional<QString> textOf(const QJsonObject &object, std::initializer_list<QStringView> names)
{
    for (const QStringView name : names) {
        if (object.value(name).isString()) return object.value(name).toString();
    }
    return std::nullopt;
}

// {"before": …, "after": …} under any of its names.
std::optional<Edit> editOf(const QJsonObject &object)
{
    const auto before = textOf(object, {u"before", u"search", u"old", u"old_string", u"old_str", u"find", u"original"});
    const auto after = textOf(object, {u"after", u"replace", u"new", u"new_string", u"new_str", u"replacement", u"updated"});
    return before && after ? std::optional<Edit>({*before, *after}) : std::nullopt;
}

void collect(const QJsonValue &value, int depth, QList<Edit> &edits, QStringList &texts)
{
    if (depth > 4) return;
    if (value.isString()) texts.append(value.toString());
    for (const QJsonArray array = value.toArray(); const QJsonValue &item : array)
        collect(item, depth + 1, edits, texts);
    const QJsonObject object = value.toObject();
    if (const auto edit = editOf(object)) {
        edits.append(*edit);
        return;
    }
    for (const QJsonValue &member : object)
        collect(member, depth + 1, edits, texts);
}

// Edits in the objects of a text: as members, or as text in a member.
FoundEdits objectEdits(QStringView text)
{
    FoundEdits all;
    QStringList texts;
    for (const FoundObject &found : objectsIn(text)) {
        if (found.result.end != TolerantJson::End::Complete && found.result.end != TolerantJson::End::Open) continue;
        const qsizetype before = all.edits.size();
        collect(found.result.object, 0, all.edits, texts);
        if (all.edits.size() > before) all.end = found.result.at;
    }
    if (!all.edits.isEmpty()) {
        all.notes.append(QStringLiteral("read the edits from an object"));
        return all;
    }
    for (const QString &inner : texts) {
        FoundEdits found = markedEdits(inner);
        if (found.edits.isEmpty() && found.problem.isEmpty()) found = diffEdits(inner);
        if (found.edits.isEmpty()) continue;
        found.end = text.size();
        return found;
    }
    return all;
}

FoundEdits editsIn(const QString &text)
{
    FoundEdits found = markedEdits(text);
    if (!found.edits.isEmpty() || !found.problem.isEmpty()) return found;
    found = diffEdits(text);
    if (!found.edits.isEmpty()) return found;
    if (text.contains(u"&lt;&lt;&lt;&lt;&lt;")) {
        found = markedEdits(htmlUnescaped(text));
        found.notes.append(QStringLiteral("resolved HTML's entities"));
        if (!found.edits.isEmpty()) return found;
    }
    return objectEdits(text);
}

// Without those that change nothing and those said twice; what makes one unusable is said.
void sift(FoundEdits &found)
{
    QList<Edit> kept;
    qsizetype same = 0, twice = 0;
    QSet<QString> seen;
    for (const Edit &edit : std::as_const(found.edits)) {
        const QString key = edit.before + QChar(u'\0') + edit.after;
        if (edit.before == edit.after) ++same;
        else if (seen.contains(key)) ++twice;
        else kept.append(edit);
        seen.insert(key);
    }
    if (same > 0) found.notes.append(QStringLiteral("dropped %1 edits that change nothing").arg(same));
    if (twice > 0) found.notes.append(QStringLiteral("dropped %1 edits that were there twice").arg(twice));
    if (kept.isEmpty() && found.problem.isEmpty()) found.problem = QStringLiteral("The edits change nothing.");
    for (qsizetype i = 0; i < kept.size() && found.problem.isEmpty(); ++i) {
        const QString placeholder = placeholderIn(kept[i].after);
        if (isBlank(kept[i].before)) {
            found.problem = QStringLiteral("Edit %1 does not say what stands in the file: its first part is empty.").arg(i + 1);
        } else if (!placeholder.isEmpty() && !kept[i].before.contains(placeholder)) {
            found.problem = QStringLiteral("Edit %1 leaves a part out: %2. It needs all lines.").arg(i + 1).arg(quoted(placeholder));
        }
    }
    found.edits = kept;
}

// A single edit from nothing to a whole file is the file.
bool isWholeFile(const FoundEdits &found, const QString &entry)
{
    return found.edits.size() == 1 && isBlank(found.edits.first().before) &&
           sourceOf(found.edits.first().after, entry).isWhole() && placeholderIn(found.edits.first().after).isEmpty();
}

// A whole file behind the last edit takes their place.
std::optional<ExtractedCode> fileBehind(const QString &text, qsizetype end, const QString &entry)
{
    const QString rest = text.mid(end);
    if (isBlank(rest) || fencedBlocks(rest).isEmpty()) return std::nullopt;
    ExtractedCode file = extractCode(rest, entry);
    return file.problem.isEmpty() ? std::optional(file) : std::nullopt;
}

// A whole file in front of the edits that has them all made: the edits only tell of it.
std::optional<ExtractedCode> fileThatHas(const QString &text, const QList<Edit> &edits, const QString &entry)
{
    if (fencedBlocks(text).size() < 2) return std::nullopt;
    ExtractedCode file = extractCode(text, entry);
    if (!file.problem.isEmpty() || !markedEdits(file.code).edits.isEmpty()) return std::nullopt;
    const bool made = std::ranges::all_of(edits, [&](const Edit &edit) {
        return !isBlank(edit.after) && file.code.contains(edit.after.trimmed()) && !file.code.contains(edit.before.trimmed());
    });
    return made ? std::optional(file) : std::nullopt;
}

} // namespace

ExtractedChange extractChange(const QString &reply, const QString &entry)
{
    ExtractedChange out;
    const Answer answer = withoutThinking(reply, out.notes);
    const bool searchThought = isBlank(answer.text) && !answer.neverEnds;
    const QString text = cleanedForCode(searchThought ? answer.thought : answer.text);
    FoundEdits found = editsIn(text);
    const auto takeFile = [&](const ExtractedCode &file, const QStringList &notes) {
        static_cast<Extraction &>(out) = file;
        out.notes += notes;
        out.code = file.code;
        return out;
    };
    if (found.edits.isEmpty() && found.problem.isEmpty()) return takeFile(extractCode(reply, entry), {});
    if (isWholeFile(found, entry)) {
        out.notes += found.notes;
        out.notes.append(QStringLiteral("took the whole file of the only edit"));
        out.code = asWholeFile(found.edits.first().after);
        return out;
    }
    if (const auto file = fileBehind(text, found.end, entry))
        return takeFile(*file, {QStringLiteral("took the whole file behind %1 edits").arg(found.edits.size())});
    if (const auto file = found.problem.isEmpty() ? fileThatHas(text, found.edits, entry) : std::nullopt)
        return takeFile(*file, {QStringLiteral("took the whole file that has the %1 edits made").arg(found.edits.size())});
    sift(found);
    out.notes += found.notes;
    out.problem = found.problem;
    out.truncated = found.truncated;
    if (out.problem.isEmpty()) out.edits = found.edits;
    return out;
}

} // namespace kernelskill::llm
