// SPDX-License-Identifier: Apache-2.0
#include "retrieval/predicate_types.h"

#include <QRegularExpression>
#include <QStringList>

namespace kernelskill {

namespace {

const QStringList equalities{QStringLiteral("="),  QStringLiteral("=="), QStringLiteral("!="), QStringLiteral("<>"),
                             QStringLiteral("IN"), QStringLiteral("IS"), QStringLiteral("NOT")};
const QStringList orders{QStringLiteral("<"), QStringLiteral("<="), QStringLiteral(">"), QStringLiteral(">=")};

QStringList tokensOf(const QString &expression)
{
    static const QRegularExpression token(
        QStringLiteral("'[^']*'|[A-Za-z_][A-Za-z_0-9]*|[0-9]+\\.?[0-9]*(?:[eE][+-]?[0-9]+)?|<=|>=|<>|!=|==|[^\\s]"));
    QStringList result;
    for (auto match = token.globalMatch(expression); match.hasNext();)
        result.append(match.next().captured());
    return result;
}

std::unexpected<Error> mismatch(const QString &expression, const QString &what)
{
    return failure("policy.type", QStringLiteral("'%1': %2").arg(expression, what));
}

bool isNumber(const QString &token)
{
    return !token.isEmpty() && token.front().isDigit();
}

// `field` beside `operation` beside `other`, whichever stands left.
Result<void> checkComparison(const QString &expression, const QString &field, const QString &kind,
                             const QString &operation, const QString &other)
{
    static const QRegularExpression structure(QStringLiteral("^'S[0-4]'$"));
    const bool text = other.startsWith(u'\'');
    if (kind == u"structure") {
        if (orders.contains(operation))
            return mismatch(expression, QStringLiteral("%1 has no order; use = or IN").arg(field));
        if (isNumber(other) || (text && !structure.match(other).hasMatch())) {
            return mismatch(expression, QStringLiteral("%1 is one of 'S0' to 'S4', not %2").arg(field, other));
        }
    } else if (text) {
        return mismatch(expression,
                        QStringLiteral("%1 is a %2 and cannot be compared with the text %3").arg(field, kind, other));
    } else if (kind == u"boolean" && isNumber(other) &&
               (orders.contains(operation) || (other != u"0" && other != u"1"))) {
        return mismatch(expression, QStringLiteral("%1 is true or false; write '%1' or 'NOT %1'").arg(field));
    }
    return {};
}

} // namespace

Result<void> checkPredicateTypes(const QString &expression, const QMap<QString, QString> &kinds)
{
    const QStringList tokens = tokensOf(expression);
    for (qsizetype i = 0; i < tokens.size(); ++i) {
        const QString kind = kinds.value(tokens[i]);
        if (kind.isEmpty()) continue;
        const QString after = tokens.value(i + 1).toUpper(), before = tokens.value(i - 1).toUpper();
        if (equalities.contains(after) || orders.contains(after)) {
            qsizetype operand = i + 2;
            while (tokens.value(operand).toUpper() == u"IN" || tokens.value(operand) == u"(")
                ++operand;
            for (; tokens.value(operand).startsWith(u'\'') || isNumber(tokens.value(operand)); operand += 2) {
                if (auto fits = checkComparison(expression, tokens[i], kind, after, tokens[operand]); !fits)
                    return fits;
                if (tokens.value(operand + 1) != u",") break;
            }
        }
        if (i >= 2 && (equalities.contains(before) || orders.contains(before)) && before != u"NOT" &&
            (tokens[i - 2].startsWith(u'\'') || isNumber(tokens[i - 2]))) {
            if (auto fits = checkComparison(expression, tokens[i], kind, before, tokens[i - 2]); !fits) return fits;
        }
    }
    return {};
}

} // namespace kernelskill
