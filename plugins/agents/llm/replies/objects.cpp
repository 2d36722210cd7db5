// SPDX-License-Identifier: Apache-2.0
#include "replies/objects.h"

#include "replies/extract.h"
#include "replies/text.h"
#include "replies/thinking.h"

#include <algorithm>
#include <array>

namespace kernelskill::llm {

namespace {

using End = TolerantJson::End;

// Cheap: what follows a { of an object. Of empty ones only the first brace of the text.
bool mayOpenObject(QStringView text, qsizetype at, bool isFirst)
{
    while (++at < text.size() && isBlank(text[at])) {}
    if (at == text.size()) return false;
    const QChar c = text[at];
    return isWordCharacter(c) || (isFirst && c == u'}') || QStringView(u"\"',/#“”„‘’«＂$.…").contains(c);
}

bool hasAll(const QJsonObject &object, const QStringList &required)
{
    return std::ranges::all_of(required, [&](const QString &key) { return object.contains(key); });
}

QString squeezed(const QString &key)
{
    QString result;
    for (const QChar c : key) {
        if (c.isLetterOrNumber()) result.append(c.toLower());
    }
    return result;
}

// "Error-Class" for "errorClass".
QJsonObject withRequiredNames(QJsonObject object, const QStringList &required)
{
    if (object.size() > 200) return object;
    for (const QString &key : required) {
        if (object.contains(key)) continue;
        const QString wanted = squeezed(key);
        for (const QString &other : object.keys()) {
            if (squeezed(other) != wanted || required.contains(other)) continue;
            object.insert(key, object.value(other));
            object.remove(other);
            break;
        }
    }
    return object;
}

bool isSchemaOfOne(const QJsonValue &value)
{
    const QJsonObject object = value.toObject();
    return object.contains(QStringLiteral("type")) || object.contains(QStringLiteral("enum")) ||
           object.contains(QStringLiteral("description"));
}

// {"type": "object", "properties": {…}}: the question, not the answer.
bool isSchema(const QJsonObject &object)
{
    const QJsonObject properties = object.value(QStringLiteral("properties")).toObject();
    return !properties.isEmpty() && std::ranges::all_of(properties, isSchemaOfOne);
}

class Search
{
public:
    Search(const QStringList &required, ExtractedObject &out) : m_required(required), m_out(out) {}

    // True when `text` holds what is wanted. `atItsEnd`: only when nearly nothing follows.
    bool in(QStringView text, const QString &how = {}, bool atItsEnd = false);
    // What is known of the objects that would not do; empty when there is none.
    void explain();

private:
    std::optional<QJsonObject> unwrapped(const QJsonObject &object, int depth, QStringList &notes);
    std::optional<QJsonObject> unwrappedValue(const QString &key, const QJsonValue &value, int depth, QStringList &notes);
    void remember(const FoundObject &found, QStringView text);

    const QStringList &m_required;
    ExtractedObject &m_out;
    bool m_schema = false;
    std::optional<QStringList> m_missing; // of the object that comes closest
    QString m_cut;
};

std::optional<QJsonObject> Search::unwrappedValue(const QString &key, const QJsonValue &value, int depth, QStringList &notes)
{
    QJsonValue inner = value;
    if (inner.isArray() && inner.toArray().size() == 1) inner = inner.toArray().first();
    if (inner.isString() && inner.toString().contains(u'{')) {
        const QString text = inner.toString();
        for (const FoundObject &found : objectsIn(text)) {
            if (found.result.end == End::Wrong || found.result.end == End::Cut) continue;
            if (const auto object = unwrapped(found.result.object, depth + 1, notes)) {
                notes.append(QStringLiteral("read the object from the text of “%1”").arg(key));
                return object;
            }
        }
        return std::nullopt;
    }
    if (!inner.isObject()) return std::nullopt;
    const auto object = unwrapped(inner.toObject(), depth + 1, notes);
    if (object) notes.append(QStringLiteral("took the object out of “%1”").arg(key));
    return object;
}

// The object itself when it has all required keys, else the one inside that has.
std::optional<QJsonObject> Search::unwrapped(const QJsonObject &object, int depth, QStringList &notes)
{
    if (isSchema(object)) {
        m_schema = true;
        return std::nullopt;
    }
    if (hasAll(object, m_required)) return object;
    const QJsonObject renamed = withRequiredNames(object, m_required);
    if (hasAll(renamed, m_required)) {
        notes.append(QStringLiteral("keys spelled otherwise"));
        return renamed;
    }
    if (depth >= 4 || object.size() > 50) return std::nullopt;
    std::optional<QJsonObject> result;
    for (auto member = object.begin(); member != object.end() && !result; ++member)
        result = unwrappedValue(member.key(), member.value(), depth, notes);
    return result;
}

void Search::remember(const FoundObject &found, QStringView text)
{
    if (found.result.end == End::Cut || found.result.end == End::Open) {
        const auto known = [&](const QString &key) { return found.result.object.contains(key); };
        if (!found.result.object.isEmpty() || text.sliced(found.begin + 1).trimmed().startsWith(u'"') ||
            std::ranges::any_of(m_required, known))
            m_cut = text.toString();
        return;
    }
    if (found.result.object.isEmpty() || isSchema(found.result.object)) return;
    QStringList missing;
    for (const QString &key : m_required) {
        if (!found.result.object.contains(key)) missing.append(key);
    }
    if (!m_missing || missing.size() <= m_missing->size()) m_missing = missing;
}

bool Search::in(QStringView text, const QString &how, bool atItsEnd)
{
    const std::vector<FoundObject> all = objectsIn(text);
    for (size_t i = all.size(); i-- > 0;) {
        const FoundObject &found = all[i];
        const bool cut = found.result.end == End::Cut || (m_required.isEmpty() && found.result.end == End::Open);
        QStringList notes;
        const auto object = cut || (found.result.object.isEmpty() && all.size() > 1)
                                ? std::nullopt
                                : unwrapped(found.result.object, 0, notes);
        if (!object || (atItsEnd && text.sliced(found.result.at).trimmed().size() > 80)) {
            remember(found, text);
            continue;
        }
        if (!how.isEmpty()) m_out.notes.append(how);
        if (all.size() > 1) m_out.notes.append(QStringLiteral("took object %1 of %2").arg(i + 1).arg(all.size()));
        const qsizetype around = text.first(found.begin).trimmed().size() + text.sliced(found.result.at).trimmed().size();
        if (around > 0) m_out.notes.append(QStringLiteral("dropped %1 characters around the object").arg(around));
        if (!found.result.mended.isEmpty()) m_out.notes.append(QStringLiteral("mended: %1").arg(found.result.mended.join(u", ")));
        if (found.result.end == End::Open) m_out.notes.append(QStringLiteral("its closing bracket was missing"));
        m_out.notes += notes;
        m_out.object = object;
        return true;
    }
    return false;
}

void Search::explain()
{
    if (!m_cut.isEmpty()) return reportCut(m_out, QStringLiteral("the JSON object"), m_cut);
    if (m_schema) {
        m_out.problem = QStringLiteral("The reply repeats the schema; the object that fills it in is needed.");
    } else if (m_missing && !m_missing->isEmpty()) {
        m_out.problem = QStringLiteral("The object lacks %1.").arg(m_missing->join(u", "));
    }
}

// <parameter=skill>…</parameter>, <skill>…</skill>: an object in the tags of another mark-up.
std::optional<QJsonObject> fromElements(const QString &text, const QStringList &required)
{
    if (required.isEmpty()) return std::nullopt;
    QJsonObject object;
    for (const QString &key : required) {
        const std::array<std::pair<QString, QString>, 3> forms = {{
            {QStringLiteral("<parameter=%1>").arg(key), QStringLiteral("</parameter>")},
            {QStringLiteral("<parameter name=\"%1\">").arg(key), QStringLiteral("</parameter>")},
            {QStringLiteral("<%1>").arg(key), QStringLiteral("</%1>").arg(key)},
        }};
        for (const auto &[opening, closing] : forms) {
            const qsizetype begin = text.lastIndexOf(opening);
            const qsizetype end = begin < 0 ? -1 : text.indexOf(closing, begin);
            if (end < 0) continue;
            object.insert(key, text.sliced(begin + opening.size(), end - begin - opening.size()).trimmed());
            break;
        }
        if (!object.contains(key)) return std::nullopt;
    }
    return object;
}

} // namespace

std::vector<FoundObject> objectsIn(QStringView text)
{
    constexpr qsizetype retries = 64 * 1024; // characters that may be read more than once
    constexpr qsizetype attempts = 500, tail = 128 * 1024; // behind so many braces only what stands at the end counts
    std::vector<FoundObject> all;
    TolerantJson json(text);
    qsizetype again = 0, tried = 0;
    const qsizetype first = text.indexOf(u'{');
    for (qsizetype at = first; at >= 0;) {
        qsizetype next = at + 1;
        if (mayOpenObject(text, at, at == first)) {
            const TolerantJson::Result result = json.objectAt(at);
            const bool whole = result.end == End::Complete || result.end == End::Open;
            if (result.end != End::Wrong) all.push_back({result, at});
            if (!whole) again += result.at - next;
            if (whole || again > retries) next = std::max(next, result.at);
            if (++tried == attempts) next = std::max(next, text.size() - tail);
        }
        at = text.indexOf(u'{', next);
    }
    return all;
}

ExtractedObject extractObject(const QString &reply, const QStringList &required)
{
    ExtractedObject out;
    const Answer answer = withoutThinking(reply, out.notes);
    Search search(required, out);
    if (search.in(answer.text)) return out;
    if (answer.text.contains(u"\\\"") && search.in(backslashesResolved(answer.text), QStringLiteral("the object was written as a string")))
        return out;
    if (answer.text.contains(u"&quot;") && search.in(htmlUnescaped(answer.text), QStringLiteral("resolved HTML's entities"))) return out;
    if (const auto object = fromElements(answer.text, required)) {
        out.notes.append(QStringLiteral("read the members from elements"));
        out.object = object;
        return out;
    }
    const bool answered = !isBlank(answer.text);
    if ((answer.guessed || !answered) && search.in(answer.thought, QStringLiteral("taken from the thinking"), answer.neverEnds)) return out;
    search.explain();
    if (answer.neverEnds && !answered) {
        reportCut(out, QStringLiteral("its thinking"), answer.thought);
    } else if (out.problem.isEmpty()) {
        out.problem = whyNothing(answer.text, answer.thought, QStringLiteral("JSON object"));
    }
    return out;
}

} // namespace kernelskill::llm
