// SPDX-License-Identifier: Apache-2.0
#include "features/preprocessor.h"

#include <QHash>
#include <QSet>
#include <QStringList>

namespace kernelskill::expert {

namespace {

using Kind = CodeToken::Kind;

constexpr qsizetype mostTokens = 200'000; // a macro that grows beyond this is left alone

struct Macro
{
    bool takesArguments = false;
    QStringList parameters;
    Tokens body;
};

// The integer expressions of #if: enough of C for version tests.
class Condition
{
public:
    Condition(Tokens tokens, const QHash<QString, Macro> &macros) : m_tokens(std::move(tokens)), m_macros(macros) {}
    bool holds() { return binary(0) != 0; }

private:
    [[nodiscard]] QString peek() const { return m_at < m_tokens.size() ? m_tokens.at(m_at).text : QString(); }

    static int precedence(const QString &op)
    {
        static const QHash<QString, int> levels{
            {QStringLiteral("||"), 1}, {QStringLiteral("&&"), 2}, {QStringLiteral("=="), 3}, {QStringLiteral("!="), 3},
            {QStringLiteral("<"), 4},  {QStringLiteral("<="), 4}, {QStringLiteral(">"), 4},  {QStringLiteral(">="), 4},
            {QStringLiteral("+"), 5},  {QStringLiteral("-"), 5},  {QStringLiteral("*"), 6},  {QStringLiteral("/"), 6},
            {QStringLiteral("%"), 6}};
        return levels.value(op, 0);
    }
    static qint64 apply(const QString &op, qint64 a, qint64 b)
    {
        if (op == u"||") return a || b;
        if (op == u"&&") return a && b;
        if (op == u"==") return a == b;
        if (op == u"!=") return a != b;
        if (op == u"<") return a < b;
        if (op == u"<=") return a <= b;
        if (op == u">") return a > b;
        if (op == u">=") return a >= b;
        if (op == u"+") return a + b;
        if (op == u"-") return a - b;
        if (op == u"*") return a * b;
        if (b == 0) return 0;
        return op == u"/" ? a / b : a % b;
    }
    qint64 binary(int least)
    {
        qint64 left = unary();
        while (precedence(peek()) > least) {
            const QString op = m_tokens.at(m_at++).text;
            left = apply(op, left, binary(precedence(op)));
        }
        return left;
    }
    qint64 unary()
    {
        if (m_at >= m_tokens.size() || ++m_depth > 200) return 0;
        const CodeToken token = m_tokens.at(m_at++);
        if (token.text == u"!") return !unary();
        if (token.text == u"-") return -unary();
        if (token.text == u"(") {
            const qint64 value = binary(0);
            if (peek() == u")") ++m_at;
            return value;
        }
        if (token.text == u"defined") {
            const bool bracket = peek() == u"(";
            if (bracket) ++m_at;
            const bool known = m_macros.contains(peek());
            m_at += bracket ? 2 : 1;
            return known;
        }
        if (token.kind == Kind::Identifier) {
            const auto macro = m_macros.constFind(token.text);
            if (macro == m_macros.cend() || macro->body.isEmpty() || macro->takesArguments) return 0;
            Condition inner(macro->body, m_macros);
            inner.m_depth = m_depth;
            return inner.binary(0);
        }
        QString digits = token.text;
        while (!digits.isEmpty() && QStringLiteral("uUlL").contains(digits.back()))
            digits.chop(1);
        return digits.toLongLong(nullptr, 0);
    }

    Tokens m_tokens;
    const QHash<QString, Macro> &m_macros;
    qsizetype m_at = 0;
    int m_depth = 0;
};

class Preprocessor
{
public:
    Preprocessor() { m_macros.insert(QStringLiteral("__CUDA_ARCH__"), {false, {}, codeTokens(QStringLiteral("800"))}); }

    Tokens run(const Tokens &tokens)
    {
        Tokens stretch; // text between two directives
        for (const CodeToken &token : tokens) {
            if (token.kind != Kind::Directive) {
                if (isActive()) stretch.append(token);
                continue;
            }
            flush(stretch);
            directive(token.text);
        }
        flush(stretch);
        return m_result;
    }

private:
    struct Part
    {
        bool active = true;  // this branch
        bool decided = true; // some branch was taken
        bool outer = true;
    };
    [[nodiscard]] bool isActive() const { return m_parts.isEmpty() || m_parts.last().active; }
    void flush(Tokens &stretch)
    {
        m_result += expanded(stretch, {}, 0);
        stretch.clear();
    }
    void directive(const QString &line)
    {
        QString text = line.mid(1).trimmed();
        const qsizetype space = text.indexOf(u' ');
        QString word = space < 0 ? text : text.left(space);
        QString rest = space < 0 ? QString() : text.mid(space + 1);
        if (const qsizetype bracket = word.indexOf(u'('); bracket > 0) { // #if(x)
            rest = word.mid(bracket) + u' ' + rest;
            word.truncate(bracket);
        }
        if (word == u"if" || word == u"ifdef" || word == u"ifndef") {
            Part part;
            part.outer = isActive();
            part.active = part.decided = part.outer && test(word, rest);
            m_parts.append(part);
        } else if (word == u"elif" && !m_parts.isEmpty()) {
            Part &part = m_parts.last();
            part.active = part.outer && !part.decided && test(QStringLiteral("if"), rest);
            part.decided = part.decided || part.active;
        } else if (word == u"else" && !m_parts.isEmpty()) {
            Part &part = m_parts.last();
            part.active = part.outer && !part.decided;
            part.decided = true;
        } else if (word == u"endif" && !m_parts.isEmpty()) {
            m_parts.removeLast();
        } else if (isActive() && word == u"define") {
            define(rest);
        } else if (isActive() && word == u"undef") {
            m_macros.remove(rest.trimmed());
        }
    }
    bool test(const QString &word, const QString &rest)
    {
        if (word == u"ifdef") return m_macros.contains(rest.trimmed());
        if (word == u"ifndef") return !m_macros.contains(rest.trimmed());
        return Condition(codeTokens(rest), m_macros).holds();
    }
    void define(const QString &rest)
    {
        Tokens tokens = codeTokens(rest);
        if (tokens.isEmpty()) return;
        Macro macro;
        const QString name = tokens.takeFirst().text;
        macro.takesArguments = rest.size() > name.size() && rest.at(name.size()) == u'(';
        if (macro.takesArguments) {
            const qsizetype close = closingBracket(tokens, 0);
            for (qsizetype i = 1; i < close; ++i) {
                if (tokens.at(i).kind == Kind::Identifier || tokens.at(i).text == u"...")
                    macro.parameters.append(tokens.at(i).text == u"..." ? QStringLiteral("__VA_ARGS__")
                                                                        : tokens.at(i).text);
            }
            tokens = tokens.mid(close + 1);
        }
        macro.body = tokens;
        m_macros.insert(name, macro);
    }
    Tokens expanded(const Tokens &tokens, QSet<QString> hidden, int depth)
    {
        Tokens result;
        for (qsizetype i = 0; i < tokens.size(); ++i) {
            const auto macro = tokens.at(i).kind == Kind::Identifier && depth < 20 && result.size() < mostTokens
                                   ? m_macros.constFind(tokens.at(i).text)
                                   : m_macros.cend();
            const bool called = i + 1 < tokens.size() && tokens.at(i + 1).text == u"(";
            if (macro == m_macros.cend() || hidden.contains(tokens.at(i).text) || (macro->takesArguments && !called)) {
                result.append(tokens.at(i));
                continue;
            }
            QSet<QString> inner = hidden;
            inner.insert(tokens.at(i).text);
            Tokens body = macro->body;
            if (macro->takesArguments) {
                const qsizetype close = closingBracket(tokens, i + 1);
                const QList<Tokens> arguments = argumentsOf(tokens.mid(i + 2, close - i - 2), macro->parameters.size());
                body.clear();
                for (const CodeToken &token : macro->body) {
                    const qsizetype index = macro->parameters.indexOf(token.text);
                    if (index >= 0 && index < arguments.size())
                        body += expanded(arguments.at(index), hidden, depth + 1);
                    else
                        body.append(token);
                }
                i = close;
            }
            result += expanded(body, inner, depth + 1);
        }
        return result;
    }
    // The last parameter takes what is left, as __VA_ARGS__ does.
    static QList<Tokens> argumentsOf(const Tokens &tokens, qsizetype most)
    {
        QList<Tokens> arguments(1);
        int level = 0;
        for (const CodeToken &token : tokens) {
            level += token.text == u"(" || token.text == u"[" || token.text == u"{"   ? 1
                     : token.text == u")" || token.text == u"]" || token.text == u"}" ? -1
                                                                                      : 0;
            if (level == 0 && token.text == u"," && arguments.size() < most)
                arguments.append(Tokens{});
            else
                arguments.last().append(token);
        }
        return arguments;
    }

    QHash<QString, Macro> m_macros;
    QList<Part> m_parts;
    Tokens m_result;
};

} // namespace

qsizetype closingBracket(const Tokens &tokens, qsizetype open)
{
    int depth = 0;
    for (qsizetype i = open; i < tokens.size(); ++i) {
        const QString &text = tokens.at(i).text;
        if (text.size() != 1 || tokens.at(i).kind != Kind::Punctuation) continue;
        const QChar c = text.front();
        if (c == u'(' || c == u'[' || c == u'{') ++depth;
        if ((c == u')' || c == u']' || c == u'}') && --depth == 0) return i;
    }
    return tokens.size();
}

Tokens preprocessed(const QString &source)
{
    return Preprocessor().run(codeTokens(source));
}

} // namespace kernelskill::expert
