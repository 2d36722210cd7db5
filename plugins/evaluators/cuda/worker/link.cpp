// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace kernelskill::cuda {

namespace {

constexpr std::size_t longestLine = std::size_t(64) << 20;
constexpr std::size_t mostDescriptors = 64; // waiting to be taken; more is a flood

ssize_t sendPart(int socket, const char *bytes, std::size_t count, int descriptor)
{
    iovec part{const_cast<char *>(bytes), count};
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
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

} // namespace

double numberIn(const nlohmann::json &reply, const char *key, double otherwise)
{
    const auto found = reply.find(key);
    return found != reply.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string textIn(const nlohmann::json &reply, const char *key)
{
    const auto found = reply.find(key);
    return found != reply.end() && found->is_string() ? found->get<std::string>() : std::string();
}

namespace {

sockaddr_un addressOf(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
}

} // namespace

LinkSocket::~LinkSocket()
{
    if (m_descriptor >= 0) close(m_descriptor);
    if (m_folder.empty()) return;
    unlink(path().c_str());
    rmdir(m_folder.c_str());
}

bool LinkSocket::open(std::string &error)
{
    std::string folder = "/tmp/kernelskill-link-XXXXXX"; // short: a socket's path has 107 characters at most
    if (mkdtemp(folder.data())) m_folder = folder;
    m_descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_un address = addressOf(path());
    if (!m_folder.empty() && bind(m_descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 &&
        listen(m_descriptor, 1) == 0)
        return true;
    error = std::string("no socket in /tmp: ") + std::strerror(errno);
    return false;
}

int LinkSocket::accept()
{
    return accept4(m_descriptor, nullptr, nullptr, SOCK_CLOEXEC);
}

int connectTo(const std::string &path)
{
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = addressOf(path);
    if (connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

Link::Link(int descriptor) : m_descriptor(descriptor), m_lines(longestLine)
{
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

Link::~Link()
{
    for (const int one : m_descriptors)
        close(one);
    close(m_descriptor);
}

bool Link::send(const nlohmann::json &object, int descriptor, int patience_ms)
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(patience_ms);
    const std::string line = kit::toLine(object);
    std::size_t done = 0;
    while (done < line.size()) {
        const ssize_t count =
            sendPart(m_descriptor, line.data() + done, line.size() - done, done == 0 ? descriptor : -1);
        if (count > 0) {
            done += std::size_t(count);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) return false;
        if (Clock::now() > end) return false;
        pollfd entry{m_descriptor, POLLOUT, 0};
        poll(&entry, 1, 50);
    }
    return true;
}

bool Link::pull()
{
    char buffer[65536];
    for (;;) {
        iovec part{buffer, sizeof buffer};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t count = recvmsg(m_descriptor, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
            if (m_descriptors.size() < mostDescriptors)
                m_descriptors.push_back(descriptor);
            else
                close(descriptor);
        }
        if (count == 0) return false;
        m_lines.feed({buffer, std::size_t(count)});
        if (count < ssize_t(sizeof buffer)) return true;
    }
}

std::optional<nlohmann::json> Link::receive()
{
    for (;;) {
        if (auto object = next()) return object;
        if (!error().empty()) return std::nullopt;
        pollfd entry{m_descriptor, POLLIN, 0};
        poll(&entry, 1, -1);
        if (!pull()) return next();
    }
}

int Link::takeDescriptor()
{
    if (m_descriptors.empty()) return -1;
    const int first = m_descriptors.front();
    m_descriptors.pop_front();
    return first;
}

} // namespace kernelskill::cuda
