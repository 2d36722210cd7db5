// SPDX-License-Identifier: Apache-2.0
#include "replies/tolerant_json.h"

#include "replies/text.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::llm {

namespace {

QJsonObject objectOf(std::vector<std::pair<QString, QJsonValue>> &members)
{
    // In QJsonObject's order each insertion is at its end; of equal keys the last stands.
    std::ranges::stable_sort(members, {}, &std::pair<QString, QJsonValue>::first);
    QJsonObject object;
    for (const auto &[key, value] : members) {
        if (!key.isEmpty()) object.insert(key, value); // QJsonObject of Qt 6.8 falls over an empty key that comes twice
    }
    return object;
}

bool isQuote(QChar c)
{
    return c == u'"' || c == u'\'' || c == u'“' || c == u'”' || c == u'„' || c == u'‘' || c == u'’' || c == u'«' || c == u'＂';
}

} // namespace

QChar TolerantJson::peek(qsizetype ahead) const
{
    return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : QChar();
}

void TolerantJson::mend(const QString &what)
{
    if (!m_mended.contains(what)) m_mended.append(what);
}

TolerantJson::Result TolerantJson::objectAt(qsizetype at)
{
    m_text = m_whole;
    m_stack.clear();
    m_mended.clear();
    m_result = {};
    m_insideValue = false;
    m_at = at + 1;
    m_stack.emplace_back();
    Step next = Step::On;
    while (next == Step::On) {
        skipBlanks();
        next = atEnd() ? Step::Cut : step();
    }
    Result result;
    result.at = m_at;
    if (next == Step::Wrong) return result;
    result.end = End::Complete;
    if (next == Step::Cut) {
        const bool whole = !m_insideValue && !m_stack.back().hasKey && m_stack.back().wantsComma;
        result.end = whole ? End::Open : End::Cut;
        while (!m_stack.empty())
            popFrame();
    }
    result.object = m_result;
    result.mended = m_mended;
    return result;
}

std::optional<QString> TolerantJson::stringAt(qsizetype at)
{
    m_text = m_whole;
    m_at = at;
    return readString(Place::Item);
}

TolerantJson::Step TolerantJson::step()
{
    const QChar c = peek();
    Frame &frame = m_stack.back();
    if (c == u',' || c == u'，') {
        ++m_at;
        if (!frame.wantsComma) mend(QStringLiteral("a comma too many"));
        frame.wantsComma = false;
        return Step::On;
    }
    if (c == u'}' || c == u']') return closeBracket(c);
    if (m_text.sliced(m_at).startsWith(u"...") || c == u'…') {
        m_at += c == u'…' ? 1 : 3;
        mend(QStringLiteral("dots for what was left out"));
        return Step::On;
    }
    if (frame.wantsComma) {
        mend(QStringLiteral("a missing comma"));
        frame.wantsComma = false;
    }
    return frame.isObject && !frame.hasKey ? readKey() : readValue();
}

TolerantJson::Step TolerantJson::closeBracket(QChar bracket)
{
    Frame &frame = m_stack.back();
    if (frame.isObject && frame.hasKey) return Step::Wrong; // a key without its value
    if (frame.isObject != (bracket == u'}')) {
        const bool parentFits = m_stack.size() >= 2 && m_stack[m_stack.size() - 2].isObject == (bracket == u'}');
        if (!parentFits) return Step::Wrong;
        mend(QStringLiteral("a missing bracket"));
        popFrame(); // and the bracket closes the one around it
        return Step::On;
    }
    if (!frame.wantsComma && (!frame.members.empty() || !frame.items.isEmpty())) mend(QStringLiteral("a comma too many"));
    ++m_at;
    popFrame();
    return m_stack.empty() ? Step::Done : Step::On;
}

void TolerantJson::popFrame()
{
    Frame frame = std::move(m_stack.back());
    m_stack.pop_back();
    if (m_stack.empty()) {
        m_result = objectOf(frame.members);
        return;
    }
    put(frame.isObject ? QJsonValue(objectOf(frame.members)) : QJsonValue(frame.items));
}

void TolerantJson::put(const QJsonValue &value)
{
    Frame &frame = m_stack.back();
    if (!frame.isObject) {
        frame.items.append(value);
    } else if (frame.hasKey) {
        frame.members.emplace_back(std::move(frame.key), value);
        frame.key = {};
        frame.hasKey = false;
    }
    frame.wantsComma = true;
}

TolerantJson::Step TolerantJson::readKey()
{
    QString key;
    if (isQuote(peek())) {
        if (peek() != u'"') mend(QStringLiteral("other quotes"));
        const std::optional<QString> text = readString(Place::Key);
        if (!text) {
            m_insideValue = true;
            return Step::Cut;
        }
        key = *text;
    } else {
        const qsizetype begin = m_at;
        while (!atEnd() && (isWordCharacter(peek()) || peek() == u'-' || peek() == u'$') && m_at - begin < 80)
            ++m_at;
        if (m_at == begin) return Step::Wrong;
        key = m_text.sliced(begin, m_at - begin).toString();
        mend(QStringLiteral("keys without quotes"));
    }
    skipBlanks();
    if (atEnd()) {
        m_insideValue = true;
        return Step::Cut;
    }
    if (peek() != u':' && peek() != u'：') return Step::Wrong;
    ++m_at;
    m_stack.back().key = key;
    m_stack.back().hasKey = true;
    return Step::On;
}

TolerantJson::Step TolerantJson::open(bool object)
{
    if (m_stack.size() >= deepest) return Step::Wrong;
    ++m_at;
    m_stack.emplace_back();
    m_stack.back().isObject = object;
    return Step::On;
}

TolerantJson::Step TolerantJson::readValue()
{
    const QChar c = peek();
    if (c == u'{' || c == u'[') return open(c == u'{');
    if (!isQuote(c) && c != u'`') return readWord();
    if (c != u'"') mend(QStringLiteral("other quotes"));
    const Place place = m_stack.back().isObject ? Place::Member : Place::Item;
    std::optional<QString> text = readString(place);
    // "…" + "…"
    for (qsizetype plus = behindBlanks(m_at); text && plus < m_text.size() && m_text[plus] == u'+'; plus = behindBlanks(m_at)) {
        m_at = behindBlanks(plus + 1);
        if (atEnd() || !isQuote(peek())) return Step::Wrong;
        mend(QStringLiteral("strings put together with +"));
        const std::optional<QString> more = readString(place);
        if (more) text->append(*more);
        else text.reset();
    }
    if (!text) {
        m_insideValue = true;
        return Step::Cut;
    }
    put(*text);
    return Step::On;
}

// Numbers, literals of three languages, and words that should have been in quotes.
TolerantJson::Step TolerantJson::readWord()
{
    const qsizetype begin = m_at;
    while (!atEnd() && m_at - begin < 200) {
        const QChar c = peek();
        if (c == u',' || c == u'}' || c == u']' || c == u'\n' || c == u'\r') break;
        if (c == u'{' || c == u'[' || c == u'"' || c == u';') return Step::Wrong;
        if (m_at > begin && (c == u'#' || (c == u'/' && (peek(1) == u'/' || peek(1) == u'*')))) break;
        ++m_at;
    }
    const QStringView word = m_text.sliced(begin, m_at - begin).trimmed();
    if (atEnd()) m_insideValue = true; // it may go on
    if (word.isEmpty() || m_at - begin >= 200) return Step::Wrong;
    if (word == u"true" || word == u"false") {
        put(word == u"true");
    } else if (word == u"null") {
        put(QJsonValue::Null);
    } else if (word == u"True" || word == u"False" || word == u"None" || word == u"undefined") {
        mend(QStringLiteral("literals of another language"));
        put(word == u"True" ? QJsonValue(true) : word == u"False" ? QJsonValue(false) : QJsonValue());
    } else if (const std::optional<QJsonValue> value = number(word)) {
        if (value->isNull()) mend(QStringLiteral("a number that is none"));
        put(*value);
    } else if (word[0].isLetterOrNumber() || word[0] == u'-' || word[0] == u'_') {
        mend(QStringLiteral("a text without quotes"));
        put(word.toString());
    } else {
        return Step::Wrong;
    }
    return Step::On;
}

std::optional<QJsonValue> TolerantJson::number(QStringView word)
{
    static const QStringList none = {QStringLiteral("nan"), QStringLiteral("inf"), QStringLiteral("infinity")};
    const QStringView unsignedWord = word.startsWith(u'-') || word.startsWith(u'+') ? word.sliced(1) : word;
    if (none.contains(unsignedWord.toString().toLower())) return QJsonValue(QJsonValue::Null);
    QString digits = word.toString().remove(u'_');
    if (unsignedWord.isEmpty() || !(unsignedWord[0].isDigit() || unsignedWord[0] == u'.')) return std::nullopt;
    bool fits = false;
    if (const qint64 whole = digits.toLongLong(&fits, digits.contains(u"0x") ? 16 : 10); fits) return QJsonValue(whole);
    if (digits.endsWith(u'f')) digits.chop(1);
    const double value = digits.toDouble(&fits);
    if (!fits || !std::isfinite(value)) return std::nullopt;
    return QJsonValue(value);
}

qsizetype TolerantJson::behindBlanks(qsizetype at) const
{
    while (at < m_text.size() && isBlank(m_text[at]))
        ++at;
    return at;
}

// Blanks and comments. A fence that begins a line ends the text: the block is over.
void TolerantJson::skipBlanks()
{
    while (true) {
        m_at = behindBlanks(m_at);
        if (atEnd()) return;
        const QChar c = peek(), next = peek(1);
        if (c == u'`' && next == u'`' && peek(2) == u'`' && !m_stack.back().hasKey) {
            m_text = m_text.first(m_at);
            return;
        }
        const bool line = c == u'#' || (c == u'/' && next == u'/'), region = c == u'/' && next == u'*';
        if (!line && !region) return;
        mend(QStringLiteral("comments"));
        const qsizetype end = line ? m_text.indexOf(u'\n', m_at) : m_text.indexOf(u"*/", m_at + 2);
        m_at = end < 0 ? m_text.size() : end + (line ? 1 : 2);
    }
}

QChar TolerantJson::closingQuote(QChar open)
{
    switch (open.unicode()) {
    case u'“': case u'„': return u'”';
    case u'‘': return u'’';
    case u'«': return u'»';
    default: return open;
    }
}

// The quote in front of `behind` ends its string: what follows is what may follow a key, a member or an item. Else it is a
// quote of the text that was not escaped.
bool TolerantJson::closesAt(qsizetype behind, Place place) const
{
    qsizetype at = behindBlanks(behind);
    if (at == m_text.size()) return true;
    const QChar c = m_text[at];
    if (place == Place::Key) return c == u':' || c == u'：';
    if (c == u'}' || c == u']') return true;
    if (c == u'/' && at + 1 < m_text.size() && (m_text[at + 1] == u'/' || m_text[at + 1] == u'*')) return true;
    if (c == u'+') {
        at = behindBlanks(at + 1);
        return at < m_text.size() && isQuote(m_text[at]);
    }
    const bool newLine = m_text.sliced(behind, at - behind).contains(u'\n');
    if (c == u'`') return m_text.sliced(at).startsWith(u"```") && newLine;
    if (c != u',' && c != u'，') return newLine && (c == u'#' || (isQuote(c) && (place == Place::Item || looksLikeKey(at))));
    while (at < m_text.size() && (m_text[at] == u',' || m_text[at] == u'，'))
        at = behindBlanks(at + 1);
    if (at == m_text.size()) return true;
    const QChar next = m_text[at];
    if (next == u'}' || next == u']' || next == u'/' || next == u'#' || next == u'.') return true;
    if (place == Place::Item) return isQuote(next) || next.isDigit() || next == u'{' || next == u'[' || next == u'-' || looksLikeKey(at) ||
                                     QStringView(u"tfnTFN").contains(next);
    return looksLikeKey(at);
}

// A word or quoted words, then a colon.
bool TolerantJson::looksLikeKey(qsizetype at) const
{
    const QChar first = m_text[at];
    if (isQuote(first)) {
        const QChar closing = closingQuote(first);
        const qsizetype limit = std::min(m_text.size(), at + 400);
        for (qsizetype i = at + 1; i < limit; ++i) {
            if (m_text[i] == u'\\') {
                ++i;
            } else if (m_text[i] == closing || (closing == u'”' && m_text[i] == u'"')) {
                const qsizetype behind = behindBlanks(i + 1);
                return behind == m_text.size() || m_text[behind] == u':' || m_text[behind] == u'：';
            }
        }
        return true; // a long key, or one that the text ends in
    }
    const qsizetype limit = std::min(m_text.size(), at + 80);
    qsizetype i = at;
    while (i < limit && (isWordCharacter(m_text[i]) || m_text[i] == u'-'))
        ++i;
    return i > at && i < limit && m_text[i] == u':';
}

std::optional<QString> TolerantJson::readString(Place place)
{
    const QChar open = peek(), closing = closingQuote(open);
    const QString triple(3, open);
    if (open == u'`' && m_text.sliced(m_at).startsWith(triple)) { // a fence for a value
        const qsizetype line = m_text.indexOf(u'\n', m_at);
        return line < 0 ? std::nullopt : readRawString(u"```", line + 1 - m_at);
    }
    if ((open == u'"' || open == u'\'') && m_text.sliced(m_at).startsWith(triple)) return readRawString(triple, 3);
    QString out;
    ++m_at;
    while (!atEnd()) {
        const qsizetype run = m_at;
        while (!atEnd() && peek() != closing && peek() != u'\\' && peek() != u'\n' && !(closing == u'”' && peek() == u'"'))
            ++m_at;
        out.append(m_text.sliced(run, m_at - run));
        if (atEnd()) break;
        const QChar c = peek();
        ++m_at;
        if (c == u'\\') {
            if (!readEscape(out)) break;
        } else if (c == u'\n') {
            mend(QStringLiteral("line ends in a string"));
            out.append(c);
        } else if (closesAt(m_at, place)) {
            return out;
        } else {
            mend(QStringLiteral("quotes in a string"));
            out.append(c);
        }
    }
    return std::nullopt;
}

std::optional<QString> TolerantJson::readRawString(QStringView closing, qsizetype opening)
{
    mend(QStringLiteral("other quotes"));
    const qsizetype begin = m_at + opening, end = m_text.indexOf(closing, begin);
    if (end < 0) {
        m_at = m_text.size();
        return std::nullopt;
    }
    m_at = end + closing.size();
    const QStringView text = m_text.sliced(begin, end - begin);
    return closing == u"```" ? text.toString() : backslashesResolved(text);
}

// Behind the backslash; false when the text ends in it. What is no escape of JSON stays as it is.
bool TolerantJson::readEscape(QString &out)
{
    if (atEnd()) return false;
    const char16_t c = peek().unicode();
    ++m_at;
    switch (c) {
    case '"': case '\\': case '/': case '\'': case '`': out.append(QChar(c)); return true;
    case 'b': out.append(u'\b'); return true;
    case 'f': out.append(u'\f'); return true;
    case 'n': out.append(u'\n'); return true;
    case 'r': out.append(u'\r'); return true;
    case 't': out.append(u'\t'); return true;
    case 'u': {
        if (m_text.size() - m_at < 4) {
            m_at = m_text.size();
            return false;
        }
        bool fits = false;
        const ushort unit = m_text.sliced(m_at, 4).toUShort(&fits, 16);
        if (fits) {
            out.append(QChar(unit));
            m_at += 4;
            return true;
        }
        break;
    }
    default: break;
    }
    mend(QStringLiteral("escapes that are none"));
    out.append(u'\\').append(QChar(c));
    return true;
}

} // namespace kernelskill::llm
