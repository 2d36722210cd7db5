// SPDX-License-Identifier: Apache-2.0
// What a person at a terminal gets from the CUDA evaluator where something is missing or wrong.
#include "program.h"
#include "worker_script.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

using namespace kernelskill::test;
using namespace Qt::StringLiterals;

class TestCudaCli : public QObject
{
    Q_OBJECT

private:
    ProgramEnd evaluate(const QStringList &more) const
    {
        const QString task = taskFolder(u"row_softmax"_s);
        return m_folders.kernelskill(
            QStringList{u"evaluate"_s, task, task + u"/baseline.cu"_s, u"--evaluator"_s, u"cuda"_s, u"--json"_s} + more,
            60'000);
    }
    void playNoGpu() const
    {
        const QString reason = u"libcuda.so.1 was not found: there is no NVIDIA driver on this machine."_s;
        m_worker.play({{u"devices"_s, QJsonObject{{u"devices"_s, QJsonArray{}}, {u"reason"_s, reason}}}});
    }
    void playOneGpu(const QJsonObject &last = {}) const
    {
        const QJsonObject gpu{{u"index"_s, 0}, {u"name"_s, u"NVIDIA H200"_s}, {u"architecture"_s, u"sm_90a"_s}};
        m_worker.play({{u"devices"_s, QJsonObject{{u"devices"_s, QJsonArray{gpu}}}}, {u"last"_s, last}});
    }
    void setHosts(const QByteArray &hosts) const
    {
        QDir().mkpath(m_folders.path(u"config/kernelskill"_s));
        QFile file(m_folders.path(u"config/kernelskill/plugins.ini"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[evaluator-cuda]\nhosts=" + hosts + "\n");
    }
    static QString message(const ProgramEnd &end)
    {
        return end.json().value(u"error"_s).toObject().value(u"message"_s).toString();
    }

private Q_SLOTS:
    void initTestCase() { qputenv("KERNELSKILL_CUDA_WORKER", m_worker.program().toLocal8Bit()); }
    void init() { setHosts({}); }

    void withoutDriver()
    {
        playNoGpu();
        const ProgramEnd end = evaluate({});
        QCOMPARE(end.exitCode, 3);
        QVERIFY2(message(end).startsWith(u"libcuda.so.1 was not found: there is no NVIDIA driver on this machine."),
                 end.out.constData());
        QVERIFY(message(end).contains(u"simulator"_s));
    }

    void withoutWorker()
    {
        qputenv("KERNELSKILL_CUDA_WORKER", "/no/such/worker");
        const ProgramEnd end = evaluate({});
        qputenv("KERNELSKILL_CUDA_WORKER", m_worker.program().toLocal8Bit());
        QCOMPARE(end.exitCode, 3);
        QVERIFY2(message(end).startsWith(u"The worker /no/such/worker is missing; reinstall."), end.out.constData());
    }

    void wrongDevice()
    {
        playOneGpu();
        const ProgramEnd end = evaluate({u"--device"_s, u"3"_s});
        QCOMPARE(end.exitCode, 2);
        QCOMPARE(message(end), u"There is no GPU \"3\"; there are: 0 (NVIDIA H200)."_s);
    }

    void hostsComeFromTheSettingsFile()
    {
        playOneGpu();
        setHosts("gpu1:/opt/kernelskill, big=me@gpu2 port=2222");
        ProgramEnd end = evaluate({u"--device"_s, u"gpu3:0"_s});
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(message(end).endsWith(u"setting \"hosts\" has gpu1, big."), end.out.constData());
        setHosts("gpu1 speed=9");
        end = evaluate({});
        QCOMPARE(end.exitCode, 2);
        QVERIFY2(message(end).contains(u"\"speed=9\" is no option with a value"), end.out.constData());
    }

    void profileShowsWhatTheProfilerSaw()
    {
        playOneGpu(QJsonDocument::fromJson(R"({"status": "ok",
            "checks": [{"name": "outputs n=4 seed 1", "outcome": "passed"}],
            "kernels": [{"name": "softmaxRows", "duration_us": 400, "graph": true, "missing": ["l2_hit_pct"],
                         "timeline": {"interval_us": 2, "metrics": {"dram__read": [10, null, 100]}},
                         "counters": {"sm__cycles.sum": 4096}}],
            "evidence": {"profile": {"why": "Times by CUPTI, counters by ncu: a graph.", "remarks": ["Some are missing."]}}})")
                       .object());
        const QString task = taskFolder(u"row_softmax"_s);
        const ProgramEnd end = m_folders.kernelskill(
            {u"profile"_s, task, task + u"/baseline.cu"_s, u"--evaluator"_s, u"cuda"_s}, 110'000);
        QVERIFY2(end.exitCode == 0, end.err.constData());
        const QString said = QString::fromUtf8(end.out);
        for (const QString &line : {u"  dram__read every 2.0 µs: ▁ █\n"_s, u"  launched by a CUDA graph\n"_s,
                                    u"  without a value: l2_hit_pct\n"_s,
                                    u"\nTimes by CUPTI, counters by ncu: a graph.\nSome are missing.\n"_s})
            QVERIFY2(said.contains(line), qPrintable(line + said));
        QVERIFY2(said.contains(QRegularExpression(u"  sm__cycles.sum +4096"_s)), qPrintable(said));
    }

    void doctorMissesNoGpu()
    {
        playNoGpu();
        const ProgramEnd end = m_folders.kernelskill({u"doctor"_s}, 60'000);
        QCOMPARE(end.exitCode, 0);
        QVERIFY2(end.out.contains("absent  NVIDIA GPU           libcuda.so.1 was not found"), end.out.constData());
    }

    void pluginIsListed()
    {
        const ProgramEnd end = m_folders.kernelskill({u"plugins"_s}, 60'000);
        QCOMPARE(end.exitCode, 0);
        QVERIFY2(end.out.contains("evaluator  cuda         0.1.0    found        NVIDIA GPU"), end.out.constData());
    }

private:
    TestFolders m_folders;
    WorkerScript m_worker;
};

QTEST_GUILESS_MAIN(TestCudaCli)
#include "tst_cuda_cli.moc"
