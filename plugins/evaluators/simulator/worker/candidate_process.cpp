// SPDX-License-Identifier: Apache-2.0
#include "candidate_process.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kernelskill::simulator {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int theirDescriptor = 3;
constexpr int pollStep_ms = static_cast<int>(kit::limitsInterval.count());

std::chrono::milliseconds since(Clock::time_point start)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

} // namespace

CandidateProcess::~CandidateProcess()
{
    finish();
}

bool CandidateProcess::start(const CandidateCommand &command, std::string &error)
{
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        error = "no socket pair";
        return false;
    }
    kit::ConfineCommand confined;
    confined.program = command.host;
    confined.arguments = {command.library};
    if (!command.programArguments.empty()) {
        confined.arguments = {"--program", command.library, command.folder};
        confined.arguments.insert(confined.arguments.end(), command.programArguments.begin(),
                                  command.programArguments.end());
    }
    confined.writable = command.writable;
    confined.readable = command.readable;
    confined.environment = {{wire::descriptorVariable, std::to_string(theirDescriptor)}};
    confined.descriptors = {{pair[1], theirDescriptor}};
    confined.allowProcesses = false;
    confined.unconfined = command.unconfined;
    confined.limits.wallClock_ms = command.wallClock_ms;
    confined.limits.cpu_s = command.cpu_s;
    confined.limits.outputBytes = command.outputBytes;
    confined.limits.memoryBytes = command.memoryBytes;
    confined.limits.fileBytes = std::int64_t(64) << 20;
    m_started = m_child.start(confined, error);
    ::close(pair[1]);
    m_socket = pair[0];
    ::fcntl(m_socket, F_SETFL, ::fcntl(m_socket, F_GETFL) | O_NONBLOCK);
    return m_started;
}

// Waits until the socket is ready for `wanted`, keeping output drained and limits watched meanwhile.
// False when the child has ended and nothing more can come.
bool CandidateProcess::pump(int timeout_ms, short wanted)
{
    pollfd descriptors[4] = {{m_socket, wanted, 0},
                             {m_child.outputDescriptor(), POLLIN, 0},
                             {m_child.errorDescriptor(), POLLIN, 0},
                             {m_child.exitDescriptor(), POLLIN, 0}};
    ::poll(descriptors, 4, timeout_ms);
    if (descriptors[1].revents) m_child.readOutput();
    if (descriptors[2].revents) m_child.readError();
    handOn();
    // Looking through the processes takes longer than many an answer.
    if (const Clock::time_point now = Clock::now(); now - m_limitsChecked >= kit::limitsInterval) {
        m_child.checkLimits();
        m_limitsChecked = now;
    }
    if (wanted == POLLIN && descriptors[0].revents) {
        thread_local std::byte buffer[256 * 1024];
        const ssize_t n = ::recv(m_socket, buffer, sizeof buffer, 0);
        if (n > 0)
            m_input.insert(m_input.end(), buffer, buffer + n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            m_inputEnded = true;
        if (n > 0) return true;
    }
    return !m_inputEnded && !m_child.finished();
}

void CandidateProcess::handOn()
{
    if (!m_printed) return;
    const std::string *texts[] = {&m_child.end().standardOutput, &m_child.end().standardError};
    for (int i = 0; i < 2; ++i) {
        if (texts[i]->size() > m_handedOn[i]) m_printed(i == 1, std::string_view(*texts[i]).substr(m_handedOn[i]));
        m_handedOn[i] = texts[i]->size();
    }
}

// Part of a frame; a descriptor, when there is one, goes with its first byte.
ssize_t CandidateProcess::sendPart(std::span<const std::byte> bytes, int descriptor)
{
    iovec part{const_cast<std::byte *>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    if (descriptor >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return ::sendmsg(m_socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool CandidateProcess::send(wire::Kind kind, std::span<const std::byte> payload, std::chrono::milliseconds &left,
                            int descriptor)
{
    const wire::Header header{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(payload.size())};
    wire::Writer frame;
    frame.value(header);
    frame.append(payload.data(), payload.size());
    const std::span<const std::byte> bytes = frame.bytes();
    std::size_t done = 0;
    const Clock::time_point begin = Clock::now();
    while (done < bytes.size()) {
        const ssize_t n = sendPart(bytes.subspan(done), done == 0 ? descriptor : -1);
        if (n > 0) {
            done += static_cast<std::size_t>(n);
            continue;
        }
        const bool gone = n < 0 && errno != EAGAIN && errno != EINTR;
        if (gone || !pump(pollStep_ms, POLLOUT) || since(begin) > left) break;
    }
    left -= since(begin);
    return done == bytes.size();
}

CandidateProcess::Wait CandidateProcess::nextFrame(wire::Header &header, std::vector<std::byte> &payload,
                                                   std::chrono::milliseconds &left)
{
    const Clock::time_point begin = Clock::now();
    const std::chrono::milliseconds allowed = left;
    for (;;) {
        const std::size_t available = m_input.size() - m_inputUsed;
        if (available >= sizeof header) {
            std::memcpy(&header, m_input.data() + m_inputUsed, sizeof header);
            if (header.bytes > wire::largestFrame) return Wait::Misbehaved;
            if (available >= sizeof header + header.bytes) {
                const auto *from = m_input.data() + m_inputUsed + sizeof header;
                payload.assign(from, from + header.bytes);
                m_inputUsed += sizeof header + header.bytes;
                if (m_inputUsed == m_input.size()) {
                    m_input.clear();
                    m_inputUsed = 0;
                }
                left = allowed - since(begin);
                return Wait::Frame;
            }
        }
        if (m_inputUsed > 0) {
            m_input.erase(m_input.begin(), m_input.begin() + static_cast<std::ptrdiff_t>(m_inputUsed));
            m_inputUsed = 0;
        }
        if (unwanted && unwanted()) return Wait::Unwanted;
        if (!pump(pollStep_ms, POLLIN)) return Wait::Died;
        if (since(begin) > allowed) return Wait::TimedOut;
    }
}

bool CandidateProcess::answer(wire::Header header, std::span<const std::byte> payload, const Handler &handler,
                              std::chrono::milliseconds &left)
{
    wire::Reader reader(payload);
    wire::Writer results;
    const std::int32_t error = handler(static_cast<wire::Kind>(header.kind), reader, results);
    wire::Writer reply;
    reply.value(error);
    reply.append(results.bytes().data(), results.bytes().size());
    const bool sent = send(wire::Kind::Reply, reply.bytes(), left, results.descriptor);
    if (results.descriptor >= 0) ::close(results.descriptor);
    return sent;
}

std::optional<CandidateProcess::Outcome> CandidateProcess::failureOf(Wait wait)
{
    switch (wait) {
    case Wait::Frame:
        return std::nullopt;
    case Wait::Died:
        return Outcome::Died;
    case Wait::TimedOut:
        return Outcome::TimedOut;
    case Wait::Unwanted:
        return Outcome::Unwanted;
    case Wait::Returned:
    case Wait::Misbehaved:
        return Outcome::Misbehaved;
    }
    return Outcome::Misbehaved;
}

CandidateProcess::Outcome CandidateProcess::runProgram(const Handler &handler, const Printed &printed)
{
    m_printed = printed;
    std::chrono::milliseconds left = hostLimit;
    std::vector<std::byte> payload;
    for (;;) {
        wire::Header header;
        if (const auto failed = failureOf(nextFrame(header, payload, left))) return *failed;
        if (!answer(header, payload, handler, left)) return left.count() >= 0 ? Outcome::Died : Outcome::TimedOut;
    }
}

CandidateProcess::Outcome CandidateProcess::serve(const Handler &handler, bool untilReady)
{
    std::chrono::milliseconds left = hostLimit;
    std::vector<std::byte> payload;
    for (std::uint64_t requests = 0; requests < requestLimit; ++requests) {
        wire::Header header;
        if (const auto failed = failureOf(nextFrame(header, payload, left))) return *failed;
        const auto kind = static_cast<wire::Kind>(header.kind);
        if (kind == wire::Kind::Returned) {
            if (untilReady || header.bytes != 0) return Outcome::Misbehaved;
            return Outcome::Returned;
        }
        if (!answer(header, payload, handler, left)) return left.count() >= 0 ? Outcome::Died : Outcome::TimedOut;
        if (untilReady && kind == wire::Kind::Ready) return Outcome::Returned;
    }
    return Outcome::TimedOut;
}

CandidateProcess::Outcome CandidateProcess::waitReady(const Handler &handler)
{
    return serve(handler, true);
}

CandidateProcess::Outcome CandidateProcess::call(std::span<const std::vector<std::byte>> arguments,
                                                 const Handler &handler)
{
    wire::Writer message;
    message.value(static_cast<std::uint32_t>(arguments.size()));
    for (const std::vector<std::byte> &argument : arguments)
        message.block(argument);
    std::chrono::milliseconds left = hostLimit;
    if (!send(wire::Kind::Call, message.bytes(), left)) return Outcome::Died;
    return serve(handler, false);
}

bool CandidateProcess::hasUnaskedInput()
{
    while (pump(0, POLLIN)) {
        pollfd descriptor{m_socket, POLLIN, 0};
        if (::poll(&descriptor, 1, 0) <= 0) break;
        if (m_input.size() > wire::largestFrame) break;
    }
    return m_input.size() > m_inputUsed;
}

const kit::ConfinedEnd &CandidateProcess::finish()
{
    if (m_socket >= 0) {
        ::close(m_socket);
        m_socket = -1;
    }
    if (m_started) {
        // With the wire gone a well-behaved host program ends by itself at once; give it the chance to say how it
        // ended.
        const Clock::time_point begin = Clock::now();
        while (!m_child.finished() && since(begin) < std::chrono::milliseconds(300))
            pump(10, 0);
        if (!m_child.finished()) m_child.stop();
        while (!m_child.finished())
            pump(10, 0);
        handOn();
        m_started = false;
    }
    return m_child.end();
}

} // namespace kernelskill::simulator
