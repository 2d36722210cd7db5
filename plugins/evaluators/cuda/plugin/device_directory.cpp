// SPDX-License-Identifier: Apache-2.0
#include "device_directory.h"

#include "base/paths.h"

#include <QCoreApplication>
#include <QCoroTask>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <QThread>

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace kernelskill::cuda {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds freshFor{30};

QString storePath()
{
    return paths::cacheFolder() + QStringLiteral("/cuda-devices.json");
}

QJsonObject stored()
{
    QFile file(storePath());
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

void store(const QString &key, const HostDevices &answer)
{
    QJsonArray devices;
    for (const CudaDevice &device : answer.devices)
        devices.append(device.facts);
    QJsonObject all = stored();
    all.insert(key, QJsonObject{{QStringLiteral("devices"), devices}, {QStringLiteral("tools"), answer.tools}});
    QDir().mkpath(paths::cacheFolder());
    QSaveFile file(storePath());
    if (!file.open(QIODevice::WriteOnly)) return; // it only saves waiting
    file.write(QJsonDocument(all).toJson());
    file.commit();
}

QString keyOf(const std::optional<HostAddress> &host)
{
    return host ? QStringLiteral("%1 %2 %3").arg(host->name, host->byHand(), host->folder) : QString();
}

} // namespace

struct DeviceDirectory::Impl
{
    struct Entry
    {
        std::optional<HostDevices> answer;
        Clock::time_point asked;
        std::unique_ptr<QThread> thread;
        std::stop_source stop;
        bool running = false;
    };

    void refresh(const QString &key, const WorkerInstallation &worker, const std::optional<HostAddress> &host);
    void take(const QString &key, bool isRemote, const HostDevices &answer);

    std::mutex mutex; // of all below
    std::condition_variable answered;
    std::map<QString, Entry> entries;
};

// With the mutex held.
void DeviceDirectory::Impl::refresh(const QString &key, const WorkerInstallation &worker,
                                    const std::optional<HostAddress> &host)
{
    Entry &entry = entries[key];
    if (entry.running || (entry.answer && Clock::now() - entry.asked < freshFor)) return;
    if (entry.thread) entry.thread->wait(); // it has given its answer
    if (host && !entry.answer) {
        const QJsonObject known = stored().value(key).toObject();
        if (!known.isEmpty()) entry.answer = hostDevices(host->name, known);
    }
    entry.running = true;
    entry.asked = Clock::now();
    entry.stop = std::stop_source();
    // The worker is a child of this thread, which therefore waits for it.
    entry.thread.reset(QThread::create([this, key, worker, host, stop = entry.stop.get_token()] {
        const auto launcher = host ? makeSshLauncher(*host, worker, false) : makeLocalLauncher(worker);
        take(key, host.has_value(), QCoro::waitFor(askDevices(launcher.get(), {}, stop)));
    }));
    entry.thread->start();
}

void DeviceDirectory::Impl::take(const QString &key, bool isRemote, const HostDevices &answer)
{
    const std::scoped_lock lock(mutex);
    Entry &entry = entries[key];
    entry.answer = answer;
    entry.running = false;
    if (isRemote && !answer.devices.isEmpty()) store(key, answer);
    answered.notify_all();
}

DeviceDirectory::DeviceDirectory() : m_impl(std::make_unique<Impl>())
{
    // Threads with event loops must not outlive the application object.
    qAddPostRoutine([] { instance().forget(); });
}

DeviceDirectory::~DeviceDirectory() = default;

DeviceDirectory &DeviceDirectory::instance()
{
    static DeviceDirectory one;
    return one;
}

QList<HostDevices> DeviceDirectory::look(const WorkerInstallation &worker, const QList<HostAddress> &hosts,
                                         std::chrono::milliseconds patience)
{
    std::vector<std::optional<HostAddress>> machines{std::nullopt};
    machines.insert(machines.end(), hosts.begin(), hosts.end());
    std::unique_lock lock(m_impl->mutex);
    for (const auto &machine : machines)
        m_impl->refresh(keyOf(machine), worker, machine);
    m_impl->answered.wait_for(lock, patience, [&] {
        return std::ranges::all_of(machines, [&](const auto &machine) {
            const auto entry = m_impl->entries.find(keyOf(machine));
            return entry == m_impl->entries.end() || entry->second.answer;
        });
    });
    QList<HostDevices> result;
    for (const auto &machine : machines) {
        const auto entry = m_impl->entries.find(keyOf(machine));
        if (entry != m_impl->entries.end() && entry->second.answer) {
            result.append(*entry->second.answer);
            continue;
        }
        HostDevices waiting;
        waiting.host = machine ? machine->name : QString();
        waiting.trouble = {QStringLiteral("worker.unreachable"),
                           QStringLiteral("%1 has not answered yet; look again in a while.")
                               .arg(machine ? machine->name : QStringLiteral("This machine's worker")),
                           {}};
        result.append(waiting);
    }
    return result;
}

void DeviceDirectory::forget()
{
    std::map<QString, Impl::Entry> ending;
    {
        const std::scoped_lock lock(m_impl->mutex);
        ending.swap(m_impl->entries);
    }
    for (auto &[key, entry] : ending) {
        entry.stop.request_stop();
        if (entry.thread) entry.thread->wait();
    }
    const std::scoped_lock lock(m_impl->mutex);
    m_impl->entries.clear(); // what the last answers left
}

} // namespace kernelskill::cuda
