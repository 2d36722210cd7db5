// SPDX-License-Identifier: Apache-2.0
// The lowering of PTX: every kernel does the same with and without it, and what it makes is close to what ptxas makes.
#include "engine_fixture.h"
#include "random_kernel.h"

#include "engine/lowering/lower.h"
#include "engine/ptx/parser.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <numeric>
#include <random>

using namespace kernelskill::simulator;

namespace {

std::string fixture(const QString &name) {
    QFile file(QStringLiteral(TEST_DIR "/lowering/") + name);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", qPrintable(name));
    return file.readAll().toStdString();
}

QJsonArray facts() { return QJsonDocument::fromJson(QByteArray::fromStdString(fixture(QStringLiteral("ptxas_facts.json")))).object()[QLatin1String("kernels")].toArray(); }

QString label(const QJsonObject &entry) { return entry[QLatin1String("file")].toString() + QLatin1Char(' ') + entry[QLatin1String("kernel")].toString(); }

struct Outcome {
    LaunchReport report;
    std::vector<std::vector<std::byte>> buffers;
};

Dim3 extent(const QJsonValue &value) {
    const QJsonArray a = value.toArray();
    return {static_cast<std::uint32_t>(a[0].toInt()), static_cast<std::uint32_t>(a[1].toInt()), static_cast<std::uint32_t>(a[2].toInt())};
}

// Runs a kernel of the table on buffers of random values.
Outcome run(const QJsonObject &entry, bool lowering) {
    ExecutionModel model;
    model.lowering = lowering;
    Device device(model);
    const auto loaded = device.loadModule(fixture(entry[QLatin1String("file")].toString()));
    if (!loaded) qFatal("%s", loaded.error().message.c_str());
    LaunchRequest request;
    request.kernel = entry[QLatin1String("kernel")].toString().toStdString();
    request.grid = extent(entry[QLatin1String("grid")]);
    request.block = extent(entry[QLatin1String("block")]);
    std::mt19937 random(17);
    std::vector<std::pair<std::uint64_t, std::size_t>> buffers;
    for (const auto &value : entry[QLatin1String("arguments")].toArray()) {
        const QJsonObject a = value.toObject();
        if (a.contains(QLatin1String("int"))) {
            request.arguments.push_back(argument(a[QLatin1String("int")].toInt()));
            continue;
        }
        std::vector<std::byte> bytes;
        if (a.contains(QLatin1String("floats"))) {
            std::vector<float> values(static_cast<std::size_t>(a[QLatin1String("floats")].toInt()));
            std::uniform_real_distribution<float> distribution(-2, 2);
            for (float &v : values) v = distribution(random);
            bytes.assign(std::as_bytes(std::span(values)).begin(), std::as_bytes(std::span(values)).end());
        } else {
            const bool words = a.contains(QLatin1String("integers"));
            bytes.resize(static_cast<std::size_t>(a[words ? QLatin1String("integers") : QLatin1String("bytes")].toInt()) * (words ? 4 : 1));
            for (std::byte &b : bytes) b = static_cast<std::byte>(random());
        }
        buffers.emplace_back(*device.allocate(bytes.size()), bytes.size());
        (void)device.write(buffers.back().first, bytes);
        request.arguments.push_back(argument(buffers.back().first));
    }
    auto report = device.launch(request);
    if (!report) qFatal("%s", report.error().message.c_str());
    Outcome outcome{std::move(*report), {}};
    for (const auto &[address, size] : buffers) {
        outcome.buffers.emplace_back(size);
        (void)device.read(address, outcome.buffers.back());
    }
    return outcome;
}

QStringList findings(const LaunchReport &report) {
    QStringList list;
    for (const auto &f : report.findings) list.append(QStringLiteral("%1 %2:%3").arg(QString::fromStdString(f.kind), QString::fromStdString(f.file)).arg(f.line));
    list.sort();
    return list;
}

// A kernel "k" of engine_fixture.h with and without lowering on one buffer of words.
struct Both {
    LaunchReport written, lowered;
    std::vector<std::uint32_t> writtenWords, loweredWords;
};

Both runBoth(const std::string &text, Dim3 grid, Dim3 block, std::size_t words) {
    Both both;
    for (const bool lowering : {false, true}) {
        ExecutionModel model;
        model.lowering = lowering;
        Engine engine;
        engine.device = Device(model);
        std::vector<std::uint32_t> values(words);
        std::mt19937 random(5);
        for (auto &v : values) v = static_cast<std::uint32_t>(random());
        const std::uint64_t x = engine.upload(values);
        if (!engine.run(text, grid, block, {x})) qFatal("the kernel does not start");
        (lowering ? both.lowered : both.written) = engine.report;
        (lowering ? both.loweredWords : both.writtenWords) = engine.download<std::uint32_t>(x, words);
    }
    return both;
}

std::uint64_t count(const LaunchReport &report, InstructionClass c) { return report.counters.warpInstructions[static_cast<std::size_t>(c)]; }
std::uint64_t instructions(const LaunchReport &report) {
    std::uint64_t sum = 0;
    for (const auto n : report.counters.warpInstructions) sum += n;
    return sum;
}

} // namespace

class EngineLoweringTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kernelsDoTheSame_data() {
        QTest::addColumn<QJsonObject>("entry");
        for (const auto &value : facts()) QTest::newRow(qPrintable(label(value.toObject()))) << value.toObject();
    }
    void kernelsDoTheSame() {
        QFETCH(QJsonObject, entry);
        const Outcome written = run(entry, false), lowered = run(entry, true);
        QVERIFY(written.report.completed);
        QVERIFY(lowered.report.completed);
        QCOMPARE(findings(lowered.report), findings(written.report));
        QVERIFY(lowered.buffers == written.buffers);
    }

    void randomKernelsDoTheSame() {
        for (unsigned seed = 1; seed <= 250; ++seed) {
            const std::string text = randomKernel(seed);
            const Both both = runBoth(text, {2, 1, 1}, {64, 1, 1}, randomKernelWords);
            const QByteArray where = QByteArray("seed ") + QByteArray::number(seed) + "\n" + QByteArray::fromStdString(text);
            QVERIFY2(both.written.completed && both.lowered.completed, where.constData());
            QVERIFY2(findings(both.written) == findings(both.lowered), where.constData());
            QVERIFY2(both.writtenWords == both.loweredWords, where.constData());
        }
    }

    void damagedTextNeverCrashes() {
        std::mt19937 random(3);
        QStringList done;
        for (const auto &value : facts()) {
            const QString name = value.toObject()[QLatin1String("file")].toString();
            if (done.contains(name) || name == QLatin1String("matmul_v3.ptx")) continue;
            done.append(name);
            const std::string text = fixture(name);
            for (int n = 0; n < 40; ++n) {
                std::string damaged = text;
                for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(' ' + random() % 95);
                Device device;
                (void)device.loadModule(damaged);
            }
        }
    }

    // A kernel whose generic pointer comes from shared memory: wmma's loads are shared ones.
    void genericAddressesOfSharedMemoryAreShared() {
        const std::string arrays = ".shared .align 32 .b8 tile[1024];";
        const Both both = runBoth(kernelText(1, "mov.u32 %r1, tile;\nadd.s32 %r1, %r1, %o;\nst.shared.u32 [%r1], %t;\nst.shared.u32 [%r1+128], %t;\nst.shared.u32 [%r1+256], %t;\nst.shared.u32 [%r1+384], %t;\n"
                                                "bar.sync 0;\nmov.u64 %d1, tile;\ncvta.shared.u64 %d2, %d1;\nmov.b32 %r2, 16;\n"
                                                "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [%d2], %r2;\n"
                                                "add.s64 %a0, %a0, %o64;\nst.global.u32 [%a0], %r5;\n", arrays), {1, 1, 1}, {32, 1, 1}, 32);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QCOMPARE(both.lowered.counters.globalLoad.requests, 0u);
        QVERIFY(both.lowered.counters.sharedLoadRequests > 0);
        QCOMPARE(count(both.lowered, InstructionClass::LoadShared), 1u); // one matrix load
    }

    // Registers and instruction counts against those of ptxas.
    void staysCloseToTheAssembler() {
        int registersRight = 0, countsRight = 0, counted = 0;
        const QJsonArray table = facts();
        for (const auto &value : table) {
            const QJsonObject entry = value.toObject();
            auto module = ptx::parse(fixture(entry[QLatin1String("file")].toString()));
            QVERIFY(module.has_value());
            const auto lowered = lowering::lower(*module);
            for (std::size_t f = 0; f < lowered.size(); ++f) {
                if (QString::fromStdString(module->functions[f].name) != entry[QLatin1String("kernel")].toString()) continue;
                const auto step = [](int registers) { return std::max(16, (registers + 7) / 8 * 8); };
                const int measured = entry[QLatin1String("registers")].toInt();
                const bool right = std::abs(step(lowered[f].registers) - step(measured)) <= 8;
                registersRight += right ? 1 : 0;
                if (!right) qInfo("%s: %d registers, ptxas %d", qPrintable(label(entry)), lowered[f].registers, measured);
                // slow paths of divisions and ptxas's further copies of loops are in its listing but are not executed
                if (!entry.contains(QLatin1String("instructions")) || entry[QLatin1String("has_calls")].toBool()) continue;
                unsigned total = 0;
                for (const auto &cost : lowered[f].costs) total += cost.total();
                const double ratio = total / entry[QLatin1String("instructions")].toDouble();
                ++counted;
                countsRight += ratio > 0.8 && ratio < 1.2 ? 1 : 0;
                if (ratio <= 0.8 || ratio >= 1.2) qInfo("%s: %u instructions, ptxas %d", qPrintable(label(entry)), total, entry[QLatin1String("instructions")].toInt());
            }
        }
        qInfo("registers within one step for %d of %lld kernels, instructions within 20 %% for %d of %d", registersRight, static_cast<long long>(table.size()), countsRight, counted);
        QVERIFY(registersRight * 10 >= table.size() * 8);
        QVERIFY(countsRight * 10 >= counted * 7);
    }

    void smallBranchesBecomeGuards() {
        // if (t & 1) x[t] = x[t] + 1; else-less: no branch is left, and only the odd lanes store
        const Both both = runBoth(kernelText(1, "and.b32 %r1, %t, 1;\nsetp.eq.s32 %p1, %r1, 0;\nadd.s64 %a0, %a0, %o64;\n@%p1 bra done;\n"
                                                "ld.global.u32 %r2, [%a0];\nadd.s32 %r2, %r2, 1;\nst.global.u32 [%a0], %r2;\ndone:\n"), {1, 1, 1}, {32, 1, 1}, 32);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QCOMPARE(both.written.counters.branches, 1u);
        QCOMPARE(both.lowered.counters.branches, 0u);
        QCOMPARE(both.lowered.counters.globalStore.requests, 1u);
        QCOMPARE(both.lowered.counters.globalStore.bytes, 64u); // 16 lanes
    }

    void choicesBecomeGuardedArithmetic() {
        const Both both = runBoth(kernelText(1, "add.s64 %a0, %a0, %o64;\nld.global.f32 %f1, [%a0];\nand.b32 %r1, %t, 1;\nsetp.eq.s32 %p1, %r1, 0;\nadd.rn.f32 %f2, %f1, 0f3F800000;\n"
                                                "selp.f32 %f3, %f1, %f2, %p1;\nst.global.f32 [%a0], %f3;\n"), {1, 1, 1}, {32, 1, 1}, 32);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QCOMPARE(count(both.written, InstructionClass::Compare), 2u);
        QCOMPARE(count(both.lowered, InstructionClass::Compare), 1u); // the choice is gone
        QCOMPARE(count(both.lowered, InstructionClass::Move), 2u);    // %tid and %ctaid; no copy is left
        QCOMPARE(both.lowered.counters.fp32Flops, 16u);
    }

    void choicesThatOverwriteAnOperandStay() {
        // the result's register is the sum's other operand
        const Both both = runBoth(kernelText(1, "add.s64 %a0, %a0, %o64;\nld.global.f32 %f1, [%a0];\ncvt.rn.f32.u32 %f3, %t;\nand.b32 %r1, %t, 1;\nsetp.eq.s32 %p1, %r1, 0;\n"
                                                "add.rn.f32 %f2, %f1, %f3;\nselp.f32 %f3, %f1, %f2, %p1;\nst.global.f32 [%a0], %f3;\n"), {1, 1, 1}, {32, 1, 1}, 32);
        QCOMPARE(both.loweredWords, both.writtenWords);
    }

    void barriersStayBetweenBranches() {
        // an arm with a barrier is no arm to guard
        const Both both = runBoth(kernelText(1, "setp.lt.s32 %p1, %n, 0;\n@%p1 bra done;\nbar.sync 0;\ndone:\nadd.s64 %a0, %a0, %o64;\nst.global.u32 [%a0], %t;\n"),
                                  {1, 1, 1}, {64, 1, 1}, 64);
        QCOMPARE(both.lowered.counters.branches, 2u);
        QCOMPARE(both.loweredWords, both.writtenWords);
    }

    // Lanes that take a long rare branch inside a loop meet the others before the next round.
    void lanesMeetAfterARareBranch() {
        for (const auto &value : facts()) {
            const QJsonObject entry = value.toObject();
            if (entry[QLatin1String("file")].toString() != QLatin1String("long_arm.ptx")) continue;
            const Outcome lowered = run(entry, true);
            // 2 blocks × 2 warps × ⌈1000/64⌉ rounds, of which the last has 40 of 64 lanes: 16 and 16 rounds a block
            QCOMPARE(lowered.report.counters.globalLoad.requests, 64u);
            return;
        }
        QFAIL("no such entry");
    }

    void loadsSideBySideBecomeOne() {
        const std::string arrays = ".shared .align 4 .b8 tile[1024];";
        const Both both = runBoth(kernelText(1, "mov.u32 %r1, tile;\nshl.b32 %r2, %tid, 4;\nadd.s32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %t;\nst.shared.u32 [%r3+4], %t;\n"
                                                "st.shared.u32 [%r3+8], %t;\nst.shared.u32 [%r3+12], %t;\nbar.sync 0;\nld.shared.u32 %r4, [%r3];\nld.shared.u32 %r5, [%r3+4];\n"
                                                "ld.shared.u32 %r6, [%r3+8];\nld.shared.u32 %r7, [%r3+12];\nadd.s32 %r4, %r4, %r5;\nadd.s32 %r6, %r6, %r7;\nadd.s32 %r4, %r4, %r6;\n"
                                                "add.s64 %a0, %a0, %o64;\nst.global.u32 [%a0], %r4;\n", arrays), {1, 1, 1}, {64, 1, 1}, 64);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QCOMPARE(both.written.counters.sharedLoadRequests, 8u);
        QCOMPARE(both.lowered.counters.sharedLoadRequests, 2u);
        QCOMPARE(both.lowered.counters.sharedLoadWavefronts, 8u); // the same bytes
    }

    void loadsOfUnknownAlignmentStayApart() {
        const Both both = runBoth(kernelText(1, "add.s64 %a0, %a0, %o64;\nld.global.u32 %r4, [%a0];\nld.global.u32 %r5, [%a0+4];\nadd.s32 %r4, %r4, %r5;\nst.global.u32 [%a0+256], %r4;\n"),
                                  {1, 1, 1}, {32, 1, 1}, 128);
        QCOMPARE(both.lowered.counters.globalLoad.requests, 2u);
        QCOMPARE(both.loweredWords, both.writtenWords);
    }

    void loadsMoveOverSharedStores() {
        // two loads, each stored before the next is asked for: together the second waits hardly longer than the first
        const std::string arrays = ".shared .align 4 .b8 tile[1024];";
        const Both both = runBoth(kernelText(1, "mov.u32 %r1, tile;\nadd.s32 %r1, %r1, %o;\nadd.s64 %a0, %a0, %o64;\nld.global.u32 %r4, [%a0];\nst.shared.u32 [%r1], %r4;\n"
                                                "ld.global.u32 %r5, [%a0+4096];\nst.shared.u32 [%r1+256], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [%r1+256];\nst.global.u32 [%a0+8192], %r6;\n", arrays),
                                  {1, 1, 1}, {32, 1, 1}, 4096);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QVERIFY(both.lowered.counters.blockCriticalCycles + 500 < both.written.counters.blockCriticalCycles);
    }

    // Two loads of the first buffer with a store to the second between them. The compiler says of the first load that nobody writes
    // what it reads; so nobody writes what the second reads, which may pass the store, unless the kernel itself writes there.
    void loadsOfWhatIsOnlyReadPassStores() {
        const auto text = [](const char *firstLoad, const char *storeTo) {
            return kernelText(2, std::string("add.s64 %d1, %a0, %o64;\nadd.s64 %d2, %a1, %o64;\nadd.s64 %d3, ") + storeTo + ", %o64;\n" + firstLoad
                                     + " %r4, [%d1];\nst.global.u32 [%d3+128], %r4;\nadd.s64 %d4, %d1, %o64;\nld.global.u32 %r5, [%d4+4096];\nst.global.u32 [%d2+256], %r5;\n");
        };
        const auto cycles = [](const std::string &kernel) {
            std::uint64_t result = 0;
            std::vector<std::uint32_t> words[2];
            for (const bool lowering : {false, true}) {
                ExecutionModel model;
                model.lowering = lowering;
                Engine engine;
                engine.device = Device(model);
                std::vector<std::uint32_t> values(4096);
                std::iota(values.begin(), values.end(), 1u);
                const std::uint64_t x = engine.upload(values), y = engine.upload(values, "y");
                if (!engine.run(kernel, {1}, {32}, {x, y})) qFatal("the kernel does not start");
                result = engine.report.counters.blockCriticalCycles;
                words[lowering] = engine.download<std::uint32_t>(y, 4096);
            }
            return words[0] == words[1] ? result : 0;
        };
        const std::uint64_t apart = cycles(text("ld.global.u32", "%a1"));
        QVERIFY(apart > 0);
        QVERIFY(cycles(text("ld.global.nc.u32", "%a1")) + 500 < apart);
        QVERIFY(cycles(text("ld.global.nc.u32", "%a0")) + 100 > apart); // written by the same kernel
    }

    void loadsDoNotPassBarriers() {
        // warp 1 reads what warp 0 wrote before the barrier
        const std::string arrays = ".shared .align 4 .b8 tile[256];";
        const Both both = runBoth(kernelText(1, "mov.u32 %r1, tile;\nadd.s32 %r2, %r1, %o;\nst.shared.u32 [%r2], %t;\nbar.sync 0;\nxor.b32 %r3, %o, 252;\nadd.s32 %r3, %r1, %r3;\n"
                                                "ld.shared.u32 %r4, [%r3];\nadd.s64 %a0, %a0, %o64;\nst.global.u32 [%a0], %r4;\n", arrays), {1, 1, 1}, {64, 1, 1}, 64);
        QCOMPARE(both.loweredWords, both.writtenWords);
        QCOMPARE(both.loweredWords[0], 63u);
        QVERIFY(both.lowered.findings.empty());
    }

    void smallLoopsRunFourRoundsAtATime() {
        for (const int bound : {1, 3, 4, 5, 8, 1003}) {
            const std::string n = std::to_string(bound);
            const Both both = runBoth(kernelText(1, "mov.b32 %r1, 0;\nmov.b32 %r2, 7;\nadd.s64 %a0, %a0, %o64;\nloop:\nmad.lo.s32 %r2, %r2, 5, %r1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, " + n +
                                                    ";\n@%p1 bra loop;\nst.global.u32 [%a0], %r2;\n"), {1, 1, 1}, {32, 1, 1}, 32);
            QCOMPARE(both.loweredWords, both.writtenWords);
            if (bound == 1003) QVERIFY(both.lowered.counters.branches * 3 < both.written.counters.branches);
        }
    }

    void divisionCountsItsExpansion() {
        const std::string head = "add.s64 %a0, %a0, %o64;\nld.global.f32 %f1, [%a0];\n", tail = "st.global.f32 [%a0], %f2;\n";
        const Both plain = runBoth(kernelText(1, head + "mul.rn.f32 %f2, %f1, %f1;\n" + tail), {1, 1, 1}, {32, 1, 1}, 32);
        const Both divided = runBoth(kernelText(1, head + "div.rn.f32 %f2, %f1, %f1;\n" + tail), {1, 1, 1}, {32, 1, 1}, 32);
        QCOMPARE(instructions(divided.lowered) - instructions(plain.lowered), 9u); // ten for one
        QCOMPARE(divided.lowered.counters.fp32Flops, 32u * 10);                    // five FFMA
        QCOMPARE(count(divided.lowered, InstructionClass::Special), 1u);
    }

    void limitsOfRegistersAreKept() {
        const auto limitOf = [](const std::string &directives) {
            auto module = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k()\n" + directives + "\n{\nret;\n}\n");
            return module ? lowering::registerLimit(module->functions.at(0)) : 0;
        };
        QCOMPARE(limitOf(""), 255);
        QCOMPARE(limitOf(".maxnreg 40"), 40);
        QCOMPARE(limitOf(".maxntid 256, 1, 1\n.minnctapersm 2"), 128);
        QCOMPARE(limitOf(".maxntid 256, 1, 1\n.minnctapersm 3"), 80); // 85.3 rounded down to 8
        QCOMPARE(limitOf(".maxntid 1024, 1, 1"), 64);
    }

    void tenThousandInstructionsLowerQuickly() {
        std::string body = "add.s64 %a0, %a0, %o64;\nld.global.f32 %f1, [%a0];\nmov.f32 %f2, %f1;\n";
        for (int i = 0; i < 5000; ++i) body += "fma.rn.f32 %f" + std::to_string(2 + i % 20) + ", %f1, %f" + std::to_string(2 + (i + 7) % 20) + ", %f1;\nadd.f32 %f1, %f1, %f2;\n";
        auto module = ptx::parse(kernelText(1, body + "st.global.f32 [%a0], %f1;\n"));
        QVERIFY(module.has_value());
        QElapsedTimer timer;
        timer.start();
        (void)lowering::lower(*module);
        qInfo("%lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 2000); // 0.3 s when the machine has nothing else to do
    }
};

QTEST_GUILESS_MAIN(EngineLoweringTest)
#include "tst_engine_lowering.moc"
