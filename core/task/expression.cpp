// SPDX-License-Identifier: Apache-2.0
#include "task/expression.h"

#include <QSet>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kernelskill {

struct Expression::Node
{
    enum class Kind { Number, Name, Add, Subtract, Multiply, Divide, FloorDivide, Modulo, Minimum, Maximum, Negate };
    Kind kind = Kind::Number;
    double number = 0;
    QString name;
    std::vector<std::shared_ptr<const Node>> operands;
};

namespace {

using Node = Expression::Node;
using NodePointer = std::shared_ptr<const Node>;

constexpr double largestWhole = 9007199254740992.0; // 2^53: up to here every whole number is a double
constexpr int deepest = 200;                        // nesting: the parser recurses
constexpr int largest = 1000;                       // operations: the tree is no deeper than that, and evaluation recurses

// sum     := product (("+" | "-") product)*
// product := unary (("*" | "/" | "//" | "%") unary)*
// unary   := ("+" | "-") unary | primary
// primary := number | name | ("min" | "max") "(" sum ("," sum)* ")" | "(" sum ")"
class Parser
{
public:
    explicit Parser(const QString &text) : m_text(text) {}

    Result<NodePointer> parse()
    {
        Result<NodePointer> root = sum();
        if (!root) return root;
        skipSpace();
        if (m_at < m_text.size()) return refuse(QStringLiteral("an operator or the end"));
        return root;
    }

private:
    using Step = Result<NodePointer> (Parser::*)();

    Result<NodePointer> sum()
    {
        return chain(&Parser::product, {{QStringLiteral("+"), Node::Kind::Add}, {QStringLiteral("-"), Node::Kind::Subtract}});
    }

    Result<NodePointer> product()
    {
        return chain(&Parser::unary, {{QStringLiteral("*"), Node::Kind::Multiply},
                                      {QStringLiteral("//"), Node::Kind::FloorDivide},
                                      {QStringLiteral("/"), Node::Kind::Divide},
                                      {QStringLiteral("%"), Node::Kind::Modulo}});
    }

    // Left-associative: a long chain is a deep tree to the left.
    Result<NodePointer> chain(Step next, const QList<std::pair<QString, Node::Kind>> &operators)
    {
        Result<NodePointer> left = (this->*next)();
        while (left) {
            const auto found = std::ranges::find_if(operators, [this](const auto &entry) { return take(entry.first); });
            if (found == operators.end()) return left;
            if (++m_operations > largest) return refuse(QStringLiteral("a shorter expression"));
            Result<NodePointer> right = (this->*next)();
            if (!right) return right;
            left = std::make_shared<const Node>(Node{found->second, 0, {}, {*left, *right}});
        }
        return left;
    }

    Result<NodePointer> unary()
    {
        if (++m_depth > deepest) return refuse(QStringLiteral("an expression that is nested less deeply"));
        Result<NodePointer> result = unaryBelow();
        --m_depth;
        return result;
    }

    Result<NodePointer> unaryBelow()
    {
        if (take(QStringLiteral("+"))) return unary();
        if (!take(QStringLiteral("-"))) return primary();
        return unary().transform([](const NodePointer &operand) {
            return std::make_shared<const Node>(Node{Node::Kind::Negate, 0, {}, {operand}});
        });
    }

    Result<NodePointer> primary()
    {
        skipSpace();
        const QChar next = m_at < m_text.size() ? m_text[m_at] : QChar();
        if (isDigit(next) || next == u'.') return number();
        if (isLetter(next)) return nameOrCall();
        if (!take(QStringLiteral("("))) return refuse(QStringLiteral("a number, a size name or \"(\""));
        Result<NodePointer> inside = sum();
        if (inside && !take(QStringLiteral(")"))) return refuse(QStringLiteral("\")\""));
        return inside;
    }

    Result<NodePointer> number()
    {
        const qsizetype start = m_at;
        takeDigits();
        if (m_at < m_text.size() && m_text[m_at] == u'.') {
            ++m_at;
            takeDigits();
        }
        takeExponent();
        bool ok = false;
        const double value = m_text.sliced(start, m_at - start).toDouble(&ok);
        if (!ok || !std::isfinite(value)) {
            m_at = start;
            return refuse(QStringLiteral("a number"));
        }
        return std::make_shared<const Node>(Node{Node::Kind::Number, value, {}, {}});
    }

    void takeExponent()
    {
        qsizetype next = m_at;
        if (next >= m_text.size() || m_text[next].toLower() != u'e') return;
        ++next;
        if (next < m_text.size() && (m_text[next] == u'+' || m_text[next] == u'-')) ++next;
        if (next >= m_text.size() || !isDigit(m_text[next])) return;
        m_at = next;
        takeDigits();
    }

    Result<NodePointer> nameOrCall()
    {
        const qsizetype start = m_at;
        while (m_at < m_text.size() && (isLetter(m_text[m_at]) || isDigit(m_text[m_at]))) ++m_at;
        const QString name = m_text.sliced(start, m_at - start);
        if (!take(QStringLiteral("("))) return std::make_shared<const Node>(Node{Node::Kind::Name, 0, name, {}});
        if (name != u"min" && name != u"max") {
            m_at = start;
            return refuse(QStringLiteral("the function min or max"));
        }
        return arguments(name == u"min" ? Node::Kind::Minimum : Node::Kind::Maximum);
    }

    Result<NodePointer> arguments(Node::Kind kind)
    {
        Node call{kind, 0, {}, {}};
        do {
            Result<NodePointer> argument = sum();
            if (!argument) return argument;
            call.operands.push_back(*argument);
        } while (take(QStringLiteral(",")));
        if (!take(QStringLiteral(")"))) return refuse(QStringLiteral("\",\" or \")\""));
        return std::make_shared<const Node>(std::move(call));
    }

    bool take(const QString &token)
    {
        skipSpace();
        if (!QStringView(m_text).sliced(m_at).startsWith(token)) return false;
        m_at += token.size();
        return true;
    }

    void takeDigits()
    {
        while (m_at < m_text.size() && isDigit(m_text[m_at])) ++m_at;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at].isSpace()) ++m_at;
    }

    static bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }
    static bool isLetter(QChar c) { return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || c == u'_'; }

    [[nodiscard]] std::unexpected<Error> refuse(const QString &expected)
    {
        skipSpace();
        const QString found = m_at < m_text.size() ? QStringLiteral("\"%1\"").arg(m_text[m_at]) : QStringLiteral("the end");
        return failure(QStringLiteral("expression.syntax"),
                       QStringLiteral("\"%1\", column %2: expected %3, found %4")
                           .arg(m_text).arg(m_at + 1).arg(expected, found));
    }

    const QString m_text;
    qsizetype m_at = 0;
    int m_depth = 0;
    int m_operations = 0;
};

Result<double> divide(Node::Kind kind, double left, double right)
{
    if (right == 0) return failure(QStringLiteral("expression.division_by_zero"), QStringLiteral("division by zero"));
    if (kind == Node::Kind::Divide) return left / right;
    // By the exact remainder: the quotient itself may round up to the next whole number.
    double remainder = std::fmod(left, right);
    if (remainder != 0 && (remainder < 0) != (right < 0)) remainder += right;
    return kind == Node::Kind::Modulo ? remainder : std::round((left - remainder) / right);
}

double combine(Node::Kind kind, double left, double right)
{
    switch (kind) {
    case Node::Kind::Add: return left + right;
    case Node::Kind::Subtract: return left - right;
    case Node::Kind::Multiply: return left * right;
    case Node::Kind::Minimum: return std::min(left, right);
    default: return std::max(left, right);
    }
}

Result<double> evaluateNode(const Node &node, const Sizes &sizes)
{
    if (node.kind == Node::Kind::Number) return node.number;
    if (node.kind == Node::Kind::Name) {
        const auto found = sizes.constFind(node.name);
        if (found != sizes.cend()) return double(*found);
        return failure(QStringLiteral("expression.unknown_name"),
                       QStringLiteral("there is no size \"%1\"; known are: %2")
                           .arg(node.name, QStringList(sizes.keys()).join(QStringLiteral(", "))));
    }
    Result<double> value = evaluateNode(*node.operands.front(), sizes);
    if (value && node.kind == Node::Kind::Negate) return -*value;
    for (std::size_t i = 1; value && i < node.operands.size(); ++i) {
        const Result<double> right = evaluateNode(*node.operands[i], sizes);
        if (!right) return right;
        const bool division = node.kind == Node::Kind::Divide || node.kind == Node::Kind::FloorDivide ||
                              node.kind == Node::Kind::Modulo;
        value = division ? divide(node.kind, *value, *right) : Result<double>(combine(node.kind, *value, *right));
    }
    if (value && !std::isfinite(*value))
        return failure(QStringLiteral("expression.overflow"), QStringLiteral("the value is too large"));
    return value;
}

void collectNames(const Node &node, QSet<QString> &names)
{
    if (node.kind == Node::Kind::Name) names.insert(node.name);
    for (const NodePointer &operand : node.operands) collectNames(*operand, names);
}

} // namespace

Result<Expression> Expression::parse(const QString &text)
{
    Result<NodePointer> root = Parser(text).parse();
    if (!root) return std::unexpected(root.error());
    Expression expression;
    expression.m_text = text;
    expression.m_root = *root;
    return expression;
}

Expression Expression::constant(double value)
{
    Expression expression;
    expression.m_text = QString::number(value, 'g', 17);
    expression.m_root = std::make_shared<const Node>(Node{Node::Kind::Number, value, {}, {}});
    return expression;
}

QStringList Expression::names() const
{
    QSet<QString> found;
    if (m_root) collectNames(*m_root, found);
    QStringList sorted(found.cbegin(), found.cend());
    sorted.sort();
    return sorted;
}

Result<double> Expression::evaluate(const Sizes &sizes) const
{
    return m_root ? evaluateNode(*m_root, sizes) : Result<double>(0.0);
}

Result<qint64> Expression::evaluateInteger(const Sizes &sizes) const
{
    const Result<double> value = evaluate(sizes);
    if (!value) return std::unexpected(value.error());
    if (std::abs(*value) > largestWhole)
        return failure(QStringLiteral("expression.overflow"),
                       QStringLiteral("\"%1\" is %2, which is too large").arg(m_text).arg(*value));
    if (*value != std::floor(*value))
        return failure(QStringLiteral("expression.not_whole"),
                       QStringLiteral("\"%1\" is %2, expected a whole number").arg(m_text).arg(*value));
    return qint64(*value);
}

} // namespace kernelskill
