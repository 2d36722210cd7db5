// SPDX-License-Identifier: Apache-2.0
#include "kit/json_lines.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

namespace kernelskill::kit {

struct JsonLineSplitter::Impl
{
    std::size_t longestLine;
    std::string buffer;
    std::size_t start = 0; // of what was not yet handed out
    std::size_t line = 0;  // lines handed out
    std::string error;

    void fail(const std::string &what)
    {
        error = "line " + std::to_string(line + 1) + ": " + what;
        buffer.clear();
        start = 0;
    }
};

JsonLineSplitter::JsonLineSplitter(std::size_t longestLine) : m_impl(std::make_unique<Impl>())
{
    m_impl->longestLine = longestLine;
}
JsonLineSplitter::~JsonLineSplitter() = default;
JsonLineSplitter::JsonLineSplitter(JsonLineSplitter &&) noexcept = default;
JsonLineSplitter &JsonLineSplitter::operator=(JsonLineSplitter &&) noexcept = default;

void JsonLineSplitter::feed(std::string_view bytes)
{
    if (!m_impl->error.empty()) return;
    m_impl->buffer.erase(0, m_impl->start);
    m_impl->start = 0;
    m_impl->buffer.append(bytes);
}

std::optional<nlohmann::json> JsonLineSplitter::next()
{
    Impl &impl = *m_impl;
    while (impl.error.empty()) {
        const std::size_t end = impl.buffer.find('\n', impl.start);
        const std::size_t length = (end == std::string::npos ? impl.buffer.size() : end) - impl.start;
        if (length > impl.longestLine) {
            impl.fail("longer than " + std::to_string(impl.longestLine) + " bytes");
            break;
        }
        if (end == std::string::npos) break;
        const std::string_view text(impl.buffer.data() + impl.start, length);
        impl.start = end + 1;
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
            ++impl.line;
            continue;
        }
        nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
        if (!object.is_object()) {
            impl.fail("expected one JSON object, found \"" + std::string(text.substr(0, 120)) + "\"");
            break;
        }
        ++impl.line;
        return object;
    }
    return std::nullopt;
}

const std::string &JsonLineSplitter::error() const { return m_impl->error; }

std::string toLine(const nlohmann::json &object)
{
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

JsonLineChannel::JsonLineChannel(int readDescriptor, int writeDescriptor, std::size_t longestLine)
    : m_read(readDescriptor), m_write(writeDescriptor), m_splitter(longestLine)
{
}

bool JsonLineChannel::send(const nlohmann::json &object)
{
    // A reader that has gone is an answer, not a reason to die: SIGPIPE is held back for this thread and taken away.
    sigset_t pipeSignal, before;
    sigemptyset(&pipeSignal);
    sigaddset(&pipeSignal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &before);
    const std::string line = toLine(object);
    std::size_t written = 0;
    bool broken = false;
    while (written < line.size() && !broken) {
        const ssize_t count = write(m_write, line.data() + written, line.size() - written);
        if (count > 0) written += std::size_t(count);
        else if (errno != EINTR) broken = true;
    }
    if (broken && errno == EPIPE && !sigismember(&before, SIGPIPE)) {
        const timespec none{};
        sigtimedwait(&pipeSignal, nullptr, &none);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return !broken;
}

bool JsonLineChannel::sendHello(std::string_view name)
{
    return send({{"hello", name}, {"protocol", protocolVersion}});
}

std::optional<nlohmann::json> JsonLineChannel::receive()
{
    char buffer[65536];
    for (;;) {
        if (auto object = m_splitter.next()) return object;
        if (!m_splitter.error().empty()) return std::nullopt;
        const ssize_t count = read(m_read, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::nullopt;
        m_splitter.feed({buffer, std::size_t(count)});
    }
}

std::optional<std::string> refusedHello(const nlohmann::json &hello)
{
    const auto name = hello.find("hello"), version = hello.find("protocol");
    if (name == hello.end() || !name->is_string()) return "the first message is no hello";
    if (version == hello.end() || !version->is_number_integer()) return "the hello names no protocol version";
    if (version->get<int>() == protocolVersion) return std::nullopt;
    return "it speaks protocol " + std::to_string(version->get<int>()) + ", expected " + std::to_string(protocolVersion);
}

} // namespace kernelskill::kit
