// SPDX-License-Identifier: Apache-2.0
#include "retrieval/gate_check.h"

#include <QRegularExpression>

#include <algorithm>
#include <vector>

namespace kernelskill {

namespace {

constexpr int statementsBeforeRenewal = 400;
constexpr qsizetype namesOffered = 5;

struct Token
{
    enum class Kind { Name, Number, Text, Symbol, Stray };
    Kind kind = Kind::Stray;
    qsizetype at = 0;
    QString text;

    [[nodiscard]] bool is(const char *word) const
    {
        return text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0;
    }
};

QList<Token> tokensOf(const QString &expression)
{
    static const QRegularExpression form(
        QStringLiteral("(?<name>[A-Za-z_][A-Za-z_0-9]*)|(?<number>(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|"
                       "(?<text>'[^']*')|(?<symbol><=|>=|<>|!=|==|[-+*/%()<>=,])|(?<stray>\\S)"));
    static const std::pair<QString, Token::Kind> kinds[]{{QStringLiteral("name"), Token::Kind::Name},
                                                         {QStringLiteral("number"), Token::Kind::Number},
                                                         {QStringLiteral("text"), Token::Kind::Text},
                                                         {QStringLiteral("symbol"), Token::Kind::Symbol}};
    QList<Token> tokens;
    for (auto match = form.globalMatch(expression); match.hasNext();) {
        const auto one = match.next();
        Token token{Token::Kind::Stray, one.capturedStart(), one.captured()};
        for (const auto &[name, kind] : kinds) {
            if (!one.captured(name).isEmpty()) token.kind = kind;
        }
        tokens.append(token);
    }
    return tokens;
}

// Walks an expression as SQL's grammar for values has it: after an operand comes an operator, and so on. Stops at the
// first token that cannot stand where it stands.
class Walk
{
public:
    Walk(const QString &expression, const QStringList &names)
        : m_expression(expression), m_names(names), m_tokens(tokensOf(expression))
    {
    }

    std::optional<GateTrouble> run()
    {
        while (m_next < m_tokens.size()) {
            const Token &token = m_tokens[m_next++];
            if (auto trouble = m_wantsOperand ? operand(token) : behindOperand(token)) return trouble;
        }
        const qsizetype end = m_expression.size();
        if (m_wantsOperand)
            return GateTrouble{end, 0, QStringLiteral("a value is missing at the end"), operandsAllowed()};
        if (!m_open.empty())
            return GateTrouble{end, 0, QStringLiteral("')' is missing at the end"), operatorsAllowed()};
        return {};
    }

private:
    static GateTrouble at(const Token &token, const QString &message, const QString &allowed)
    {
        return {token.at, token.text.size(), message, allowed};
    }
    static QString operandsAllowed() { return QStringLiteral("a name of the evidence, a number, 'S0' to 'S4', NOT, ("); }
    [[nodiscard]] QString operatorsAllowed() const
    {
        return QStringLiteral("= != < <= > >=, IN, IS, BETWEEN, + - * /, AND, OR") +
               (m_open.empty() ? QStringLiteral(", or the end") : QStringLiteral(", )"));
    }

    std::optional<GateTrouble> operand(const Token &token)
    {
        static const QStringList values{QStringLiteral("TRUE"), QStringLiteral("FALSE"), QStringLiteral("NULL")};
        static const QStringList words{QStringLiteral("AND"),     QStringLiteral("OR"), QStringLiteral("IN"),
                                       QStringLiteral("BETWEEN"), QStringLiteral("IS"), QStringLiteral("LIKE")};
        static const QStringList functions{QStringLiteral("max"),      QStringLiteral("min"),    QStringLiteral("abs"),
                                           QStringLiteral("round"),    QStringLiteral("coalesce"),
                                           QStringLiteral("ifnull"),   QStringLiteral("nullif"), QStringLiteral("iif")};
        if (token.is("NOT") || token.is("+") || token.is("-")) return {};
        if (token.is("(")) {
            m_open.push_back('(');
            return {};
        }
        if (token.kind == Token::Kind::Name && words.contains(token.text, Qt::CaseInsensitive))
            return at(token, QStringLiteral("'%1' needs a value before it").arg(token.text), operandsAllowed());
        if (token.kind == Token::Kind::Name && m_next < m_tokens.size() && m_tokens[m_next].is("(")) {
            if (!functions.contains(token.text, Qt::CaseInsensitive)) {
                return at(token, QStringLiteral("there is no function '%1'").arg(token.text),
                          functions.join(QStringLiteral(", ")));
            }
            ++m_next;
            m_open.push_back(',');
            return {};
        }
        if (token.kind == Token::Kind::Name && !values.contains(token.text, Qt::CaseInsensitive) &&
            !m_names.contains(token.text, Qt::CaseInsensitive))
            return unknownName(token);
        if (token.kind == Token::Kind::Symbol || token.kind == Token::Kind::Stray)
            return at(token, QStringLiteral("a value must stand here, not '%1'").arg(token.text), operandsAllowed());
        m_wantsOperand = false;
        return {};
    }

    std::optional<GateTrouble> behindOperand(const Token &token)
    {
        static const QStringList binary{
            QStringLiteral("="),  QStringLiteral("=="), QStringLiteral("!="), QStringLiteral("<>"), QStringLiteral("<"),
            QStringLiteral("<="), QStringLiteral(">"),  QStringLiteral(">="), QStringLiteral("+"),  QStringLiteral("-"),
            QStringLiteral("*"),  QStringLiteral("/"),  QStringLiteral("%"),  QStringLiteral("AND"), QStringLiteral("OR"),
            QStringLiteral("IS"), QStringLiteral("BETWEEN")};
        if (token.is("ISNULL") || token.is("NOTNULL")) return {};
        if (token.is(")") && !m_open.empty()) {
            m_open.pop_back();
            return {};
        }
        if (token.is("NOT") && m_next < m_tokens.size() &&
            (m_tokens[m_next].is("IN") || m_tokens[m_next].is("BETWEEN")))
            return {}; // the next token is the operator
        if (token.is("IN")) {
            if (m_next >= m_tokens.size() || !m_tokens[m_next].is("(")) {
                return at(token, QStringLiteral("'IN' needs a list in parentheses"),
                          QStringLiteral("('S1', 'S3')"));
            }
            ++m_next;
            m_open.push_back(',');
            m_wantsOperand = true;
            return {};
        }
        const bool comma = token.is(",") && !m_open.empty() && m_open.back() == ',';
        if (comma || binary.contains(token.text, Qt::CaseInsensitive)) {
            m_wantsOperand = true;
            return {};
        }
        return at(token, QStringLiteral("'%1' cannot stand here").arg(token.text), operatorsAllowed());
    }

    [[nodiscard]] GateTrouble unknownName(const Token &token) const
    {
        const QString near = nearestName(token.text, m_names);
        QStringList offered;
        for (const QString &name : m_names) {
            if (name.startsWith(token.text.left(4), Qt::CaseInsensitive)) offered.append(name);
        }
        if (!near.isEmpty()) {
            offered.removeAll(near);
            offered.prepend(near);
        }
        if (offered.isEmpty()) offered = m_names;
        const QString more = offered.size() > namesOffered ? QStringLiteral(", …") : QString();
        return at(token,
                  near.isEmpty() ? QStringLiteral("there is no name '%1' in the evidence").arg(token.text)
                                 : QStringLiteral("there is no name '%1' in the evidence; did you mean '%2'?")
                                       .arg(token.text, near),
                  offered.mid(0, namesOffered).join(QStringLiteral(", ")) + more);
    }

    const QString &m_expression;
    const QStringList &m_names;
    QList<Token> m_tokens;
    qsizetype m_next = 0;
    bool m_wantsOperand = true;
    std::vector<char> m_open; // '(' or, where commas may stand, ','
};

QString allowedBeside(const QString &kind)
{
    if (kind == u"structure") return QStringLiteral("= 'S3', IN ('S1', 'S3')");
    if (kind == u"boolean") return QStringLiteral("the name alone, or NOT before it");
    return QStringLiteral("= != < <= > >= and a number or a name of the evidence");
}

} // namespace

Result<std::unique_ptr<GateCheck>> GateCheck::make(const Policy &policy)
{
    std::unique_ptr<GateCheck> check(new GateCheck(policy));
    if (auto made = check->renew(); !made) return std::unexpected(made.error());
    check->m_names = check->m_evaluator->names();
    check->m_names.sort();
    return check;
}

Result<void> GateCheck::renew()
{
    auto made = PolicyEvaluator::make(m_policy.fields, m_policy.kinds);
    if (!made) return std::unexpected(made.error());
    for (const DerivedField &derived : std::as_const(m_policy.derived)) {
        if (auto added = (*made)->addDerived(derived.name, derived.expression, m_policy.kinds.value(derived.name));
            !added)
            return added;
    }
    m_evaluator = std::move(*made);
    m_asked = 0;
    return {};
}

std::optional<GateTrouble> GateCheck::trouble(const QString &expression)
{
    if (++m_asked > statementsBeforeRenewal) {
        if (auto made = renew(); !made) return GateTrouble{0, expression.size(), made.error().message, {}};
    }
    auto predicate = m_evaluator->addPredicate(expression);
    return predicate ? std::nullopt : place(expression, predicate.error());
}

std::optional<GateTrouble> GateCheck::place(const QString &expression, const Error &error) const
{
    if (auto found = Walk(expression, m_names).run()) return found;
    GateTrouble whole{0, expression.size(), error.message, {}};
    const QString prefix = QStringLiteral("'%1': ").arg(expression);
    if (whole.message.startsWith(prefix)) whole.message = whole.message.mid(prefix.size());
    if (error.code != u"policy.type") return whole;
    // The message names the field whose comparison does not fit.
    for (const Token &token : tokensOf(expression)) {
        if (token.kind != Token::Kind::Name || !m_policy.kinds.contains(token.text)) continue;
        if (!whole.message.contains(token.text)) continue;
        return GateTrouble{token.at, token.text.size(), whole.message, allowedBeside(kindOf(token.text))};
    }
    return whole;
}

Truth GateCheck::truth(const QString &expression, const QVariantMap &evidence)
{
    ++m_asked;
    auto predicate = m_evaluator->addPredicate(expression);
    if (!predicate) return Truth::Unknown;
    m_evaluator->setRow(evidence);
    return m_evaluator->truth(*predicate);
}

} // namespace kernelskill
