// SPDX-License-Identifier: Apache-2.0
#include "kit/compare.h"
#include "kit/dtypes.h"
#include "kit/json_lines.h"
#include "kit/poison.h"
#include "kit/statistics.h"
#include "kit/usable_cores.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>
#include <unistd.h>
#include <vector>

using namespace kernelskill::kit;

class TestKit : public QObject
{
    Q_OBJECT

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    static Comparison compare(const std::vector<float> &actual, const std::vector<double> &expected,
                              CompareTolerance tolerance = {1e-5, 1e-4})
    {
        return compareOutput(*findDtype("float32"), actual.data(), expected.data(), actual.size(), tolerance);
    }

private Q_SLOTS:
    void halvesRoundTrip()
    {
        for (unsigned bits = 0; bits < 65536; ++bits) {
            const double half = float16ToDouble(std::uint16_t(bits)), brain = bfloat16ToDouble(std::uint16_t(bits));
            if (!std::isnan(half)) QCOMPARE(float16FromDouble(half), std::uint16_t(bits));
            if (!std::isnan(brain)) QCOMPARE(bfloat16FromDouble(brain), std::uint16_t(bits));
        }
    }

    void halvesRoundToEven()
    {
        QCOMPARE(float16FromDouble(1.0), std::uint16_t(0x3c00));
        QCOMPARE(float16FromDouble(1.0 + 0x1p-11), std::uint16_t(0x3c00));                // tie, to even
        QCOMPARE(float16FromDouble(1.0 + 3 * 0x1p-11), std::uint16_t(0x3c02));            // tie, to even
        QCOMPARE(float16FromDouble(1.0 + 0x1p-11 + 0x1p-40), std::uint16_t(0x3c01));      // float would have lost the rest
        QCOMPARE(float16FromDouble(65519.99), std::uint16_t(0x7bff));
        QCOMPARE(float16FromDouble(65520), std::uint16_t(0x7c00));                        // infinity
        QCOMPARE(float16FromDouble(0x1p-24), std::uint16_t(0x0001));                      // smallest subnormal
        QCOMPARE(float16FromDouble(0x1p-25), std::uint16_t(0x0000));
        QCOMPARE(float16FromDouble(0x1.8p-25), std::uint16_t(0x0001));
        QCOMPARE(float16FromDouble(-0.0), std::uint16_t(0x8000));
        QCOMPARE(bfloat16FromDouble(1.0), std::uint16_t(0x3f80));
        QCOMPARE(bfloat16FromDouble(3.4e38), std::uint16_t(0x7f80));
        QVERIFY(std::isnan(float16ToDouble(float16FromDouble(nan))));
    }

    void integersSaturate()
    {
        const double source[] = {300, -300, nan, 2.5, 3.5};
        std::int8_t target[5];
        findDtype("int8")->fromDouble(source, target, 5);
        QCOMPARE(int(target[0]), 127);
        QCOMPARE(int(target[1]), -128);
        QCOMPARE(int(target[2]), 0);
        QCOMPARE(int(target[3]), 2);
        QCOMPARE(int(target[4]), 4);
        const double large = 1e30;
        std::int64_t wide;
        findDtype("int64")->fromDouble(&large, &wide, 1);
        QCOMPARE(wide, std::numeric_limits<std::int64_t>::max());
    }

    void registryIsOpen()
    {
        QCOMPARE(dtypeNames().size(), std::size_t(9));
        QVERIFY(!findDtype("float8"));
        Dtype extra = *findDtype("uint8");
        QVERIFY(!registerDtype(extra)); // the name is taken
        extra.name = "float8";
        QVERIFY(registerDtype(extra));
        QCOMPARE(findDtype("float8")->bytes, std::size_t(1));
    }

    void equalOutputsPass()
    {
        const Comparison result = compare({1, 2, 3}, {1, 2, 3});
        QVERIFY(result.passed());
        QCOMPARE(result.relativeErrorNorm, 0.0);
    }

    void toleranceIsAbsolutePlusRelative()
    {
        QVERIFY(compare({100.005f}, {100}).passed());   // 1e-5 + 1e-2
        QVERIFY(!compare({100.02f}, {100}).passed());
        QVERIFY(compare({0.000009f}, {0}).passed());
        QVERIFY(!compare({0.00002f}, {0}).passed());
    }

    void worstElementIsReported()
    {
        const Comparison result = compare({1, 5, 3, 30}, {1, 2, 3, 4});
        QCOMPARE(result.mismatches, std::size_t(2));
        QCOMPARE(result.worst, std::size_t(3));
        QCOMPARE(result.worstExpected, 4.0);
        QCOMPARE(result.worstActual, 30.0);
        QCOMPARE(result.relativeErrorNorm, std::sqrt((9.0 + 676.0) / 30.0));
        QCOMPARE(QByteArray(result.describe().c_str()),
                 QByteArray("2 of 4 differ, worst at 3: expected 4, found 30 (relative error norm 4.78)"));
    }

    void cancellationIsNoLackOfPrecision()
    {
        PooledError pooled;
        QCOMPARE(pooled.relativeNorm(), 0.0);
        const Comparison small = compare({0.25f}, {0.125}), large = compare({300.5f}, {300});
        QCOMPARE(small.relativeErrorNorm, 1.0);
        pooled.add(small);
        QCOMPARE(pooled.relativeNorm(), 1.0);
        pooled.add(large);
        QCOMPARE(pooled.relativeNorm(), std::sqrt((0.015625 + 0.25) / (0.015625 + 90000)));
    }

    void specialValues()
    {
        const float inf = std::numeric_limits<float>::infinity(), missing = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(compare({missing, inf, -inf}, {nan, infinity, -infinity}).passed());
        QCOMPARE(compare({0, 1, inf, -inf}, {nan, infinity, 0, infinity}).mismatches, std::size_t(4));
        QCOMPARE(compare({missing}, {1}).worstExcess, infinity);
        QVERIFY(compare({inf}, {1e39}).passed());       // beyond float
        QVERIFY(!compare({-inf}, {1e39}).passed());
        QVERIFY(!compare({inf}, {1e38}).passed());
    }

    void integersMustBeEqual()
    {
        const std::int32_t actual[] = {1'000'000, 1'000'001};
        const double expected[] = {1'000'000, 1'000'000};
        QCOMPARE(compareOutput(*findDtype("int32"), actual, expected, 2, {1, 1}).mismatches, std::size_t(1));
    }

    void absoluteToleranceScales()
    {
        QVERIFY(!compare({1e6f, 5}, {1e6, 0}, {1e-5, 0}).passed());
        QVERIFY(compare({1e6f, 5}, {1e6, 0}, {1e-5, 0, true}).passed()); // rms is 7e5
    }

    void poisonShowsWhatWasNotWritten()
    {
        for (const char *name : {"float64", "float32", "float16", "bfloat16", "int32", "int64"}) {
            const Dtype &dtype = *findDtype(name);
            std::vector<std::byte> buffer(100 * dtype.bytes);
            poison(dtype, Seed(3), buffer.data(), 100);
            QCOMPARE(unwritten(dtype, Seed(3), buffer.data(), 100).count, std::size_t(100));
            std::vector<double> values(100);
            dtype.toDouble(buffer.data(), values.data(), 100);
            if (dtype.isFloating)
                for (double value : values) QVERIFY(std::isnan(value));
            const std::vector<double> ones(100, 1.0);
            dtype.fromDouble(ones.data(), buffer.data(), 40);
            dtype.fromDouble(ones.data(), buffer.data() + 41 * dtype.bytes, 59);
            const Unwritten left = unwritten(dtype, Seed(3), buffer.data(), 100);
            QCOMPARE(left.count, std::size_t(1));
            QCOMPARE(left.first, std::size_t(40));
        }
    }

    void bytesNeedTwoRuns()
    {
        const Dtype &dtype = *findDtype("uint8");
        std::vector<unsigned char> first(4096), second(4096);
        poison(dtype, Seed(1), first.data(), first.size());
        poison(dtype, Seed(2), second.data(), second.size());
        const std::vector<unsigned char> result(4095, 77); // all but the last are written
        std::copy(result.begin(), result.end(), first.begin());
        std::copy(result.begin(), result.end(), second.begin());
        QVERIFY(unwritten(dtype, Seed(1), first.data(), first.size()).count > 1); // chance hits
        const Unwritten left = unwrittenInBoth(dtype, Seed(1), first.data(), Seed(2), second.data(), first.size());
        QVERIFY(left.count >= 1 && left.count <= 3);
    }

    void canariesBreak()
    {
        std::vector<unsigned char> guard(333);
        writeCanary(Seed(9), guard.data(), guard.size());
        QVERIFY(!brokenCanary(Seed(9), guard.data(), guard.size()));
        guard[200] ^= 1;
        QCOMPARE(brokenCanary(Seed(9), guard.data(), guard.size()).value(), std::size_t(200));
    }

    void medians()
    {
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 3, 2}), 2.5);
        QVERIFY(std::isnan(median({})));
    }

    void bootstrapIntervals()
    {
        std::vector<double> samples;
        for (int i = 0; i < 101; ++i) samples.push_back(100 + i % 11);
        const Range range = medianInterval(samples, Seed(1));
        QVERIFY(range.low <= 105 && range.high >= 105 && range.low >= 103 && range.high <= 107);
        const Range again = medianInterval(samples, Seed(1));
        QCOMPARE(again.low, range.low);
        QCOMPARE(again.high, range.high);
        const Range point = medianInterval({5}, Seed(1));
        QCOMPARE(point.low, 5.0);
        QCOMPARE(point.high, 5.0);
        const Range ratio = medianRatioInterval({20, 20, 20}, {10, 10, 10}, Seed(1));
        QCOMPARE(ratio.low, 2.0);
        QCOMPARE(ratio.high, 2.0);
    }

    void geometricMeans()
    {
        QCOMPARE(weightedGeometricMean({2, 8}, {1, 1}), 4.0);
        QVERIFY(std::abs(weightedGeometricMean({2, 8}, {3, 1}) - std::pow(2.0, 1.5)) < 1e-12);
        QVERIFY(std::isnan(weightedGeometricMean({}, {})));
        QVERIFY(std::isnan(weightedGeometricMean({1, -1}, {1, 1})));
    }

    void abbaIsBalanced()
    {
        QCOMPARE(abbaOrder(4), std::vector<bool>({false, true, true, false, false, true, true, false}));
        QVERIFY(abbaOrder(0).empty());
    }

    void linesAreCutWhereverTheyBreak()
    {
        JsonLineSplitter splitter;
        const std::string stream = "{\"a\": 1}\n\n{\"b\": \"two\\n\"}\n";
        std::vector<nlohmann::json> found;
        for (char c : stream) {
            splitter.feed({&c, 1});
            while (auto object = splitter.next()) found.push_back(*object);
        }
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found[1]["b"].get<std::string>(), std::string("two\n"));
        QVERIFY(splitter.error().empty());
    }

    void brokenLinesEndTheStream()
    {
        JsonLineSplitter splitter;
        splitter.feed("{\"a\": 1}\nnonsense\n{\"b\": 2}\n");
        QVERIFY(splitter.next().has_value());
        QVERIFY(!splitter.next().has_value());
        QCOMPARE(splitter.error(), std::string("line 2: expected one JSON object, found \"nonsense\""));
        QVERIFY(!splitter.next().has_value());
    }

    void longLinesAreRefused()
    {
        JsonLineSplitter splitter(100);
        splitter.feed(std::string(101, ' '));
        QVERIFY(!splitter.next().has_value());
        QCOMPARE(splitter.error(), std::string("line 1: longer than 100 bytes"));
    }

    void channelsSpeakToEachOther()
    {
        int ends[2];
        QCOMPARE(pipe(ends), 0);
        JsonLineChannel channel(ends[0], ends[1]);
        QVERIFY(channel.sendHello("worker"));
        QVERIFY(channel.send({{"text", "\xff broken"}})); // no exception for bytes that are no UTF-8
        const auto hello = channel.receive();
        QVERIFY(hello && !refusedHello(*hello));
        QVERIFY(channel.receive().has_value());
        close(ends[1]);
        QVERIFY(!channel.receive().has_value());
        QVERIFY(channel.error().empty());
        close(ends[0]);
        QCOMPARE(refusedHello({{"hello", "x"}, {"protocol", 9}}).value(), std::string("it speaks protocol 9, expected 1"));
    }

    void coresOfControlGroupsAreTheTightestQuota()
    {
        const QTemporaryDir folder;
        const auto write = [&](const QString &path, const QByteArray &text) {
            QVERIFY(QDir(folder.path()).mkpath(QFileInfo(path).path()));
            QFile file(folder.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        const std::string root = folder.path().toStdString();
        write(QStringLiteral("free/cpu.max"), "max 100000\n");
        write(QStringLiteral("four/cpu.max"), "400000 100000\n");
        write(QStringLiteral("four/inner/cpu.max"), "max 100000\n");
        write(QStringLiteral("four/two/cpu.max"), "250000 100000\n");
        write(QStringLiteral("tiny/cpu.max"), "20000 100000\n");
        write(QStringLiteral("cpu/old/cpu.cfs_quota_us"), "300000\n");
        write(QStringLiteral("cpu/old/cpu.cfs_period_us"), "100000\n");
        write(QStringLiteral("cpu/open/cpu.cfs_quota_us"), "-1\n");
        write(QStringLiteral("cpu/open/cpu.cfs_period_us"), "100000\n");
        QCOMPARE(coresOfControlGroups("0::/free\n", root), 0);
        QCOMPARE(coresOfControlGroups("0::/four/inner\n", root), 4); // of the group above
        QCOMPARE(coresOfControlGroups("0::/four/two\n", root), 2);   // whole cores
        QCOMPARE(coresOfControlGroups("0::/tiny\n", root), 1);
        QCOMPARE(coresOfControlGroups("0::/not/there\n", root), 0);
        QCOMPARE(coresOfControlGroups("3:cpuset:/four\n4:cpu,cpuacct:/old\n", root), 3);
        QCOMPARE(coresOfControlGroups("4:cpu,cpuacct:/open\n", root), 0);
        QCOMPARE(coresOfControlGroups("garbage\n", root), 0);
        write(QStringLiteral("cpu.max"), "200000 100000\n"); // a container sees its own group as the root
        QCOMPARE(coresOfControlGroups("0::/\n", root), 2);
        QVERIFY(usableCores() >= 1);
    }

    void aReaderThatHasGoneDoesNotKill()
    {
        int ends[2];
        QCOMPARE(pipe(ends), 0);
        close(ends[0]);
        JsonLineChannel channel(-1, ends[1]);
        QVERIFY(!channel.send({{"a", 1}}));
        close(ends[1]);
    }
};

QTEST_APPLESS_MAIN(TestKit)
#include "tst_kit.moc"
