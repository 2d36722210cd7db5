// SPDX-License-Identifier: Apache-2.0
// What the worker is asked, and the files that have to be where it runs.
#pragma once

#include "cuda_device.h"
#include "cuda_settings.h"
#include "evaluation/work_order.h"
#include "profile/gpu_spec.h"

#include <optional>

namespace kernelskill::cuda {

// Milliseconds a stage may take on the worker's side; it ends the candidate itself.
struct StageLimits
{
    int waiting = 3'600'000; // for the GPU, while another evaluation has it
    int building = 300'000;
    int stage = 240'000; // checking; timing; profiling
    [[nodiscard]] QJsonObject toJson() const;
    // The same for the worker as a whole, with time to end in order.
    [[nodiscard]] QHash<QString, int> clocks() const;
};

// As evaluation.md says of each mode.
[[nodiscard]] Tolerance toleranceIn(const QString &mode, const Task &task);

[[nodiscard]] Result<QJsonObject> makeRequest(const EvaluationRequest &request, const CudaSettings &settings,
                                              const CudaDevice &device, const std::optional<GpuSpec> &gpu,
                                              const WorkOrder &order, const JudgedOutputs &judged);

// Has both programs built and nothing run: for while the right answers are still being computed. What it builds waits
// in the worker's cache.
[[nodiscard]] QJsonObject makeBuildRequest(const EvaluationRequest &request, const CudaSettings &settings,
                                           const CudaDevice &device);

// Paths of the files the worker reads, each once.
[[nodiscard]] QStringList filesRead(const QJsonObject &request);
// The folder the worker writes outputs to; empty when it compares them itself.
[[nodiscard]] QString outputFolder(const QJsonObject &request);
// The same request for where the files are in `places` and the outputs go to `outputs`.
[[nodiscard]] QJsonObject moved(QJsonObject request, const QHash<QString, QString> &places, const QString &outputs);

} // namespace kernelskill::cuda
