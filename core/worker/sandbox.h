// SPDX-License-Identifier: Apache-2.0
// Runs a program that nobody trusts: bubblewrap, a system-call filter, limits, and death to the whole group at the end.
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QCoroTask>
#include <QMap>
#include <QString>
#include <QStringList>

#include <functional>
#include <stop_token>

namespace kernelskill {

struct SandboxLimits
{
    int wallClock_ms = 60'000;
    int cpu_s = 60;
    qint64 memoryBytes = qint64(4) << 30;   // resident, by watchdog over the group
    qint64 fileBytes = qint64(1) << 30;     // RLIMIT_FSIZE
    qint64 outputBytes = qint64(1) << 20;   // of stdout and of stderr kept; the rest is drained and dropped
    int processes = 64;                     // in the tree, by watchdog
};

struct SandboxCommand
{
    QString program;
    QStringList arguments;
    QString workingFolder;          // made visible read-write under its own path
    QStringList readable;           // further paths visible read-only, beyond /usr, /lib, /bin, /etc
    QStringList writable;           // further paths visible read-write
    QMap<QString, QString> environment; // nothing is inherited but PATH, LANG, and these
    QByteArray standardInput;
    SandboxLimits limits;
    bool allowProcesses = true;     // false: fork and exec are refused (SIGSYS), threads are allowed
    QList<QPair<int, int>> descriptors; // (ours, theirs): passed on, everything else is closed
    bool unconfined = false;        // no bubblewrap, no filter; limits and group kill still hold
};

struct SandboxResult
{
    enum class End { Exited, Signalled, TimedOut, OutOfMemory, Stopped };
    End end = End::Exited;
    int exitCode = 0;
    int signal = 0;
    QByteArray standardOutput, standardError;
    bool outputTruncated = false;
    double wall_ms = 0;
    QString refusedCall;            // name of a system call the filter refused, when it ended the program
    [[nodiscard]] bool succeeded() const { return end == End::Exited && exitCode == 0; }
    [[nodiscard]] QString describe() const; // "killed after 10 s", "signal 11 (SIGSEGV)", "exit status 3"
};

// Whether confinement works here (probed once by running it) and, if not, why and the remedy.
struct SandboxSupport { bool available = false; QString reason, remedy; };
[[nodiscard]] SandboxSupport sandboxSupport();
// An error "sandbox.unavailable" with reason and remedy where it does not; `what` begins its sentence: "Candidates".
[[nodiscard]] Result<void> requireSandbox(const QString &what);

// An Error only when the program could not be started. Call on a thread with an event loop; never blocks it.
QCoro::Task<Result<SandboxResult>> runSandboxed(SandboxCommand command, std::stop_token stop);

// For a worker that wants to hold the process itself: full argument vector that wraps a command in bubblewrap with the
// same confinement (without the system-call filter's descriptor, which runSandboxed adds).
[[nodiscard]] QStringList sandboxArguments(const SandboxCommand &command);

} // namespace kernelskill
