// SPDX-License-Identifier: Apache-2.0
#include "kit/confine.h"
#include "kit/child_start.h"
#include "kit/confine_internal.h"
#include "kit/group_keeper.h"
#include "kit/refusal_reporter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernelskill::kit {

namespace {

using Clock = std::chrono::steady_clock;

class Descriptor
{
public:
    Descriptor() = default;
    explicit Descriptor(int value) : m_value(value) {}
    Descriptor(Descriptor &&other) noexcept : m_value(std::exchange(other.m_value, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept
    {
        reset(std::exchange(other.m_value, -1));
        return *this;
    }
    ~Descriptor() { reset(); }
    [[nodiscard]] int get() const { return m_value; }
    void reset(int value = -1)
    {
        if (m_value >= 0) close(m_value);
        m_value = value;
    }

private:
    int m_value = -1;
};

struct Pipe
{
    Descriptor reading, writing;
    bool open()
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return false;
        reading.reset(ends[0]);
        writing.reset(ends[1]);
        return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
    }
};

// Standard input is a file in memory: the child reads at its own pace and nobody has to feed it.
Descriptor inputFile(const std::string &content)
{
    if (content.empty()) return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    Descriptor file(memfd_create("input", MFD_CLOEXEC));
    std::size_t written = 0;
    while (file.get() >= 0 && written < content.size()) {
        const ssize_t count = write(file.get(), content.data() + written, content.size() - written);
        if (count <= 0) return Descriptor();
        written += std::size_t(count);
    }
    lseek(file.get(), 0, SEEK_SET);
    return file;
}

Descriptor processDescriptor(pid_t pid) { return Descriptor(int(syscall(SYS_pidfd_open, pid, 0))); }

// A process that could not be opened has gone already.
bool hasEnded(const Descriptor &process, int wait_ms = 0)
{
    if (process.get() < 0) return true;
    pollfd entry{process.get(), POLLIN, 0};
    return poll(&entry, 1, wait_ms) == 1;
}

std::vector<std::string> environmentOf(const ConfineCommand &command)
{
    std::vector<std::string> result{std::string("PATH=") + internal::childPath, "LANG=C.UTF-8"};
    // Bubblewrap gets the program's environment as arguments.
    if (!command.unconfined) return result;
    result.push_back("HOME=" + (command.workingFolder.empty() ? "/tmp" : command.workingFolder));
    for (const auto &[name, value] : command.environment) result.push_back(name + "=" + value);
    return result;
}

} // namespace

struct ConfinedChild::Impl
{
    ConfineLimits limits;
    bool confined = true;
    pid_t pid = -1;
    pid_t inner = -1; // first process inside the namespace, as seen from here
    Descriptor output, errors, status, outerProcess, innerProcess;
    std::string statusText;
    Clock::time_point started, giveUp;
    bool killed = false, reaped = false, complete = false;
    int waitStatus = 0;
    ConfinedEnd end;

    bool prepare(const ConfineCommand &command, internal::ChildStart &start, std::vector<Descriptor> &theirs,
                 std::string &error);
    void readStatus();
    void killInner();
    void kill(ConfinedEnd::Kind kind);
    bool drain(Descriptor &from, std::string &into);
    void reap();
    void describeEnd();
};

// Fills in how to start; `theirs` holds our copies of what only the child needs, until it runs.
bool ConfinedChild::Impl::prepare(const ConfineCommand &command, internal::ChildStart &start,
                                  std::vector<Descriptor> &theirs, std::string &error)
{
    Pipe outputPipe, errorPipe, statusPipe;
    Descriptor input = inputFile(command.standardInput);
    if (input.get() < 0 || !outputPipe.open() || !errorPipe.open() || !statusPipe.open()) {
        error = std::string("no pipes: ") + std::strerror(errno);
        return false;
    }
    start.descriptors = {{input.get(), 0}, {outputPipe.writing.get(), 1}, {errorPipe.writing.get(), 2}};
    int next = 3;
    for (const auto &pair : command.descriptors) {
        start.descriptors.push_back(pair);
        next = std::max(next, pair.second + 1);
    }
    if (command.unconfined) {
        start.arguments = {internal::findProgram(command.program)};
        start.arguments.insert(start.arguments.end(), command.arguments.begin(), command.arguments.end());
        start.workingFolder = command.workingFolder;
    } else {
        Descriptor filter(makeSystemCallFilter(command.allowProcesses, error, command.allowLoopback));
        if (filter.get() < 0) return false;
        start.descriptors.emplace_back(filter.get(), next);
        start.descriptors.emplace_back(statusPipe.writing.get(), next + 1);
        start.arguments = confineArguments(command, next, next + 1);
        theirs.push_back(std::move(filter));
    }
    start.environment = environmentOf(command);
    start.cpu_s = std::uint64_t(std::max(1, command.limits.cpu_s));
    start.fileBytes = std::uint64_t(std::max<std::int64_t>(0, command.limits.fileBytes));
    start.openFiles = std::uint64_t(std::max(16, command.limits.openFiles));
    theirs.push_back(std::move(input));
    for (Pipe *pipe : {&outputPipe, &errorPipe, &statusPipe}) theirs.push_back(std::move(pipe->writing));
    output = std::move(outputPipe.reading);
    errors = std::move(errorPipe.reading);
    status = std::move(statusPipe.reading);
    return true;
}

// Bubblewrap writes one JSON object a line: first the inner process, at the end the program's exit code.
void ConfinedChild::Impl::readStatus()
{
    char buffer[512];
    ssize_t count;
    while (status.get() >= 0 && (count = read(status.get(), buffer, sizeof buffer)) > 0)
        statusText.append(buffer, std::size_t(count));
    if (inner > 0) return;
    const std::size_t end = statusText.find('\n');
    if (end == std::string::npos) return;
    const auto object = nlohmann::json::parse(statusText.substr(0, end), nullptr, false);
    if (!object.is_object()) return;
    const auto found = object.find("child-pid");
    if (found == object.end() || !found->is_number_integer()) return;
    inner = found->get<pid_t>();
    innerProcess = processDescriptor(inner);
}

void ConfinedChild::Impl::killInner()
{
    if (inner > 0 && !hasEnded(innerProcess)) syscall(SYS_pidfd_send_signal, innerProcess.get(), SIGKILL, nullptr, 0);
}

void ConfinedChild::Impl::kill(ConfinedEnd::Kind kind)
{
    if (pid <= 0 || reaped || killed) return;
    killed = true;
    end.kind = kind;
    // With the first process of a namespace the kernel ends all others and lets none be born, however fast they multiply;
    // looking for them one by one might never end.
    readStatus();
    killInner();
    killTree(pid);
    killGroup(pid);
}

// Reads what is there, at most a few hundred kilobytes a call so that a flood starves nobody. True at the end.
bool ConfinedChild::Impl::drain(Descriptor &from, std::string &into)
{
    char buffer[65536];
    for (int round = 0; round < 8 && from.get() >= 0; ++round) {
        const ssize_t count = read(from.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return false;
        if (count <= 0) {
            from.reset();
            break;
        }
        const auto room = std::size_t(std::max<std::int64_t>(0, limits.outputBytes - std::int64_t(into.size())));
        const std::size_t kept = std::min(room, std::size_t(count));
        into.append(buffer, kept);
        if (kept < std::size_t(count)) end.outputTruncated = true;
    }
    return from.get() < 0;
}

void ConfinedChild::Impl::reap()
{
    // What the program left behind in its group goes before the group's name is free for others.
    killGroup(pid);
    while (waitpid(pid, &waitStatus, 0) < 0 && errno == EINTR) {}
    internal::forgetGroup(pid);
    reaped = true;
    end.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    // Opened while bubblewrap lived, the descriptor is surely the inner process; a number read only now might have gone to
    // somebody else, so that one is waited for but not killed: the death of its parent kills it.
    const bool known = inner > 0;
    readStatus();
    if (known) killInner();
    giveUp = Clock::now() + std::chrono::seconds(2);
}

void ConfinedChild::Impl::describeEnd()
{
    if (killed) {
        end.signal = SIGKILL;
        return;
    }
    if (WIFSIGNALED(waitStatus)) {
        end.kind = ConfinedEnd::Kind::Signalled;
        end.signal = WTERMSIG(waitStatus);
    } else {
        end.exitCode = WEXITSTATUS(waitStatus);
        // Bubblewrap passes a signal on as a shell does.
        if (confined && end.exitCode > 128 && end.exitCode < 128 + SIGRTMIN) {
            end.kind = ConfinedEnd::Kind::Signalled;
            end.signal = end.exitCode - 128;
            end.exitCode = 0;
        }
    }
    // Without an exit code from inside, bubblewrap never came as far as the program.
    if (confined && statusText.find("exit-code") == std::string::npos) {
        end.startError = end.standardError.empty() ? "bubblewrap ended early" : end.standardError;
        while (end.startError.ends_with('\n')) end.startError.pop_back();
    }
    if (end.kind != ConfinedEnd::Kind::Signalled) return;
    if (end.signal == SIGXCPU) end.kind = ConfinedEnd::Kind::TimedOut;
    if (end.signal != SIGSYS) return;
    const std::size_t place = end.standardError.rfind(refusalPrefix);
    end.refusedCall = place == std::string::npos
        ? "unknown"
        : internal::systemCallName(std::atoi(end.standardError.c_str() + place + sizeof refusalPrefix - 1));
}

ConfinedChild::ConfinedChild() : m_impl(std::make_unique<Impl>()) {}

ConfinedChild::~ConfinedChild()
{
    stop();
    while (m_impl->pid > 0 && !finished()) hasEnded(m_impl->outerProcess, 50);
}

bool ConfinedChild::start(const ConfineCommand &command, std::string &error)
{
    if (m_impl->pid > 0) {
        error = "already started";
        return false;
    }
    m_impl->limits = command.limits;
    m_impl->confined = !command.unconfined;
    if (internal::findProgram(command.program).empty()) {
        error = "there is no program " + command.program;
        return false;
    }
    if (m_impl->confined && bubblewrapProgram().empty()) {
        error = "bubblewrap is not installed";
        return false;
    }
    internal::ChildStart start;
    std::vector<Descriptor> theirs;
    if (!m_impl->prepare(command, start, theirs, error)) return false;
    m_impl->started = Clock::now();
    const pid_t pid = internal::startChild(start, error);
    if (pid < 0) return false;
    m_impl->pid = pid;
    m_impl->outerProcess = processDescriptor(pid);
    return true;
}

pid_t ConfinedChild::pid() const { return m_impl->pid; }

int ConfinedChild::outputDescriptor() const { return m_impl->output.get(); }

int ConfinedChild::errorDescriptor() const { return m_impl->errors.get(); }

int ConfinedChild::exitDescriptor() const { return m_impl->outerProcess.get(); }

void ConfinedChild::readOutput() { m_impl->drain(m_impl->output, m_impl->end.standardOutput); }

void ConfinedChild::readError() { m_impl->drain(m_impl->errors, m_impl->end.standardError); }

void ConfinedChild::checkLimits()
{
    if (m_impl->pid <= 0 || m_impl->reaped || m_impl->killed) return;
    m_impl->readStatus();
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_impl->started).count();
    if (elapsed > m_impl->limits.wallClock_ms) return m_impl->kill(ConfinedEnd::Kind::TimedOut);
    // Two are bubblewrap's own, and one is one too many.
    const int most = m_impl->limits.processes + 2;
    const TreeUse use = treeUse(m_impl->pid, most + 1);
    if (use.residentBytes > m_impl->limits.memoryBytes) return m_impl->kill(ConfinedEnd::Kind::OutOfMemory);
    if (use.processes > most) {
        m_impl->end.refusedCall = "fork";
        m_impl->kill(ConfinedEnd::Kind::Signalled);
    }
}

void ConfinedChild::limitMemory(std::int64_t bytes) { m_impl->limits.memoryBytes = bytes; }

void ConfinedChild::stop() { m_impl->kill(ConfinedEnd::Kind::Stopped); }

bool ConfinedChild::finished()
{
    if (m_impl->complete) return true;
    if (m_impl->pid <= 0) return false;
    if (!m_impl->reaped) {
        if (!hasEnded(m_impl->outerProcess)) return false;
        m_impl->reap();
    }
    // The namespace ends at once after its first process was killed; only then nobody can write any more.
    if (m_impl->inner > 0 && !hasEnded(m_impl->innerProcess, 20) && Clock::now() < m_impl->giveUp) return false;
    // Bounded, in case somebody outside a sandbox kept the pipes: what is in them now is all that counts.
    for (int round = 0; round < 64; ++round) {
        const std::size_t before = m_impl->end.standardOutput.size() + m_impl->end.standardError.size();
        readOutput();
        readError();
        if (before == m_impl->end.standardOutput.size() + m_impl->end.standardError.size()) break;
    }
    m_impl->output.reset();
    m_impl->errors.reset();
    m_impl->describeEnd();
    m_impl->complete = true;
    return true;
}

const ConfinedEnd &ConfinedChild::end() const { return m_impl->end; }

bool runConfined(const ConfineCommand &command, ConfinedEnd &end, std::string &error, int stopDescriptor)
{
    ConfinedChild child;
    if (!child.start(command, error)) return false;
    auto nextCheck = Clock::now();
    while (!child.finished()) {
        // Negative descriptors are skipped by poll.
        pollfd entries[] = {{child.outputDescriptor(), POLLIN, 0},
                            {child.errorDescriptor(), POLLIN, 0},
                            {child.exitDescriptor(), POLLIN, 0},
                            {stopDescriptor, POLLIN, 0}};
        poll(entries, 4, static_cast<int>(limitsInterval.count()));
        child.readOutput();
        child.readError();
        if (entries[3].revents != 0) child.stop();
        if (Clock::now() < nextCheck) continue;
        child.checkLimits();
        nextCheck = Clock::now() + limitsInterval;
    }
    end = child.end();
    error = end.startError;
    return error.empty();
}

} // namespace kernelskill::kit
