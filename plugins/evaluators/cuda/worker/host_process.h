// SPDX-License-Identifier: Apache-2.0
// The supervisor's end of one host: starts it confined, asks it, and survives whatever it does.
#pragma once

#include "device.h"
#include "driver.h"
#include "link.h"
#include "request.h"

#include "kit/confine.h"

#include <memory>
#include <string>

namespace kernelskill::cuda {

struct HostCommand
{
    std::string program;               // kernelskill-cuda-host
    std::string library;               // what it loads
    std::string tools;                 // the supervisor's kernels
    std::string profileLibrary;        // loaded before the candidate; empty: none
    std::vector<std::string> readable; // folders, besides those of all these files
    // A program and its arguments that start the host in their turn, as ncu does. They may start processes and talk to
    // them, and have longer to end.
    std::vector<std::string> through;
    bool unconfined = false;
    std::int64_t memoryBytes = std::int64_t(8) << 30;
    int wallClock_ms = 30 * 60 * 1000; // of its whole life; requests have tighter limits of their own
};

class HostProcess
{
public:
    enum class Outcome {
        Answered,
        Refused,    // the reply is an error of the device or the candidate: {"error", "text"}
        Died,       // see end()
        TimedOut,   // no answer in time
        Misbehaved, // something came that nobody asked for
    };

    HostProcess() = default;
    ~HostProcess() { finish(); }
    HostProcess(const HostProcess &) = delete;
    HostProcess &operator=(const HostProcess &) = delete;

    [[nodiscard]] bool start(const HostCommand &command, const Driver &driver, const DeviceFacts &device,
                             std::string &error);
    // Sends a request; an answer belongs to the last one sent.
    [[nodiscard]] Outcome post(nlohmann::json request, int descriptor = -1);
    // Lets calls start that wait for the word, without a number of its own: the answer to them is still to come.
    void go();
    [[nodiscard]] Outcome await(nlohmann::json &reply, int limit_ms);
    [[nodiscard]] Outcome ask(nlohmann::json request, nlohmann::json &reply, int limit_ms, int descriptor = -1);
    // Ends the process when it runs, and says how it ended.
    const kit::ConfinedEnd &finish();
    [[nodiscard]] bool isRunning() const { return m_started; }

private:
    [[nodiscard]] bool awaitLink(LinkSocket &socket, std::string &error);
    void drain();
    bool pump(int timeout_ms);
    kit::ConfinedChild m_child;
    std::unique_ptr<Link> m_link;
    bool m_started = false, m_hungUp = false;
    int m_ending_ms = 0; // how long it may take to end once the link is gone
    int m_number = 0;
};

} // namespace kernelskill::cuda
