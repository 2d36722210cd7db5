// SPDX-License-Identifier: Apache-2.0
// Which GPUs the CUDA evaluator finds and on which hosts, what it knows of them, and what it says where something is missing.
// A scripted worker stands for the real one.
#include "evaluator_test.h"
#include "plugin/cuda_doctor.h"
#include "plugin/device_spec.h"

using namespace kernelskill;
using namespace kernelskill::cuda;
using namespace kernelskill::test;
using namespace Qt::StringLiterals;

namespace {

CudaDevice deviceOf(const char *facts)
{
    return hostDevices({}, devices({json(facts)})).devices.first();
}

} // namespace

class TestCudaDevices : public CudaEvaluatorTest
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { makeTask(); }
    void init() { DeviceDirectory::instance().forget(); }

    void facts()
    {
        const EvaluatorFacts facts = CudaEvaluator({}, installation()).facts();
        QCOMPARE(facts.id, u"cuda"_s);
        QVERIFY(facts.kind == TimeKind::Measured);
        QVERIFY(facts.metrics.contains(u"dram_bytes"_s));
    }

    void devicesAreListed()
    {
        QJsonObject old = json(h200);
        old.insert(u"index"_s, 1);
        old.insert(u"name"_s, u"Tesla K80"_s);
        old.insert(u"architecture"_s, u"sm_37"_s);
        old.insert(u"usable"_s, false);
        old.insert(u"reason"_s, u"its driver ended support"_s);
        m_worker.play({{u"devices"_s, devices({json(h200), old})}});
        const CudaEvaluator evaluator({{u"device"_s, u"1"_s}}, installation());
        const QList<DeviceInfo> found = evaluator.devices();
        QCOMPARE(found.size(), 2);
        QCOMPARE(found[0].id, u"1"_s); // the default one first
        QVERIFY(!found[0].usable);
        QCOMPARE(found[0].reason, u"its driver ended support"_s);
        QCOMPARE(found[1].id, u"0"_s);
        QCOMPARE(found[1].title, u"NVIDIA H200"_s);
        QCOMPARE(found[1].architecture, u"sm_90"_s);
        QVERIFY(found[1].usable);
    }

    void withoutGpu()
    {
        m_worker.play(
            {{u"devices"_s,
              json(R"({"devices": [], "reason": "libcuda.so.1 was not found: there is no NVIDIA driver."})")}});
        const auto evaluation = evaluate(request());
        QVERIFY(!evaluation);
        QCOMPARE(evaluation.error().code, u"environment.driver"_s);
        QVERIFY(evaluation.error().message.startsWith(u"libcuda.so.1 was not found: there is no NVIDIA driver. "));
        QVERIFY(evaluation.error().message.contains(u"\"hosts\""));
        const QList<DeviceInfo> found = CudaEvaluator({}, installation()).devices();
        QCOMPARE(found.size(), 1);
        QVERIFY(!found.first().usable);
        QCOMPARE(found.first().reason, u"libcuda.so.1 was not found: there is no NVIDIA driver."_s);
    }

    void wrongDevices_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("message");
        QTest::newRow("index") << u"5"_s << u"There is no GPU \"5\"; there are: 0 (NVIDIA H200)."_s;
        QTest::newRow("host")
            << u"gpu7:0"_s
            << u"There is no host \"gpu7\" for the device gpu7:0; the CUDA evaluator's setting \"hosts\" has none."_s;
        QTest::newRow("form")
            << u"h200"_s
            << u"\"h200\" is no device of the CUDA evaluator: write a number for a GPU of this machine (0), or a host and a number (gpu1:0)."_s;
    }
    void wrongDevices()
    {
        QFETCH(QString, device);
        QFETCH(QString, message);
        play(json(goodAnswer));
        EvaluationRequest wrong = request();
        wrong.device = device;
        const auto evaluation = evaluate(wrong);
        QVERIFY(!evaluation);
        QCOMPARE(evaluation.error().code, u"device.unknown"_s);
        QCOMPARE(evaluation.error().message, message);
    }

    void settingsAreRead()
    {
        const auto good = CudaSettings::read(
            {{u"hosts"_s, QJsonArray{u"me@gpu1.lab:/opt/ks port=2222 identity=/k"_s, u"big=10.0.0.5"_s}},
             {u"samples"_s, u"40"_s},
             {u"profiler"_s, u"ncu"_s}});
        QVERIFY2(good, errorIn(good).constData());
        QCOMPARE(good->samples, 40);
        QCOMPARE(good->hosts.size(), 2);
        QCOMPARE(good->hosts[0].name, u"gpu1.lab"_s);
        QCOMPARE(good->hosts[0].destination(), u"me@gpu1.lab"_s);
        QCOMPARE(good->hosts[0].folder, u"/opt/ks"_s);
        QCOMPARE(good->hosts[0].port, 2222);
        QCOMPARE(good->hosts[0].byHand(), u"ssh -i /k -p 2222 me@gpu1.lab"_s);
        QCOMPARE(good->hosts[1].name, u"big"_s);
        QCOMPARE(good->hosts[1].host, u"10.0.0.5"_s);
        QCOMPARE(CudaSettings::read({{u"hosts"_s, u"gpu1"_s}})->hosts.first().name,
                 u"gpu1"_s); // as an INI file gives it
        for (const char *bad : {"-oProxyCommand=x", "gpu1:relative/folder", "gpu1 port=zero", "gpu1 speed=9", "a@b@c"})
            QCOMPARE(CudaSettings::read({{u"hosts"_s, QString::fromLatin1(bad)}}).error().code, u"host.syntax"_s);
        QCOMPARE(CudaSettings::read({{u"hosts"_s, QJsonArray{u"a@gpu1"_s, u"b@gpu1"_s}}}).error().code, u"host.name"_s);
        QCOMPARE(good->profiler, u"ncu"_s);
        QCOMPARE(CudaSettings::read({})->profiler, u"auto"_s);
        QCOMPARE(CudaSettings::read({{u"profiler"_s, u"ncu-full"_s}})->profiler, u"ncu-full"_s);
        QCOMPARE(CudaSettings::read({{u"profiler"_s, u"gprof"_s}}).error().code, u"settings.cuda"_s);
        QCOMPARE(CudaSettings::read({{u"profiler"_s, u"gprof"_s}}).error().message,
                 u"The CUDA evaluator's setting \"profiler\" is \"gprof\"; it must be one of auto, cupti, ncu, "
                 "ncu-full, none."_s);
        QCOMPARE(CudaSettings::read({{u"samples"_s, u"many"_s}}).error().code, u"settings.cuda"_s);
    }

    void specsByName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("architecture");
        QTest::addColumn<int>("multiprocessors");
        QTest::addColumn<QString>("id");
        QTest::newRow("H200") << u"NVIDIA H200"_s << u"sm_90"_s << 132 << u"h200"_s;
        QTest::newRow("H100 SXM") << u"NVIDIA H100 80GB HBM3"_s << u"sm_90"_s << 132 << u"h100"_s;
        QTest::newRow("H100 PCIe is smaller") << u"NVIDIA H100 PCIe"_s << u"sm_90"_s << 114 << QString();
        QTest::newRow("A100") << u"NVIDIA A100-SXM4-80GB"_s << u"sm_80"_s << 108 << u"a100"_s;
        QTest::newRow("T4") << u"Tesla T4"_s << u"sm_75"_s << 40 << u"t4"_s;
        QTest::newRow("RTX 4090") << u"NVIDIA GeForce RTX 4090"_s << u"sm_89"_s << 128 << u"rtx4090"_s;
        QTest::newRow("RTX 4080") << u"NVIDIA GeForce RTX 4080"_s << u"sm_89"_s << 76 << QString();
    }
    void specsByName()
    {
        QFETCH(QString, name);
        QFETCH(QString, architecture);
        QFETCH(int, multiprocessors);
        QFETCH(QString, id);
        CudaDevice device;
        device.name = name;
        device.architecture = architecture;
        device.facts = {{u"multiprocessors"_s, multiprocessors}};
        const auto spec = specOf(device);
        QCOMPARE(spec ? spec->id : QString(), id);
        if (!spec) QCOMPARE(spec.error().code, u"gpu.unknown"_s);
    }

    void specFromTheDriver()
    {
        // 100 multiprocessors of 128 lanes at 2 GHz: 51.2 Tflop/s. 384 bits at 10 GHz, two transfers a cycle: 960 GB/s.
        const auto spec =
            specOf(deviceOf(R"({"index": 0, "name": "NVIDIA Some", "architecture": "sm_89", "multiprocessors": 100,
            "clock_mhz": 2000, "memory_clock_mhz": 10000, "memory_bus_bits": 384, "l2": 1000000})"));
        QVERIFY2(spec, errorIn(spec).constData());
        QCOMPARE(spec->fp32_tflops, 51.2);
        QCOMPARE(spec->fp16Tensor_tflops, 204.8);
        QCOMPARE(spec->dramPeak_gb_s, 960.0);
        QCOMPARE(spec->l2Bytes, 1e6);
        QCOMPARE(spec->provenance.value(u"dramPeak_gb_s"_s), u"driver"_s);
    }

    void doctorSaysWhatIsThere()
    {
        HostDevices machine = hostDevices({}, devices({json(h200)}));
        machine.tools = json(R"({"nvcc": "/usr/local/cuda/bin/nvcc", "nvcc_version": "13.0", "ncu": null,
            "bubblewrap": "/usr/bin/bwrap", "sandbox": "namespaces are not allowed",
            "counters": {"ok": false, "text": "only for administrators", "remedy": "ask"}})");
        const QList<QJsonObject> lines = doctorLines(machine);
        const auto named = [&](const QString &name) {
            const auto found =
                std::ranges::find_if(lines, [&](const QJsonObject &line) { return line.value(u"name") == name; });
            return found == lines.end() ? QJsonObject() : *found;
        };
        QCOMPARE(named(u"GPU 0"_s).value(u"text").toString(), u"NVIDIA H200, sm_90"_s);
        QCOMPARE(named(u"nvcc"_s).value(u"ok"), QJsonValue(true));
        QCOMPARE(named(u"nvcc"_s).value(u"text").toString(), u"13.0 (/usr/local/cuda/bin/nvcc)"_s);
        QCOMPARE(named(u"sandbox for candidates"_s).value(u"text").toString(), u"namespaces are not allowed"_s);
        QCOMPARE(named(u"profiler (ncu)"_s).value(u"text").toString(), u"not found"_s);
        QCOMPARE(named(u"GPU counters"_s).value(u"remedy").toString(), u"ask"_s);
        QCOMPARE(named(u"GPU counters"_s).value(u"optional"), QJsonValue(true));
        // Nothing to mend where there is no GPU here; a host that was named is missed.
        HostDevices nothing = hostDevices({}, {});
        QCOMPARE(doctorLines(nothing).first().value(u"optional"), QJsonValue(true));
        nothing.host = u"gpu1"_s;
        QCOMPARE(doctorLines(nothing).first().value(u"name").toString(), u"host gpu1"_s);
        QCOMPARE(doctorLines(nothing).first().value(u"optional"), QJsonValue(false));
    }
};

QTEST_GUILESS_MAIN(TestCudaDevices)
#include "tst_cuda_devices.moc"
