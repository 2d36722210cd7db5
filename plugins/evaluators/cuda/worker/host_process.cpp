// SPDX-License-Identifier: Apache-2.0
#include "host_process.h"

#include <chrono>
#include <filesystem>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::cuda {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int pollStep_ms = static_cast<int>(kit::limitsInterval.count());
constexpr int ending_ms = 500, endingThrough_ms = 20'000;
constexpr int linking_ms = 20'000;     // until a host that another program starts says hello
constexpr int processesThrough = 1024; // threads count
constexpr std::int64_t outputThrough = std::int64_t(16) << 20;
constexpr int openFiles = 4096; // the driver opens its devices many times, and each shared piece of memory is one

bool isDevice(const fs::path &path)
{
    std::error_code code;
    return fs::is_character_file(path, code);
}

// /dev/nvidia0, nvidiactl, nvidia-uvm, nvidia-caps/…: nothing else of the machine's hardware.
std::vector<std::string> gpuDevices()
{
    std::vector<std::string> found;
    std::error_code code;
    for (const auto &entry : fs::directory_iterator("/dev", code)) {
        if (!entry.path().filename().string().starts_with("nvidia")) continue;
        if (isDevice(entry.path())) found.push_back(entry.path().string());
        if (!fs::is_directory(entry.path(), code)) continue;
        for (const auto &inner : fs::directory_iterator(entry.path(), code))
            if (isDevice(inner.path())) found.push_back(inner.path().string());
    }
    return found;
}

kit::ConfineCommand confined(const HostCommand &command, const Driver &driver, const DeviceFacts &device)
{
    kit::ConfineCommand result;
    result.program = command.program;
    result.arguments = {command.library}; // for people who look at processes
    result.readable = {fs::path(command.program).parent_path().string(),
                       fs::path(command.library).parent_path().string(), fs::path(command.tools).parent_path().string(),
                       fs::path(driver.path()).parent_path().string()};
    result.readable.insert(result.readable.end(), command.readable.begin(), command.readable.end());
    result.devices = gpuDevices();
    result.environment = {
        {"KERNELSKILL_LIBCUDA", driver.path()}, {"CUDA_VISIBLE_DEVICES", device.uuid}, {"CUDA_CACHE_DISABLE", "1"}};
    if (!command.profileLibrary.empty()) {
        result.readable.push_back(fs::path(command.profileLibrary).parent_path().string());
        result.environment.emplace_back(profileVariable, command.profileLibrary);
    }
    result.allowProcesses = !command.through.empty();
    result.allowLoopback = result.allowProcesses;
    result.unconfined = command.unconfined;
    result.limits.wallClock_ms = command.wallClock_ms;
    result.limits.cpu_s = command.wallClock_ms / 1000;
    result.limits.memoryBytes = command.memoryBytes;
    result.limits.fileBytes = std::int64_t(256) << 20;
    result.limits.openFiles = openFiles;
    if (!command.through.empty()) {
        result.arguments.insert(result.arguments.begin(), command.through.begin() + 1, command.through.end());
        result.arguments.insert(result.arguments.end() - 1, command.program);
        result.program = command.through.front();
        result.limits.processes = processesThrough;
        result.limits.outputBytes = outputThrough;
    }
    return result;
}

} // namespace

bool HostProcess::start(const HostCommand &command, const Driver &driver, const DeviceFacts &device, std::string &error)
{
    kit::ConfineCommand start = confined(command, driver, device);
    m_ending_ms = command.through.empty() ? ending_ms : endingThrough_ms;
    if (!command.through.empty()) {
        LinkSocket socket;
        if (!socket.open(error)) return false;
        start.writable.push_back(socket.folder());
        start.environment.emplace_back(linkVariable, socket.path());
        m_started = m_child.start(start, error);
        return m_started && awaitLink(socket, error);
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        error = "no socket pair";
        return false;
    }
    start.descriptors = {{pair[1], hostDescriptor}};
    m_started = m_child.start(start, error);
    close(pair[1]);
    m_link = std::make_unique<Link>(pair[0]);
    return m_started;
}

bool HostProcess::awaitLink(LinkSocket &socket, std::string &error)
{
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(linking_ms);
    while (Clock::now() < end && !m_child.finished()) {
        pollfd entries[] = {{socket.descriptor(), POLLIN, 0}, {m_child.exitDescriptor(), POLLIN, 0}};
        poll(entries, 2, pollStep_ms);
        drain();
        m_child.checkLimits();
        const int descriptor = socket.accept();
        if (descriptor < 0) continue;
        m_link = std::make_unique<Link>(descriptor);
        return true;
    }
    error = "it did not come up";
    return false;
}

void HostProcess::drain()
{
    m_child.readOutput();
    m_child.readError();
}

// Takes in what came, keeps output drained and limits watched. False when nothing more can come.
bool HostProcess::pump(int timeout_ms)
{
    pollfd entries[] = {{m_hungUp ? -1 : m_link->descriptor(), POLLIN, 0},
                        {m_child.outputDescriptor(), POLLIN, 0},
                        {m_child.errorDescriptor(), POLLIN, 0},
                        {m_child.exitDescriptor(), POLLIN, 0}};
    poll(entries, 4, timeout_ms);
    if (entries[0].revents != 0 && !m_link->pull()) m_hungUp = true;
    if (entries[1].revents != 0) m_child.readOutput();
    if (entries[2].revents != 0) m_child.readError();
    if (entries[0].revents != 0) return true; // an answer is not made to wait for the watchdogs
    m_child.checkLimits();
    return !m_hungUp && !m_child.finished();
}

HostProcess::Outcome HostProcess::post(nlohmann::json request, int descriptor)
{
    if (!m_started || !m_link) return Outcome::Died;
    if (!m_hungUp && !m_link->pull()) m_hungUp = true;
    if (m_link->next() || !m_link->error().empty()) return Outcome::Misbehaved;
    request["n"] = ++m_number;
    return m_link->send(request, descriptor) ? Outcome::Answered : Outcome::Died;
}

void HostProcess::go()
{
    if (m_started) m_link->send({{"do", "go"}});
}

HostProcess::Outcome HostProcess::await(nlohmann::json &reply, int limit_ms)
{
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(limit_ms);
    for (bool open = m_started;; open = pump(pollStep_ms)) {
        if (auto object = m_link->next()) {
            const auto number = object->find("n");
            if (number == object->end() || *number != m_number) return Outcome::Misbehaved;
            reply = std::move(*object);
            return reply.contains("error") ? Outcome::Refused : Outcome::Answered;
        }
        if (!m_link->error().empty()) return Outcome::Misbehaved;
        if (!open) return Outcome::Died;
        if (Clock::now() > end) return Outcome::TimedOut;
    }
}

HostProcess::Outcome HostProcess::ask(nlohmann::json request, nlohmann::json &reply, int limit_ms, int descriptor)
{
    const Outcome sent = post(std::move(request), descriptor);
    return sent == Outcome::Answered ? await(reply, limit_ms) : sent;
}

const kit::ConfinedEnd &HostProcess::finish()
{
    if (!m_started) return m_child.end();
    const bool linked = m_link != nullptr;
    m_started = false;
    m_link.reset();
    // With the link gone a host ends by itself at once; give it the chance to say how it ended.
    const Clock::time_point begin = Clock::now();
    const auto step = [&] {
        pollfd entry{m_child.exitDescriptor(), POLLIN, 0};
        poll(&entry, 1, 10);
        drain();
    };
    while (linked && !m_child.finished() && Clock::now() - begin < std::chrono::milliseconds(m_ending_ms))
        step();
    if (!m_child.finished()) m_child.stop();
    while (!m_child.finished())
        step();
    return m_child.end();
}

} // namespace kernelskill::cuda
