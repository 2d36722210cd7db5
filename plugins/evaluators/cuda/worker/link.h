// SPDX-License-Identifier: Apache-2.0
// The wire between supervisor and host: JSON objects, one a line, and descriptors that travel with a line. Both ends of
// one AF_UNIX stream pair made before the host starts.
//
// Requests of the supervisor carry a number and get replies with the same number:
//   {"do": "load", "library", "tools"}                       → {"persisting_l2"}
//   {"do": "map", "slab", "bytes", "writable"} + descriptor  → {}
//   {"do": "unmap", "slab"}                                  → {}
//   {"do": "call", "slots", "flush"}                         → {"event_us", "tail_us"}
//   {"do": "row", "calls": [slots…], "gate": slot or null}   → {"armed"}, and after the gate opened or "go" came, {}
//   {"do": "mark", "slots"}                                  → {}: a call that a profiler around the host looks at
//   {"do": "profile", "slots", "options"}                    → {"profile": text, "problem": text}
//   {"do": "state"}                                          → {"persisting_l2", "launches", "to_host", "to_device", …}
// A slot is [slab, offset] or the bytes of a scalar in hexadecimal. A failure is {"error": status, "text", "machine"}:
// the driver's status, and whether it came before the candidate was loaded.
// Nothing in a reply is believed that the supervisor cannot check: the candidate lives in the same process and can
// write whatever it likes here.
#pragma once

#include "kit/json_lines.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <string>
#include <vector>

namespace kernelskill::cuda {

inline constexpr int hostDescriptor = 3; // the host's end, in the host
// Where the host finds a socket to connect to instead: a program between it and the supervisor need not pass
// descriptors on.
inline constexpr const char *linkVariable = "KERNELSKILL_LINK";
inline constexpr const char *profileVariable = "KERNELSKILL_PROFILE_LIBRARY"; // profiler/cupti/profile_abi.h

// What a reply says under a key, whatever type somebody put there: a forged reply is no reason to die.
[[nodiscard]] double numberIn(const nlohmann::json &reply, const char *key, double otherwise = 0);
[[nodiscard]] std::string textIn(const nlohmann::json &reply, const char *key);

// A socket with a path, for one connection. The folder it lies in belongs to it.
class LinkSocket
{
public:
    LinkSocket() = default;
    ~LinkSocket();
    LinkSocket(const LinkSocket &) = delete;
    LinkSocket &operator=(const LinkSocket &) = delete;
    [[nodiscard]] bool open(std::string &error);
    [[nodiscard]] const std::string &folder() const { return m_folder; }
    [[nodiscard]] std::string path() const { return m_folder + "/link"; }
    [[nodiscard]] int descriptor() const { return m_descriptor; } // readable when somebody connects
    [[nodiscard]] int accept();                                   // −1: nobody; else the caller's

private:
    std::string m_folder;
    int m_descriptor = -1;
};
// The other end; −1 when there is no such socket.
[[nodiscard]] int connectTo(const std::string &path);

class Link
{
public:
    explicit Link(int descriptor);
    ~Link();
    Link(const Link &) = delete;
    Link &operator=(const Link &) = delete;

    // False when the other side has gone or does not read. Blocks for at most `patience_ms`.
    bool send(const nlohmann::json &object, int descriptor = -1, int patience_ms = 10'000);
    // Takes in what is there without waiting; false at the end of the stream.
    bool pull();
    // Waits for the next object; empty at the end of the stream. For the host, which has nothing else to do.
    [[nodiscard]] std::optional<nlohmann::json> receive();
    [[nodiscard]] std::optional<nlohmann::json> next() { return m_lines.next(); }
    // The descriptor that came with the oldest line that had one, −1 when there is none; the caller's from then on.
    [[nodiscard]] int takeDescriptor();
    [[nodiscard]] const std::string &error() const { return m_lines.error(); }
    [[nodiscard]] int descriptor() const { return m_descriptor; }

private:
    int m_descriptor;
    kit::JsonLineSplitter m_lines;
    std::deque<int> m_descriptors;
};

} // namespace kernelskill::cuda
