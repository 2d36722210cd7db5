// SPDX-License-Identifier: Apache-2.0
#include "kit/seeds.h"
#include "task/expression.h"

#include <QTest>

#include <cmath>

using namespace kernelskill;

namespace {

// A random expression as text with its value worked out alongside, by rules that have nothing to do with the parser.
struct Sample
{
    QString text;
    double value;
};

Sample randomExpression(kit::RandomStream &random, int depth)
{
    const Sizes sizes{{QStringLiteral("a"), 3}, {QStringLiteral("b"), 7}};
    if (depth == 0 || random.below(4) == 0) {
        if (random.below(2) == 0) {
            const auto number = double(random.below(20));
            return {QString::number(number), number};
        }
        const QString name = random.below(2) == 0 ? QStringLiteral("a") : QStringLiteral("b");
        return {name, double(sizes.value(name))};
    }
    const Sample left = randomExpression(random, depth - 1), right = randomExpression(random, depth - 1);
    switch (random.below(7)) {
    case 0: return {u'(' + left.text + QStringLiteral(" + ") + right.text + u')', left.value + right.value};
    case 1: return {u'(' + left.text + QStringLiteral(" - ") + right.text + u')', left.value - right.value};
    case 2: return {u'(' + left.text + u'*' + right.text + u')', left.value * right.value};
    case 3: return {QStringLiteral("min(%1, %2)").arg(left.text, right.text), std::min(left.value, right.value)};
    case 4: return {QStringLiteral("max(%1,%2)").arg(left.text, right.text), std::max(left.value, right.value)};
    case 5: return {QStringLiteral("-(%1)").arg(left.text), -left.value};
    default:
        if (right.value == 0) return left;
        return {QStringLiteral("((%1) // (%2))").arg(left.text, right.text), std::floor(left.value / right.value)};
    }
}

} // namespace

class TestExpression : public QObject
{
    Q_OBJECT

private:
    static double value(const QString &text, const Sizes &sizes = {{QStringLiteral("rows"), 10}, {QStringLiteral("cols"), 3}})
    {
        const auto expression = Expression::parse(text);
        if (!expression) return std::nan("");
        return expression->evaluate(sizes).value_or(std::nan(""));
    }

private Q_SLOTS:
    void values_data()
    {
        QTest::addColumn<double>("expected");
        const std::pair<const char *, double> rows[] = {
            {"5*rows*cols", 150}, {"1+2*3", 7},        {"(1+2)*3", 9},      {"10-4-3", 3},      {"24/4/3", 2},
            {"rows/4", 2.5},      {"rows//4", 2},      {"-rows//4", -3},    {"rows%4", 2},      {"-7%4", 1},
            {"7%-4", -1},         {"min(rows,cols)", 3}, {"max(1, rows, cols)", 10}, {"--3", 3}, {"2.5e2", 250},
            {".5", 0.5},          {" rows ", 10},      {"max(4)", 4},       {"+3", 3},          {"(rows+31)//32*32", 32},
            {"9007199254740991//2", 4503599627370495}, {"2*-3", -6}};
        for (const auto &[text, expected] : rows) QTest::newRow(text) << expected;
    }
    void values()
    {
        QFETCH(double, expected);
        QCOMPARE(value(QString::fromLatin1(QTest::currentDataTag())), expected);
    }

    void errors_data()
    {
        QTest::addColumn<QString>("message");
        const std::pair<const char *, const char *> rows[] = {
            {"", "column 1: expected a number, a size name or \"(\", found the end"},
            {"rows +", "column 7: expected a number, a size name or \"(\", found the end"},
            {"rows cols", "column 6: expected an operator or the end, found \"c\""},
            {"(rows", "column 6: expected \")\", found the end"},
            {"max()", "column 5: expected a number, a size name or \"(\", found \")\""},
            {"sqrt(4)", "column 1: expected the function min or max, found \"s\""},
            {"min(1 2)", "column 7: expected \",\" or \")\", found \"2\""},
            {"rows ^ 2", "column 6: expected an operator or the end, found \"^\""},
            {"1.2.3", "column 4: expected an operator or the end, found \".\""}};
        for (const auto &[text, message] : rows) QTest::newRow(text) << QString::fromLatin1(message);
    }
    void errors()
    {
        QFETCH(QString, message);
        const auto expression = Expression::parse(QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY(!expression);
        QCOMPARE(expression.error().code, QStringLiteral("expression.syntax"));
        QVERIFY2(expression.error().message.endsWith(message), qPrintable(expression.error().message));
    }

    void evaluationErrors()
    {
        const Sizes sizes{{QStringLiteral("n"), 0}, {QStringLiteral("big"), 1LL << 52}};
        const auto code = [&](const char *text) { return Expression::parse(QString::fromLatin1(text))->evaluateInteger(sizes).error().code; };
        QCOMPARE(code("1/n"), QStringLiteral("expression.division_by_zero"));
        QCOMPARE(code("1//n"), QStringLiteral("expression.division_by_zero"));
        QCOMPARE(code("1%n"), QStringLiteral("expression.division_by_zero"));
        QCOMPARE(code("m"), QStringLiteral("expression.unknown_name"));
        QCOMPARE(code("big*big"), QStringLiteral("expression.overflow"));
        QCOMPARE(code("big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big*big"), QStringLiteral("expression.overflow"));
        QCOMPARE(code("1/3"), QStringLiteral("expression.not_whole"));
        QCOMPARE(Expression::parse(QStringLiteral("m"))->evaluate(sizes).error().message,
                 QStringLiteral("there is no size \"m\"; known are: big, n"));
    }

    void deepNestingIsRefused()
    {
        for (const QString &text : {QString(100'000, u'('), QString(100'000, u'-') + u'1', QStringLiteral("1") + QStringLiteral("+1").repeated(100'000)}) {
            const auto expression = Expression::parse(text);
            QVERIFY(!expression);
            QCOMPARE(expression.error().code, QStringLiteral("expression.syntax"));
        }
    }

    void namesAreSortedAndUnique()
    {
        QCOMPARE(Expression::parse(QStringLiteral("b*a + min(b, c)"))->names(),
                 QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
        QVERIFY(Expression().names().isEmpty());
        QCOMPARE(Expression().evaluateInteger({}).value(), 0);
        QCOMPARE(Expression::constant(2.5).evaluate({}).value(), 2.5);
    }

    void randomExpressionsAgreeWithTheirOrigin()
    {
        kit::RandomStream random(kit::Seed::of(1, "expressions"));
        for (int i = 0; i < 3000; ++i) {
            const Sample sample = randomExpression(random, 4);
            const double actual = value(sample.text, {{QStringLiteral("a"), 3}, {QStringLiteral("b"), 7}});
            QVERIFY2(actual == sample.value, qPrintable(QStringLiteral("%1: %2, expected %3").arg(sample.text).arg(actual).arg(sample.value)));
        }
    }

    void randomBytesNeverCrash()
    {
        kit::RandomStream random(kit::Seed::of(1, "bytes"));
        const QString alphabet = QStringLiteral("ab19.+-*/%()minax,e \u00e9");
        for (int i = 0; i < 20'000; ++i) {
            QString text;
            for (std::uint64_t length = random.below(12); length > 0; --length)
                text.append(alphabet[qsizetype(random.below(std::uint64_t(alphabet.size())))]);
            const auto expression = Expression::parse(text);
            if (expression) (void)expression->evaluate({{QStringLiteral("a"), 2}, {QStringLiteral("b"), 5}});
            else QVERIFY(expression.error().message.contains(QStringLiteral("column ")));
        }
    }
};

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
