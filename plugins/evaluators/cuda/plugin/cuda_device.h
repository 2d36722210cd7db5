// SPDX-License-Identifier: Apache-2.0
// GPUs as a worker tells of them.
#pragma once

#include "worker/launcher.h"

#include <QJsonObject>

namespace kernelskill::cuda {

struct CudaDevice
{
    QString id;    // "0" here, "gpu1:0" on a host
    int index = 0; // of the worker's machine
    QString uuid, name;
    QString architecture; // "sm_90", without the letter that stands for this very architecture's own instructions
    bool usable = true;
    QString reason;    // why not
    QJsonObject facts; // everything the worker said
};

struct HostDevices
{
    QString host; // empty: this machine
    QList<CudaDevice> devices;
    // Why there is none, or none was learnt of.
    Error trouble;
    QJsonObject tools; // name → path, or {"ok", "text", "remedy"}
};

[[nodiscard]] QString deviceId(const QString &host, int index);

[[nodiscard]] HostDevices hostDevices(const QString &host, const QJsonObject &answer);

// Asks a worker. Never fails: what went wrong is the trouble. `say` gets what takes long, as Launcher::prepare().
QCoro::Task<HostDevices> askDevices(Launcher *launcher, std::function<void(const QString &)> say, std::stop_token stop);

} // namespace kernelskill::cuda
