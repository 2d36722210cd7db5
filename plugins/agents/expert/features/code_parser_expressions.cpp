// SPDX-License-Identifier: Apache-2.0
#include "features/code_parser.h"

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

constexpr int longestChain = 400; // of operators side by side; the tree of a longer one would be too deep to walk

int precedenceOf(const QString &op)
{
    static const QHash<QString, int> levels{
        {QStringLiteral("||"), 1}, {QStringLiteral("&&"), 2}, {QStringLiteral("|"), 3},  {QStringLiteral("^"), 4},
        {QStringLiteral("&"), 5},  {QStringLiteral("=="), 6}, {QStringLiteral("!="), 6}, {QStringLiteral("<"), 7},
        {QStringLiteral(">"), 7},  {QStringLiteral("<="), 7}, {QStringLiteral(">="), 7}, {QStringLiteral("<<"), 8},
        {QStringLiteral(">>"), 8}, {QStringLiteral("+"), 9},  {QStringLiteral("-"), 9},  {QStringLiteral("*"), 10},
        {QStringLiteral("/"), 10}, {QStringLiteral("%"), 10}};
    return levels.value(op, 0);
}

bool isAssignment(const QString &op)
{
    return op == u"=" || op == u"+=" || op == u"-=" || op == u"*=" || op == u"/=" || op == u"%=" || op == u"&=" ||
           op == u"|=" || op == u"^=" || op == u"<<=" || op == u">>=";
}

} // namespace

NodePtr CodeParser::expression()
{
    NodePtr left = assignment();
    for (int length = 0; length < longestChain && take(u","); ++length) {
        NodePtr both = makeNode(Kind::Binary, QStringLiteral(","));
        both->children.push_back(std::move(left));
        both->children.push_back(assignment());
        left = std::move(both);
    }
    return left;
}

NodePtr CodeParser::assignment()
{
    if (++m_depth > 200) {
        --m_depth;
        ++m_at;
        return makeNode(Kind::Empty);
    }
    NodePtr left = conditional();
    if (isAssignment(text())) {
        NodePtr made = makeNode(Kind::Binary, text());
        ++m_at;
        made->children.push_back(std::move(left));
        made->children.push_back(text() == u"{" ? list({}) : assignment());
        left = std::move(made);
    }
    --m_depth;
    return left;
}

NodePtr CodeParser::conditional()
{
    NodePtr condition = binary(0);
    if (!take(u"?")) return condition;
    NodePtr made = makeNode(Kind::Conditional);
    made->children.push_back(std::move(condition));
    made->children.push_back(expression());
    take(u":");
    made->children.push_back(assignment());
    return made;
}

QString CodeParser::binaryOperator() const
{
    if (text() == u">" && text(1) == u">") return QStringLiteral(">>");
    return precedenceOf(text()) > 0 ? text() : QString();
}

NodePtr CodeParser::binary(int least)
{
    NodePtr left = unary();
    for (int length = 0;; ++length) {
        const QString op = binaryOperator();
        const int level = precedenceOf(op);
        if (level == 0 || level <= least || length > longestChain) return left;
        m_at += op == u">>" && text() == u">" ? 2 : 1;
        NodePtr made = makeNode(Kind::Binary, op);
        made->children.push_back(std::move(left));
        made->children.push_back(binary(level));
        left = std::move(made);
    }
}

// "(" type ")" before an operand. Only types we know, so that (a) * b stays a product.
bool CodeParser::isCast() const
{
    const qsizetype close = closingBracket(m_tokens, m_at);
    if (close + 1 >= m_tokens.size() || m_at + 1 == close) return false;
    bool known = false, pointer = false;
    for (qsizetype i = m_at + 1; i < close; ++i) {
        const QString &word = m_tokens.at(i).text;
        if (word == u"*" || word == u"&")
            pointer = true;
        else if (m_tokens.at(i).kind != CodeToken::Kind::Identifier && word != u"::" && word != u"<" && word != u">" &&
                 word != u",")
            return false;
        else if (pointer && word != u"const" && word != u"__restrict__")
            return false;
        known = known || isType(word) || word == u"const";
    }
    const CodeToken &next = m_tokens.at(close + 1);
    const bool operand = next.kind != CodeToken::Kind::Punctuation || next.text == u"(" || next.text == u"&" ||
                         next.text == u"*" || next.text == u"-" || next.text == u"~" || next.text == u"!";
    return operand && (known || (pointer && m_tokens.at(close - 1).text == u"*"));
}

NodePtr CodeParser::unary()
{
    if (++m_depth > 200) {
        --m_depth;
        ++m_at;
        return makeNode(Kind::Empty);
    }
    NodePtr made;
    const QString word = text();
    if (word == u"(" && isCast()) {
        const qsizetype close = closingBracket(m_tokens, m_at);
        made = makeNode(Kind::Cast);
        made->type = words(m_at + 1, close);
        m_at = close + 1;
        made->children.push_back(unary());
    } else if (word == u"-" || word == u"+" || word == u"!" || word == u"~" || word == u"*" || word == u"&" ||
               word == u"++" || word == u"--") {
        ++m_at;
        made = makeNode(Kind::Unary, word);
        made->children.push_back(unary());
    } else if (word == u"sizeof" && text(1) == u"(") {
        const qsizetype close = closingBracket(m_tokens, m_at + 1);
        made = makeNode(Kind::Unary, word);
        made->type = words(m_at + 2, close);
        m_at = close + 1;
    } else {
        made = postfix();
    }
    --m_depth;
    return made;
}

void CodeParser::arguments(Node &into)
{
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    while (m_at < close) {
        const qsizetype before = m_at;
        into.children.push_back(text() == u"{" ? list({}) : assignment());
        while (m_at < close && text() != u",")
            ++m_at;
        take(u",");
        if (m_at == before) ++m_at;
    }
    m_at = close + 1;
}

NodePtr CodeParser::list(const QString &type)
{
    NodePtr made = makeNode(Kind::List);
    made->type = type;
    arguments(*made);
    return made;
}

NodePtr CodeParser::postfix()
{
    NodePtr value = primary();
    for (int length = 0; !atEnd() && length < longestChain; ++length) {
        if (text() == u"[") {
            const qsizetype close = closingBracket(m_tokens, m_at);
            NodePtr made = makeNode(Kind::Subscript);
            ++m_at;
            made->children.push_back(std::move(value));
            made->children.push_back(expression());
            m_at = close + 1;
            value = std::move(made);
        } else if (text() == u"(") {
            NodePtr made = makeNode(Kind::Call,
                                    value->kind == Kind::Name || value->kind == Kind::Member ? value->text : QString());
            made->templateArguments = value->templateArguments;
            made->children.push_back(std::move(value));
            arguments(*made);
            value = std::move(made);
        } else if (text() == u"." || text() == u"->") {
            ++m_at;
            take(u"template");
            NodePtr made = makeNode(Kind::Member, text());
            ++m_at;
            if (text() == u"<") {
                if (const qsizetype end = templateArgumentsEnd(m_at); end > m_at) m_at = end;
            }
            made->children.push_back(std::move(value));
            value = std::move(made);
        } else if (text() == u"++" || text() == u"--") {
            NodePtr made = makeNode(Kind::Unary, u'p' + text());
            ++m_at;
            made->children.push_back(std::move(value));
            value = std::move(made);
        } else if (text() == u"<<<") {
            NodePtr made = makeNode(Kind::Launch, value->text);
            made->templateArguments = value->templateArguments;
            ++m_at;
            while (!atEnd() && text() != u">>>") {
                const qsizetype before = m_at;
                made->extra.push_back(assignment());
                if (!take(u",") && text() != u">>>") m_at = std::max(m_at, before) + 1;
            }
            ++m_at;
            if (text() == u"(") arguments(*made);
            value = std::move(made);
        } else {
            break;
        }
    }
    return value;
}

NodePtr CodeParser::primary()
{
    const CodeToken token = atEnd() ? CodeToken{} : m_tokens.at(m_at);
    if (token.text == u"(") {
        const qsizetype close = closingBracket(m_tokens, m_at);
        ++m_at;
        NodePtr inner = m_at < close ? expression() : makeNode(Kind::Empty);
        m_at = close + 1;
        return inner;
    }
    if (token.text == u"[") return lambda();
    if (token.text == u"{") return list({});
    if (token.kind == CodeToken::Kind::Number) {
        ++m_at;
        return makeNode(Kind::Number, token.text);
    }
    if (token.kind == CodeToken::Kind::Text) {
        QString all;
        while (!atEnd() && m_tokens.at(m_at).kind == CodeToken::Kind::Text)
            all += m_tokens.at(m_at++).text;
        return makeNode(Kind::Text, all);
    }
    if (token.text == u"asm" || token.text == u"__asm__") return assembly();
    if (token.kind == CodeToken::Kind::Identifier) return named();
    ++m_at;
    return makeNode(Kind::Empty);
}

// At "<", whose arguments end before `end`.
QStringList CodeParser::templateArguments(qsizetype end) const
{
    QStringList found;
    qsizetype start = m_at + 1;
    int depth = 0;
    for (qsizetype i = start; i < end; ++i) {
        const QString &word = m_tokens.at(i).text;
        depth += word == u"<" || word == u"(" ? 1 : word == u">" || word == u")" ? -1 : 0;
        if ((word == u"," && depth == 0) || i == end - 1) {
            found.append(words(start, i));
            start = i + 1;
        }
    }
    return found;
}

// Names, functional and C++ casts, T{…}.
NodePtr CodeParser::named()
{
    QString name = text();
    if (name.endsWith(QLatin1String("_cast")) && text(1) == u"<") {
        qsizetype close = m_at + 1;
        for (int depth = 0; close < m_tokens.size(); ++close) {
            depth += m_tokens.at(close).text == u"<" ? 1 : m_tokens.at(close).text == u">" ? -1 : 0;
            if (depth == 0) break;
        }
        NodePtr made = makeNode(Kind::Cast);
        made->type = words(m_at + 2, close);
        m_at = close + 1;
        NodePtr holder = makeNode(Kind::Call);
        if (text() == u"(") arguments(*holder);
        made->children.push_back(holder->children.empty() ? makeNode(Kind::Empty) : std::move(holder->children[0]));
        return made;
    }
    if ((name == u"unsigned" || name == u"signed" || name == u"long") && isType(text(1)) && text(2) == u"(") {
        ++m_at;
        name += u' ' + text();
    }
    ++m_at;
    NodePtr made = makeNode(Kind::Name, name);
    while (true) {
        if (text() == u"::" && isName(1)) {
            made->text = text(1);
            made->templateArguments.clear();
            m_at += 2;
        } else if (text() == u"<") {
            const qsizetype end = templateArgumentsEnd(m_at);
            if (end == m_at) break;
            const QString &next = end < m_tokens.size() ? m_tokens.at(end).text : QString();
            if (next != u"(" && next != u"<<<" && next != u"{" && next != u"::" && next != u")" && next != u",") break;
            made->templateArguments = templateArguments(end);
            m_at = end;
        } else {
            break;
        }
    }
    if (text() == u"{" && isType(made->text)) return list(made->text);
    if (text() == u"(" && isType(made->text)) {
        NodePtr holder = makeNode(Kind::Call, made->text);
        arguments(*holder);
        if (holder->children.size() != 1) {
            NodePtr values = makeNode(Kind::List);
            values->type = made->text;
            values->children = std::move(holder->children);
            return values;
        }
        NodePtr cast = makeNode(Kind::Cast);
        cast->type = made->text;
        cast->children = std::move(holder->children);
        return cast;
    }
    return made;
}

NodePtr CodeParser::lambda()
{
    m_at = closingBracket(m_tokens, m_at) + 1; // the captures
    while (isName() && text() != u"mutable")
        ++m_at; // __device__
    NodePtr made = makeNode(Kind::Lambda);
    if (text() == u"(") {
        const qsizetype close = closingBracket(m_tokens, m_at);
        for (const CodeParameter &parameter : parametersIn(m_at + 1, close)) {
            NodePtr one = makeNode(Kind::Declaration, parameter.name);
            one->type = parameter.type;
            made->children.push_back(std::move(one));
        }
        m_at = close + 1;
    }
    while (!atEnd() && text() != u"{" && text() != u";" && text() != u")")
        ++m_at;
    made->children.push_back(text() == u"{" ? block() : makeNode(Kind::Block));
    return made;
}

NodePtr CodeParser::assembly()
{
    ++m_at;
    while (text() == u"volatile" || text() == u"__volatile__")
        ++m_at;
    NodePtr made = makeNode(Kind::Assembly);
    if (text() != u"(") return made;
    const qsizetype close = closingBracket(m_tokens, m_at);
    for (++m_at; m_at < close && m_tokens.at(m_at).kind == CodeToken::Kind::Text; ++m_at)
        made->text += text();
    while (m_at < close) {
        if (text() != u"(") {
            ++m_at;
            continue;
        }
        const qsizetype end = closingBracket(m_tokens, m_at);
        ++m_at;
        made->children.push_back(expression());
        m_at = end + 1;
    }
    m_at = close + 1;
    return made;
}

// Template arguments hold names, numbers, types and brackets; anything else makes "<" a comparison.
qsizetype CodeParser::templateArgumentsEnd(qsizetype open) const
{
    int depth = 0;
    for (qsizetype i = open; i < m_tokens.size(); ++i) {
        const CodeToken &token = m_tokens.at(i);
        const QString &word = token.text;
        if (word == u"<") {
            ++depth;
        } else if (word == u">") {
            if (--depth == 0) return i + 1;
        } else if (token.kind == CodeToken::Kind::Punctuation && word != u"," && word != u"::" && word != u"*" &&
                   word != u"&" && word != u"(" && word != u")" && word != u"/" && word != u"+" && word != u"-") {
            return open;
        }
        if (word == u")" && i > open) {
            int level = 0;
            for (qsizetype k = open; k <= i; ++k)
                level += m_tokens.at(k).text == u"(" ? 1 : m_tokens.at(k).text == u")" ? -1 : 0;
            if (level < 0) return open;
        }
    }
    return open;
}

} // namespace kernelskill::expert
