// SPDX-License-Identifier: Apache-2.0
#include "diff/diff_rows.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestDiffRows : public QObject
{
    Q_OBJECT
    static QString lines(int count, int changed = -1)
    {
        QStringList list;
        for (int i = 0; i < count; ++i)
            list.append(i == changed ? u"changed line %1"_s.arg(i) : u"line %1"_s.arg(i));
        return list.join(u'\n');
    }

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void foldsWhatIsFarFromChanges()
    {
        const LineDiff diff = diffLines(lines(40), lines(40, 20));
        const auto rows = viewRows(diff, false, true);
        // A fold, three lines, the change, three lines, a fold.
        QCOMPARE(rows.size(), 9);
        QCOMPARE(rows.first().kind, ViewRow::Kind::Fold);
        QCOMPARE(rows.first().hidden, 17);
        QCOMPARE(rows[4].change, DiffRow::Kind::Changed);
        QCOMPARE(rows[4].hunk, 0);
        QCOMPARE(rows.last().hidden, 16);
    }
    void openedFoldShowsItsLines()
    {
        const LineDiff diff = diffLines(lines(40), lines(40, 20));
        const auto rows = viewRows(diff, false, true, {0});
        QCOMPARE(rows.size(), 9 - 1 + 17);
        QCOMPARE(rows.first().kind, ViewRow::Kind::Line);
    }
    void withoutFoldingEveryLineStands()
    {
        const LineDiff diff = diffLines(lines(40), lines(40, 20));
        QCOMPARE(viewRows(diff, false, false).size(), 40);
    }
    void unifiedShowsRemovedThenAdded()
    {
        const LineDiff diff = diffLines(u"a\nold one\nb"_s, u"a\nnew one\nb"_s);
        const auto rows = viewRows(diff, true, false);
        QCOMPARE(rows.size(), 4);
        QCOMPARE(rows[1].change, DiffRow::Kind::Removed);
        QCOMPARE(rows[1].left, 1);
        QCOMPARE(rows[1].right, -1);
        QCOMPARE(rows[2].change, DiffRow::Kind::Added);
        QCOMPARE(rows[2].right, 1);
    }
    void everyLineStandsOnceOnItsSide()
    {
        const LineDiff diff = diffLines(lines(30), u"line 0\nfresh\nline 2\n"_s + lines(25, 7));
        for (const bool unified : {false, true}) {
            QList<int> left, right;
            for (const ViewRow &row : viewRows(diff, unified, false)) {
                if (row.left >= 0 && !(unified && row.change == DiffRow::Kind::Added)) left.append(row.left);
                if (row.right >= 0 && !(unified && row.change == DiffRow::Kind::Removed)) right.append(row.right);
            }
            QCOMPARE(left.size(), diff.leftLines.size());
            QCOMPARE(right.size(), diff.rightLines.size());
            QVERIFY(std::ranges::is_sorted(left));
            QVERIFY(std::ranges::is_sorted(right));
        }
    }
    void singleTextHasNoChanges()
    {
        const auto contents = compareTexts({}, {u"a\tb\nc"_s, {}}, CodeLanguage::Plain, true);
        QVERIFY(contents.single);
        QVERIFY(contents.diff.hunks.isEmpty());
        QCOMPARE(contents.diff.rightLines.first(), u"a    b"_s); // tabs are four columns wide
    }
    static QString roleIn(const QList<SyntaxSpan> &spans, int column)
    {
        for (const SyntaxSpan &span : spans) {
            if (column >= span.start && column < span.start + span.length) return span.role;
        }
        return {};
    }
    void machineCodeIsColoured()
    {
        const auto spans = highlight({u"        /*0040*/              @!P0 IMAD.WIDE.U32 R2, R3, 0x4, c[0x0][0x210] ;  /* 0x00 */"_s,
                                      u"        /*0050*/                   S2R R0, SR_TID.X ;"_s, u"\t.headerflags\t@\"EF\""_s},
                                     CodeLanguage::Sass);
        QCOMPARE(spans.size(), 3);
        QCOMPARE(roleIn(spans[0], 10), u"syntax.comment"_s);
        QCOMPARE(roleIn(spans[0], 31), u"syntax.type"_s);
        QCOMPARE(roleIn(spans[0], 35), u"syntax.keyword"_s);
        QCOMPARE(roleIn(spans[0], 49), u"syntax.function"_s);
        QCOMPARE(roleIn(spans[0], 58), u"syntax.number"_s);
        QCOMPARE(roleIn(spans[0], 64), u"syntax.string"_s);
        QCOMPARE(roleIn(spans[1], 43), u"syntax.cuda"_s);
        QCOMPARE(roleIn(spans[2], 3), u"syntax.preprocessor"_s);
    }
    void cudaWordsAreColoured()
    {
        const auto spans =
            highlight({u"__global__ void k(const float *x) { int i = threadIdx.x; } // end"_s, u"#include <cuda.h>"_s},
                      CodeLanguage::Cuda);
        QCOMPARE(spans.size(), 2);
        const auto roleAt = [&](int line, int column) { return roleIn(spans[line], column); };
        QCOMPARE(roleAt(0, 0), u"syntax.cuda"_s);
        QCOMPARE(roleAt(0, 11), u"syntax.type"_s);
        QCOMPARE(roleAt(0, 16), u"syntax.function"_s);
        QCOMPARE(roleAt(0, 18), u"syntax.keyword"_s);
        QCOMPARE(roleAt(0, 46), u"syntax.cuda"_s);
        QCOMPARE(roleAt(0, 60), u"syntax.comment"_s);
        QCOMPARE(roleAt(1, 2), u"syntax.preprocessor"_s);
    }
};

QTEST_GUILESS_MAIN(TestDiffRows)
#include "tst_diff_rows.moc"
