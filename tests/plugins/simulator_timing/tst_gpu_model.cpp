// SPDX-License-Identifier: Apache-2.0
#include "timing/gpu_model.h"
#include "timing/occupancy.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>

using namespace kernelskill::simulator;

class TestGpuModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QFile file(QStringLiteral(SOURCE_DIR "/resources/gpus/h200.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_document = QJsonDocument::fromJson(file.readAll()).object();
        QVERIFY(!m_document.isEmpty());
    }

    void h200IsReadAsItStands()
    {
        const auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY2(gpu, gpu ? "" : gpu.error().c_str());
        QCOMPARE(gpu->id, std::string("h200"));
        QCOMPARE(gpu->architecture, std::string("sm_90"));
        QCOMPARE(gpu->smCount, 132);
        QCOMPARE(gpu->maxWarpsPerSm, 64);
        QCOMPARE(gpu->registersPerSm, 65536);
        QCOMPARE(gpu->sharedBytesPerSm, 228 * 1024);
        QCOMPARE(gpu->sharedBytesPerBlock, 227 * 1024);
        QCOMPARE(gpu->rate("fp32"), 128.0);
        QCOMPARE(gpu->rate("no such pipe"), 0.0);
        QCOMPARE(gpu->latency("dram"),
                 m_document[QLatin1String("latencies")].toObject()[QLatin1String("dram")].toDouble());
        QCOMPARE(gpu->model.overlapExponent,
                 m_document[QLatin1String("model")].toObject()[QLatin1String("overlap_exponent")].toDouble());
    }

    void peaksAgreeWithRatesAndClock_data()
    {
        QTest::addColumn<QString>("id");
        for (const auto id : {"h200", "h100", "a100", "l40s", "rtx4090", "t4"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }

    void peaksAgreeWithRatesAndClock()
    {
        QFETCH(QString, id);
        const auto gpu = GpuModel::read((SOURCE_DIR "/resources/gpus/" + id.toStdString()) + ".json");
        QVERIFY2(gpu, gpu ? "" : gpu.error().c_str());
        QCOMPARE(gpu->id, id.toStdString());
        const double flopsPerRate = gpu->smCount * gpu->clock_mhz * 1e-6;
        QVERIFY(qAbs(2 * gpu->rate("fp32") * flopsPerRate / gpu->fp32_tflops - 1) < 0.02);
        QVERIFY(qAbs(2 * gpu->rate("fp64") * flopsPerRate / gpu->fp64_tflops - 1) < 0.02);
        QVERIFY(qAbs(gpu->rate("tensor") * flopsPerRate / gpu->fp16Tensor_tflops - 1) < 0.09); // at lower clocks, as sold
        QVERIFY(gpu->dram_gb_s < gpu->dramPeak_gb_s);
        QCOMPARE(gpu->sharedCarveOuts_kib.back() * 1024, double(gpu->sharedBytesPerSm));
        QVERIFY(gpu->maxWarpsPerSm * 32 == gpu->maxThreadsPerSm);
        for (const auto field : {"smCount", "dram_gb_s", "latencies", "rates", "model"})
            QVERIFY2(gpu->provenance.contains(field), field);
        // Only the H200 was measured.
        QCOMPARE(std::ranges::any_of(gpu->provenance, [](const auto &entry) { return entry.second == "measured"; }),
                 id == QLatin1String("h200"));
    }

    void readsAloneAreFasterThanAMix()
    {
        const auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        QCOMPARE(gpu->dramBytesPerCycle(0.5), gpu->dram_gb_s * 1e3 / gpu->clock_mhz);
        QCOMPARE(gpu->dramBytesPerCycle(1), gpu->dramBytesPerCycle(0.5));
        QCOMPARE(gpu->dramBytesPerCycle(0), gpu->dramBytesPerCycle(0.5) * (1 + gpu->model.dramReadBonus));
    }

    void provenanceFallsBackToTheGroup()
    {
        const auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        QCOMPARE(gpu->provenanceOf("smCount"), std::string_view("datasheet"));
        QCOMPARE(gpu->provenanceOf("rates.fp32"), gpu->provenanceOf("rates"));
        QCOMPARE(gpu->provenanceOf("never heard of"), std::string_view("assumed"));
    }

    void executionModelFollowsTheSample()
    {
        const auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        QCOMPARE(gpu->executionModel().l1Bytes, std::size_t(256 * 1024));
        QCOMPARE(gpu->executionModel(1).l2Bytes, std::size_t(50 * 1024 * 1024));
        QCOMPARE(gpu->executionModel(0.25).l2Bytes, std::size_t(50 * 1024 * 1024 / 4));
        QCOMPARE(gpu->executionModel(0).l2Bytes, std::size_t(256 * 1024));
        QCOMPARE(gpu->executionModel().smCount, 132);
        QCOMPARE(gpu->executionModel().dramLatency, int(gpu->latency("dram")));
    }

    void coResidentBlocksShareL1()
    {
        auto gpu = GpuModel::read(SOURCE_DIR "/resources/gpus/h200.json");
        QVERIFY(gpu);
        const double share = gpu->model.l1Share;
        gpu->model.l1Share = 1; // how the array is divided
        Occupancy occupancy;
        occupancy.residentBlocks = 1;
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 1000), std::size_t(248 * 1024)); // the least carve-out is 8 KiB
        occupancy.residentBlocks = 8; // set aside 4 KiB for each
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 132), std::size_t(224 * 1024));
        occupancy.residentBlocks = 32; // no more than that
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 132), std::size_t(224 * 1024));
        occupancy.residentBlocks = 4;
        occupancy.sharedBytesPerBlock = 25 * 1024;
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 1000), std::size_t(156 * 1024 / 4));
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 132), std::size_t(156 * 1024)); // one block an SM is all there is
        occupancy.sharedBytesPerBlock = 100 * 1024;
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 1000), std::size_t(28 * 1024 / 4));
        gpu->model.l1Share = 0.5; // how much of its part keeps data
        QCOMPARE(gpu->l1BytesOfBlock(occupancy, 1000), std::size_t(14 * 1024 / 4));
        QVERIFY(share > 0.85 && share < 1); // see l1_rows in h200.json
        QCOMPARE(gpu->provenanceOf("model.l1_share"), std::string_view("measured"));
    }

    void complaintsNameTheField_data()
    {
        QTest::addColumn<QString>("group");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QJsonValue>("value");
        QTest::addColumn<QString>("error");
        const QJsonValue gone(QJsonValue::Undefined);
        QTest::newRow("missing") << "" << "smCount" << gone << "x.json: smCount is missing";
        QTest::newRow("wrong type") << "" << "clock_mhz" << QJsonValue("fast") << "x.json: clock_mhz is not a number";
        QTest::newRow("zero") << "" << "dram_gb_s" << QJsonValue(0) << "x.json: dram_gb_s is 0";
        QTest::newRow("no GPCs") << "" << "gpcCount" << QJsonValue(0) << "x.json: gpcCount is 0";
        QTest::newRow("negative") << "" << "l2_gb_s" << QJsonValue(-1) << "x.json: l2_gb_s is negative";
        QTest::newRow("carve-outs") << "" << "sharedCarveOuts_kib" << QJsonValue(QJsonArray{100, 8})
                                    << "x.json: sharedCarveOuts_kib is not ascending";
        QTest::newRow("no rate") << "rates" << "fp32" << gone << "x.json: rates.fp32 is missing";
        QTest::newRow("no latency") << "latencies" << "l2" << gone << "x.json: latencies.l2 is missing";
        QTest::newRow("rate of text") << "rates" << "fp32" << QJsonValue("128") << "x.json: rates.fp32 is not a number";
        QTest::newRow("constant") << "model" << "launch_gap_us" << gone << "x.json: model.launch_gap_us is missing";
        QTest::newRow("model") << "" << "model" << gone << "x.json: model is missing";
    }

    void complaintsNameTheField()
    {
        QFETCH(QString, group);
        QFETCH(QString, key);
        QFETCH(QJsonValue, value);
        QFETCH(QString, error);
        QJsonObject document = m_document;
        if (group.isEmpty()) {
            document[key] = value;
        } else {
            QJsonObject inner = document[group].toObject();
            inner[key] = value;
            document[group] = inner;
        }
        const auto gpu = GpuModel::parse(QJsonDocument(document).toJson().toStdString(), "x.json");
        QVERIFY(!gpu);
        QCOMPARE(QString::fromStdString(gpu.error()), error);
    }

    void textThatIsNoJsonIsRefused()
    {
        QCOMPARE(GpuModel::parse("{", "x.json").error(), std::string("x.json: not a JSON object"));
        QCOMPARE(GpuModel::parse("[1]", "x.json").error(), std::string("x.json: not a JSON object"));
        QVERIFY(!GpuModel::read(SOURCE_DIR "/resources/gpus/none.json"));
    }

private:
    QJsonObject m_document;
};

QTEST_GUILESS_MAIN(TestGpuModel)
#include "tst_gpu_model.moc"
