// SPDX-License-Identifier: Apache-2.0
// Two candidates that differ in comments, spacing or the names of locals and parameters are one candidate. There is no
// C++ parser here, so a name is only replaced where it was surely declared: a type is followed by the name and then by
// a token that ends a declarator. What is missed costs an evaluation too many; what is replaced wrongly would refuse a
// new candidate. So doubt keeps the name. Called functions, types, members, macros, global names and literals always
// stay.
//
// Each declaration gets the next number of its function, and a use gets the number of the innermost declaration in
// force.
#include "memory/shortterm/attempts.h"
#include "memory/shortterm/code_tokens.h"

#include <QCryptographicHash>
#include <QSet>

#include <vector>

namespace kernelskill {

namespace {

using Kind = CodeToken::Kind;

const QSet<QString> &builtinTypes()
{
    static const QSet<QString> types{
        QStringLiteral("void"),     QStringLiteral("bool"),          QStringLiteral("char"),
        QStringLiteral("short"),    QStringLiteral("int"),           QStringLiteral("long"),
        QStringLiteral("float"),    QStringLiteral("double"),        QStringLiteral("signed"),
        QStringLiteral("unsigned"), QStringLiteral("auto"),          QStringLiteral("half"),
        QStringLiteral("__half"),   QStringLiteral("half2"),         QStringLiteral("__half2"),
        QStringLiteral("dim3"),     QStringLiteral("__nv_bfloat16"), QStringLiteral("__nv_bfloat162"),
        QStringLiteral("uint"),     QStringLiteral("cudaError_t")};
    return types;
}

// Words after which a name is no declaration, though a word stands before it.
const QSet<QString> &statementWords()
{
    static const QSet<QString> words{
        QStringLiteral("return"),   QStringLiteral("else"),      QStringLiteral("case"),
        QStringLiteral("goto"),     QStringLiteral("new"),       QStringLiteral("delete"),
        QStringLiteral("throw"),    QStringLiteral("using"),     QStringLiteral("namespace"),
        QStringLiteral("struct"),   QStringLiteral("class"),     QStringLiteral("union"),
        QStringLiteral("enum"),     QStringLiteral("typename"),  QStringLiteral("typedef"),
        QStringLiteral("operator"), QStringLiteral("sizeof"),    QStringLiteral("do"),
        QStringLiteral("if"),       QStringLiteral("while"),     QStringLiteral("for"),
        QStringLiteral("switch"),   QStringLiteral("template"),  QStringLiteral("public"),
        QStringLiteral("private"),  QStringLiteral("protected"), QStringLiteral("co_return"),
        QStringLiteral("extern"),   QStringLiteral("asm"),       QStringLiteral("friend"),
        QStringLiteral("concept"),  QStringLiteral("requires")};
    return words;
}

// Qualifiers that may stand between a type and a name.
bool isQualifier(const QString &text)
{
    static const QSet<QString> words{QStringLiteral("const"), QStringLiteral("__restrict__"),
                                     QStringLiteral("__restrict"), QStringLiteral("volatile"),
                                     QStringLiteral("restrict")};
    return words.contains(text);
}

// float4, uchar2, size_t, cudaStream_t, …
bool isKnownType(const QString &text)
{
    if (builtinTypes().contains(text) || text.endsWith(QLatin1String("_t"))) return true;
    if (text.size() < 4 || text.back() < u'1' || text.back() > u'4') return false;
    static const QSet<QString> vectors{QStringLiteral("char"),   QStringLiteral("uchar"), QStringLiteral("short"),
                                       QStringLiteral("ushort"), QStringLiteral("int"),   QStringLiteral("uint"),
                                       QStringLiteral("long"),   QStringLiteral("ulong"), QStringLiteral("longlong"),
                                       QStringLiteral("float"),  QStringLiteral("double")};
    return vectors.contains(text.chopped(1));
}

class Normaliser
{
public:
    explicit Normaliser(QList<CodeToken> tokens) : m_tokens(std::move(tokens)) {}
    QStringList run();

private:
    [[nodiscard]] QString text(qsizetype index) const
    {
        return index >= 0 && index < m_tokens.size() ? m_tokens[index].text : QString();
    }
    [[nodiscard]] bool isIdentifier(qsizetype index) const
    {
        return index >= 0 && index < m_tokens.size() && m_tokens[index].kind == Kind::Identifier;
    }
    [[nodiscard]] bool endsDeclarator(qsizetype index) const;
    [[nodiscard]] bool followsType(qsizetype index) const;
    [[nodiscard]] bool closesTemplate(qsizetype index) const;
    void findDeclarations();
    void findFurtherDeclarators(qsizetype first);
    void findBindings(qsizetype bracket);
    [[nodiscard]] QString emitted(qsizetype index);
    void open();

    // A brace of a namespace, of extern "C" or of a record opens no function: what is declared inside is no local.
    struct Scope
    {
        bool transparent = false;
        bool record = false;
        QHash<QString, int> names;
    };

    QList<CodeToken> m_tokens;
    QSet<qsizetype> m_declared; // indices of tokens that declare a name
    std::vector<Scope> m_scopes{{}};
    int m_functionDepth = 0; // braces that are not transparent
    int m_next = 0;
    int m_parentheses = 0;
    bool m_transparentNext = false, m_recordNext = false;
    QHash<QString, int> m_parameters; // of the function whose body comes next
};

bool Normaliser::endsDeclarator(qsizetype index) const
{
    static const QSet<QString> ends{QStringLiteral("="), QStringLiteral(";"), QStringLiteral(","), QStringLiteral(")"),
                                    QStringLiteral("["), QStringLiteral("{"), QStringLiteral(":")};
    return ends.contains(text(index));
}

// Whether the '>' at index ends "name<…>", and so a type.
bool Normaliser::closesTemplate(qsizetype index) const
{
    int depth = 0;
    for (qsizetype i = index; i >= 0 && index - i < 64; --i) {
        const QString &token = m_tokens[i].text;
        if (token == u">")
            ++depth;
        else if (token == u"<" && --depth == 0)
            return isIdentifier(i - 1);
        else if (token == u";" || token == u"{" || token == u"}" || token == u"&&" || token == u"||")
            return false;
    }
    return false;
}

bool Normaliser::followsType(qsizetype index) const
{
    qsizetype before = index - 1;
    bool pointer = false;
    while (text(before) == u"*" || text(before) == u"&" || text(before) == u"&&" || isQualifier(text(before))) {
        pointer = pointer || !isQualifier(text(before));
        --before;
    }
    if (text(before) == u">") return closesTemplate(before);
    if (!isIdentifier(before) || statementWords().contains(text(before))) return false;
    // "a * b" is a product unless a is surely a type; two words in a row are a declaration whatever the first is.
    return !pointer || isKnownType(text(before));
}

void Normaliser::findBindings(qsizetype bracket)
{
    for (qsizetype i = bracket + 1; i < m_tokens.size() && text(i) != u"]"; ++i) {
        if (isIdentifier(i)) m_declared.insert(i);
    }
}

// "float a, *b = f(x, y), c[4];": the declarators after the first, up to the end of the statement or parameter list.
void Normaliser::findFurtherDeclarators(qsizetype first)
{
    int depth = 0;
    for (qsizetype i = first + 1; i < m_tokens.size(); ++i) {
        const QString &token = m_tokens[i].text;
        if (token == u"(" || token == u"[" || token == u"{")
            ++depth;
        else if (token == u")" || token == u"]" || token == u"}")
            --depth;
        if (depth < 0 || (depth == 0 && (token == u";" || token == u":"))) return;
        if (depth > 0 || token != u",") continue;
        qsizetype name = i + 1;
        while (text(name) == u"*" || text(name) == u"&" || isQualifier(text(name)))
            ++name;
        if (!isIdentifier(name) || !endsDeclarator(name + 1)) return; // the next parameter starts with its own type
        m_declared.insert(name);
    }
}

void Normaliser::findDeclarations()
{
    for (qsizetype i = 1; i < m_tokens.size(); ++i) {
        if (text(i) == u"[" &&
            (text(i - 1) == u"auto" || ((text(i - 1) == u"&" || text(i - 1) == u"&&") && text(i - 2) == u"auto"))) {
            findBindings(i);
        }
        if (!isIdentifier(i) || isKnownType(text(i)) || isQualifier(text(i)) || statementWords().contains(text(i)))
            continue;
        // dim3 and streams are often made with parentheses; anything else so made may be a function.
        const bool constructed = text(i + 1) == u"(" && text(i - 1) == u"dim3";
        if ((!endsDeclarator(i + 1) && !constructed) || !followsType(i)) continue;
        m_declared.insert(i);
        if (!constructed) findFurtherDeclarators(i);
    }
}

void Normaliser::open()
{
    Scope scope;
    scope.record = std::exchange(m_recordNext, false);
    scope.transparent = std::exchange(m_transparentNext, false) || scope.record;
    if (!scope.transparent) {
        if (m_functionDepth++ == 0) scope.names = m_parameters;
    }
    m_parameters.clear();
    m_scopes.push_back(scope);
}

QString Normaliser::emitted(qsizetype index)
{
    const QString name = text(index);
    const QString before = text(index - 1);
    if (before == u"." || before == u"->" || before == u"::" || text(index + 1) == u"::") return name;
    // Declared in a parameter list at global level: belongs to the body that follows. Elsewhere at global level:
    // global.
    const bool parameter = m_functionDepth == 0 && m_parentheses > 0;
    // Members stay: they are used by name through objects.
    const bool member = m_scopes.back().record && !parameter;
    if (m_declared.contains(index) && !member && (m_functionDepth > 0 || parameter)) {
        const int number = m_next++;
        (parameter ? m_parameters : m_scopes.back().names).insert(name, number);
        return u'$' + QString::number(number);
    }
    if (const auto found = m_parameters.constFind(name); found != m_parameters.constEnd()) {
        return u'$' + QString::number(*found);
    }
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        if (const auto found = scope->names.constFind(name); found != scope->names.constEnd()) {
            return u'$' + QString::number(*found);
        }
    }
    return name;
}

QStringList Normaliser::run()
{
    findDeclarations();
    QStringList result;
    for (qsizetype i = 0; i < m_tokens.size(); ++i) {
        const QString &token = m_tokens[i].text;
        result.append(isIdentifier(i) ? emitted(i) : token);
        if (token == u"namespace" ||
            (token == u"extern" && i + 1 < m_tokens.size() && m_tokens[i + 1].kind == Kind::Text)) {
            m_transparentNext = true;
        } else if (token == u"struct" || token == u"class" || token == u"union" || token == u"enum") {
            m_recordNext = true;
        } else if (token == u"(") {
            ++m_parentheses;
            m_transparentNext = m_recordNext = false; // extern "C" void f(…) opens a function
        } else if (token == u")") {
            m_parentheses = std::max(0, m_parentheses - 1);
        } else if (token == u"{") {
            open();
        } else if (token == u"}" && m_scopes.size() > 1) {
            if (!m_scopes.back().transparent && --m_functionDepth == 0) m_next = 0;
            m_scopes.pop_back();
        } else if (token == u";" && m_functionDepth == 0 && m_parentheses == 0) {
            m_parameters.clear(); // a declaration without body
            m_transparentNext = m_recordNext = false;
            m_next = 0;
        }
    }
    return result;
}

} // namespace

QByteArray normalisedCodeDigest(const QString &source)
{
    const QStringList tokens = Normaliser(codeTokens(source)).run();
    return QCryptographicHash::hash(tokens.join(u'\n').toUtf8(), QCryptographicHash::Sha256).toHex();
}

} // namespace kernelskill
