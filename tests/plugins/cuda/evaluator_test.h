// SPDX-License-Identifier: Apache-2.0
// What the tests of the CUDA evaluator share: the evaluator on a scripted worker, which has one GPU and answers as it is told.
#pragma once

#include "plugin/cuda_evaluator.h"
#include "plugin/device_directory.h"
#include "result_text.h"
#include "small_task.h"
#include "worker_script.h"

#include <QCoroTest>

#include <QTest>

namespace kernelskill::test {

using namespace kernelskill::cuda;
using namespace Qt::StringLiterals;

inline QJsonObject json(const char *text)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (!document.isObject()) qFatal("%s", qPrintable(error.errorString()));
    return document.object();
}

inline constexpr char h200[] = R"({"index": 0, "uuid": "GPU-00000000-0000-0000-0000-000000000001", "name": "NVIDIA H200",
                        "architecture": "sm_90a", "driver": "13.0", "multiprocessors": 132, "usable": true, "reason": ""})";

inline QJsonObject devices(const QList<QJsonObject> &list)
{
    QJsonArray array;
    for (const QJsonObject &one : list)
        array.append(one);
    return {{u"devices"_s, array}};
}

// A measured answer of a good candidate: 20 µs, 1.25 times as fast as the baseline.
inline constexpr char goodAnswer[] = R"({
    "status": "ok",
    "checks": [{"name": "outputs n=4 seed 1", "outcome": "passed", "detail": ""}],
    "timings": [{"name": "time", "weight": 1, "time_us": 20, "low_us": 19.5, "high_us": 20.5, "samples_us": [20, 19.5, 20.5],
                 "over_baseline": 1.25, "over_baseline_low": 1.2, "over_baseline_high": 1.3, "host_us": 24}],
    "kernels": [{"name": "twice", "grid": [1, 1, 1], "block": [256, 1, 1], "launches": 1, "duration_us": 18, "share": 1,
                 "roofline_us": 3, "metrics": {"dram_bytes": 64}, "stalls": {"long_scoreboard": 0.5},
                 "hot_spots": [{"file": "/root/.cache/kernelskill/cuda/work-wwoOAB/src/solve.cu", "line": 3, "share": 0.9, "stall": "long_scoreboard", "text": "90 %"}],
                 "missing": ["l2_hit_pct"], "timeline": {"interval_us": 2, "metrics": {"dram__read": [10, 80.5]}}}],
    "launches": 1,
    "evidence": {"clock_mhz": {"median": 1980}, "temperature_c": 41},
    "build": {"ok": true, "log": "ptxas info\n", "seconds": 1.5, "cached": true, "ptx": ".version 9.0", "sass": "EXIT",
              "compiler": "nvcc 13.0", "resources": [{"kernel": "twice", "registers": 12, "spill_bytes": 0, "shared": 0}]},
    "device": {"driver": "580.159.04", "memory": 150000000000}})";

class CudaEvaluatorTest : public QObject
{
protected:
    // Folders of the test's own, and a task. First of all.
    void makeTask()
    {
        qputenv("XDG_CACHE_HOME", m_home.filePath(u"cache"_s).toLocal8Bit());
        qputenv("XDG_CONFIG_HOME", m_home.filePath(u"config"_s).toLocal8Bit());
        m_task = smallTask(m_home.filePath(u"task"_s));
    }
    WorkerInstallation installation() const
    {
        WorkerInstallation worker;
        worker.program = m_worker.program();
        return worker;
    }
    EvaluationRequest request() const { return {m_task, m_task.baseline, {}}; }
    Result<Evaluation> evaluate(const EvaluationRequest &request, const QJsonObject &settings = {})
    {
        CudaEvaluator evaluator(settings, installation());
        m_said.clear();
        return QCoro::waitFor(evaluator.evaluate(
            request, [this](const EvaluationProgress &progress) { m_said.append(progress.text); }, {}));
    }
    // One H200, and this answer.
    void play(const QJsonObject &last, const QJsonObject &more = {})
    {
        QJsonObject script{{u"devices"_s, devices({json(h200)})}, {u"last"_s, last}};
        for (auto it = more.begin(); it != more.end(); ++it)
            script.insert(it.key(), it.value());
        m_worker.play(script);
    }

    QTemporaryDir m_home;
    WorkerScript m_worker;
    Task m_task;
    QStringList m_said;
};

} // namespace kernelskill::test
