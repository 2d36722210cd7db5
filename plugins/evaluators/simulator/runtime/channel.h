// SPDX-License-Identifier: Apache-2.0
// The candidate's end of the wire: one request at a time, from any of its threads.
#pragma once

#include "wire.h"

#include <mutex>

namespace kernelskill::simulator::runtime {

struct Reply
{
    std::int32_t error = 0;
    std::vector<std::byte> payload; // after the error
    int descriptor = -1;            // that came along; the caller's to close
};

class Channel
{
public:
    // The process's only channel, on the descriptor the worker passed. Without one every request fails with
    // cudaErrorNoDevice.
    static Channel &instance();

    // Ends the process when the worker is gone: nobody is left to report to.
    Reply request(wire::Kind kind, const wire::Writer &payload);

    // For the host program's loop. False at the end of the stream.
    bool receive(wire::Header &header, std::vector<std::byte> &payload);
    void send(wire::Kind kind, std::span<const std::byte> payload);
    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }

private:
    Channel();
    std::mutex m_mutex;
    int m_descriptor = -1;
    int m_received = -1; // a descriptor that came with the latest frame
};

} // namespace kernelskill::simulator::runtime
