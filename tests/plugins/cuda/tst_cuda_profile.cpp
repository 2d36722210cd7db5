// SPDX-License-Identifier: Apache-2.0
// The fixtures are output of an H200 (driver 580.159.04, CUDA 13.0, ncu 2025.3.1):
// tests/plugins/cuda/fixtures/README.md.
#include "profiler/counters.h"
#include "profiler/metrics.h"
#include "profiler/ncu_report.h"
#include "profiler/occupancy.h"

#include "evaluation/worker_answer.h"
#include "profile/metric_catalogue.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <cmath>

using namespace kernelskill::cuda;
using Json = nlohmann::json;

namespace {

std::string fixture(const char *name)
{
    QFile file(QStringLiteral(TEST_DIR "/fixtures/%1").arg(QString::fromLatin1(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

Ceilings h200()
{
    QFile file(QStringLiteral(SOURCE_DIR "/resources/gpus/h200.json"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return Ceilings::from(Json::parse(file.readAll().toStdString()), {});
}

bool close(double a, double b, double relative = 1e-6)
{
    return std::abs(a - b) <= relative * std::abs(b);
}

QString text(const std::string &s)
{
    return QString::fromStdString(s);
}

// A library file with these launches.
std::string profileWith(const char *launches)
{
    return std::string(R"({"schema":1,"device":{},"launches":)") + launches + "}";
}

} // namespace

class TestCudaProfile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void importedReportInItsOwnUnits()
    {
        const RawProfile profile = parseNcuCsv(fixture("ncu_imported.csv"));
        QCOMPARE(profile.problems.size(), std::size_t(0));
        QCOMPARE(profile.launches.size(), std::size_t(3));
        const LaunchRow &first = profile.launches[0];
        QCOMPARE(text(first.name), QStringLiteral("addBias(const float *, const float *, float *, int, int)"));
        QCOMPARE(text(profile.launches[2].name), QStringLiteral("addResidual(const float *, float *, int)"));
        QCOMPARE(first.grid, (std::array<int, 3>{65536, 1, 1}));
        QCOMPARE(first.block, (std::array<int, 3>{256, 1, 1}));
        QCOMPARE(first.registers, 16);
        QCOMPARE(first.duration_ns, 54624.0);                                                // 54.624000 us
        QVERIFY(close(first.counters.at("dram__bytes_read.sum"), 67151616));                 // 67.151616 Mbyte
        QVERIFY(close(first.counters.at("dram__bytes_read.sum.per_second"), 1.229343e12));   // Tbyte/s
        QVERIFY(close(first.counters.at("gpc__cycles_elapsed.avg.per_second"), 1.962196e9)); // Ghz
        QVERIFY(close(first.counters.at("launch__shared_mem_config_size"), 32768));          // 32.768000 Kbyte
        QCOMPARE(first.counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 1048576.0);
        QVERIFY(!first.counters.contains("launch__func_cache_config")); // a word
        QCOMPARE(profile.device.multiprocessors, 132);
        QCOMPARE(profile.device.sharedReservedPerBlock, 1024); // 1.024000 Kbyte/block
        QCOMPARE(profile.device.sharedPerSm, 233472);
        QCOMPARE(profile.device.memoryBusBits, 6016.0);
    }

    void nanIsMissingAndNamed()
    {
        const RawProfile profile = parseNcuCsv(fixture("ncu_imported.csv"));
        QVERIFY(std::isnan(profile.launches[1].counters.at("derived_tempMetric4")));
        const std::vector<std::string> remarks = profileRemarks(profile);
        QCOMPARE(remarks.size(), std::size_t(1));
        QVERIFY(
            text(remarks[0]).startsWith(QStringLiteral("The profiler gave no number (NaN) for derived_tempMetric4:")));

        const RawProfile broken = parseLibraryProfile(profileWith(
            R"([{"kind":"kernel","name":"_Z1fv","durations_ns":[5000],"counters":
               {"lts__throughput.avg.pct_of_peak_sustained_elapsed":null,"smsp__inst_executed.sum":64}}])"));
        std::vector<std::string> missing;
        const auto metrics = metricsOf(broken.launches[0], broken, &missing);
        QVERIFY(!metrics.contains("l2_throughput_pct"));
        QVERIFY(!metrics.contains("primary_limiter_util")); // a maximum of an unknown is unknown
        QCOMPARE(metrics.at("instructions"), 64.0);
        QVERIFY(std::ranges::find(missing, "l2_throughput_pct") != missing.end());
        QVERIFY(std::ranges::find(missing, "dram_bytes") != missing.end());
        QVERIFY(std::ranges::find(missing, "instructions") == missing.end());
        const Json row = kernelProfiles(broken, {}).at(0);
        QCOMPARE(row.at("missing").size(), missing.size());
    }

    void units_data()
    {
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("value");
        QTest::addColumn<double>("base");
        QTest::newRow("msecond") << "msecond" << "1.25" << 1.25e6;
        QTest::newRow("usecond") << "usecond" << "1,250.5" << 1250500.0;
        QTest::newRow("second") << "second" << "2" << 2e9;
        QTest::newRow("ns") << "ns" << "17" << 17.0;
        QTest::newRow("Kbyte") << "Kbyte" << "3.5" << 3500.0;
        QTest::newRow("Gbyte/second") << "Gbyte/second" << "4" << 4e9;
        QTest::newRow("Kbyte/block") << "Kbyte/block" << "8.19" << 8190.0;
        QTest::newRow("sector/us") << "sector/us" << "2" << 2e6;
        QTest::newRow("sector/ns") << "sector/ns" << "2" << 2e9;
        QTest::newRow("Mhz") << "Mhz" << "1.5" << 1.5e6;
        QTest::newRow("percent") << "%" << "99.5" << 99.5;
        QTest::newRow("none") << "" << "1,048,576" << 1048576.0;
        QTest::newRow("multiprocessors") << "SM" << "132" << 132.0;
    }

    void units()
    {
        QFETCH(QString, unit);
        QFETCH(QString, value);
        QFETCH(double, base);
        const std::string csv = "==PROF== Connected\n\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"" +
                                unit.toStdString() + "\"\n\"0\",\"f(\"\"x\"\", int)\",\"" + value.toStdString() +
                                "\"\n";
        const RawProfile profile = parseNcuCsv(csv);
        QCOMPARE(profile.launches.size(), std::size_t(1));
        QVERIFY(close(profile.launches[0].counters.at("a__b.sum"), base, 1e-12));
        QCOMPARE(text(profile.launches[0].name), QStringLiteral("f(\"x\", int)"));
    }

    void libraryKernelsAreSeen()
    {
        const RawProfile profile = parseNcuCsv(fixture("ncu_cublas.csv"));
        QCOMPARE(profile.launches.size(), std::size_t(2));
        QVERIFY(text(profile.launches[0].name).contains(QStringLiteral("cutlass_80_simt_sgemm_256x128_8x4_nn_align1")));
        const auto metrics = metricsOf(profile.launches[0], profile);
        QCOMPARE(metrics.at("registers_per_thread"), 202.0);
        QCOMPARE(metrics.at("shared_bytes_per_block"), 49152.0);
        QCOMPARE(metrics.at("occ_limit_registers_blocks"), 1.0); // as ncu has it
        QCOMPARE(metrics.at("occ_limit_warps_blocks"), 8.0);
        QCOMPARE(metrics.at("fp32_flops"), 2 * 8589934592.0 + 4194304.0);
        QCOMPARE(launchCount(profile), 2);
    }

    void noTable_data()
    {
        QTest::addColumn<QString>("printed");
        QTest::addColumn<QString>("start");
        QTest::newRow("nothing") << "" << "The profiler failed";
        QTest::newRow("permission") << "==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does "
                                       "not have permission to access "
                                       "NVIDIA GPU Performance Counters on the target device 0.\n"
                                    << "This user may not read the GPU's counters (ERR_NVGPUCTRPERM)";
        QTest::newRow("no kernel") << "==PROF== Connected to process 1\n==WARNING== No kernels were profiled.\n"
                                   << "The profiler saw no kernel";
        QTest::newRow("crash")
            << "==ERROR== The application returned an error code (11).\n"
            << "The profiler failed: no_table: ==ERROR== The application returned an error code (11)";
        QTest::newRow("header only") << "\"ID\",\"Kernel Name\"\n\"\",\"\"\n" << "The profiler saw no kernel";
    }

    void noTable()
    {
        QFETCH(QString, printed);
        QFETCH(QString, start);
        const RawProfile profile = parseNcuCsv(printed.toStdString());
        QVERIFY(profile.launches.empty());
        const std::vector<std::string> remarks = profileRemarks(profile);
        QCOMPARE(remarks.size(), std::size_t(1));
        QVERIFY2(text(remarks[0]).startsWith(start), remarks[0].c_str());
    }

    void metricsOfALibraryProfile()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_matmul.json"));
        QCOMPARE(profile.passes, 10);
        QVERIFY(profile.problems.empty() && profile.unknownCounters.empty());
        std::vector<std::string> missing;
        const auto m = metricsOf(profile.launches.at(0), profile, &missing);
        QVERIFY2(missing.empty(), missing.empty() ? "" : missing[0].c_str());
        QCOMPARE(m.at("kernel_duration_ns"), 402908.0); // the median of 402780, 402908, 402972
        QCOMPARE(m.at("sm_throughput_pct"), 65.06210697);
        QCOMPARE(m.at("l1_throughput_pct"), 62.96521954);
        QCOMPARE(m.at("l2_throughput_pct"), 11.31485699);
        QCOMPARE(m.at("dram_throughput_pct"), 0.9783454652);
        QCOMPARE(m.at("primary_limiter_util"), 65.06210697);
        QCOMPARE(m.at("dram_bytes"), 16798464.0 + 2207488.0);
        QCOMPARE(m.at("sectors_per_request"), 4.0); // 16777216 / 4194304: coalesced
        QCOMPARE(m.at("store_sectors_per_request"), 16.0);
        QVERIFY(close(m.at("l2_hit_pct"), 93.761081));
        QVERIFY(close(m.at("pred_on_threads_per_inst"), 31.69181994915));
        QVERIFY(close(m.at("pred_on_norm"), 31.69181994915 / 32));
        QCOMPARE(m.at("fp32_flops"), 2.0 * 2048 * 2048 * 1024); // 2 m n k
        QCOMPARE(m.at("tensor_instructions"), 0.0);             // 2113536 HFMA2 are no matrix instructions
        QVERIFY(close(m.at("stall_long_scoreboard"), 0.153422960622));
        QVERIFY(close(m.at("memory_stall"), 0.153422960622 + 0.154598740656));
        QVERIFY(close(m.at("stall_selected"), 0.123824789399));
        QCOMPARE(m.at("branch_divergence_pct"), 0.0);
        QCOMPARE(m.at("grid_blocks"), 1024.0);
        QCOMPARE(m.at("occ_limit_registers_blocks"), 3.0); // 70 registers: 9 warps of 4 files, 8 warps a block
        QCOMPARE(m.at("theoretical_occupancy_pct"), 37.5);
        QVERIFY(close(m.at("waves_per_sm"), 1024 / (3.0 * 132)));
    }

    void everyPolicyFieldHasAValue()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_cublas.json"));
        const auto metrics = metricsOf(profile.launches.at(0), profile);
        for (const char *field : {"dram_throughput_pct",
                                  "l2_throughput_pct",
                                  "l1_throughput_pct",
                                  "sm_throughput_pct",
                                  "achieved_occupancy_pct",
                                  "registers_per_thread",
                                  "occ_limit_registers_blocks",
                                  "occ_limit_sharedmem_blocks",
                                  "occ_limit_warps_blocks",
                                  "kernel_duration_ns",
                                  "stall_long_scoreboard",
                                  "stall_short_scoreboard",
                                  "stall_no_instruction",
                                  "stall_not_selected",
                                  "branch_targets_divergent",
                                  "branch_targets_uniform",
                                  "pred_on_threads_per_inst",
                                  "warps_eligible_cnt",
                                  "grid_blocks",
                                  "waves_per_sm",
                                  "sectors_per_request",
                                  "shared_bank_conflicts",
                                  "spilled_bytes",
                                  "tensor_pipe_pct",
                                  "gpu_busy_fraction",
                                  "memory_stall",
                                  "primary_limiter_util",
                                  "branch_divergence_pct",
                                  "pred_on_norm",
                                  "kernel_duration_us"})
            QVERIFY2(metrics.contains(field), field);
        for (const auto &[name, value] : metrics)
            QVERIFY2(kernelskill::metricInfo(text(name)), name.c_str());
    }

    void rowsAsTheEvaluatorReadsThem()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_cublas.json"));
        const Json rows = kernelProfiles(profile, h200());
        QCOMPARE(rows.size(), std::size_t(4)); // gemm, scale, and the time of a memset and a copy
        QCOMPARE(launchCount(profile), 2);
        kernelskill::Evaluation evaluation;
        const Json answer{{"kernels", rows}, {"launches", launchCount(profile)}};
        kernelskill::addWorkerAnswer(QJsonDocument::fromJson(QByteArray::fromStdString(answer.dump())).object(),
                                     QStringLiteral("h200"), kernelskill::TimeKind::Measured, evaluation);
        const auto &kernels = evaluation.profile.kernels;
        QCOMPARE(kernels.size(), 4);
        QVERIFY(kernels[0].name.contains(QStringLiteral("sgemm")));
        QCOMPARE(kernels[1].name, QStringLiteral("scale(float*, unsigned long)"));
        QCOMPARE(kernels[3].name, QStringLiteral("copy device to device"));
        QCOMPARE(kernels[0].duration_us, 343.164);
        QVERIFY(close(kernels[0].timeShare, 343164.0 / (343164 + 10976 + 1055 + 2336)));
        // 17.18 GFLOP at 66.9 TFLOP/s take longer than 38.6 MB at 4250 GB/s.
        QVERIFY(close(kernels[0].roofline_us, (2 * 8589934592.0 + 4194304) / 66.9e6));
        QVERIFY(close(kernels[3].roofline_us, 4194304 / 4250e3));
        QVERIFY(!kernels[0].stalls.contains(QStringLiteral("selected")));
        double all = 0;
        for (const double share : kernels[0].stalls)
            all += share;
        QVERIFY(all > 0.5 && all < 1);
        QCOMPARE(evaluation.profile.deciding()->name, kernels[0].name);
    }

    void nothingTheWorkerSendsIsDropped()
    {
        const RawProfile profile = parseLibraryProfile(profileWith(
            R"([{"kind":"kernel","name":"_Z1aPf","grid":[7,1,1],"durations_ns":[1000],"graph":true,
                 "counters":{"dram__bytes_read.sum":4250,"lts__t_sectors_lookup_hit.sum":null},
                 "timeline":{"interval_us":2,"metrics":{"dram__read":[10,null,80.5]}}}])"));
        const Json answer{{"kernels", kernelProfiles(profile, h200(), true)}, {"launches", 1}};
        kernelskill::Evaluation evaluation;
        kernelskill::addWorkerAnswer(QJsonDocument::fromJson(QByteArray::fromStdString(answer.dump())).object(),
                                     QStringLiteral("h200"), kernelskill::TimeKind::Measured, evaluation);
        const kernelskill::KernelProfile &kernel = evaluation.profile.kernels.first();
        QVERIFY(kernel.inGraph);
        QVERIFY2(kernel.missing.contains(QStringLiteral("l2_hit_pct")), qPrintable(kernel.missing.join(u' ')));
        QCOMPARE(kernel.timeline.interval_us, 2.0);
        const QList<double> values = kernel.timeline.metrics.value(QStringLiteral("dram__read"));
        QCOMPARE(values.size(), 3);
        QCOMPARE(values[0], 10.0);
        QVERIFY(std::isnan(values[1]));
        QCOMPARE(values[2], 80.5);
        QCOMPARE(kernel.counters, (QMap<QString, double>{{QStringLiteral("dram__bytes_read.sum"), 4250.0}}));
        QVERIFY(!kernelProfiles(profile, h200())[0].contains("counters")); // only where they were asked for
    }

    void launchesOfOneNameAreSummed()
    {
        const RawProfile profile = parseLibraryProfile(profileWith(
            R"([{"kind":"kernel","name":"_Z1aPf","durations_ns":[1000,3000,2000],"counters":{"dram__bytes_read.sum":4250,"dram__bytes_write.sum":0}},
                {"kind":"kernel","name":"_Z1bv","durations_ns":[6000],"counters":{}},
                {"kind":"kernel","name":"_Z1aPf","grid":[7,1,1],"durations_ns":[12000],"counters":{"dram__bytes_read.sum":8500,"dram__bytes_write.sum":0}}])"));
        const Json rows = kernelProfiles(profile, {.dram_gb_s = 4250});
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(text(rows[0].at("name")), QStringLiteral("a(float*)"));
        QCOMPARE(rows[0].at("launches").get<int>(), 2);
        QCOMPARE(rows[0].at("duration_us").get<double>(), 14.0); // 2 and 12
        QCOMPARE(rows[0].at("share").get<double>(), 0.7);
        QCOMPARE(rows[0].at("roofline_us").get<double>(), 0.003);
        QCOMPARE(rows[0].at("grid").at(0).get<int>(), 7); // the longest speaks for all
        QCOMPARE(rows[1].at("metrics").at("kernel_duration_us").get<double>(), 6.0);
        QVERIFY(!rows[1].contains("missing")); // without counters nothing was asked
    }

    void hotSpotsByLine()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_matmul.json"));
        const Json row = kernelProfiles(profile, h200()).at(0);
        const Json &spots = row.at("hot_spots");
        QCOMPARE(spots.size(), std::size_t(12)); // of 23 lines
        QCOMPARE(text(spots[0].at("file")), QStringLiteral("matmul/v3.cu"));
        QCOMPARE(spots[0].at("line").get<int>(), 21);
        // 30080 samples less 2780 that issued, of 149197 less 19212
        QVERIFY(close(spots[0].at("share").get<double>(), 27300.0 / 129985));
        QCOMPARE(text(spots[0].at("stall")), QStringLiteral("long_scoreboard"));
        QCOMPARE(text(spots[0].at("text")), QStringLiteral("21 % of stalls, long scoreboard"));
        QCOMPARE(spots[1].at("line").get<int>(), 41);
        QCOMPARE(text(spots[1].at("stall")), QStringLiteral("short_scoreboard"));
    }

    void countersOverTime()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_matmul.json"));
        const Json timeline = kernelProfiles(profile, h200()).at(0).at("timeline");
        QCOMPARE(timeline.at("interval_us").get<double>(), 2.014);
        QCOMPARE(timeline.at("metrics").size(), timelineCounters().size());
        for (const std::string &name : timelineCounters()) {
            const Json &series = timeline.at("metrics").at(name);
            QCOMPARE(series.size(), std::size_t(200)); // 402.9 µs
            for (const Json &value : series)
                QVERIFY(value.get<double>() >= 0 && value.get<double>() <= 100);
        }
    }

    // Times and waits of a graph's kernels come from other parts of the profile than the counters it has not.
    void graphWithoutCounters()
    {
        const RawProfile profile = parseLibraryProfile(fixture("library_graph.json"));
        const Json rows = kernelProfiles(profile, h200());
        QCOMPARE(rows.size(), std::size_t(2)); // step twice, other twice
        QCOMPARE(rows[0].at("launches").get<int>(), 2);
        QVERIFY(rows[0].at("graph").get<bool>());
        QVERIFY(!rows[0].at("metrics").contains("dram_throughput_pct"));
        QVERIFY(close(rows[0].at("metrics").at("stall_long_scoreboard").get<double>(), 1900.0 / 2581));
        QVERIFY(close(rows[0].at("metrics").at("stall_selected").get<double>(), 81.0 / 2581));
        const std::vector<std::string> remarks = profileRemarks(profile);
        QCOMPARE(remarks.size(), std::size_t(1));
        QVERIFY(text(remarks[0]).contains(QStringLiteral("choose the profiler ncu")));
    }

    void countersOfAGraphComeFromNcu()
    {
        RawProfile profile = parseLibraryProfile(fixture("library_graph.json"));
        const RawProfile ncu = parseNcuCsv(fixture("ncu_graph.csv"));
        QVERIFY(addCounters(profile, ncu));
        QVERIFY(profileRemarks(profile).empty());
        const Json rows = kernelProfiles(profile, h200());
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(rows[0].at("metrics").at("instructions").get<double>(), 3145728.0);     // ncu's
        QCOMPARE(rows[0].at("metrics").at("kernel_duration_ns").get<double>(), 12767.0); // CUPTI's
        // Another call is refused.
        RawProfile matmul = parseLibraryProfile(fixture("library_matmul.json"));
        QVERIFY(!addCounters(matmul, ncu));
        QVERIFY(!matmul.launches[0].counters.empty());
    }

    void libraryFileThatIsNone_data()
    {
        QTest::addColumn<QString>("content");
        QTest::newRow("empty") << "";
        QTest::newRow("cut off") << "{\"schema\":1,\"launches\":[{\"na";
        QTest::newRow("other") << "[1,2]";
        QTest::newRow("newer") << "{\"schema\":2}";
    }

    void libraryFileThatIsNone()
    {
        QFETCH(QString, content);
        const RawProfile profile = parseLibraryProfile(content.toStdString());
        QVERIFY(profile.launches.empty());
        QCOMPARE(profile.problems.size(), std::size_t(1));
        QCOMPARE(profileRemarks(profile).size(), std::size_t(1));
    }

    void libraryFileOfWrongTypes()
    {
        const RawProfile profile = parseLibraryProfile(
            R"({"schema":1,"device":7,"launches":[3,{"kind":[],"name":5,"grid":"x","block":[1,"y"],"durations_ns":{},
                "counters":[1],"timeline":4}],"functions":"no","problems":[null],"unknown_counters":[1]})");
        QCOMPARE(profile.launches.size(), std::size_t(1));
        QVERIFY(profile.functions.empty() && profile.problems.empty() && profile.unknownCounters.empty());
        QCOMPARE(kernelProfiles(profile, {}).size(), std::size_t(1));
    }

    // By the vendor's occupancy rules; those marked are ncu's own figures on an H200.
    void occupancies_data()
    {
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("byRegisters");
        QTest::addColumn<int>("byShared");
        QTest::addColumn<int>("byWarps");
        QTest::addColumn<int>("resident");
        QTest::newRow("transpose, ncu") << 16 << 4096 << 1024 << 4 << 45 << 2 << 2;
        QTest::newRow("row_softmax, ncu") << 29 << 64 << 256 << 8 << 202 << 8 << 8;
        QTest::newRow("matmul, ncu") << 70 << 8448 << 256 << 3 << 24 << 8 << 3;
        QTest::newRow("sgemm, ncu") << 202 << 49152 << 256 << 1 << 4 << 8 << 1;
        QTest::newRow("shared limits") << 32 << 102400 << 256 << 8 << 2 << 8 << 2;
        QTest::newRow("ragged warp") << 16 << 0 << 33 << 64 << 228 << 32 << 32;
    }

    void occupancies()
    {
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, threads);
        LaunchRow launch;
        launch.registers = registers;
        launch.staticShared = shared;
        launch.dynamicShared = 0;
        launch.block = {threads, 1, 1};
        const DeviceLimits h200{132, 2048, 32, 65536, 233472, 1024, 0, 0, 0};
        const auto result = occupancy(launch, h200);
        QVERIFY(result);
        QTEST(result->byRegisters, "byRegisters");
        QTEST(result->byShared, "byShared");
        QTEST(result->byWarps, "byWarps");
        QTEST(result->residentBlocks, "resident");
        QVERIFY(!occupancy(launch, {}));
    }

    void askedOfTheProfilers()
    {
        const std::string options = profileOptions();
        QVERIFY(text(options).startsWith(QLatin1String("parts=launches,hot_spots,counters,timeline\n")));
        QVERIFY(options.find("dram__bytes_read.sum|dram__bytes_op_read.sum") != std::string::npos);
        QVERIFY(options.find("idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed?") != std::string::npos);
        QCOMPARE(text(profileOptions({.counters = false, .timeline = false, .hotSpots = false})),
                 QStringLiteral("parts=launches\n"));
        const std::vector<std::string> arguments = ncuArguments(NcuSet::Policy);
        const auto control = std::ranges::find(arguments, "--clock-control");
        QVERIFY(control != arguments.end() && *(control + 1) == "none");
        QVERIFY(arguments.back().find("smsp__sass_branch_targets_threads_divergent.sum") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCudaProfile)
#include "tst_cuda_profile.moc"
