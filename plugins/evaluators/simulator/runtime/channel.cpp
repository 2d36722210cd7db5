// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::simulator::runtime {

namespace {

constexpr std::int32_t noDevice = 100; // cudaErrorNoDevice

[[noreturn]] void endWithoutWorker()
{
    constexpr char why[] = "kernelskill: the simulator cannot be reached: its channel, descriptor 3, was closed\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, why, sizeof why - 1);
    ::_exit(wire::lostChannel);
}

bool writeAll(int descriptor, const void *data, std::size_t bytes)
{
    const auto *from = static_cast<const char *>(data);
    while (bytes > 0) {
        const ssize_t n = ::send(descriptor, from, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

// One read, and the descriptor that came with it, if any.
ssize_t receivePart(int descriptor, void *data, std::size_t bytes, int &received)
{
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec part{data, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = ::recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
    const cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        std::memcpy(&received, CMSG_DATA(header), sizeof received);
    return n;
}

bool readAll(int descriptor, void *data, std::size_t bytes, int &received)
{
    auto *to = static_cast<char *>(data);
    while (bytes > 0) {
        const ssize_t n = receivePart(descriptor, to, bytes, received);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

} // namespace

Channel &Channel::instance()
{
    static Channel &channel = *new Channel; // see State::instance
    return channel;
}

Channel::Channel()
{
    if (const char *text = std::getenv(wire::descriptorVariable)) m_descriptor = std::atoi(text);
}

void Channel::send(wire::Kind kind, std::span<const std::byte> payload)
{
    const wire::Header header{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(payload.size())};
    if (!writeAll(m_descriptor, &header, sizeof header) || !writeAll(m_descriptor, payload.data(), payload.size()))
        endWithoutWorker();
}

bool Channel::receive(wire::Header &header, std::vector<std::byte> &payload)
{
    if (!readAll(m_descriptor, &header, sizeof header, m_received) || header.bytes > wire::largestFrame) return false;
    payload.resize(header.bytes);
    return readAll(m_descriptor, payload.data(), payload.size(), m_received);
}

Reply Channel::request(wire::Kind kind, const wire::Writer &payload)
{
    if (!isOpen()) return {noDevice, {}};
    const std::lock_guard lock(m_mutex);
    send(kind, payload.bytes());
    wire::Header header;
    Reply reply;
    m_received = -1;
    if (!receive(header, reply.payload) || header.kind != static_cast<std::uint32_t>(wire::Kind::Reply) ||
        reply.payload.size() < sizeof reply.error)
        endWithoutWorker();
    std::memcpy(&reply.error, reply.payload.data(), sizeof reply.error);
    reply.descriptor = m_received;
    reply.payload.erase(reply.payload.begin(), reply.payload.begin() + sizeof reply.error);
    return reply;
}

} // namespace kernelskill::simulator::runtime
