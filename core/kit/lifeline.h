// SPDX-License-Identifier: Apache-2.0
// Ends a worker, and everything it started, when whoever started it has gone.
#pragma once

#include <thread>

namespace kernelskill::kit {

// A worker's standard input stays open as long as somebody wants its answer. Made after the request was read, this
// watches the rest of it from a thread of its own: at its end, or after `silence_s` seconds without a byte (0: any
// silence is allowed), all descendants of this process get SIGKILL and the process ends with exitCode. Over a network
// the end of the stream may never arrive, so the other side sends an empty line every few seconds there.
class Lifeline
{
public:
    static constexpr int exitCode = 75;

    explicit Lifeline(int descriptor, double silence_s = 0);
    ~Lifeline(); // stops watching
    Lifeline(const Lifeline &) = delete;
    Lifeline &operator=(const Lifeline &) = delete;

private:
    void watch(int descriptor, int silence_ms) const;

    int m_stop = -1;
    std::thread m_thread;
};

} // namespace kernelskill::kit
