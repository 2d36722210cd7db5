// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.h"

#include <QJsonArray>

namespace kernelskill::cuda {

namespace {

constexpr int asking_ms = 60'000;

QString text(const QJsonObject &object, QLatin1String key)
{
    return object.value(key).toString();
}

CudaDevice device(const QString &host, const QJsonObject &facts)
{
    CudaDevice result;
    result.index = facts.value(u"index").toInt();
    result.id = deviceId(host, result.index);
    result.uuid = text(facts, QLatin1String("uuid"));
    result.name = text(facts, QLatin1String("name"));
    result.architecture = text(facts, QLatin1String("architecture"));
    if (result.architecture.endsWith(u'a') || result.architecture.endsWith(u'f')) result.architecture.chop(1);
    result.usable = facts.value(u"usable").toBool(true);
    result.reason = text(facts, QLatin1String("reason"));
    result.facts = facts;
    return result;
}

QString firstText(const QJsonObject &object, std::initializer_list<QLatin1String> keys)
{
    for (const QLatin1String key : keys) {
        if (const QString found = text(object, key); !found.isEmpty()) return found;
    }
    return {};
}

} // namespace

QString deviceId(const QString &host, int index)
{
    return host.isEmpty() ? QString::number(index) : QStringLiteral("%1:%2").arg(host).arg(index);
}

HostDevices hostDevices(const QString &host, const QJsonObject &answer)
{
    HostDevices result;
    result.host = host;
    result.tools = answer.value(u"tools").toObject();
    for (const QJsonValue &one : answer.value(u"devices").toArray())
        result.devices.append(device(host, one.toObject()));
    if (!result.devices.isEmpty()) return result;
    result.trouble.code = firstText(answer, {QLatin1String("code"), QLatin1String("reason_code")});
    if (result.trouble.code.isEmpty()) result.trouble.code = QStringLiteral("environment.driver");
    result.trouble.message = firstText(answer, {QLatin1String("error"), QLatin1String("reason")});
    if (result.trouble.message.isEmpty())
        result.trouble.message = host.isEmpty() ? QStringLiteral("There is no NVIDIA GPU on this machine.")
                                                : QStringLiteral("There is no NVIDIA GPU on %1.").arg(host);
    return result;
}

QCoro::Task<HostDevices> askDevices(Launcher *launcher, std::function<void(const QString &)> say, std::stop_token stop)
{
    HostDevices result;
    result.host = launcher->host();
    const auto ready = co_await launcher->prepare(std::move(say), stop);
    if (!ready) {
        result.trouble = ready.error();
        co_return result;
    }
    WorkerCommand command;
    command.request = {{QStringLiteral("list_devices"), true}};
    command.wallClock_ms = asking_ms;
    const auto end = co_await launcher->run(std::move(command), {}, stop);
    if (end) co_return hostDevices(result.host, end->last);
    result.trouble = end.error();
    co_return result;
}

} // namespace kernelskill::cuda
