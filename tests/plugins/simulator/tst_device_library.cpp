// SPDX-License-Identifier: Apache-2.0
// The device library against the host's, on the simulated device.
#include "engine/device.h"
#include "simulator_test.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

using namespace kernelskill;
using namespace kernelskill::test;

namespace {

using Reference = std::function<double(double)>;

template <class T> std::vector<T> points(double low, double high)
{
    std::vector<T> values;
    constexpr int count = 2000;
    for (int i = 0; i <= count; ++i)
        values.push_back(static_cast<T>(low + (high - low) * i / count));
    return values;
}

template <class T> std::vector<T> run(simulator::Device &device, const std::string &kernel, const std::vector<T> &in)
{
    const auto bytes = in.size() * sizeof(T);
    const auto from = device.allocate(bytes, "in"), to = device.allocate(bytes, "out");
    const auto asBytes = [](const auto &value) {
        const auto *data = reinterpret_cast<const std::byte *>(&value);
        return std::vector<std::byte>(data, data + sizeof value);
    };
    if (!device.write(*from, {reinterpret_cast<const std::byte *>(in.data()), bytes})) return {};
    simulator::LaunchRequest request;
    request.kernel = kernel;
    request.grid = {static_cast<std::uint32_t>((in.size() + 127) / 128), 1, 1};
    request.block = {128, 1, 1};
    request.arguments = {asBytes(*from), asBytes(*to), asBytes(static_cast<int>(in.size()))};
    const auto report = device.launch(request);
    if (!report || !report->completed) return {};
    std::vector<T> out(in.size());
    if (!device.read(*to, {reinterpret_cast<std::byte *>(out.data()), bytes})) return {};
    (void)device.release(*from);
    (void)device.release(*to);
    return out;
}

// Largest error in units of the last place of T at the reference, or at `floor` where the reference is smaller.
// y with erfc(y) = q, by Newton's method in long double.
double erfcInverse(long double q)
{
    if (q > 1) return -erfcInverse(2 - q);
    long double y = q > 0.9L ? 0 : std::sqrt(-std::log(q));
    for (int i = 0; i < 60; ++i) {
        const long double d = (std::erfc(y) - q) / (2 / std::sqrt(std::numbers::pi_v<long double>) * std::exp(-y * y));
        y += d / (1 - y * d);
    }
    return static_cast<double>(y);
}

template <class T>
double worst(const std::vector<T> &in, const std::vector<T> &out, const Reference &reference, double floor)
{
    double result = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const double expected = reference(static_cast<double>(in[i])), actual = static_cast<double>(out[i]);
        if (std::isnan(expected) && std::isnan(actual)) continue;
        if (expected == actual) continue;
        const double unit =
            std::max(std::abs(expected), floor) * static_cast<double>(std::numeric_limits<T>::epsilon());
        const double error = std::abs(actual - expected) / unit;
        result = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(result, error);
    }
    return result;
}

} // namespace

class tst_device_library : public QObject
{
    Q_OBJECT
    simulator::Device m_device;
    std::string m_ptx;

private Q_SLOTS:
    void initTestCase()
    {
        useOwnFolders();
        const simulator::BuildProduct product =
            test::build(fixtureTask(), candidate(QStringLiteral("device_library.cu")));
        QVERIFY2(product.succeeded, qPrintable(product.log));
        QFile file(product.ptx.first());
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_ptx = file.readAll().toStdString();
        const auto kernels = m_device.loadModule(m_ptx);
        QVERIFY2(kernels.has_value(), kernels ? "" : kernels.error().message.c_str());
        QVERIFY(kernels->size() > 60);
    }

    void accuracy_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<double>("floatUnits"); // allowed error in units of the last place
        QTest::addColumn<double>("doubleUnits");
        QTest::addColumn<double>("floor"); // below this size the error is absolute
        const auto row = [](const char *name, double low, double high, double f, double d, double floor = 0) {
            QTest::newRow(name) << low << high << f << d << floor;
        };
        row("exp", -87, 88, 4, 2);
        row("exp2", -120, 120, 4, 2);
        row("exp10", -37, 38, 4, 8);
        row("expm1", -10, 10, 4, 4);
        row("log", 1e-3, 1000, 4, 2, 1e-3);
        row("log2", 1e-3, 1000, 4, 3, 1e-3);
        row("log10", 1e-3, 1000, 4, 4, 1e-3);
        row("log1p", -0.9, 20, 4, 4, 1e-3);
        row("tanh", -6, 6, 4, 4);
        row("sinh", -10, 10, 6, 6);
        row("cosh", -10, 10, 6, 6);
        row("asinh", -30, 30, 6, 6, 1e-2);
        row("acosh", 1, 30, 8, 8, 1e-1);
        row("atanh", -0.95, 0.95, 6, 6, 1e-2);
        row("erf", -4.5, 4.5, 4, 4);
        row("erfc", -3, 9, 8, 16);
        row("erfcx", -2, 40, 8, 16);
        row("erfinv", -0.999, 0.999, 6, 8);
        row("erfcinv", 1e-6, 1.9, 4, 32, 1e-2);
        row("normcdf", -8, 6, 8, 24);
        row("normcdfinv", 1e-6, 0.999, 4, 48, 1e-2);
        row("rcbrt", 0.01, 1e5, 4, 4);
        row("sinpi", -30, 30, 4, 4, 1e-2);
        row("cospi", -30, 30, 4, 4, 1e-2);
        row("j0", 0, 20, 1, 2);
        row("y1", 0.1, 20, 1, 2);
        row("jn", 0, 20, 1, 2);
        row("i0", -20, 20, 1, 8);
        row("pow_int", -20, 20, 1, 2);
        row("copysign", -3, 3, 0, 0);
        row("sin", -40, 40, 4, 4, 1e-2);
        row("cos", -40, 40, 4, 4, 1e-2);
        row("tan", -1.4, 1.4, 6, 6);
        row("asin", -1, 1, 6, 6, 1e-2);
        row("acos", -1, 1, 6, 6, 1e-1);
        row("atan", -30, 30, 4, 4);
        row("sqrt", 0, 100, 0.51, 0.51);
        row("rsqrt", 0.01, 100, 3, 2);
        row("cbrt", -100, 100, 4, 4);
        row("lgamma", -3.7, 40, 16, 16, 1);
        row("tgamma", 0.1, 30, 16, 24);
        row("round", -10, 10, 0, 0);
        row("floor", -10, 10, 0, 0);
        row("rint", -10, 10, 0, 0);
        row("pow", 0.01, 50, 8, 8);
        row("fmod", -50, 50, 0, 0);
        row("atan2", -5, 5, 4, 4);
    }

    void accuracy()
    {
        const std::string name = QTest::currentDataTag();
        static const std::map<std::string, Reference> references{
            {"exp", [](double x) { return std::exp(x); }},         {"exp2", [](double x) { return std::exp2(x); }},
            {"exp10", [](double x) { return std::pow(10.0, x); }}, {"expm1", [](double x) { return std::expm1(x); }},
            {"log", [](double x) { return std::log(x); }},         {"log2", [](double x) { return std::log2(x); }},
            {"log10", [](double x) { return std::log10(x); }},     {"log1p", [](double x) { return std::log1p(x); }},
            {"tanh", [](double x) { return std::tanh(x); }},       {"sinh", [](double x) { return std::sinh(x); }},
            {"cosh", [](double x) { return std::cosh(x); }},       {"asinh", [](double x) { return std::asinh(x); }},
            {"acosh", [](double x) { return std::acosh(x); }},     {"atanh", [](double x) { return std::atanh(x); }},
            {"erf", [](double x) { return std::erf(x); }},         {"erfc", [](double x) { return std::erfc(x); }},
            {"sin", [](double x) { return std::sin(x); }},         {"cos", [](double x) { return std::cos(x); }},
            {"tan", [](double x) { return std::tan(x); }},         {"asin", [](double x) { return std::asin(x); }},
            {"acos", [](double x) { return std::acos(x); }},       {"atan", [](double x) { return std::atan(x); }},
            {"sqrt", [](double x) { return std::sqrt(x); }},       {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
            {"cbrt", [](double x) { return std::cbrt(x); }},       {"lgamma", [](double x) { return std::lgamma(x); }},
            {"tgamma", [](double x) { return std::tgamma(x); }},   {"round", [](double x) { return std::round(x); }},
            {"floor", [](double x) { return std::floor(x); }},     {"rint", [](double x) { return std::rint(x); }},
            {"erfcx", [](double x) { return static_cast<double>(std::exp(static_cast<long double>(x) * x) * std::erfc(static_cast<long double>(x))); }},
            {"erfinv", [](double x) { return x < 0 ? -erfcInverse(1 + static_cast<long double>(x)) : erfcInverse(1 - static_cast<long double>(x)); }},
            {"erfcinv", [](double x) { return erfcInverse(x); }},  {"normcdf", [](double x) { return static_cast<double>(std::erfc(-x * std::sqrt(0.5L)) / 2); }},
            {"normcdfinv", [](double x) { return -std::sqrt(2.0) * erfcInverse(2 * x); }},
            {"rcbrt", [](double x) { return 1 / std::cbrt(x); }},  {"sinpi", [](double x) { return static_cast<double>(std::sin(std::numbers::pi_v<long double> * x)); }},
            {"cospi", [](double x) { return static_cast<double>(std::cos(std::numbers::pi_v<long double> * x)); }},
            {"j0", [](double x) { return ::j0(x); }},              {"y1", [](double x) { return ::y1(x); }},
            {"jn", [](double x) { return ::jn(3, x); }},           {"i0", [](double x) { return std::cyl_bessel_i(0.0, std::abs(x)); }},
            {"pow_int", [](double x) { return x * x * x; }},       {"copysign", [](double x) { return -std::abs(x); }},
        };
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, floatUnits);
        QFETCH(double, doubleUnits);
        QFETCH(double, floor);
        Reference forFloat, forDouble;
        if (name == "pow") {
            forFloat = [](double x) { return std::pow(x, double(2.7f)); };
            forDouble = [](double x) { return std::pow(x, 2.7); };
        } else if (name == "fmod") {
            forFloat = [](double x) { return std::fmod(x, double(0.7f)); };
            forDouble = [](double x) { return std::fmod(x, 0.7); };
        } else if (name == "atan2") {
            forFloat = [](double x) { return std::atan2(x, double(-0.3f)); };
            forDouble = [](double x) { return std::atan2(x, -0.3); };
        } else {
            forFloat = forDouble = references.at(name);
        }
        const auto floats = points<float>(low, high);
        const auto floatResults = run(m_device, "f_" + name, floats);
        QCOMPARE(floatResults.size(), floats.size());
        const double floatError = worst(floats, floatResults, forFloat, floor);
        QVERIFY2(floatError <= floatUnits, qPrintable(QStringLiteral("float: %1 units").arg(floatError)));
        const auto doubles = points<double>(low, high);
        const auto doubleResults = run(m_device, "d_" + name, doubles);
        QCOMPARE(doubleResults.size(), doubles.size());
        const double doubleError = worst(doubles, doubleResults, forDouble, floor);
        QVERIFY2(doubleError <= doubleUnits, qPrintable(QStringLiteral("double: %1 units").arg(doubleError)));
    }

    void specialValues()
    {
        const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> in{0.0f, -0.0f, inf, -inf, nan, -1.0f, 1e-40f, 3e38f};
        const auto e = run(m_device, "f_exp", in);
        QCOMPARE(e[0], 1.0f);
        QCOMPARE(e[2], inf);
        QCOMPARE(e[3], 0.0f);
        QVERIFY(std::isnan(e[4]));
        QCOMPARE(e[7], inf);
        const auto l = run(m_device, "f_log", in);
        QCOMPARE(l[0], -inf);
        QCOMPARE(l[2], inf);
        QVERIFY(std::isnan(l[4]) && std::isnan(l[5]));
        QVERIFY(std::abs(l[6] - std::log(1e-40f)) < 1e-4f);
        const auto t = run(m_device, "f_tanh", in);
        QCOMPARE(t[2], 1.0f);
        QCOMPARE(t[3], -1.0f);
        QVERIFY(std::isnan(t[4]));
        const auto g = run(m_device, "f_erf", in);
        QCOMPARE(g[2], 1.0f);
        QCOMPARE(g[3], -1.0f);
        QVERIFY(std::isnan(g[4]));
    }

    void whatIsNoNumberStaysNone()
    {
        const auto f = run(m_device, "f_hypot_nan", std::vector<float>{0.0f, 1.0f, std::numeric_limits<float>::infinity()});
        const auto d = run(m_device, "d_hypot_nan", std::vector<double>{0.0, -1.0, std::numeric_limits<double>::infinity()});
        QVERIFY(std::isnan(f[0]) && std::isnan(f[1]) && std::isinf(f[2]));
        QVERIFY(std::isnan(d[0]) && std::isnan(d[1]) && std::isinf(d[2]));
    }

    void lengthsAndQuotients()
    {
        QCOMPARE(run(m_device, "d_norm", std::vector<double>{2.0, -3.0, 6.0})[0], 7.0);
        QVERIFY(std::abs(run(m_device, "f_norm", std::vector<float>{2.0f, -3.0f, 6.0f})[0] - 1.0f) < 1e-6f);
        const std::vector<double> in{0.1, 0.5, -0.5, 1.5, -1.5, 5.3, -5.3, 70.1, 1234.56};
        const auto q = run(m_device, "d_quotient", in);
        for (std::size_t i = 0; i < in.size(); ++i) {
            int expected = 0;
            std::remquo(in[i], 0.7, &expected);
            QCOMPARE(static_cast<int>(q[i]) % 8, expected % 8);
        }
    }

    void halvesHaveAGreatestAndALeast()
    {
        const auto inf = static_cast<_Float16>(std::numeric_limits<float>::infinity());
        const auto nan = static_cast<_Float16>(std::numeric_limits<float>::quiet_NaN());
        const std::vector<_Float16> values{-inf, -65504.0f16, -2.5f16, -0.25f16, -6e-8f16, 0.0f16, 6e-8f16, 1.5f16, 1.25f16, 65504.0f16, inf, nan};
        std::vector<float> pairs;
        std::vector<std::pair<_Float16, _Float16>> halves;
        for (const _Float16 low : values) {
            for (const _Float16 high : values) {
                halves.emplace_back(low, high);
                pairs.push_back(std::bit_cast<float>(std::array{low, high}));
            }
        }
        // of a number and a NaN the number
        const auto greatest = [](_Float16 a, _Float16 b) { return b != b || a > b ? a : a != a ? b : std::max(a, b); };
        const auto least = [](_Float16 a, _Float16 b) { return b != b || a < b ? a : a != a ? b : std::min(a, b); };
        const auto same = [](_Float16 a, _Float16 b) { return a == b || (a != a && b != b); };
        const auto most = run(m_device, "f_halves_max", pairs), few = run(m_device, "f_halves_min", pairs);
        const auto one = run(m_device, "f_half_max", pairs), other = run(m_device, "f_half_min", pairs);
        QVERIFY(most.size() == pairs.size() && few.size() == pairs.size() && one.size() == pairs.size() && other.size() == pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto [low, high] = halves[i];
            const auto up = std::bit_cast<std::array<_Float16, 2>>(most[i]), down = std::bit_cast<std::array<_Float16, 2>>(few[i]);
            QVERIFY(same(up[0], greatest(low, 1.5f16)) && same(up[1], greatest(high, -0.25f16)));
            QVERIFY(same(down[0], least(low, 1.5f16)) && same(down[1], least(high, -0.25f16)));
            QVERIFY(same(static_cast<_Float16>(one[i]), greatest(low, high)) && same(static_cast<_Float16>(other[i]), least(low, high)));
        }
    }

    // As on the machine: what is taken apart needs twice the registers and instructions.
    void pairsOfHalvesStayInOneRegister()
    {
        const std::size_t begin = m_ptx.find(".entry f_halves_max"), end = m_ptx.find("ret;", begin);
        QVERIFY(begin != std::string::npos && end != std::string::npos);
        const std::string kernel = m_ptx.substr(begin, end - begin);
        QVERIFY(kernel.find("max.f16x2") != std::string::npos);
        QVERIFY(kernel.find("mov.b32 \t{%rs") == std::string::npos);
    }

    void fastFunctionsAreClose()
    {
        const auto x = points<float>(-5, 5);
        const auto e = run(m_device, "f_fast_exp", x);
        for (std::size_t i = 0; i < x.size(); ++i)
            QVERIFY(std::abs(e[i] / std::exp(x[i]) - 1) < 2e-6f);
        const auto s = run(m_device, "f_std_exp", x);
        for (std::size_t i = 0; i < x.size(); ++i)
            QVERIFY(std::abs(s[i] / std::exp(x[i]) - 1) < 5e-7f);
        const auto m = run(m_device, "f_std_max", x);
        for (std::size_t i = 0; i < x.size(); ++i)
            QCOMPARE(m[i], std::max(x[i], 1.0f) + std::min(x[i], 0.5f));
    }
};

QTEST_GUILESS_MAIN(tst_device_library)
#include "tst_device_library.moc"
