// SPDX-License-Identifier: Apache-2.0
#include "cuda_doctor.h"

namespace kernelskill::cuda {

namespace {

struct Tool
{
    const char *key;    // in the worker's answer
    const char *title;  // in the line's name
    const char *remedy; // where the worker gives none
    bool optional;      // evaluation goes on without it
};

constexpr Tool tools[] = {
    {"nvcc", "nvcc", "Install the CUDA toolkit (12.4 or later), or set \"compiler\" to the path of nvcc.", false},
    {"counters", "GPU counters",
     "Counters are for administrators on this machine. Its administrator can allow all users: write \"options nvidia "
     "NVreg_RestrictProfilingToAdminUsers=0\" to a file in /etc/modprobe.d and restart.",
     true},
    {"cupti", "profiler (CUPTI)",
     "Install the CUDA toolkit with CUPTI; without it times are measured and counters are not.", true},
    {"ncu", "profiler (ncu)", "Install Nsight Compute where more counters are wanted.", true},
    {"cuobjdump", "cuobjdump", "Install the CUDA toolkit's binary tools to see SASS.", true},
    {"bubblewrap", "sandbox for candidates", "Install bubblewrap there, or allow unconfined runs with --unconfined.",
     false},
};

QJsonObject line(const QString &name, bool ok, const QString &text, const QString &remedy, bool optional)
{
    return {{QStringLiteral("name"), name},
            {QStringLiteral("ok"), ok},
            {QStringLiteral("text"), text},
            {QStringLiteral("remedy"), ok ? QString() : remedy},
            {QStringLiteral("optional"), optional}};
}

// The worker gives a path, nothing, or an object that says more.
QJsonObject toolLine(const Tool &tool, const QJsonValue &value, const QString &suffix)
{
    const QJsonObject more = value.toObject();
    const QString text = value.isObject() ? more.value(u"text").toString() : value.toString();
    const bool ok = value.isObject() ? more.value(u"ok").toBool() : !text.isEmpty() || value.toBool();
    QString remedy = more.value(u"remedy").toString();
    if (remedy.isEmpty()) remedy = QString::fromUtf8(tool.remedy);
    const QString missing = QStringLiteral("not found");
    return line(QString::fromLatin1(tool.title) + suffix, ok, text.isEmpty() && !ok ? missing : text, remedy,
                tool.optional);
}

// The worker's words on each tool, in one form.
QJsonObject completed(QJsonObject found)
{
    const QString version = found.value(u"nvcc_version").toString(), path = found.value(u"nvcc").toString();
    if (!version.isEmpty() && !path.isEmpty())
        found.insert(QStringLiteral("nvcc"), QStringLiteral("%1 (%2)").arg(version, path));
    // Bubblewrap may be there and not be allowed to work.
    if (const QString trouble = found.value(u"sandbox").toString(); !trouble.isEmpty())
        found.insert(QStringLiteral("bubblewrap"),
                     QJsonObject{{QStringLiteral("ok"), false}, {QStringLiteral("text"), trouble}});
    return found;
}

} // namespace

QList<QJsonObject> doctorLines(const HostDevices &machine)
{
    const bool here = machine.host.isEmpty();
    const QString suffix = here ? QString() : QStringLiteral(" on ") + machine.host;
    if (machine.devices.isEmpty()) {
        const QString remedy =
            here ? QStringLiteral("None is needed for the simulator. For measured times install the NVIDIA "
                                  "driver, or name a machine with a GPU in the setting \"hosts\".")
                 : QString();
        return {line(here ? QStringLiteral("NVIDIA GPU") : QStringLiteral("host ") + machine.host, false,
                     machine.trouble.message, remedy, here)};
    }
    QList<QJsonObject> lines;
    const QString driver = machine.devices.first().facts.value(u"driver").toString();
    lines.append(line(QStringLiteral("NVIDIA driver") + suffix, true,
                      driver.isEmpty() ? QStringLiteral("loaded") : QStringLiteral("for CUDA %1").arg(driver), {},
                      here));
    for (const CudaDevice &device : machine.devices)
        lines.append(line(QStringLiteral("GPU ") + device.id, device.usable,
                          QStringLiteral("%1, %2%3")
                              .arg(device.name, device.architecture,
                                   device.usable ? QString() : QStringLiteral(": ") + device.reason),
                          {}, false));
    const QJsonObject found = completed(machine.tools);
    for (const Tool &tool : tools) {
        // Not known is not missing.
        if (const QJsonValue value = found.value(QLatin1String(tool.key)); !value.isUndefined())
            lines.append(toolLine(tool, value, suffix));
    }
    return lines;
}

} // namespace kernelskill::cuda
