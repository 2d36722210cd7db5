// SPDX-License-Identifier: Apache-2.0
// What a person set for this evaluator (metadata.json), and where its worker lies.
#pragma once

#include "worker/launcher.h"

#include <QJsonObject>

namespace kernelskill::cuda {

struct CudaSettings
{
    QString device;                            // the default one
    QString compiler;                          // path of nvcc where the GPU is; empty: the worker looks for it
    QString profiler = QStringLiteral("auto"); // or "cupti", "ncu", "ncu-full", "none"
    int samples = 0;
    QList<HostAddress> hosts;

    // Errors name the setting. Numbers may be text, and one host need not be a list: so they come from an INI file.
    [[nodiscard]] static Result<CudaSettings> read(const QJsonObject &object);
};

// $KERNELSKILL_CUDA_WORKER (the program's path), else beside the plugin library, else in the plugin folders. The
// program may be missing: other machines have theirs.
[[nodiscard]] WorkerInstallation findWorker();

} // namespace kernelskill::cuda
