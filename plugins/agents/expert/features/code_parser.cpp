// SPDX-License-Identifier: Apache-2.0
// Files, declarations and statements. Expressions: code_parser_expressions.cpp.
#include "features/code_parser.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

using Kind = Node::Kind;

const QSet<QString> &specifiers()
{
    static const QSet<QString> words = [] {
        QSet<QString> made;
        for (const char *word :
             {"const",       "static",          "extern",       "constexpr",  "inline",       "volatile",
              "register",    "__shared__",      "__constant__", "__device__", "__host__",     "__global__",
              "__managed__", "__forceinline__", "__noinline__", "__inline__", "__restrict__", "__restrict",
              "mutable",     "typename",        "thread_local", "consteval",  "constinit",    "virtual",
              "explicit",    "friend",          "__inline",     "struct",     "class",        "enum"})
            made.insert(QLatin1String(word));
        return made;
    }();
    return words;
}

bool isCallLike(const QString &word)
{
    return word == u"__launch_bounds__" || word == u"__align__" || word == u"alignas" || word == u"__attribute__" ||
           word == u"__declspec" || word == u"decltype" || word == u"__cluster_dims__" || word == u"noexcept";
}

} // namespace

QString CodeParser::words(qsizetype from, qsizetype to) const
{
    QStringList list;
    for (qsizetype i = from; i < to && i < m_tokens.size(); ++i)
        list.append(m_tokens.at(i).text);
    return list.join(u' ');
}

CodeProgram parseTokens(const QString &source)
{
    return CodeParser(preprocessed(source)).program();
}

CodeProgram CodeParser::program()
{
    CodeProgram program;
    topLevel(program, m_tokens.size());
    return program;
}

void CodeParser::topLevel(CodeProgram &program, qsizetype end)
{
    while (m_at < end) {
        const qsizetype before = m_at;
        if (text() == u"namespace" || (text() == u"extern" && text(1).startsWith(u'"'))) {
            qsizetype open = m_at;
            while (open < end && m_tokens.at(open).text != u"{" && m_tokens.at(open).text != u";" &&
                   m_tokens.at(open).text != u"=" && m_tokens.at(open).text != u"(")
                ++open;
            if (open < end && m_tokens.at(open).text == u"{") {
                const qsizetype close = closingBracket(m_tokens, open);
                m_at = open + 1;
                topLevel(program, close);
                m_at = close + 1;
                continue;
            }
            if (text() == u"extern") {
                m_at += 2;
                continue;
            }
            while (m_at < end && !take(u";"))
                ++m_at;
            continue;
        }
        declarationAt(program, end);
        if (m_at == before) ++m_at;
    }
}

QStringList CodeParser::templateHeader()
{
    QStringList names;
    int depth = 0;
    for (++m_at; !atEnd(); ++m_at) {
        if (text() == u"<") ++depth;
        if ((text() == u"," || text() == u">" || text() == u"=") && depth == 1 && isName(-1) &&
            text(-1) != u"typename" && text(-1) != u"class")
            names.append(text(-1));
        if (text() == u">" && --depth == 0) {
            ++m_at;
            break;
        }
    }
    names.removeDuplicates();
    return names;
}

void CodeParser::declarationAt(CodeProgram &program, qsizetype end)
{
    if (text() == u"template") {
        const QStringList names = templateHeader();
        for (const QString &name : names)
            m_types.insert(name);
        const size_t before = program.functions.size();
        declarationAt(program, end);
        for (size_t i = before; i < program.functions.size(); ++i)
            program.functions[i].templateParameters = names;
        return;
    }
    if (text() == u"using") {
        readAlias(program);
        return;
    }
    if (text() == u"typedef") {
        readTypedef(program);
        return;
    }
    if (text() == u"struct" || text() == u"class" || text() == u"union") {
        qsizetype open = m_at;
        while (open < end && m_tokens.at(open).text != u"{" && m_tokens.at(open).text != u";" &&
               m_tokens.at(open).text != u"=")
            open = m_tokens.at(open).text == u"(" ? closingBracket(m_tokens, open) + 1 : open + 1;
        if (open < end && m_tokens.at(open).text == u"{") {
            readStruct(program);
            return;
        }
    }
    const qsizetype start = m_at;
    for (qsizetype i = m_at; i < end; ++i) {
        const QString &word = m_tokens.at(i).text;
        if (word == u"(") {
            if (i > start && isCallLike(m_tokens.at(i - 1).text)) {
                i = closingBracket(m_tokens, i);
                continue;
            }
            if (readFunction(program, start, i, {})) return;
            break;
        }
        if (word == u";" || word == u"=" || word == u"[" || word == u"{") break;
    }
    if (startsDeclaration()) {
        std::vector<NodePtr> made;
        declarations(made);
        for (NodePtr &node : made)
            program.globals.push_back(std::move(node));
        return;
    }
    while (m_at < end && text() != u";")
        m_at = text() == u"{" || text() == u"(" ? closingBracket(m_tokens, m_at) + 1 : m_at + 1;
    ++m_at;
}

void CodeParser::readAlias(CodeProgram &program)
{
    const qsizetype start = m_at;
    while (!atEnd() && text() != u";")
        ++m_at;
    if (start + 2 < m_at && m_tokens.at(start + 2).text == u"=") {
        program.aliases.insert(m_tokens.at(start + 1).text, words(start + 3, m_at));
        m_types.insert(m_tokens.at(start + 1).text);
    }
    ++m_at;
}

void CodeParser::readTypedef(CodeProgram &program)
{
    ++m_at;
    if ((text() == u"struct" || text() == u"union") && (text(1) == u"{" || text(2) == u"{")) {
        const qsizetype open = text(1) == u"{" ? m_at + 1 : m_at + 2, close = closingBracket(m_tokens, open);
        CodeStruct made;
        if (close + 1 < m_tokens.size()) made.name = m_tokens.at(close + 1).text;
        m_types.insert(made.name);
        m_at = open + 1;
        readMembers(program, made, close);
        program.structs.insert(made.name, made);
        m_at = close + 3;
        return;
    }
    const qsizetype start = m_at;
    while (!atEnd() && text() != u";")
        ++m_at;
    if (m_at - start >= 2) {
        program.aliases.insert(m_tokens.at(m_at - 1).text, words(start, m_at - 1));
        m_types.insert(m_tokens.at(m_at - 1).text);
    }
    ++m_at;
}

void CodeParser::readStruct(CodeProgram &program)
{
    CodeStruct made;
    for (++m_at; !atEnd() && text() != u"{"; ++m_at) {
        if ((text() == u"alignas" || text() == u"__align__") && text(1) == u"(") {
            const qsizetype close = closingBracket(m_tokens, m_at + 1);
            made.alignment = std::max(1, text(2).toInt());
            m_at = close;
        } else if (text() == u":") {
            while (!atEnd() && text(1) != u"{")
                ++m_at;
        } else if (isName() && text() != u"final") {
            made.name = text();
        }
    }
    m_types.insert(made.name);
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    readMembers(program, made, close);
    program.structs.insert(made.name, made);
    m_at = close + 1;
    while (!atEnd() && text() != u";")
        ++m_at;
    ++m_at;
}

void CodeParser::readMembers(CodeProgram &program, CodeStruct &made, qsizetype end)
{
    while (m_at < end) {
        if ((text() == u"public" || text() == u"private" || text() == u"protected") && text(1) == u":") {
            m_at += 2;
            continue;
        }
        if (text() == u"template") (void)templateHeader();
        if (text() == u"using") {
            readAlias(program);
            continue;
        }
        const qsizetype start = m_at;
        bool isFunction = false;
        for (qsizetype i = m_at; i < end && !isFunction; ++i) {
            const QString &word = m_tokens.at(i).text;
            if (word == u"(" && i > start && isCallLike(m_tokens.at(i - 1).text)) {
                i = closingBracket(m_tokens, i);
            } else if (word == u"(" && i > start && m_tokens.at(i - 1).text == u"operator") {
                i = closingBracket(m_tokens, i);
            } else if (word == u"(") {
                isFunction = readFunction(program, start, i, made.name);
                break;
            } else if (word == u";" || word == u"=" || word == u"{") {
                break;
            }
        }
        if (isFunction) continue;
        if (startsDeclaration()) {
            std::vector<NodePtr> fields;
            declarations(fields);
            for (const NodePtr &field : fields) {
                QString type = field->type;
                for (const NodePtr &extent : field->extra)
                    type += u'[' + extent->text + u']';
                made.fields.append({field->text, type});
                made.hasArray = made.hasArray || !field->extra.empty();
            }
        } else {
            while (m_at < end && text() != u";")
                m_at = text() == u"{" || text() == u"(" ? closingBracket(m_tokens, m_at) + 1 : m_at + 1;
            ++m_at;
        }
        if (m_at == start) ++m_at;
    }
}

QList<CodeParameter> CodeParser::parametersIn(qsizetype from, qsizetype to) const
{
    QList<CodeParameter> parameters;
    qsizetype start = from;
    int depth = 0;
    for (qsizetype i = from; i <= to; ++i) {
        const QString word = i < to ? m_tokens.at(i).text : QStringLiteral(",");
        depth += word == u"(" || word == u"<" || word == u"["   ? 1
                 : word == u")" || word == u">" || word == u"]" ? -1
                                                                : 0;
        if (word != u"," || depth != 0) continue;
        qsizetype stop = start, name = -1;
        while (stop < i && m_tokens.at(stop).text != u"=")
            ++stop;
        for (qsizetype k = start; k < stop; ++k) {
            if (m_tokens.at(k).text == u"[") break;
            if (m_tokens.at(k).kind == CodeToken::Kind::Identifier) name = k;
        }
        if (name > start)
            parameters.append({m_tokens.at(name).text, (words(start, name) + u' ' + words(name + 1, stop)).trimmed()});
        start = i + 1;
    }
    return parameters;
}

// `start` is the first token of the declaration, `open` its parameter list's bracket.
bool CodeParser::readFunction(CodeProgram &program, qsizetype start, qsizetype open, const QString &owner)
{
    const qsizetype close = closingBracket(m_tokens, open);
    qsizetype body = close + 1;
    while (body < m_tokens.size()) {
        const QString &word = m_tokens.at(body).text;
        if (word == u"const" || word == u"noexcept" || word == u"override" || word == u"final")
            ++body;
        else if (word == u"(")
            body = closingBracket(m_tokens, body) + 1;
        else if (word == u"->" || word == u":")
            while (body < m_tokens.size() && m_tokens.at(body).text != u"{" && m_tokens.at(body).text != u";")
                ++body;
        else
            break;
    }
    if (body >= m_tokens.size() || open == 0) return false;
    const bool defined = m_tokens.at(body).text == u"{";
    if (!defined && m_tokens.at(body).text != u";") return false;
    CodeFunction function;
    function.name = m_tokens.at(open - 1).text;
    function.owner = owner;
    for (qsizetype i = start; i < open; ++i) {
        function.isKernel = function.isKernel || m_tokens.at(i).text == u"__global__";
        function.isDevice = function.isDevice || m_tokens.at(i).text == u"__device__";
        if (m_tokens.at(i).text == u"operator")
            function.name = QStringLiteral("operator") + words(i + 1, open).remove(u' ');
    }
    // dim3 grid(a, b); and the like at file level declare variables: their "parameters" are no types.
    if (!defined) {
        m_at = body + 1;
        return true;
    }
    function.parameters = parametersIn(open + 1, close);
    m_at = body;
    const QSet<QString> outer = m_types;
    function.body = block();
    m_types = outer;
    program.functions.push_back(std::move(function));
    return true;
}

NodePtr CodeParser::block()
{
    NodePtr made = makeNode(Kind::Block);
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    while (m_at < close) {
        const qsizetype before = m_at;
        if (startsDeclaration())
            declarations(made->children);
        else
            made->children.push_back(statement());
        if (m_at == before) ++m_at;
    }
    m_at = close + 1;
    return made;
}

NodePtr CodeParser::statement()
{
    if (++m_depth > 200) {
        --m_depth;
        ++m_at;
        return makeNode(Kind::Empty);
    }
    struct Leave
    {
        int &depth;
        ~Leave() { --depth; }
    } leave{m_depth};
    const QString word = text();
    if (word == u"{") return block();
    if (take(u";")) return makeNode(Kind::Empty);
    if (word == u"if") return ifStatement();
    if (word == u"for") return forStatement();
    if (word == u"switch" || word == u"while") return switchStatement();
    if (take(u"do")) {
        NodePtr made = makeNode(Kind::DoWhile);
        made->children.push_back(statement());
        take(u"while");
        NodePtr condition = makeNode(Kind::Empty);
        if (text() == u"(") {
            const qsizetype close = closingBracket(m_tokens, m_at);
            ++m_at;
            condition = expression();
            m_at = close + 1;
        }
        made->children.push_back(std::move(condition));
        take(u";");
        return made;
    }
    if (word == u"case" || word == u"default") {
        while (!atEnd() && text() != u":")
            ++m_at;
        ++m_at;
        return makeNode(Kind::Case);
    }
    if (word == u"break" || word == u"continue" || word == u"goto") {
        while (!atEnd() && !take(u";"))
            ++m_at;
        return makeNode(Kind::Jump, word);
    }
    if (take(u"return")) {
        NodePtr made = makeNode(Kind::Return);
        if (text() != u";") made->children.push_back(expression());
        take(u";");
        return made;
    }
    if (startsDeclaration()) {
        NodePtr made = makeNode(Kind::Block);
        declarations(made->children);
        return made;
    }
    NodePtr made = expression();
    while (!atEnd() && text() != u";" && text() != u"}" && text() != u"{")
        ++m_at;
    take(u";");
    return made;
}

NodePtr CodeParser::ifStatement()
{
    ++m_at;
    take(u"constexpr");
    NodePtr made = makeNode(Kind::If);
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    if (startsDeclaration()) {
        std::vector<NodePtr> ignored;
        declarations(ignored);
    }
    made->children.push_back(m_at < close ? expression() : makeNode(Kind::Empty));
    m_at = close + 1;
    made->children.push_back(statement());
    if (take(u"else")) made->children.push_back(statement());
    return made;
}

NodePtr CodeParser::forStatement()
{
    ++m_at;
    NodePtr made = makeNode(Kind::For);
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    NodePtr init = makeNode(Kind::Block);
    if (startsDeclaration())
        declarations(init->children);
    else if (text() != u";")
        init->children.push_back(expression());
    take(u";");
    // declarations() has taken the semicolon.
    NodePtr condition = text() == u";" ? makeNode(Kind::Empty) : m_at < close ? expression() : makeNode(Kind::Empty);
    take(u";");
    NodePtr step = m_at < close ? expression() : makeNode(Kind::Empty);
    m_at = close + 1;
    made->children.push_back(std::move(init));
    made->children.push_back(std::move(condition));
    made->children.push_back(std::move(step));
    made->children.push_back(statement());
    return made;
}

NodePtr CodeParser::switchStatement()
{
    NodePtr made = makeNode(text() == u"switch" ? Kind::Switch : Kind::While);
    ++m_at;
    const qsizetype close = closingBracket(m_tokens, m_at);
    ++m_at;
    made->children.push_back(expression());
    m_at = close + 1;
    made->children.push_back(statement());
    return made;
}

bool CodeParser::isType(const QString &word) const
{
    static const QSet<QString> builtin = {
        QStringLiteral("int"),          QStringLiteral("unsigned"),    QStringLiteral("signed"),
        QStringLiteral("long"),         QStringLiteral("short"),       QStringLiteral("auto"),
        QStringLiteral("void"),         QStringLiteral("dim3"),        QStringLiteral("uint3"),
        QStringLiteral("wmma"),         QStringLiteral("uint"),        QStringLiteral("uchar"),
        QStringLiteral("cudaStream_t"), QStringLiteral("cudaError_t"), QStringLiteral("cudaEvent_t")};
    return builtin.contains(word) || bytesOfType(word) > 0 || m_types.contains(word);
}

qsizetype CodeParser::typeEnd(qsizetype from) const
{
    qsizetype at = from;
    bool named = false, onlySpecifiers = true;
    const auto word = [&](qsizetype i) { return i < m_tokens.size() ? m_tokens.at(i).text : QString(); };
    while (at < m_tokens.size()) {
        const QString current = word(at);
        if (isCallLike(current) && word(at + 1) == u"(") {
            at = closingBracket(m_tokens, at + 1) + 1;
        } else if (specifiers().contains(current)) {
            ++at;
        } else if (!named && m_tokens.at(at).kind == CodeToken::Kind::Identifier) {
            named = true;
            onlySpecifiers = false;
            ++at;
            while (true) {
                if (word(at) == u"<") {
                    const qsizetype end = templateArgumentsEnd(at);
                    if (end == at) break;
                    at = end;
                } else if (word(at) == u"::" && at + 1 < m_tokens.size() &&
                           m_tokens.at(at + 1).kind == CodeToken::Kind::Identifier) {
                    at += 2;
                } else {
                    break;
                }
            }
        } else if (named && (current == u"int" || current == u"long" || current == u"char" || current == u"short" ||
                             current == u"double")) {
            ++at; // unsigned long long
        } else {
            break;
        }
    }
    if (!named || onlySpecifiers) return from;
    while (word(at) == u"*" || word(at) == u"&" || word(at) == u"&&" || specifiers().contains(word(at)))
        ++at;
    return at;
}

bool CodeParser::startsDeclaration() const
{
    if (!isName()) return false;
    static const QSet<QString> never = {
        QStringLiteral("return"),   QStringLiteral("if"),     QStringLiteral("for"),     QStringLiteral("while"),
        QStringLiteral("do"),       QStringLiteral("else"),   QStringLiteral("switch"),  QStringLiteral("case"),
        QStringLiteral("goto"),     QStringLiteral("delete"), QStringLiteral("new"),     QStringLiteral("sizeof"),
        QStringLiteral("asm"),      QStringLiteral("using"),  QStringLiteral("default"), QStringLiteral("break"),
        QStringLiteral("continue"), QStringLiteral("throw"),  QStringLiteral("operator")};
    if (never.contains(text())) return false;
    const qsizetype end = typeEnd(m_at);
    if (end == m_at || end >= m_tokens.size()) return false;
    if (m_tokens.at(end).text == u"[" && m_tokens.at(end - 1).text == u"&") return true; // auto &[a, b]
    if (m_tokens.at(end).kind != CodeToken::Kind::Identifier && m_tokens.at(end).text != u"(") return false;
    const QString &type = text();
    const bool marked = specifiers().contains(type) || isType(type);
    const bool pointer = m_tokens.at(end - 1).text == u"*" || m_tokens.at(end - 1).text == u"&";
    if (m_tokens.at(end).text == u"(") { // float (&d)[4]; but float(x) is a cast and f(x) a call
        return marked && end + 1 < m_tokens.size() &&
               (m_tokens.at(end + 1).text == u"&" || m_tokens.at(end + 1).text == u"*") && type != u"float" &&
               end > m_at + 1;
    }
    const QString &next = end + 1 < m_tokens.size() ? m_tokens.at(end + 1).text : QString();
    const bool declares =
        next == u"=" || next == u";" || next == u"," || next == u"[" || next == u"(" || next == u"{" || next == u":";
    if (!declares) return false;
    return marked || !pointer || next == u"="; // a * b; is taken for a product, a * b = …; for a pointer
}

void CodeParser::declarations(std::vector<NodePtr> &into)
{
    const qsizetype end = typeEnd(m_at);
    qsizetype base = end; // what every declarator shares: without "*" and "&"
    while (base > m_at && (m_tokens.at(base - 1).text == u"*" || m_tokens.at(base - 1).text == u"&" ||
                           m_tokens.at(base - 1).text == u"__restrict__"))
        --base;
    const QString shared = words(m_at, base);
    const bool isShared = shared.contains(QLatin1String("__shared__"));
    m_at = base;
    do {
        const qsizetype start = m_at;
        while (text() == u"*" || text() == u"&" || text() == u"&&" || specifiers().contains(text()))
            ++m_at;
        into.push_back(declarator((shared + u' ' + words(start, m_at)).trimmed(), isShared));
    } while (take(u","));
    while (!atEnd() && text() != u";" && text() != u"}" && text() != u")")
        ++m_at;
    take(u";");
}

NodePtr CodeParser::declarator(const QString &type, bool shared)
{
    NodePtr made = makeNode(Kind::Declaration, isName() ? text() : QString());
    made->type = type;
    made->isShared = shared;
    if (isName()) ++m_at;
    while (text() == u"[") {
        const qsizetype close = closingBracket(m_tokens, m_at);
        ++m_at;
        made->extra.push_back(m_at < close ? expression() : makeNode(Kind::Empty));
        m_at = close + 1;
    }
    if (take(u"=")) {
        made->children.push_back(text() == u"{" ? list({}) : assignment());
    } else if (text() == u"(") {
        NodePtr call = makeNode(Kind::Call, type);
        call->children.push_back(makeNode(Kind::Name, type));
        arguments(*call);
        if (call->children.size() == 2)
            made->children.push_back(std::move(call->children[1]));
        else
            made->children.push_back(std::move(call));
    } else if (text() == u"{") {
        made->children.push_back(list(type));
    }
    return made;
}

} // namespace kernelskill::expert
