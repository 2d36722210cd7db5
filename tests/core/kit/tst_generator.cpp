// SPDX-License-Identifier: Apache-2.0
#include "kit/value_generator.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <vector>

using namespace kernelskill::kit;

class TestGenerator : public QObject
{
    Q_OBJECT

private:
    static std::vector<double> draw(const ValueDistribution &distribution, std::size_t count, std::uint64_t seed = 1,
                                    Variant variant = Variant::Random, const char *dtype = "float64")
    {
        std::vector<double> values(count);
        generateDoubles(distribution, variant, *findDtype(dtype), Seed::of(seed, "test"), values.data(), 0, count, count);
        return values;
    }
    static double mean(const std::vector<double> &values, double power = 1)
    {
        double sum = 0;
        for (double value : values) sum += std::pow(value, power);
        return sum / double(values.size());
    }
    static bool near(double actual, double expected, double tolerance) { return std::abs(actual - expected) <= tolerance; }

private Q_SLOTS:
    void seedsAreDistinctByPath()
    {
        QVERIFY(Seed::of(1, "a", "bc") != Seed::of(1, "ab", "c"));
        QVERIFY(Seed::of(1, "a", "b") != Seed::of(1, "b", "a"));
        QVERIFY(Seed::of(1, "a", 1) != Seed::of(1, "a", 2));
        QVERIFY(Seed::of(1, "a") != Seed::of(2, "a"));
        QCOMPARE(Seed::of(1, "a", 3).value(), Seed::of(1, "a", 3).value());
    }

    // These figures may never change: sessions name inputs by seed.
    void goldenValues()
    {
        QCOMPARE(Seed::of(1, "x").value(), std::uint64_t(0xcddf5bbfc0002699));
        QCOMPARE(Seed::of(1, "x").bits(0), std::uint64_t(0x50a5db76a862e80d));
        const std::vector<double> normals = draw({DistributionKind::Normal, 0, 1}, 4);
        const double expected[] = {-0x1.47ce2b0b95df9p-4, 0x1.91a40562b1519p-2, 0x1.db9c2e42c3076p-3, -0x1.38bcbf0d36d63p+0};
        for (std::size_t i = 0; i < 4; ++i) QCOMPARE(std::memcmp(&normals[i], &expected[i], 8), 0);
        const std::vector<double> integers = draw({DistributionKind::Integer, -5, 5}, 8);
        QCOMPARE(integers, std::vector<double>({0, 2, 1, -4, 5, -1, 3, 1}));
        const std::vector<double> order = draw({DistributionKind::Permutation, 0, 0}, 7);
        QCOMPARE(order, std::vector<double>({3, 6, 0, 2, 5, 1, 4}));
    }

    // From a table of the normal distribution with 15 digits.
    void quantiles()
    {
        QCOMPARE(normalQuantile(0.5), 0.0);
        QVERIFY(near(normalQuantile(0.975), 1.959963984540054, 1e-14));
        QVERIFY(near(normalQuantile(0.9), 1.2815515655446004, 1e-14));
        QVERIFY(near(normalQuantile(0.001), -3.090232306167813, 1e-13));
        QVERIFY(near(normalQuantile(1e-9), -5.997807015007773, 1e-12));
        QVERIFY(near(normalQuantile(1e-15), -7.941345326170998, 1e-10));
    }

    void normalStatistics()
    {
        const std::vector<double> values = draw({DistributionKind::Normal, 3, 2}, 400'000);
        QVERIFY(near(mean(values), 3, 0.02));
        std::vector<double> centred = values;
        for (double &value : centred) value = (value - 3) / 2;
        QVERIFY(near(mean(centred, 2), 1, 0.01));
        QVERIFY(near(mean(centred, 3), 0, 0.03));
        QVERIFY(near(mean(centred, 4), 3, 0.08));
        const auto beyond = std::ranges::count_if(centred, [](double value) { return std::abs(value) > 1.959963985; });
        QVERIFY(near(double(beyond) / 400'000, 0.05, 0.002));
    }

    void otherStatistics()
    {
        const std::vector<double> uniform = draw({DistributionKind::Uniform, -1, 3}, 200'000);
        QVERIFY(near(mean(uniform), 1, 0.02));
        QVERIFY(std::ranges::min(uniform) >= -1 && std::ranges::max(uniform) <= 3);
        const std::vector<double> integers = draw({DistributionKind::Integer, 2, 4}, 90'000);
        for (double wanted : {2.0, 3.0, 4.0}) QVERIFY(near(double(std::ranges::count(integers, wanted)), 30'000, 700));
        QVERIFY(near(mean(draw({DistributionKind::Bernoulli, 0.25, 0}, 100'000)), 0.25, 0.006));
        QCOMPARE(draw({DistributionKind::Constant, 7, 0}, 3), std::vector<double>({7, 7, 7}));
    }

    void permutationsAreBijections()
    {
        for (std::size_t total : {1u, 2u, 3u, 16u, 17u, 1000u}) {
            std::vector<double> values = draw({DistributionKind::Permutation, 0, 0}, total);
            std::ranges::sort(values);
            for (std::size_t i = 0; i < total; ++i) QCOMPARE(values[i], double(i));
        }
    }

    // Cut anywhere, the pieces are the same as the whole.
    void piecesMakeTheWhole()
    {
        const Dtype &dtype = *findDtype("float32");
        for (DistributionKind kind : {DistributionKind::Normal, DistributionKind::Uniform, DistributionKind::Integer,
                                      DistributionKind::Bernoulli, DistributionKind::Permutation}) {
            const ValueDistribution distribution{kind, 0, 9};
            std::vector<float> whole(5000), pieces(5000);
            generateValues(dtype, distribution, Variant::Random, Seed(5), whole.data(), 0, 5000, 5000);
            for (std::size_t begin = 0, length = 1; begin < 5000; begin += length, length = length * 2 + 1)
                generateValues(dtype, distribution, Variant::Random, Seed(5), pieces.data() + begin, begin,
                               std::min<std::size_t>(length, 5000 - begin), 5000);
            QCOMPARE(pieces, whole);
        }
    }

    void adversarialFillsKeepBounds()
    {
        const ValueDistribution index{DistributionKind::Integer, 3, 9};
        for (Variant variant : {Variant::Zeros, Variant::Ones, Variant::Large, Variant::Tiny, Variant::Negative})
            for (double value : draw(index, 50, 1, variant)) QVERIFY(value >= 3 && value <= 9);
        const ValueDistribution normal{};
        QCOMPARE(draw(normal, 2, 1, Variant::Zeros), std::vector<double>({0, 0}));
        QCOMPARE(draw(normal, 2, 1, Variant::Ones), std::vector<double>({1, 1}));
        for (double value : draw(normal, 100, 1, Variant::Negative)) QVERIFY(value < 0);
        for (double value : draw(normal, 100, 1, Variant::Tiny)) QVERIFY(value != 0 && std::abs(value) < 1e-5);
        QVERIFY(mean(draw(normal, 1000, 1, Variant::Large), 2) > 1e5);
        for (double value : draw(normal, 1000, 1, Variant::Large, "float16")) QVERIFY(std::abs(value) < 100);
        QCOMPARE(toString(Variant::Tiny), std::string_view("tiny"));
        QVERIFY(variantFromString("large") == Variant::Large);
        QVERIFY(!variantFromString("huge"));
    }

    void sixteenMillionNormalsAreQuick()
    {
        std::vector<float> values(16 << 20);
        const std::clock_t before = std::clock(); // processor time: the machine may be busy with other tests
        generateValues(*findDtype("float32"), {}, Variant::Random, Seed(1), values.data(), 0, values.size(), values.size());
        const double seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
        qInfo("16 Mi normals in %.3f s", seconds);
        QVERIFY2(seconds < 4, "measured 0.25 s; generous for sanitizers");
    }
};

QTEST_APPLESS_MAIN(TestGenerator)
#include "tst_generator.moc"
