// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of every shape and type. The fragments' layouts are written down here as the PTX ISA tabulates them, by
// lane and element; products of small whole numbers are exact in every format.
#include "engine_fixture.h"

#include <bit>
#include <functional>
#include <map>

using namespace kernelskill::simulator;

class EngineMatrices : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void products_data();
    void products();
    void saturation();
    void quadPairs_data();
    void quadPairs();
    void transposedInRegisters();
    void wmmaOfBytes_data();
    void wmmaOfBytes();
    void wmmaOfDoubles();
    void warpgroupProducts_data();
    void warpgroupProducts();
    void warpgroupWithRegisters();
};

namespace {

std::uint32_t half(int value) { // small whole numbers
    if (value == 0) return 0;
    const auto magnitude = static_cast<std::uint32_t>(std::abs(value));
    const int exponent = 31 - std::countl_zero(magnitude);
    return static_cast<std::uint32_t>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10) | (magnitude << (10 - exponent) & 0x3ffu);
}

struct Element { int bits, low, high; }; // values from low to high
const std::map<std::string, Element> elements{{"s8", {8, -5, 5}}, {"u8", {8, 0, 9}}, {"s4", {4, -8, 7}}, {"u4", {4, 0, 15}}, {"b1", {1, 0, 1}}, {"e4m3", {8, -3, 3}}, {"e5m2", {8, -3, 3}},
                                              {"f16", {16, -4, 4}}, {"bf16", {16, -4, 4}}, {"tf32", {32, -4, 4}}, {"f64", {64, -4, 4}}};

std::uint64_t encode(const std::string &type, int value) {
    const Element &e = elements.at(type);
    if (type == "f16") return half(value);
    if (type == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    if (type == "tf32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (type == "f64") return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    if (type == "e4m3" || type == "e5m2") {
        static constexpr std::uint64_t e4m3[] = {0, 0x38, 0x40, 0x44}, e5m2[] = {0, 0x3c, 0x40, 0x42};
        return (value < 0 ? 0x80u : 0u) | (type == "e4m3" ? e4m3 : e5m2)[std::abs(value)];
    }
    return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << e.bits) - 1);
}
int valueAt(const std::string &type, int row, int column, int salt) {
    const Element &e = elements.at(type);
    return e.low + (row * 7 + column * 3 + row * column + salt) % (e.high - e.low + 1);
}

using Cell = std::pair<int, int>;
using Layout = std::function<Cell(int gid, int tig, int i)>;
struct Shape { int m, n, k; Layout a, b; };

// "Matrix fragments for mma.m…n…k…" of the PTX ISA, by bits of an element.
Shape shapeOf(const std::string &name, int bits) {
    const Layout wideB = [](int gid, int tig, int i) { return Cell{tig + 4 * i, gid}; };
    if (bits == 64) {
        if (name == "m8n8k4") return {8, 8, 4, [](int g, int t, int) { return Cell{g, t}; }, wideB};
        if (name == "m16n8k4") return {16, 8, 4, [](int g, int t, int i) { return Cell{i == 0 ? g : g + 8, t}; }, wideB};
        if (name == "m16n8k8") return {16, 8, 8, [](int g, int t, int i) { return Cell{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; }, wideB};
        return {16, 8, 16, [](int g, int t, int i) { return Cell{i % 2 == 0 ? g : g + 8, i * 2 - i % 2 * 2 + t}; }, wideB};
    }
    if (bits == 32) {
        if (name == "m16n8k4") return {16, 8, 4, [](int g, int t, int i) { return Cell{i == 0 ? g : g + 8, t}; }, wideB};
        return {16, 8, 8, [](int g, int t, int i) { return Cell{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4}; }, wideB};
    }
    const int e = 32 / bits; // elements of a register
    const Layout b = [e](int gid, int tig, int i) { return Cell{tig * e + i % e + (i < e ? 0 : 4 * e), gid}; };
    const Layout small = [e](int g, int t, int i) { return Cell{i < e ? g : g + 8, t * e + i % e}; };
    const Layout large = [e](int g, int t, int i) { return Cell{i < e || (i >= 2 * e && i < 3 * e) ? g : g + 8, t * e + i % e + (i < 2 * e ? 0 : 4 * e)}; };
    const Layout eight = [e](int g, int t, int i) { return Cell{g, t * e + i}; };
    int m = 0, n = 0, k = 0;
    std::sscanf(name.c_str(), "m%dn%dk%d", &m, &n, &k);
    return {m, n, k, m == 8 ? eight : k == 4 * e ? small : large, b};
}

// Packs a lane's elements into registers of 32 bits (64 for doubles), lane after lane.
std::vector<std::uint32_t> packed(const std::string &type, const Layout &layout, int count, int salt, bool isB) {
    const int bits = elements.at(type).bits;
    std::vector<std::uint32_t> words;
    for (int lane = 0; lane < 32; ++lane) {
        std::vector<std::uint32_t> own(static_cast<std::size_t>(count * bits / 32), 0);
        for (int i = 0; i < count; ++i) {
            const Cell cell = layout(lane / 4, lane % 4, i);
            const std::uint64_t code = encode(type, isB ? valueAt(type, cell.second, cell.first, salt) : valueAt(type, cell.first, cell.second, salt));
            if (bits == 64) { own[static_cast<std::size_t>(2 * i)] = static_cast<std::uint32_t>(code); own[static_cast<std::size_t>(2 * i + 1)] = static_cast<std::uint32_t>(code >> 32); }
            else own[static_cast<std::size_t>(i * bits / 32)] |= static_cast<std::uint32_t>(code << (i * bits % 32));
        }
        words.insert(words.end(), own.begin(), own.end());
    }
    return words;
}

std::string registers(const char *prefix, int first, std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::string(prefix) + std::to_string(first + static_cast<int>(i));
    return text + "}";
}
std::string loads(const char *type, const char *prefix, int first, std::size_t count, const char *base, int bytes) {
    std::string text = "mul.wide.u32 %d20, %tid, " + std::to_string(count * static_cast<std::size_t>(bytes)) + ";\nadd.s64 %d20, " + base + ", %d20;\n";
    for (std::size_t i = 0; i < count; ++i)
        text += "ld.global." + std::string(type) + " " + prefix + std::to_string(first + static_cast<int>(i)) + ", [%d20+" + std::to_string(i * static_cast<std::size_t>(bytes)) + "];\n";
    return text;
}

} // namespace

void EngineMatrices::products_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("typeA");
    QTest::addColumn<QString>("typeB");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("suffix");
    const auto row = [](const char *shape, const char *a, const char *b, const char *result, const char *suffix = "") { QTest::addRow("%s %s %s %s%s", shape, a, b, result, suffix) << shape << a << b << result << suffix; };
    row("m8n8k16", "s8", "s8", "s32");
    row("m8n8k16", "u8", "s8", "s32");
    row("m16n8k16", "s8", "u8", "s32");
    row("m16n8k16", "u8", "u8", "s32");
    row("m16n8k32", "s8", "s8", "s32");
    row("m16n8k32", "u8", "s8", "s32");
    row("m8n8k32", "s4", "s4", "s32");
    row("m8n8k32", "u4", "s4", "s32");
    row("m16n8k32", "s4", "u4", "s32");
    row("m16n8k64", "u4", "s4", "s32");
    row("m8n8k128", "b1", "b1", "s32", ".xor.popc");
    row("m8n8k128", "b1", "b1", "s32", ".and.popc");
    row("m16n8k128", "b1", "b1", "s32", ".and.popc");
    row("m16n8k256", "b1", "b1", "s32", ".xor.popc");
    for (const char *shape : {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"}) row(shape, "f64", "f64", "f64");
    row("m16n8k4", "tf32", "tf32", "f32");
    row("m16n8k8", "tf32", "tf32", "f32");
    row("m16n8k8", "f16", "f16", "f32");
    row("m16n8k8", "f16", "f16", "f16");
    row("m16n8k16", "f16", "f16", "f16");
    row("m16n8k8", "bf16", "bf16", "f32");
    row("m16n8k16", "bf16", "bf16", "f32");
    row("m16n8k32", "e4m3", "e4m3", "f32");
    row("m16n8k32", "e4m3", "e5m2", "f32");
    row("m16n8k32", "e5m2", "e4m3", "f16");
    row("m16n8k16", "e5m2", "e5m2", "f32");
}
void EngineMatrices::products() {
    QFETCH(QString, shape);
    QFETCH(QString, typeA);
    QFETCH(QString, typeB);
    QFETCH(QString, result);
    QFETCH(QString, suffix);
    const std::string ta = typeA.toStdString(), tb = typeB.toStdString(), tr = result.toStdString();
    const int bits = elements.at(ta).bits;
    const Shape s = shapeOf(shape.toStdString(), bits);
    const int countA = s.m * s.k / 32, countB = s.n * s.k / 32, countC = s.m * s.n / 32;
    Engine e;
    const auto x = e.upload(packed(ta, s.a, countA, 1, false)), y = e.upload(packed(tb, s.b, countB, 2, true));
    const std::size_t resultBytes = tr == "f64" ? 8 : tr == "f16" ? 2 : 4;
    const auto z = e.upload(std::vector<std::byte>(static_cast<std::size_t>(countC) * 32 * resultBytes, std::byte{0}));
    const bool isDouble = bits == 64;
    const auto ra = static_cast<std::size_t>(isDouble ? countA : countA * bits / 32), rb = static_cast<std::size_t>(isDouble ? countB : countB * bits / 32);
    const auto rc = static_cast<std::size_t>(tr == "f16" ? countC / 2 : countC);
    const char *in = isDouble ? "%ea" : "%ra", *inB = isDouble ? "%eb" : "%rb";
    const std::string accumulatorType = tr == "f64" ? "f64" : tr == "f32" ? "f32" : "b32";
    const std::string body = ".reg .b32 %ra<16>, %rb<16>, %rc<16>;\n.reg .f64 %ea<16>, %eb<16>, %ec<16>;\n.reg .f32 %fc<16>;\n"
        + loads(isDouble ? "f64" : "b32", in, 0, ra, "%a0", isDouble ? 8 : 4) + loads(isDouble ? "f64" : "b32", inB, 0, rb, "%a1", isDouble ? 8 : 4)
        + [&] {
              std::string zero;
              const char *c = tr == "f64" ? "%ec" : tr == "f32" ? "%fc" : "%rc";
              for (std::size_t i = 0; i < rc; ++i) zero += "mov." + accumulatorType + " " + c + std::to_string(i) + (tr == "f64" ? ", 0d3FF0000000000000;\n" : tr == "f32" ? ", 0f3F800000;\n" : tr == "f16" ? ", 0x3C003C00;\n" : ", 1;\n");
              const std::string order = isDouble ? "f64.f64.f64.f64" : tr + "." + ta + "." + tb + "." + tr;
              zero += "mma.sync.aligned." + shape.toStdString() + ".row.col." + order + suffix.toStdString() + " " + registers(c, 0, rc) + ", " + registers(in, 0, ra) + ", " + registers(inB, 0, rb) + ", " + registers(c, 0, rc) + ";\n";
              zero += "mul.wide.u32 %d20, %tid, " + std::to_string(static_cast<std::size_t>(countC) * resultBytes) + ";\nadd.s64 %d20, %a2, %d20;\n";
              for (std::size_t i = 0; i < rc; ++i) zero += "st.global." + accumulatorType + " [%d20+" + std::to_string(i * (tr == "f64" ? 8 : 4)) + "], " + c + std::to_string(i) + ";\n";
              return zero;
          }();
    QVERIFY(e.run(kernelText(3, body), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto bytes = e.download<std::byte>(z, static_cast<std::size_t>(countC) * 32 * resultBytes);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < countC; ++i) {
            const int m = s.m == 8 || i < 2 ? lane / 4 : lane / 4 + 8, n = lane % 4 * 2 + i % 2;
            int sum = 1;
            for (int k = 0; k < s.k; ++k) {
                const int a = valueAt(ta, m, k, 1), b = valueAt(tb, n, k, 2);
                sum += ta == "b1" ? (suffix.startsWith(QLatin1String(".and")) ? a & b : a ^ b) : a * b;
            }
            std::uint64_t got = 0, expected = 0;
            std::memcpy(&got, bytes.data() + static_cast<std::size_t>(lane * countC + i) * resultBytes, resultBytes);
            if (tr == "f64") expected = std::bit_cast<std::uint64_t>(static_cast<double>(sum));
            else if (tr == "f32") expected = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
            else if (tr == "f16") expected = half(sum);
            else expected = static_cast<std::uint32_t>(sum);
            QVERIFY2(got == expected, qPrintable(QStringLiteral("row %1 column %2: %3, expected %4 (%5)").arg(m).arg(n).arg(got, 0, 16).arg(expected, 0, 16).arg(sum)));
        }
}

void EngineMatrices::saturation() {
    // 127 · 127 · 32 on top of almost the greatest number
    for (const char *satfinite : {"", ".satfinite"}) {
        Engine e;
        const auto z = e.upload(std::vector<std::int32_t>(32, 0));
        const std::string body = "mov.u32 %r1, 0x7f7f7f7f;\nmov.u32 %r2, 0x7ffffff0;\nmma.sync.aligned.m16n8k32.row.col" + std::string(satfinite)
                               + ".s32.s8.s8.s32 {%r3, %r4, %r5, %r6}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r2, %r2, %r2, %r2};\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r3;";
        QVERIFY(e.run(kernelText(1, body), {1}, {32}, {z}));
        const std::int64_t exact = 0x7fff'fff0ll + 127ll * 127 * 32;
        QCOMPARE(e.download<std::int32_t>(z, 32)[5], *satfinite != 0 ? INT32_MAX : static_cast<std::int32_t>(static_cast<std::uint32_t>(exact)));
    }
}

void EngineMatrices::quadPairs_data() {
    QTest::addColumn<QString>("layouts");
    QTest::addColumn<bool>("halves");
    for (const char *layouts : {"row.col", "row.row", "col.col", "col.row"})
        for (const bool halves : {false, true}) QTest::addRow("%s %s", layouts, halves ? "f16" : "f32") << layouts << halves;
}
void EngineMatrices::quadPairs() {
    QFETCH(QString, layouts);
    QFETCH(bool, halves);
    const bool rowA = layouts.startsWith(QLatin1String("row")), rowB = layouts.endsWith(QLatin1String("row"));
    // four products: lanes 4q … 4q+3 and 16 more belong to product q
    const auto a = [](int q, int m, int k) { return (q * 3 + m * 2 + k) % 7 - 3; };
    const auto b = [](int q, int k, int n) { return (q + k * 3 + n) % 5 - 2; };
    std::vector<std::uint32_t> xa, xb;
    for (int lane = 0; lane < 32; ++lane)
        for (int r = 0; r < 2; ++r) {
            std::uint32_t wa = 0, wb = 0;
            for (int i = 2 * r; i < 2 * r + 2; ++i) {
                const int q = lane % 16 / 4, up = lane < 16 ? 0 : 4;
                wa |= half(rowA ? a(q, lane % 4 + up, i) : a(q, i % 4 + up, lane % 4)) << (16 * (i % 2));
                wb |= half(rowB ? b(q, lane % 4, i + up) : b(q, i, lane % 4 + up)) << (16 * (i % 2));
            }
            xa.push_back(wa);
            xb.push_back(wb);
        }
    Engine e;
    const auto x = e.upload(xa), y = e.upload(xb), z = e.upload(std::vector<std::uint32_t>(32 * 8, 0));
    const std::string t = halves ? "f16" : "f32", c = halves ? "%r" : "%f";
    const std::size_t count = halves ? 4 : 8;
    std::string body = loads("b32", "%r", 20, 2, "%a0", 4) + loads("b32", "%r", 22, 2, "%a1", 4);
    for (std::size_t i = 0; i < count; ++i) body += "mov." + std::string(halves ? "b32 " : "f32 ") + c + std::to_string(i) + (halves ? ", 0;\n" : ", 0f00000000;\n");
    body += "mma.sync.aligned.m8n8k4." + layouts.toStdString() + "." + t + ".f16.f16." + t + " " + registers(c.c_str(), 0, count) + ", {%r20, %r21}, {%r22, %r23}, " + registers(c.c_str(), 0, count) + ";\n";
    body += "mul.wide.u32 %d20, %tid, 32;\nadd.s64 %d20, %a2, %d20;\n";
    for (std::size_t i = 0; i < count; ++i) body += "st.global.b32 [%d20+" + std::to_string(4 * i) + "], " + c + std::to_string(i) + ";\n";
    QVERIFY(e.run(kernelText(3, body), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed, e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto words = e.download<std::uint32_t>(z, 256);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8; ++i) {
            const int q = lane % 16 / 4, up = lane < 16 ? 0 : 4;
            const int m = halves ? lane % 4 + up : (lane & 1) + (i & 2) + up, n = halves ? i : (i & 4) + (lane & 2) + (i & 1);
            int sum = 0;
            for (int k = 0; k < 4; ++k) sum += a(q, m, k) * b(q, k, n);
            const std::uint32_t got = halves ? words[static_cast<std::size_t>(lane * 8 + i / 2)] >> (16 * (i % 2)) & 0xffff : words[static_cast<std::size_t>(lane * 8 + i)];
            QCOMPARE(got, halves ? half(sum) : std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
        }
}

void EngineMatrices::transposedInRegisters() {
    Engine e;
    const auto z = e.upload(std::vector<std::uint32_t>(32, 0));
    // element (row, column) is 8 · row + column
    const std::string body = "shr.u32 %r2, %tid, 2;\nand.b32 %r3, %tid, 3;\nshl.b32 %r3, %r3, 1;\nmad.lo.u32 %r4, %r2, 8, %r3;\nadd.u32 %r5, %r4, 1;\nshl.b32 %r5, %r5, 16;\nor.b32 %r4, %r4, %r5;\n"
                             "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r4;\nadd.s64 %d1, %a0, %o64;\nst.global.u32 [%d1], %r6;";
    QVERIFY(e.run(kernelText(1, body), {1}, {32}, {z}));
    const auto words = e.download<std::uint32_t>(z, 32);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t row = lane / 4, column = 2 * (lane % 4);
        QCOMPARE(words[lane], (8 * column + row) | (8 * (column + 1) + row) << 16);
    }
}

void EngineMatrices::wmmaOfBytes_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("layoutA");
    QTest::addColumn<QString>("layoutB");
    for (const auto &[m, n] : {std::pair{16, 16}, std::pair{32, 8}, std::pair{8, 32}})
        for (const char *type : {"s8", "u8"})
            for (const auto &[a, b] : {std::pair{"row", "col"}, std::pair{"col", "row"}}) QTest::addRow("%dx%d %s %s %s", m, n, type, a, b) << m << n << type << a << b;
}
void EngineMatrices::wmmaOfBytes() {
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(QString, type);
    QFETCH(QString, layoutA);
    QFETCH(QString, layoutB);
    const bool isSigned = type == QLatin1String("s8"), rowA = layoutA == QLatin1String("row"), rowB = layoutB == QLatin1String("row");
    std::vector<std::uint8_t> a(static_cast<std::size_t>(m * 16)), b(static_cast<std::size_t>(16 * n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i * 37 + 11);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint8_t>(i * 53 + 7);
    Engine e;
    const auto x = e.upload(a), y = e.upload(b), z = e.upload(std::vector<std::int32_t>(static_cast<std::size_t>(m * n), 3));
    const std::size_t ra = m == 32 ? 4 : m == 16 ? 2 : 1, rb = n == 32 ? 4 : n == 16 ? 2 : 1;
    const std::string shape = "m" + std::to_string(m) + "n" + std::to_string(n) + "k16", t = type.toStdString(), la = layoutA.toStdString(), lb = layoutB.toStdString();
    const std::string body = "wmma.load.a.sync.aligned." + la + "." + shape + ".global." + t + " " + registers("%r", 1, ra) + ", [%a0], " + std::to_string(rowA ? 16 : m) + ";\n"
        + "wmma.load.b.sync.aligned." + lb + "." + shape + ".global." + t + " " + registers("%r", 5, rb) + ", [%a1], " + std::to_string(rowB ? n : 16) + ";\n"
        + "wmma.load.c.sync.aligned.row." + shape + ".global.s32 " + registers("%r", 10, 8) + ", [%a2], " + std::to_string(n) + ";\n"
        + "wmma.mma.sync.aligned." + la + "." + lb + "." + shape + ".s32." + t + "." + t + ".s32 " + registers("%r", 20, 8) + ", " + registers("%r", 1, ra) + ", " + registers("%r", 5, rb) + ", " + registers("%r", 10, 8) + ";\n"
        + "wmma.store.d.sync.aligned.row." + shape + ".global.s32 [%a2], " + registers("%r", 20, 8) + ", " + std::to_string(n) + ";";
    QVERIFY(e.run(kernelText(3, body), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<std::int32_t>(z, static_cast<std::size_t>(m * n));
    const auto number = [&](std::uint8_t v) { return isSigned ? static_cast<int>(static_cast<std::int8_t>(v)) : static_cast<int>(v); };
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            int sum = 3;
            for (int k = 0; k < 16; ++k) sum += number(a[static_cast<std::size_t>(rowA ? i * 16 + k : k * m + i)]) * number(b[static_cast<std::size_t>(rowB ? k * n + j : j * 16 + k)]);
            QCOMPARE(c[static_cast<std::size_t>(i * n + j)], sum);
        }
}

void EngineMatrices::wmmaOfDoubles() {
    std::vector<double> a(32), b(32);
    for (std::size_t i = 0; i < 32; ++i) { a[i] = static_cast<double>(i) * 0.5 - 3; b[i] = 7 - static_cast<double>(i) * 0.25; }
    Engine e;
    const auto x = e.upload(a), y = e.upload(b), z = e.upload(std::vector<double>(64, 2.0));
    const std::string body = "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%e1}, [%a0], 4;\nwmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%e2}, [%a1], 4;\nwmma.load.c.sync.aligned.col.m8n8k4.global.f64 {%e3, %e4}, [%a2], 8;\n"
                             "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%e5, %e6}, {%e1}, {%e2}, {%e3, %e4};\nwmma.store.d.sync.aligned.col.m8n8k4.global.f64 [%a2], {%e5, %e6}, 8;";
    QVERIFY(e.run(kernelText(3, body), {1}, {32}, {x, y, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<double>(z, 64);
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j) {
            double sum = 2.0;
            for (std::size_t k = 0; k < 4; ++k) sum += a[i * 4 + k] * b[j * 4 + k];
            QCOMPARE(c[j * 8 + i], sum);
        }
}

namespace {

// Where an element lies in shared memory, as the canonical layouts of GMMA are written down: swizzled pieces of 16 bytes in
// rows of 128, 64, 32 or 16 bytes. `mn` is the row of A or the column of B.
std::size_t placeKMajor(int width, int bytes, int mn, int k) {
    const int byte = k * bytes, piece = byte / 16, rest = byte % 16, row = mn % 8, group = mn / 8;
    if (width == 16) return static_cast<std::size_t>(group * 256 + piece * 128 + row * 16 + rest); // two core matrices of 128 bytes side by side in k
    const int flip = width == 128 ? row : width == 64 ? row / 2 : row / 4;
    return static_cast<std::size_t>(group * 8 * width + row * width + (piece ^ flip) * 16 + rest);
}
std::size_t placeNMajor(int mn, int k) { // halves, 128-byte pattern: 64 columns a row, eight k a group; 16 k
    return static_cast<std::size_t>(mn / 64 * 2048 + k / 8 * 1024 + k % 8 * 128 + ((mn % 64 / 8) ^ (k % 8)) * 16 + mn % 8 * 2);
}

std::uint64_t descriptor(std::uint32_t address, std::uint32_t leading, std::uint32_t stride, std::uint64_t pattern) {
    return (address >> 4 & 0x3fff) | static_cast<std::uint64_t>(leading >> 4) << 16 | static_cast<std::uint64_t>(stride >> 4) << 32 | pattern << 62;
}

// Copies an image of shared memory from %a0, 128 threads with 16 bytes at a time.
std::string copyImage(std::size_t bytes) {
    std::string text = "mov.u32 %r1, image;\nmul.lo.u32 %r2, %tid, 16;\nadd.u32 %r3, %r1, %r2;\ncvt.u64.u32 %d1, %r2;\nadd.s64 %d1, %a0, %d1;\n";
    for (std::size_t at = 0; at < bytes; at += 2048) text += "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d1+" + std::to_string(at) + "];\nst.shared.v4.u32 [%r3+" + std::to_string(at) + "], {%r4, %r5, %r6, %r7};\n";
    return text + "bar.sync 0;\nfence.proxy.async;\nwgmma.fence.sync.aligned;\n";
}

} // namespace

void EngineMatrices::warpgroupProducts_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("result");
    QTest::addColumn<int>("width"); // of the pattern
    for (const char *type : {"f16", "bf16", "tf32", "e4m3", "s8"})
        for (const int width : {16, 32, 64, 128}) QTest::addRow("%s, %d bytes", type, width) << type << (type == std::string("s8") ? "s32" : "f32") << width;
    QTest::newRow("f16 into f16") << "f16" << "f16" << 128;
}
void EngineMatrices::warpgroupProducts() {
    QFETCH(QString, type);
    QFETCH(QString, result);
    QFETCH(int, width);
    const std::string t = type.toStdString(), d = result.toStdString();
    const int bytes = elements.at(t).bits / 8, step = 32 / bytes; // k of one instruction
    const int steps = width == 128 ? 4 : width == 64 ? 2 : 1, depth = step * steps;
    std::vector<std::uint8_t> image(64 * 128 + 2048, 0);
    const std::size_t startB = 8192;
    const auto put = [&](std::size_t at, int value) { const std::uint64_t code = encode(t, value); std::memcpy(image.data() + at, &code, static_cast<std::size_t>(bytes)); };
    for (int k = 0; k < depth; ++k) {
        for (int m = 0; m < 64; ++m) put(placeKMajor(width, bytes, m, k), valueAt(t, m, k, 1));
        for (int n = 0; n < 16; ++n) put(startB + placeKMajor(width, bytes, n, k), valueAt(t, n, k, 2));
    }
    Engine e;
    const auto x = e.upload(image), z = e.upload(std::vector<std::uint32_t>(128 * 8, 0));
    const std::uint64_t pattern = width == 128 ? 1 : width == 64 ? 2 : width == 32 ? 3 : 0;
    const std::uint32_t stride = static_cast<std::uint32_t>(width == 16 ? 256 : 8 * width), leading = width == 16 ? 128 : 16;
    std::string body = copyImage(image.size());
    const std::size_t count = d == "f16" ? 4 : 8;
    const char *c = d == "f32" ? "%f" : "%r";
    for (int s = 0; s < steps; ++s) {
        body += "mov.u64 %d2, " + std::to_string(descriptor(static_cast<std::uint32_t>(32 * s), leading, stride, pattern)) + ";\nmov.u64 %d3, " + std::to_string(descriptor(static_cast<std::uint32_t>(startB) + static_cast<std::uint32_t>(32 * s), leading, stride, pattern)) + ";\n";
        body += "setp.ne.u32 %p1, " + std::to_string(s) + ", 0;\nwgmma.mma_async.sync.aligned.m64n16k" + std::to_string(step) + "." + d + "." + t + "." + t + " " + registers(c, 8, count) + ", %d2, %d3, %p1"
              + (d == "s32" ? "" : ", 1, 1") + (t == "f16" || t == "bf16" ? ", 0, 0" : "") + ";\n";
    }
    body += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmul.wide.u32 %d4, %tid, 32;\nadd.s64 %d4, %a1, %d4;\n";
    for (std::size_t i = 0; i < count; ++i) body += "st.global.b32 [%d4+" + std::to_string(4 * i) + "], " + c + std::to_string(8 + i) + ";\n";
    QVERIFY(e.run(kernelText(2, body, ".shared .align 1024 .b8 image[16384];"), {1}, {128}, {x, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto words = e.download<std::uint32_t>(z, 1024);
    for (int thread = 0; thread < 128; ++thread)
        for (int i = 0; i < 8; ++i) {
            const int lane = thread % 32, m = 16 * (thread / 32) + lane / 4 + 8 * (i / 2 % 2), n = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
            int sum = 0;
            for (int k = 0; k < depth; ++k) sum += valueAt(t, m, k, 1) * valueAt(t, n, k, 2);
            const std::uint32_t expected = d == "s32" ? static_cast<std::uint32_t>(sum) : d == "f16" ? half(sum) : std::bit_cast<std::uint32_t>(static_cast<float>(sum));
            const std::uint32_t got = d == "f16" ? words[static_cast<std::size_t>(thread * 8 + i / 2)] >> (16 * (i % 2)) & 0xffff : words[static_cast<std::size_t>(thread * 8 + i)];
            QVERIFY2(got == expected, qPrintable(QStringLiteral("row %1 column %2: %3, expected %4").arg(m).arg(n).arg(got, 0, 16).arg(expected, 0, 16)));
        }
}

void EngineMatrices::warpgroupWithRegisters() {
    // A from registers, negated; B with its columns side by side (transposed) in the 128-byte pattern
    std::vector<std::uint8_t> image(4096, 0);
    for (int k = 0; k < 16; ++k)
        for (int n = 0; n < 128; ++n) {
            const auto code = static_cast<std::uint16_t>(half(valueAt("f16", n, k, 2)));
            std::memcpy(image.data() + placeNMajor(n, k), &code, 2);
        }
    const Shape s = shapeOf("m16n8k16", 16);
    std::vector<std::uint32_t> a;
    for (int warp = 0; warp < 4; ++warp)
        for (int lane = 0; lane < 32; ++lane)
            for (int r = 0; r < 4; ++r) {
                std::uint32_t word = 0;
                for (int i = 0; i < 2; ++i) {
                    const Cell cell = s.a(lane / 4, lane % 4, 2 * r + i);
                    word |= half(valueAt("f16", 16 * warp + cell.first, cell.second, 1)) << (16 * i);
                }
                a.push_back(word);
            }
    Engine e;
    const auto x = e.upload(image), y = e.upload(a), z = e.upload(std::vector<float>(128 * 64, 0));
    std::string body = ".reg .f32 %w<64>;\n" + copyImage(4096) + loads("b32", "%r", 20, 4, "%a1", 4);
    for (int i = 0; i < 64; ++i) body += "mov.f32 %w" + std::to_string(i) + ", 0f41200000;\n"; // 10
    body += "mov.u64 %d2, " + std::to_string(descriptor(0, 2048, 1024, 1)) + ";\nwgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " + registers("%w", 0, 64) + ", {%r20, %r21, %r22, %r23}, %d2, 1, -1, 1, 1;\nmul.wide.u32 %d4, %tid, 256;\nadd.s64 %d4, %a2, %d4;\n";
    for (int i = 0; i < 64; ++i) body += "st.global.f32 [%d4+" + std::to_string(4 * i) + "], %w" + std::to_string(i) + ";\n";
    QVERIFY(e.run(kernelText(3, body, ".shared .align 1024 .b8 image[4096];"), {1}, {128}, {x, y, z}));
    QVERIFY2(e.report.completed && e.report.findings.empty(), e.report.findings.empty() ? "" : e.report.findings[0].message.c_str());
    const auto c = e.download<float>(z, 128 * 64);
    for (int thread = 0; thread < 128; ++thread)
        for (int i = 0; i < 64; ++i) {
            const int lane = thread % 32, m = 16 * (thread / 32) + lane / 4 + 8 * (i / 2 % 2), n = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
            int sum = 10;
            for (int k = 0; k < 16; ++k) sum -= valueAt("f16", m, k, 1) * valueAt("f16", n, k, 2);
            QCOMPARE(c[static_cast<std::size_t>(thread * 64 + i)], static_cast<float>(sum));
        }
}

QTEST_APPLESS_MAIN(EngineMatrices)
#include "tst_engine_matrices.moc"
