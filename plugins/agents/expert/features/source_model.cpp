// SPDX-License-Identifier: Apache-2.0
#include "features/source_model.h"

#include <QMap>

#include <algorithm>

namespace kernelskill::expert {

qsizetype closing(const Tokens &tokens, qsizetype open)
{
    static const QMap<QString, QString> pairs = {{QStringLiteral("("), QStringLiteral(")")},
                                                 {QStringLiteral("["), QStringLiteral("]")},
                                                 {QStringLiteral("{"), QStringLiteral("}")}};
    const QString opener = tokens.at(open).text, closer = pairs.value(opener);
    int depth = 0;
    for (qsizetype i = open; i < tokens.size(); ++i) {
        if (tokens.at(i).text == opener)
            ++depth;
        else if (tokens.at(i).text == closer && --depth == 0)
            return i;
    }
    return tokens.size();
}

bool isIdentifierToken(const CodeToken &token) { return token.kind == CodeToken::Kind::Identifier; }

QStringList identifiersIn(const Tokens &tokens)
{
    QStringList names;
    for (const CodeToken &token : tokens) {
        if (isIdentifierToken(token) && !names.contains(token.text))
            names.append(token.text);
    }
    return names;
}

QString joined(const Tokens &tokens)
{
    QString text;
    for (const CodeToken &token : tokens)
        text += token.text;
    return text;
}

bool isVectorType(const QString &name)
{
    static const QSet<QString> types = {
        QStringLiteral("float2"), QStringLiteral("float4"), QStringLiteral("double2"), QStringLiteral("double4"), QStringLiteral("int2"),
        QStringLiteral("int4"), QStringLiteral("uint2"), QStringLiteral("uint4"), QStringLiteral("char4"), QStringLiteral("uchar4"),
        QStringLiteral("short4"), QStringLiteral("half2"), QStringLiteral("__half2"), QStringLiteral("__nv_bfloat162"),
        QStringLiteral("nv_bfloat162")};
    return types.contains(name);
}

QList<SourceFunction> functionsOf(const QString &source)
{
    const Tokens tokens = codeTokens(source);
    QList<SourceFunction> functions;
    qsizetype declaration = 0; // first token of the present declaration
    for (qsizetype i = 0; i < tokens.size(); ++i) {
        const QString &text = tokens.at(i).text;
        if (text == u";" || text == u"}" || tokens.at(i).kind == CodeToken::Kind::Directive) {
            declaration = i + 1;
            continue;
        }
        if (text == u"{") { // of a namespace or extern "C": looked into; of anything else: skipped
            const QStringList words = identifiersIn(tokens.mid(declaration, i - declaration));
            if (!words.contains(QStringLiteral("namespace")) && !words.contains(QStringLiteral("extern")))
                i = closing(tokens, i);
            declaration = i + 1;
            continue;
        }
        static const QSet<QString> notFunctions = {QStringLiteral("__launch_bounds__"), QStringLiteral("__align__"), QStringLiteral("alignas"),
                                                   QStringLiteral("decltype")};
        if (text != u"(" || i == 0 || !isIdentifierToken(tokens.at(i - 1)))
            continue;
        const qsizetype end = closing(tokens, i);
        if (notFunctions.contains(tokens.at(i - 1).text)) {
            i = end;
            continue;
        }
        if (end + 1 >= tokens.size() || tokens.at(end + 1).text != u"{") {
            i = end;
            continue;
        }
        const qsizetype close = closing(tokens, end + 1);
        const QStringList words = identifiersIn(tokens.mid(declaration, i - declaration));
        SourceFunction function;
        function.name = tokens.at(i - 1).text;
        function.isKernel = words.contains(QStringLiteral("__global__"));
        function.isDevice = words.contains(QStringLiteral("__device__"));
        function.parameters = tokens.mid(i + 1, end - i - 1);
        function.body = tokens.mid(end + 2, close - end - 2);
        functions.append(function);
        i = close;
        declaration = close + 1;
    }
    return functions;
}

namespace {

// Launches along the most expensive path through statements.
class LaunchCounter
{
public:
    explicit LaunchCounter(const QList<SourceFunction> &functions) : m_functions(functions) {}

    int ofFunction(const QString &name)
    {
        if (m_known.contains(name))
            return m_known.value(name);
        m_known.insert(name, 0); // recursion ends here
        for (const SourceFunction &function : m_functions) {
            if (function.name == name && !function.isKernel && !function.isDevice)
                m_known.insert(name, ofStatements(function.body));
        }
        return m_known.value(name);
    }

private:
    struct Outcome
    {
        int launches = 0;
        bool returns = false;
        qsizetype next = 0; // token after the statement
    };

    int ofStatements(const Tokens &tokens)
    {
        int total = 0;
        for (qsizetype i = 0; i < tokens.size();) {
            const bool conditional = tokens.at(i).text == u"if";
            const Outcome outcome = statement(tokens, i);
            if (conditional && outcome.returns) // either this, or what follows
                return total + std::max(outcome.launches, ofStatements(tokens.mid(outcome.next)));
            total += outcome.launches;
            if (outcome.returns)
                return total;
            i = outcome.next;
        }
        return total;
    }

    Outcome statement(const Tokens &tokens, qsizetype i)
    {
        const QString &word = tokens.at(i).text;
        if (word == u"{") {
            const qsizetype end = closing(tokens, i);
            const Tokens inner = tokens.mid(i + 1, end - i - 1);
            const bool returns = std::ranges::any_of(inner, [](const CodeToken &token) { return token.text == u"return"; });
            return {ofStatements(inner), returns, end + 1};
        }
        if (word == u"if" || word == u"for" || word == u"while") {
            qsizetype open = i + 1;
            while (open < tokens.size() && tokens.at(open).text != u"(")
                ++open;
            const qsizetype body = open < tokens.size() ? closing(tokens, open) + 1 : tokens.size();
            if (body >= tokens.size())
                return {0, false, tokens.size()};
            Outcome outcome = statement(tokens, body);
            if (word != u"if") {
                outcome.launches = outcome.launches > 0 ? std::max(2, outcome.launches) : 0;
                outcome.returns = false;
                return outcome;
            }
            if (outcome.next < tokens.size() && tokens.at(outcome.next).text == u"else") {
                const Outcome other = statement(tokens, outcome.next + 1);
                return {std::max(outcome.launches, other.launches), outcome.returns && other.returns, other.next};
            }
            return outcome;
        }
        qsizetype end = i;
        int launches = 0;
        while (end < tokens.size() && tokens.at(end).text != u";") {
            const QString &text = tokens.at(end).text;
            if (text == u"<<<" || text.startsWith(QLatin1String("cudaLaunchKernel")) || text == u"cudaLaunchCooperativeKernel")
                ++launches;
            else if (end + 1 < tokens.size() && tokens.at(end + 1).text == u"(" && isIdentifierToken(tokens.at(end)))
                launches += ofFunction(text);
            if (text == u"{")
                end = closing(tokens, end);
            else
                ++end;
        }
        return {launches, word == u"return", end + 1};
    }

    const QList<SourceFunction> &m_functions;
    QMap<QString, int> m_known;
};

} // namespace

int launchesOf(const QList<SourceFunction> &functions, const QString &entry) { return LaunchCounter(functions).ofFunction(entry); }

} // namespace kernelskill::expert
