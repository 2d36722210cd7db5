// SPDX-License-Identifier: Apache-2.0
#include "patterns/element_code.h"

#include <QRegularExpression>
#include <QSet>

namespace kernelskill::expert {

namespace {

const QRegularExpression &referencePattern()
{
    static const QRegularExpression pattern(QStringLiteral("([$#@])\\{([^}]*)\\}"));
    return pattern;
}

QStringList referencesOf(const QString &text, QChar sigil)
{
    QStringList names;
    auto matches = referencePattern().globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        if (match.captured(1).front() == sigil && !names.contains(match.captured(2))) names.append(match.captured(2));
    }
    return names;
}

} // namespace

Code primary(const QString &text)
{
    return {text, Code::Primary};
}

Code call(const QString &function, const QStringList &arguments)
{
    return {function + u'(' + arguments.join(QStringLiteral(", ")) + u')', Code::Primary};
}

QString parenthesised(const Code &code, Code::Level atMost)
{
    return code.level > atMost ? u'(' + code.text + u')' : code.text;
}

Code product(const Code &left, const QString &op, const Code &right)
{
    return {parenthesised(left, Code::Product) + u' ' + op + u' ' + parenthesised(right, Code::Unary), Code::Product};
}

Code sum(const Code &left, const QString &op, const Code &right)
{
    return {parenthesised(left, Code::Sum) + u' ' + op + u' ' + parenthesised(right, Code::Product), Code::Sum};
}

Code loadReference(const QString &name)
{
    return primary(QStringLiteral("${%1}").arg(name));
}
Code rowReference(const QString &name)
{
    return primary(QStringLiteral("#{%1}").arg(name));
}
Code elementReference(const QString &name)
{
    return primary(QStringLiteral("@{%1}").arg(name));
}

QStringList ElementCode::loads() const
{
    QString text;
    for (const Local &local : locals)
        text += local.code.text;
    return referencesOf(text + result.text, u'$');
}

QStringList ElementCode::rowValues() const
{
    QString text;
    for (const Local &local : locals)
        text += local.code.text;
    return referencesOf(text + result.text, u'#');
}

void ElementGraph::add(const QString &name, const Code &code)
{
    m_order.append(name);
    m_code.insert(name, code);
}

void ElementGraph::collect(const QString &text, QStringList &names) const
{
    for (const QString &name : referencesOf(text, u'@')) {
        if (names.contains(name)) continue;
        names.append(name);
        collect(m_code.value(name).text, names);
    }
}

ElementCode ElementGraph::closure(const Code &reference) const
{
    QStringList needed;
    collect(reference.text, needed);
    ElementCode element;
    element.result = reference;
    // A reference to one value is that value's own expression.
    const QStringList direct = referencesOf(reference.text, u'@');
    if (direct.size() == 1 && reference.text == elementReference(direct.first()).text) {
        element.result = m_code.value(direct.first());
        needed.removeAll(direct.first());
    }
    for (const QString &name : m_order) {
        if (needed.contains(name)) element.locals.append({name, m_code.value(name)});
    }
    return element;
}

QString substituted(const QString &text, const Substitution &load, const Substitution &row)
{
    QString result;
    qsizetype from = 0;
    auto matches = referencePattern().globalMatch(text);
    while (matches.hasNext()) {
        const auto match = matches.next();
        result += text.mid(from, match.capturedStart() - from);
        const QString name = match.captured(2);
        const QChar sigil = match.captured(1).front();
        result += sigil == u'$' ? load(name) : sigil == u'#' ? row(name) : identifierFor(name);
        from = match.capturedEnd();
    }
    return result + text.mid(from);
}

QString identifierFor(const QString &name)
{
    static const QSet<QString> reserved = {
        QStringLiteral("int"),      QStringLiteral("float"),    QStringLiteral("double"), QStringLiteral("char"),
        QStringLiteral("const"),    QStringLiteral("for"),      QStringLiteral("if"),     QStringLiteral("else"),
        QStringLiteral("while"),    QStringLiteral("do"),       QStringLiteral("return"), QStringLiteral("new"),
        QStringLiteral("delete"),   QStringLiteral("class"),    QStringLiteral("struct"), QStringLiteral("union"),
        QStringLiteral("template"), QStringLiteral("operator"), QStringLiteral("this"),   QStringLiteral("auto"),
        QStringLiteral("void"),     QStringLiteral("bool"),     QStringLiteral("true"),   QStringLiteral("false"),
        QStringLiteral("exp"),      QStringLiteral("log"),      QStringLiteral("tanh"),   QStringLiteral("sin"),
        QStringLiteral("cos"),      QStringLiteral("max"),      QStringLiteral("min"),    QStringLiteral("stream"),
        QStringLiteral("row"),      QStringLiteral("col"),      QStringLiteral("i"),      QStringLiteral("j"),
    };
    QString identifier;
    for (const QChar c : name)
        identifier += c.isLetterOrNumber() && c.unicode() < 128 ? c : QChar(u'_');
    if (identifier.isEmpty() || identifier.front().isDigit()) identifier.prepend(u'v');
    return reserved.contains(identifier) ? identifier + u'_' : identifier;
}

} // namespace kernelskill::expert
