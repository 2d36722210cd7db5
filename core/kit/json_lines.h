// SPDX-License-Identifier: Apache-2.0
// The workers' protocol: one JSON object a line, first a hello with the protocol's version.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kernelskill::kit {

inline constexpr int protocolVersion = 1;

// Cuts a stream of bytes into objects. No exceptions leave it.
class JsonLineSplitter
{
public:
    explicit JsonLineSplitter(std::size_t longestLine = std::size_t(64) << 20);
    ~JsonLineSplitter();
    JsonLineSplitter(JsonLineSplitter &&) noexcept;
    JsonLineSplitter &operator=(JsonLineSplitter &&) noexcept;

    void feed(std::string_view bytes);
    // The next whole object; empty when none is complete yet or the stream is broken, which error() tells apart.
    [[nodiscard]] std::optional<nlohmann::json> next();
    [[nodiscard]] const std::string &error() const; // "line 3: …", empty when all is well; then nothing more comes

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// The object on one line, its end of line included. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string toLine(const nlohmann::json &object);

// Blocking, over two descriptors it does not own. For workers: receive the request, send messages.
class JsonLineChannel
{
public:
    JsonLineChannel(int readDescriptor, int writeDescriptor, std::size_t longestLine = std::size_t(64) << 20);
    // False when the other side has gone.
    bool send(const nlohmann::json &object);
    bool sendHello(std::string_view name); // {"hello": name, "protocol": protocolVersion}
    // Empty at the end of the stream (error() empty) or when it is broken.
    [[nodiscard]] std::optional<nlohmann::json> receive();
    [[nodiscard]] const std::string &error() const { return m_splitter.error(); }

private:
    int m_read, m_write;
    JsonLineSplitter m_splitter;
};

// Whether a hello is one this program understands; the reason in words when it is not.
[[nodiscard]] std::optional<std::string> refusedHello(const nlohmann::json &hello);

} // namespace kernelskill::kit
