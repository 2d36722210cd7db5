// SPDX-License-Identifier: Apache-2.0
#include "device_choice.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

// Of an id: "" for "0" and for a bare uuid, "gpu1" for "gpu1:0".
QString hostOf(const QString &id)
{
    const qsizetype colon = id.lastIndexOf(u':');
    return colon < 0 ? QString() : id.first(colon);
}

bool names(const QString &wanted, const CudaDevice &device)
{
    return wanted == device.id || wanted.sliced(wanted.lastIndexOf(u':') + 1) == device.uuid;
}

bool hasForm(const QString &id)
{
    const QString last = id.sliced(id.lastIndexOf(u':') + 1);
    bool isNumber = false;
    return (last.toInt(&isNumber) >= 0 && isNumber) || last.startsWith(QLatin1String("GPU-"));
}

QString described(const QList<HostDevices> &asked)
{
    QStringList known;
    for (const HostDevices &host : asked) {
        for (const CudaDevice &device : host.devices)
            known.append(QStringLiteral("%1 (%2)").arg(device.id, device.name));
    }
    return known.join(QStringLiteral(", "));
}

Result<CudaDevice> unusable(const CudaDevice &device)
{
    return failure(QStringLiteral("environment.device"),
                   QStringLiteral("The GPU %1 (%2) cannot be used: %3").arg(device.id, device.name, device.reason));
}

// No machine has a GPU for us: the first machine's reason, and the others' after it.
Result<CudaDevice> nothing(const QList<HostDevices> &asked)
{
    QStringList reasons;
    for (const HostDevices &host : asked) {
        QString reason = host.trouble.message;
        for (const CudaDevice &device : host.devices)
            reason = QStringLiteral("%1 (%2): %3").arg(device.id, device.name, device.reason);
        reasons.append(host.host.isEmpty() ? reason : QStringLiteral("%1: %2").arg(host.host, reason));
    }
    const bool onlyHere = asked.size() == 1 && asked.first().host.isEmpty();
    if (onlyHere)
        reasons.append(
            QStringLiteral("A GPU of another machine serves too: write it in the setting \"hosts\" of the CUDA "
                           "evaluator, or use the simulator."));
    const Error &first = asked.first().trouble;
    return failure(first.code.isEmpty() ? QStringLiteral("environment.device") : first.code,
                   reasons.join(QLatin1Char(' ')), first.detail);
}

} // namespace

Result<QStringList> hostsToAsk(const QString &wanted, const QList<HostAddress> &hosts)
{
    QStringList known{QString()};
    for (const HostAddress &host : hosts)
        known.append(host.name);
    if (wanted.isEmpty()) return known;
    if (!hasForm(wanted))
        return failure(
            QStringLiteral("device.unknown"),
            QStringLiteral("\"%1\" is no device of the CUDA evaluator: write a number for a GPU of this machine "
                           "(0), or a host and a number (%2:0).")
                .arg(wanted, known.size() > 1 ? known[1] : QStringLiteral("gpu1")));
    const QString host = hostOf(wanted);
    if (known.contains(host)) return QStringList{host};
    known.removeFirst();
    return failure(
        QStringLiteral("device.unknown"),
        QStringLiteral("There is no host \"%1\" for the device %2; the CUDA evaluator's setting \"hosts\" has %3.")
            .arg(host, wanted, known.isEmpty() ? QStringLiteral("none") : known.join(QStringLiteral(", "))));
}

Result<CudaDevice> chooseDevice(const QString &wanted, const QList<HostDevices> &asked)
{
    bool anyDevice = false;
    for (const HostDevices &host : asked) {
        for (const CudaDevice &device : host.devices) {
            anyDevice = true;
            if (wanted.isEmpty() ? !device.usable : !names(wanted, device)) continue;
            if (!device.usable) return unusable(device);
            return device;
        }
    }
    if (wanted.isEmpty() || !anyDevice) return nothing(asked);
    return failure(QStringLiteral("device.unknown"),
                   QStringLiteral("There is no GPU \"%1\"; there are: %2.").arg(wanted, described(asked)));
}

} // namespace kernelskill::cuda
