// SPDX-License-Identifier: Apache-2.0
#include "profile/gpu_spec.h"
#include "profile/metric_catalogue.h"
#include "profile/profile.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace kernelskill;

class TestProfile : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    static QJsonObject goodSpec()
    {
        return QJsonDocument::fromJson(R"({"id": "test", "name": "Test GPU", "architecture": "sm_90", "smCount": 132,
            "clock_mhz": 1980, "sharedBytesPerSm": 233472, "sharedBytesPerBlock": 232448, "l1BytesPerSm": 262144,
            "l2Bytes": 62914560, "dram_gb_s": 4100, "l2_gb_s": 7000, "fp32_tflops": 60, "launch_us": 2.5,
            "latencies": {"alu": 4}, "rates": {"fp32": 128}, "provenance": {"dram_gb_s": "measured"},
            "model": {"x": 1}, "comment": "unknown keys are fine"})").object();
    }
    QString write(const QByteArray &text)
    {
        QFile file(m_folder.filePath(QStringLiteral("test.json")));
        if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
        file.write(text);
        return file.fileName();
    }

private Q_SLOTS:
    void decidingKernelHasMostToRecover()
    {
        KernelProfile slow, wasteful, tied;
        slow.name = QStringLiteral("slow but at its roofline");
        slow.duration_us = 100;
        slow.roofline_us = 95;
        wasteful.name = QStringLiteral("wasteful");
        wasteful.duration_us = 40;
        wasteful.roofline_us = 5;
        tied = wasteful;
        tied.name = QStringLiteral("as wasteful, later");
        Profile profile;
        QVERIFY(!profile.deciding());
        profile.kernels = {slow, wasteful, tied};
        QCOMPARE(profile.deciding()->name, QStringLiteral("wasteful"));
    }

    void missingMetricsAreUnknown()
    {
        KernelProfile kernel;
        kernel.metrics = {{QStringLiteral("a"), 0}, {QStringLiteral("b"), std::nan("")}};
        QCOMPARE(kernel.metric(QStringLiteral("a")), std::optional<double>(0));
        QVERIFY(!kernel.metric(QStringLiteral("b")));
        QVERIFY(!kernel.metric(QStringLiteral("c")));
        Profile profile;
        profile.kernels = {kernel};
        QVERIFY(!Profile::fromJson(profile.toJson()).kernels[0].metrics.contains(QStringLiteral("b")));
    }

    void whatAProfilerSawIsKept()
    {
        KernelProfile kernel;
        kernel.missing = {QStringLiteral("l2_hit_pct")};
        kernel.inGraph = true;
        kernel.timeline.interval_us = 2.5;
        kernel.timeline.metrics = {{QStringLiteral("dram__read"), {10, std::nan(""), 80.5}}};
        kernel.counters = {{QStringLiteral("sm__cycles.sum"), 4096}};
        Profile profile;
        profile.kernels = {kernel, KernelProfile()};
        const Profile again = Profile::fromJson(profile.toJson());
        const KernelProfile &kept = again.kernels[0];
        QCOMPARE(kept.missing, kernel.missing);
        QVERIFY(kept.inGraph);
        QCOMPARE(kept.timeline.interval_us, 2.5);
        const QList<double> values = kept.timeline.metrics.value(QStringLiteral("dram__read"));
        QCOMPARE(values.size(), 3);
        QCOMPARE(values[0], 10.0);
        QVERIFY(std::isnan(values[1])); // a gap keeps its place
        QCOMPARE(values[2], 80.5);
        QCOMPARE(kept.counters, kernel.counters);
        QVERIFY(again.kernels[1].timeline.isEmpty() && !again.kernels[1].inGraph);
        QVERIFY(!profile.toJson().value(u"kernels")[1].toObject().contains(u"timeline"));
    }

    void catalogueIsConsistent()
    {
        QSet<QString> names;
        for (const MetricInfo &info : metricCatalogue()) {
            QVERIFY2(!names.contains(info.name), qPrintable(info.name));
            names.insert(info.name);
            QVERIFY2(!info.title.isEmpty() && info.meaning.size() > 15 && info.meaning.endsWith(u'.'), qPrintable(info.name));
        }
        for (const char *name : {"dram_throughput_pct", "l2_throughput_pct", "l1_throughput_pct", "sm_throughput_pct",
                                 "achieved_occupancy_pct", "registers_per_thread", "occ_limit_registers_blocks",
                                 "occ_limit_sharedmem_blocks", "occ_limit_warps_blocks", "kernel_duration_ns",
                                 "kernel_launch_count", "pred_on_threads_per_inst", "warps_eligible_cnt",
                                 "sectors_per_request", "shared_bank_conflicts", "spilled_bytes", "tensor_pipe_pct",
                                 "waves_per_sm", "grid_blocks", "gpu_busy_fraction", "dram_bytes", "l2_bytes", "l1_bytes",
                                 "fp32_flops", "fp32_pipe_pct", "issue_slot_pct", "branch_divergence_pct",
                                 "theoretical_occupancy_pct", "stall_long_scoreboard", "stall_short_scoreboard"})
            QVERIFY2(metricInfo(QString::fromLatin1(name)), name);
        QCOMPARE(metricInfo(QStringLiteral("dram_throughput_pct"))->profilerName,
                 QStringLiteral("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"));
        QVERIFY(!metricInfo(QStringLiteral("no_such_metric")));
    }

    void gpuIsRead()
    {
        const auto spec = GpuSpec::read(write(QJsonDocument(goodSpec()).toJson()));
        QVERIFY2(spec, spec ? "" : qPrintable(spec.error().message));
        QCOMPARE(spec->smCount, 132);
        QCOMPARE(spec->maxThreadsPerSm, 2048); // not given: the usual
        QCOMPARE(spec->latencies.value(QStringLiteral("alu")), 4.0);
        QCOMPARE(spec->provenance.value(QStringLiteral("dram_gb_s")), QStringLiteral("measured"));
        QCOMPARE(spec->model.value(u"x").toInt(), 1);
    }

    void gpuErrorsNameThePlace_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("part");
        QTest::newRow("missing") << "smCount" << QJsonValue(QJsonValue::Undefined) << "/smCount: this key is missing";
        QTest::newRow("negative") << "clock_mhz" << QJsonValue(-1) << "/clock_mhz: expected a positive number";
        QTest::newRow("fraction") << "smCount" << QJsonValue(1.5) << "/smCount: expected a whole number, found 1.5";
        QTest::newRow("text") << "l2Bytes" << QJsonValue("much") << "/l2Bytes: expected a number, found a text";
        QTest::newRow("architecture") << "architecture" << QJsonValue("90") << "/architecture: expected \"sm_\" and digits";
        QTest::newRow("latency") << "latencies" << QJsonValue(QJsonObject{{"alu", "x"}}) << "/latencies/alu: expected a number";
    }
    void gpuErrorsNameThePlace()
    {
        QFETCH(QString, key);
        QFETCH(QJsonValue, value);
        QFETCH(QString, part);
        QJsonObject object = goodSpec();
        if (value.isUndefined()) object.remove(key);
        else object.insert(key, value);
        const auto spec = GpuSpec::read(write(QJsonDocument(object).toJson()));
        QVERIFY(!spec);
        QVERIFY2(spec.error().message.contains(QStringLiteral("test.json: ") + part), qPrintable(spec.error().message));
    }

    void unknownGpuListsKnownOnes()
    {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("gpus")));
        QFile file(m_folder.filePath(QStringLiteral("gpus/alpha.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(goodSpec()).toJson());
        file.close();
        qputenv("KERNELSKILL_RESOURCES", m_folder.path().toUtf8());
        QCOMPARE(GpuSpec::available(), QStringList{QStringLiteral("alpha")});
        QVERIFY(GpuSpec::find(QStringLiteral("alpha")));
        const auto missing = GpuSpec::find(QStringLiteral("../alpha"));
        qunsetenv("KERNELSKILL_RESOURCES");
        QVERIFY(!missing);
        QCOMPARE(missing.error().message, QStringLiteral("There is no GPU \"../alpha\"; known are: alpha."));
    }
};

QTEST_APPLESS_MAIN(TestProfile)
#include "tst_profile.moc"
