// SPDX-License-Identifier: Apache-2.0
// Runs a program that nobody trusts: bubblewrap, a system-call filter, limits, and death to the whole tree at the end.
// Qt-free and blocking or pollable: worker supervisors use runConfined() or ConfinedChild as they are, and
// core/worker/sandbox.cpp drives the same ConfinedChild from an event loop. One implementation for all.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kernelskill::kit {

struct ConfineLimits
{
    int wallClock_ms = 60'000;
    int cpu_s = 60;                              // per process, RLIMIT_CPU
    std::int64_t memoryBytes = std::int64_t(4) << 30; // resident, summed over the tree, by watchdog
    std::int64_t fileBytes = std::int64_t(1) << 30;   // RLIMIT_FSIZE; also the size of the private /tmp
    std::int64_t outputBytes = std::int64_t(1) << 20; // kept of stdout and of stderr; the rest is drained and dropped
    int processes = 64;                          // in the tree, by watchdog
    int openFiles = 1024;                        // RLIMIT_NOFILE
};

struct ConfineCommand
{
    std::string program;                 // absolute, or looked up in PATH (/usr/local/bin:/usr/bin:/bin) inside
    std::vector<std::string> arguments;
    std::string workingFolder;           // visible read-write under its own path; empty: /tmp inside
    std::vector<std::string> readable;   // visible read-only besides the system's own folders
    std::vector<std::string> writable;   // visible read-write
    std::vector<std::string> devices;    // device nodes besides null, zero, random…: "/dev/nvidia0"
    std::vector<std::pair<std::string, std::string>> environment; // PATH, LANG and HOME are set, nothing is inherited
    std::string standardInput;
    ConfineLimits limits;
    bool allowProcesses = true;          // false: fork is refused (SIGSYS) and so is every socket; threads are allowed
    // With processes: sockets of the internet's families too. In the sandbox they reach nothing but each other.
    bool allowLoopback = false;
    std::vector<std::pair<int, int>> descriptors; // (ours, theirs ≥ 3): passed on, everything else is closed
    bool unconfined = false;             // no bubblewrap, no filter; limits and group kill still hold
};

struct ConfinedEnd
{
    enum class Kind { Exited, Signalled, TimedOut, OutOfMemory, Stopped };
    Kind kind = Kind::Exited;
    int exitCode = 0;
    int signal = 0;
    std::string standardOutput, standardError;
    bool outputTruncated = false;
    double wall_ms = 0;
    // Name of the system call the filter refused when that ended the program: "socket", "fork"; "unknown" when the
    // program had no refusal reporter (see refusal_reporter.h); "fork" also when it ran too many processes.
    std::string refusedCall;
    // Not empty when confinement itself failed and the program never ran.
    std::string startError;
    [[nodiscard]] bool succeeded() const { return kind == Kind::Exited && exitCode == 0; }
};

// Path of bubblewrap, empty when it is not installed.
[[nodiscard]] std::string bubblewrapProgram();

// Full argument vector from bubblewrap to the program. `filterDescriptor` and `statusDescriptor` are numbers in the
// child, −1 leaves them out.
[[nodiscard]] std::vector<std::string> confineArguments(const ConfineCommand &command, int filterDescriptor = -1,
                                                        int statusDescriptor = -1);

// A descriptor (close-on-exec) to read the compiled filter from, −1 with `error` set when it cannot be made.
// Always refused: ptrace, process_vm_*, mount and its kin, kexec, modules, reboot, swap, keys, bpf, perf_event_open,
// userfaultfd, io_uring, setns, unshare, new user namespaces, sockets other than AF_UNIX. clone3 and io_uring say ENOSYS,
// so that libraries fall back. With processes the refusal is EPERM; without it is SIGSYS, and then fork, vfork, clone
// without CLONE_THREAD and every socket but local packet sockets, which NVIDIA's driver needs, raise it too.
// `allowLoopback`: with processes, sockets of the internet's families are not refused.
[[nodiscard]] int makeSystemCallFilter(bool allowProcesses, std::string &error, bool allowLoopback = false);

// How often whoever runs a ConfinedChild has its limits looked at: a fork bomb grows fast.
inline constexpr std::chrono::milliseconds limitsInterval{20};

// A running program. Not copied; destroying it kills the tree. Used from one thread; the thread that starts it must
// outlive it (the kernel ends the child when its parent thread ends).
class ConfinedChild
{
public:
    ConfinedChild();
    ~ConfinedChild();
    ConfinedChild(const ConfinedChild &) = delete;
    ConfinedChild &operator=(const ConfinedChild &) = delete;

    // False with `error` set when the program could not be started. Own process group; stdout and stderr are
    // pipes of ours, stdin a file in memory. Descriptors in `command.descriptors` stay open on our side.
    [[nodiscard]] bool start(const ConfineCommand &command, std::string &error);

    [[nodiscard]] pid_t pid() const; // bubblewrap's (or the program's, unconfined)
    // Readable descriptors to poll for; −1 once closed. The exit descriptor is readable when the child ended.
    [[nodiscard]] int outputDescriptor() const;
    [[nodiscard]] int errorDescriptor() const;
    [[nodiscard]] int exitDescriptor() const;

    // Non-blocking steps; call them when poll says so, or just all of them now and then.
    void readOutput();
    void readError();
    // Watchdogs: wall clock, memory and process count. Call every limitsInterval.
    void checkLimits();
    void limitMemory(std::int64_t bytes); // another limit than it was started with
    void stop();                       // kills the tree; the end says Stopped
    // True once the child has ended and been reaped and its output was drained; end() holds from then on.
    [[nodiscard]] bool finished();
    [[nodiscard]] const ConfinedEnd &end() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// Blocking: starts, pumps, ends. `stopDescriptor`, when not −1, ends it as soon as it is readable.
// False with `error` set when it could not be started.
[[nodiscard]] bool runConfined(const ConfineCommand &command, ConfinedEnd &end, std::string &error,
                               int stopDescriptor = -1);

// Whether confinement works here, probed once a process by running it.
struct ConfineSupport
{
    bool available = false;
    std::string reason, remedy;
};
[[nodiscard]] const ConfineSupport &confineSupport();

struct TreeUse
{
    std::int64_t residentBytes = 0; // shared pages count once a process
    int processes = 0;
};
// Of a process and its descendants, `mostProcesses` of them at most: the walk ends there, so that it ends even in a tree
// that grows faster than it can be read.
[[nodiscard]] TreeUse treeUse(pid_t root, int mostProcesses);
// Sends SIGKILL to a process and all its descendants, stopping the root first so that none is born meanwhile.
void killTree(pid_t root);
// The same to its descendants only.
void killDescendants(pid_t root);

// Kills the process group `leader` leads. Does nothing for 0, 1 and -1, as killTree: to kill() these are the caller's own
// group, the first process and everything there is.
void killGroup(pid_t leader);

} // namespace kernelskill::kit
