// SPDX-License-Identifier: Apache-2.0
#include "replies/thinking.h"

#include "replies/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace kernelskill::llm {

namespace {

struct Tag
{
    qsizetype begin, end;
    bool closes;
};

constexpr std::array<QStringView, 13> tagNames = {
    u"think", u"thinking", u"thought", u"thoughts", u"reasoning", u"reflection", u"analysis", u"scratchpad",
    u"inner_monologue", u"seed:think", u"antml:thinking", u"mm:think", u"thinking_process"};

struct Literal
{
    QStringView text;
    bool closes;
};
constexpr std::array<Literal, 11> literals = {{
    {u"[think]", false}, {u"[/think]", true},
    {u"◁think▷", false}, {u"◁/think▷", true},
    {u"<|begin_of_thought|>", false}, {u"<|end_of_thought|>", true},
    {u"<|start_thinking|>", false}, {u"<|end_thinking|>", true},
    {u"<|channel|>analysis<|message|>", false}, {u"<|channel|>final<|message|>", true},
    {u"<|channel|>final <|constrain|>json<|message|>", true},
}};

bool beginsLine(QStringView text, qsizetype at)
{
    for (qsizetype i = at - 1; i >= 0 && at - i < 40; --i) {
        if (text[i] == u'\n' || text[i] == u'>') return true;
        if (!isBlank(text[i])) return false;
    }
    return at < 40;
}

// <name attribute="…"> or </name> at `at`.
std::optional<Tag> elementAt(QStringView text, qsizetype at)
{
    qsizetype i = at + 1;
    const bool closes = i < text.size() && text[i] == u'/';
    i += closes;
    const qsizetype nameBegin = i;
    while (i < text.size() && i - nameBegin < 20 && (isWordCharacter(text[i]) || text[i] == u':'))
        ++i;
    const QStringView name = text.sliced(nameBegin, i - nameBegin);
    if (name.size() < 5) return std::nullopt;
    const auto known = [&](QStringView n) { return name.compare(n, Qt::CaseInsensitive) == 0; };
    if (std::ranges::none_of(tagNames, known)) return std::nullopt;
    const QStringView rest = text.sliced(i, std::min<qsizetype>(200, text.size() - i));
    const qsizetype close = rest.indexOf(u'>');
    if (close < 0 || rest.first(close).contains(u'\n') || rest.first(close).contains(u'<')) return std::nullopt;
    if (close > 0 && !isBlank(rest[0]) && rest[0] != u'/') return std::nullopt;
    return Tag{at, i + close + 1, closes};
}

std::optional<Tag> tagAt(QStringView text, qsizetype at)
{
    const QChar second = at + 1 < text.size() ? text[at + 1].toLower() : QChar();
    if (text[at] == u'<' && !second.isLetter() && second != u'/' && second != u'|') return std::nullopt;
    for (const Literal &literal : literals) {
        if (literal.text[0] != text[at] || literal.text[1] != second) continue;
        if (text.sliced(at).startsWith(literal.text, Qt::CaseInsensitive))
            return Tag{at, at + literal.text.size(), literal.closes};
    }
    return text[at] == u'<' ? elementAt(text, at) : std::nullopt;
}

// In order. An opening tag stands at the start of a line: elsewhere it is a mention of one.
std::vector<Tag> tagsOf(QStringView text)
{
    std::vector<Tag> tags;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != u'<' && text[i] != u'[' && text[i] != u'◁') continue;
        const std::optional<Tag> tag = tagAt(text, i);
        if (!tag || (!tag->closes && !beginsLine(text, i))) continue;
        tags.push_back(*tag);
        i = tag->end - 1;
    }
    return tags;
}

QStringView withoutEndTokens(QStringView text)
{
    static constexpr std::array<QStringView, 8> tokens = {u"<|im_end|>", u"<|eot_id|>", u"<|endoftext|>", u"<|return|>",
                                                          u"<|end|>", u"</s>", u"<｜end▁of▁sentence｜>", u"<end_of_turn>"};
    while (true) {
        text = text.trimmed();
        const auto *token = std::ranges::find_if(tokens, [&](QStringView t) { return text.endsWith(t); });
        if (token == tokens.end()) return text;
        text.chop(token->size());
    }
}

} // namespace

Answer withoutThinking(const QString &reply, QStringList &notes)
{
    const QStringView text = withoutEndTokens(reply);
    Answer answer;
    qsizetype from = 0, thoughtFrom = -1;
    for (const Tag &tag : tagsOf(text)) {
        const bool thinks = thoughtFrom >= 0;
        if (!thinks) answer.text += text.sliced(from, tag.begin - from);
        if (thinks && tag.closes) {
            answer.thought += text.sliced(thoughtFrom, tag.begin - thoughtFrom);
            thoughtFrom = -1;
        } else if (!thinks && !tag.closes) {
            thoughtFrom = tag.end;
        } else if (!thinks && tag.closes && !isBlank(text.sliced(tag.end))) {
            answer.guessed = answer.guessed || !isBlank(answer.text);
            answer.thought += answer.text;
            answer.text.clear();
        }
        from = tag.end;
    }
    if (thoughtFrom >= 0) {
        answer.thought += text.sliced(thoughtFrom);
        answer.neverEnds = true;
    } else {
        answer.text += text.sliced(from);
    }
    const qsizetype dropped = answer.thought.trimmed().size();
    if (dropped > 0) notes.append(QStringLiteral("dropped %1 characters of thinking").arg(dropped));
    if (answer.neverEnds) notes.append(QStringLiteral("the thinking has no end"));
    for (QString *part : {&answer.text, &answer.thought}) {
        if (part->size() <= longestAnswer) continue;
        notes.append(QStringLiteral("looked at the last %1 characters only").arg(longestAnswer));
        *part = part->last(longestAnswer);
    }
    return answer;
}

} // namespace kernelskill::llm
