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
#include <vector>

namespace kernelskill::simulator {

struct CandidateCommand
{
    std::string host;    // kernelskill-sim-host
    std::string library; // candidate.so
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
    // True when something arrived outside a call: a thread of the candidate is still at work.
    [[nodiscard]] bool hasUnaskedInput();
    // Ends the process when it runs, and says how it ended.
    const kit::ConfinedEnd &finish();

    std::chrono::milliseconds hostLimit{10'000};
    std::uint64_t requestLimit = 2'000'000; // of one call

private:
    enum class Wait { Frame, Returned, Died, TimedOut, Misbehaved };
    Wait nextFrame(wire::Header &header, std::vector<std::byte> &payload, std::chrono::milliseconds &left);
    bool send(wire::Kind kind, std::span<const std::byte> payload, std::chrono::milliseconds &left);
    bool pump(int timeout_ms, short wanted);
    Outcome serve(const Handler &handler, bool untilReady);

    kit::ConfinedChild m_child;
    bool m_started = false;
    int m_socket = -1;
    std::vector<std::byte> m_input; // received, not yet understood
    std::size_t m_inputUsed = 0;
    bool m_inputEnded = false;
};

} // namespace kernelskill::simulator
