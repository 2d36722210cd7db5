// SPDX-License-Identifier: Apache-2.0
// The candidate's confined process and our end of the wire to it. Survives anything that process does.
#pragma once

#include "kit/confine.h"
#include "runtime/wire.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::simulator {

struct CandidateCommand
{
    std::string host;    // kernelskill-sim-host
    std::string library; // candidate.so
    // A whole program: its name and arguments. The library then has a main, which runs once, and no entry point.
    std::vector<std::string> programArguments;
    std::string folder;                // of a program: where it runs, read-only unless it is in `writable`
    std::vector<std::string> writable; // of a program
    int wallClock_ms = 15 * 60 * 1000; // our own limits are tighter for a candidate; this one is the last resort
    int cpu_s = 300;
    std::int64_t outputBytes = std::int64_t(1) << 20;
    std::vector<std::string> readable;
    bool unconfined = false;
    std::int64_t memoryBytes = std::int64_t(4) << 30;
};

class CandidateProcess
{
public:
    enum class Outcome {
        Returned,   // the call ended
        Died,       // the process ended; see end()
        TimedOut,   // it computed on the host for too long, or asked for too much
        Misbehaved, // it broke the protocol
        Unwanted,   // nobody waits for it any more, see `unwanted`
    };
    // Answers one request; the reply's payload without the error goes to `reply`. Returns the error code.
    using Handler = std::function<std::int32_t(wire::Kind, wire::Reader &, wire::Writer &reply)>;

    ~CandidateProcess();
    [[nodiscard]] bool start(const CandidateCommand &command, std::string &error);
    // Waits for the library to be loaded.
    [[nodiscard]] Outcome waitReady(const Handler &handler);
    // One call of the entry point: `arguments` are the values' bytes. Requests are handled as they come. The candidate
    // may use the host for `hostLimit` in all, not counting our own work on its behalf.
    [[nodiscard]] Outcome call(std::span<const std::vector<std::byte>> arguments, const Handler &handler);
    // A whole program, to its end, which finish() describes: Died is how it ends well. What it prints is handed on as
    // it comes.
    using Printed = std::function<void(bool isError, std::string_view text)>;
    [[nodiscard]] Outcome runProgram(const Handler &handler, const Printed &printed);
    // True when something arrived outside a call: a thread of the candidate is still at work.
    [[nodiscard]] bool hasUnaskedInput();
    // Ends the process when it runs, and says how it ended.
    const kit::ConfinedEnd &finish();

    // What it may hold resident from now on.
    void limitMemory(std::int64_t bytes) { m_child.limitMemory(bytes); }

    std::chrono::milliseconds hostLimit{10'000};
    std::function<bool()> unwanted; // asked now and then while it is waited for
    std::uint64_t requestLimit = 2'000'000; // of one call

private:
    enum class Wait { Frame, Returned, Died, TimedOut, Misbehaved, Unwanted };
    // What a wait that brought no frame means for the caller.
    [[nodiscard]] static std::optional<Outcome> failureOf(Wait wait);
    Wait nextFrame(wire::Header &header, std::vector<std::byte> &payload, std::chrono::milliseconds &left);
    bool send(wire::Kind kind, std::span<const std::byte> payload, std::chrono::milliseconds &left,
              int descriptor = -1);
    ssize_t sendPart(std::span<const std::byte> bytes, int descriptor);
    bool pump(int timeout_ms, short wanted);
    Outcome serve(const Handler &handler, bool untilReady);
    bool answer(wire::Header header, std::span<const std::byte> payload, const Handler &handler,
                std::chrono::milliseconds &left);
    void handOn();

    kit::ConfinedChild m_child;
    bool m_started = false;
    int m_socket = -1;
    std::vector<std::byte> m_input; // received, not yet understood
    std::size_t m_inputUsed = 0;
    bool m_inputEnded = false;
    std::chrono::steady_clock::time_point m_limitsChecked;
    Printed m_printed;                  // of a program
    std::size_t m_handedOn[2] = {0, 0}; // bytes of its output and errors
};

} // namespace kernelskill::simulator
