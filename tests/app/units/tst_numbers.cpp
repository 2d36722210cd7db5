// SPDX-License-Identifier: Apache-2.0
#include "settings/numbers.h"

#include <QTest>

using namespace Qt::StringLiterals;
using namespace kernelskill;

class TestNumbers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(); }
    void thousandsAndMinus()
    {
        QCOMPARE(numbers::fixed(1214, 0), u"1\u202F214"_s);
        QCOMPARE(numbers::fixed(1234567.5, 1), u"1\u202F234\u202F567.5"_s);
        QCOMPARE(numbers::fixed(-74, 0), u"\u221274"_s);
        QCOMPARE(numbers::fixed(-0.001, 1), u"0.0"_s);
        QCOMPARE(numbers::fixed(999, 0), u"999"_s);
    }
    void speedups_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("below two") << 1.424 << u"1.42×"_s;
        QTest::newRow("one") << 1.0 << u"1.00×"_s;
        QTest::newRow("below a hundred") << 12.63 << u"12.6×"_s;
        QTest::newRow("above") << 120.4 << u"120×"_s;
    }
    void speedups()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(numbers::speedupValue(value), text);
    }
    void fullForm()
    {
        QCOMPARE(numbers::speedupFull({12.6, {11.2, 14.2}, TimeKind::Modelled}, u"verified"_s),
                 u"12.6× [11.2, 14.2] modelled, verified"_s);
        QCOMPARE(numbers::bounds({0.96, 1.31}), u"[0.96, 1.31]"_s);
        QCOMPARE(numbers::halfWidth({12.6, {11.2, 14.2}, TimeKind::Modelled}), u"±1.6"_s); // the larger half
    }
    void unitsAndChanges()
    {
        QCOMPARE(numbers::duration_us(96.34), u"96.3\u202Fµs"_s);
        QCOMPARE(numbers::duration_us(12'400), u"12.4\u202Fms"_s);
        QCOMPARE(numbers::withUnit(83, u"%"_s), u"83\u202F%"_s);
        QCOMPARE(numbers::change(7.9, 10.2), u"7.9 → 10.2"_s);
        QCOMPARE(numbers::change(58.8, 83.0, u"%"_s), u"58.8 → 83\u202F%"_s);
        QCOMPARE(numbers::change(std::nullopt, 83.0, u"%"_s), u"no counter → 83\u202F%"_s);
        QCOMPARE(numbers::change(std::nullopt, std::nullopt), u"no counter"_s);
        QCOMPARE(numbers::compactChange(58.8, 83.3, u"%"_s), u"59 → 83\u202F%"_s);
        QCOMPARE(numbers::metricValue(268435456, u"bytes"_s), u"256\u202FMiB"_s);
    }
    void timesAndPromises()
    {
        QCOMPARE(numbers::elapsed_s(401), u"6:41"_s);
        QCOMPARE(numbers::elapsed_s(3661), u"1:01:01"_s);
        QCOMPARE(numbers::money(0.38), u"$0.38"_s);
        QCOMPARE(numbers::promise(u"at most 40"_s), u"≤ 40"_s);
        QCOMPARE(numbers::promise(u"lower"_s), u"lower"_s);
    }
};

QTEST_GUILESS_MAIN(TestNumbers)
#include "tst_numbers.moc"
