// SPDX-License-Identifier: Apache-2.0
// The Reviewer with a GPU: has a worker, here or on another machine, build, check, time and profile a candidate.
#pragma once

#include "cuda_settings.h"
#include "device_choice.h"
#include "evaluation/evaluator.h"
#include "evaluation/work_order.h"

#include <QDeadlineTimer>
#include <QJsonObject>

#include <map>

namespace kernelskill::cuda {

class CudaEvaluator : public Evaluator
{
public:
    explicit CudaEvaluator(const QJsonObject &settings = {}, WorkerInstallation worker = findWorker());
    ~CudaEvaluator() override;
    [[nodiscard]] EvaluatorFacts facts() const override;
    // Quick but for the first time: see device_directory.h.
    [[nodiscard]] QList<DeviceInfo> devices() const override;
    // A connection that is lost is tried once more from the start of what it carried; the worker there keeps its
    // builds.
    QCoro::Task<Result<Evaluation>> evaluate(EvaluationRequest request, ProgressSink progress,
                                             std::stop_token stop) override;
    // By the compiler of the machine that has the device.
    QCoro::Task<Result<QList<Finding>>> compile(EvaluationRequest request, std::stop_token stop) override;
    // Nsight Compute's ".ncu-rep", by this machine's ncu; needs no GPU.
    QCoro::Task<Result<Evaluation>> importReport(QString path, std::stop_token stop) override;

private:
    struct Job;
    struct Answer;

    QCoro::Task<Result<Job>> prepare(EvaluationRequest request, ProgressSink progress, std::stop_token stop);
    [[nodiscard]] Result<void> accepts(const EvaluationRequest &request) const;
    [[nodiscard]] Launcher *launcher(const QString &host);
    QCoro::Task<HostDevices> ask(QString host, ProgressSink progress, std::stop_token stop);
    QCoro::Task<Result<CudaDevice>> choose(QString wanted, ProgressSink progress, std::stop_token stop);
    QCoro::Task<Result<Answer>> attempt(const Job *job, QJsonObject request, std::stop_token stop);
    QCoro::Task<Result<Answer>> work(const Job *job, QJsonObject request, std::stop_token stop);
    // An Error is trouble of the environment. The verdict is not concluded.
    [[nodiscard]] Result<Evaluation> evaluationOf(const Job &job, const Answer &answer) const;
    QCoro::Task<Result<Evaluation>> judge(const Job *job, WorkOrder order, QJsonObject build, std::stop_token stop);

    // What a machine said, for half a minute.
    struct Asked
    {
        HostDevices answer;
        QDeadlineTimer until;
    };
    Result<CudaSettings> m_settings;
    WorkerInstallation m_worker;
    std::map<QString, std::unique_ptr<Launcher>> m_launchers; // by host
    std::map<QString, Asked> m_asked;
};

} // namespace kernelskill::cuda
