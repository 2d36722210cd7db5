// SPDX-License-Identifier: Apache-2.0
#include "diff/line_diff.h"

#include <QTest>

#include <rapidcheck.h>

using namespace kernelskill;
using Kind = DiffRow::Kind;

class TestLineDiff : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void equalTexts();
    void oneChangedWord();
    void likeLinesArePaired();
    void addedAndRemoved();
    void emptyTexts();
    void tooLarge();
    void rowsCoverBothTexts();
};

namespace {

// "= 0 0", "~ 1 1", "- 2 .", "+ . 2"
QStringList shape(const LineDiff &diff)
{
    QStringList rows;
    for (const DiffRow &row : diff.rows) {
        const char *sign = row.kind == Kind::Same      ? "="
                           : row.kind == Kind::Changed ? "~"
                           : row.kind == Kind::Added   ? "+"
                                                       : "-";
        rows.append(QStringLiteral("%1%2|%3").arg(QLatin1String(sign)).arg(row.left).arg(row.right));
    }
    return rows;
}

QString marked(const QString &line, const QList<WordRange> &ranges)
{
    QStringList words;
    for (const WordRange &range : ranges)
        words.append(line.mid(range.start, range.length));
    return words.join(u'/');
}

} // namespace

void TestLineDiff::equalTexts()
{
    const LineDiff diff = diffLines("a\nb\n", "a\nb");
    QCOMPARE(shape(diff), QStringList({"=0|0", "=1|1"}));
    QVERIFY(diff.hunks.isEmpty());
    QVERIFY(!diff.coarse);
}

void TestLineDiff::oneChangedWord()
{
    const LineDiff diff = diffLines("head\n  float sum = 0.0f;\ntail\n", "head\n  float total = 0.0f;\ntail\n");
    QCOMPARE(shape(diff), QStringList({"=0|0", "~1|1", "=2|2"}));
    QCOMPARE(diff.hunks, (QList<QPair<int, int>>{{1, 1}}));
    const DiffRow &row = diff.rows[1];
    QCOMPARE(marked(diff.leftLines[1], row.leftWords), QString("sum"));
    QCOMPARE(marked(diff.rightLines[1], row.rightWords), QString("total"));
}

void TestLineDiff::likeLinesArePaired()
{
    const LineDiff diff = diffLines("int i = threadIdx.x;\ny[i] = x[i];\n",
                                    "// one element a thread\nint i = threadIdx.x + blockIdx.x;\ny[i] = 2 * x[i];\n");
    QCOMPARE(shape(diff), QStringList({"+-1|0", "~0|1", "~1|2"}));
    QCOMPARE(diff.hunks, (QList<QPair<int, int>>{{0, 3}}));
    QCOMPARE(marked(diff.rightLines[2], diff.rows[2].rightWords), QString("2 * "));
}

void TestLineDiff::addedAndRemoved()
{
    QCOMPARE(shape(diffLines("a\nb\nc", "a\nc")), QStringList({"=0|0", "-1|-1", "=2|1"}));
    QCOMPARE(shape(diffLines("a\nc", "a\nb\nc")), QStringList({"=0|0", "+-1|1", "=1|2"}));
    QCOMPARE(shape(diffLines("alpha beta", "x y z")), QStringList({"-0|-1", "+-1|0"}));
}

void TestLineDiff::emptyTexts()
{
    QVERIFY(diffLines("", "").rows.isEmpty());
    QCOMPARE(shape(diffLines("", "a")), QStringList({"+-1|0"}));
    QCOMPARE(shape(diffLines("a\r\n", "a\n")), QStringList({"=0|0"}));
}

void TestLineDiff::tooLarge()
{
    const QString left = QStringLiteral("a\n").repeated(12), right = QStringLiteral("a\n").repeated(11);
    const LineDiff diff = diffLines(left, right, 10);
    QVERIFY(diff.coarse);
    QCOMPARE(diff.rows.size(), 23);
    QVERIFY(!diffLines(left, left, 10).coarse);
}

void TestLineDiff::rowsCoverBothTexts()
{
    const bool holds = rc::check("every line stands in one row, in order; equal rows are equal", [] {
        const auto text = [] {
            QString result;
            for (const int value : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6))) {
                result += QStringLiteral("line %1 of %2\n").arg(value % 3).arg(value);
            }
            return result;
        };
        const LineDiff diff = diffLines(text(), text());
        int left = 0, right = 0;
        for (const DiffRow &row : diff.rows) {
            if (row.left >= 0) RC_ASSERT(row.left == left++);
            if (row.right >= 0) RC_ASSERT(row.right == right++);
            if (row.kind == Kind::Same) RC_ASSERT(diff.leftLines[row.left] == diff.rightLines[row.right]);
            if (row.kind == Kind::Changed) RC_ASSERT(!row.leftWords.isEmpty() || !row.rightWords.isEmpty());
        }
        RC_ASSERT(left == diff.leftLines.size());
        RC_ASSERT(right == diff.rightLines.size());
        int changed = 0, inHunks = 0;
        for (const DiffRow &row : diff.rows)
            changed += row.kind != Kind::Same;
        for (const auto &[first, count] : diff.hunks)
            inHunks += count;
        RC_ASSERT(changed == inHunks);
    });
    QVERIFY(holds);
}

QTEST_APPLESS_MAIN(TestLineDiff)
#include "tst_line_diff.moc"
