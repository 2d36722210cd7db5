// SPDX-License-Identifier: Apache-2.0
// A worker that does what the file beside it says (its own path and ".json"), for tests of those who use workers:
//   "hello"     its first line
//   "devices"   its answer to {"list_devices": true}
//   "messages"  what it writes before the last line
//   "last"      its last line; {"done": true} when missing
//   "then"      what happens instead of the last line, one word an attempt, the last one for all that follow:
//               "answer", "die", "hang", "early" (dies before the hello)
//   "built"     its answer to {"build_only": true}; when missing "build", "error", "code" and "status" of "last"
//   "outputs"   text it writes to every file named in "outputs" of the request's cases
// Beside itself it keeps ".requests" (one a line) and, when it hangs, ".pids": its own and that of a child which left
// its process group.
#include "kit/json_lines.h"
#include "kit/lifeline.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>

using namespace kernelskill;
using Json = nlohmann::json;

namespace {

// How many times it was asked for work before.
std::size_t attemptsBefore(const std::string &requests)
{
    std::ifstream file(requests);
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);)
        count += line.find("list_devices") == std::string::npos && line.find("build_only") == std::string::npos;
    return count;
}

std::string wordFor(const Json &script, std::size_t attempt)
{
    const Json words = script.value("then", Json::array({"answer"}));
    return words.at(std::min(attempt, words.size() - 1));
}

// The total size of all files the request names, so that a test sees they were there.
std::uintmax_t readFiles(const Json &request)
{
    std::uintmax_t bytes = 0;
    for (const char *list : {"checks", "times", "after"}) {
        for (const Json &one : request.value(list, Json::array()))
            for (const char *role : {"inputs", "expected"})
                for (const std::string &path : one.value(role, std::vector<std::string>()))
                    if (!path.empty()) bytes += std::filesystem::file_size(path);
        for (const Json &one : request.value(list, Json::array()))
            for (const auto &set : one.value("input_sets", std::vector<std::vector<std::string>>()))
                for (const std::string &path : set)
                    if (!path.empty()) bytes += std::filesystem::file_size(path);
    }
    return bytes;
}

void writeOutputs(const Json &request, const std::string &text)
{
    for (const char *list : {"checks", "after"}) {
        for (const Json &one : request.value(list, Json::array()))
            for (const std::string &path : one.value("outputs", std::vector<std::string>()))
                if (!path.empty()) std::ofstream(path) << text;
    }
}

Json built(const Json &script)
{
    Json answer = script.value("built", Json::object());
    const Json last = script.value("last", Json::object());
    for (const char *key : {"build", "error", "code", "status"})
        if (!script.contains("built") && last.contains(key)) answer[key] = last.at(key);
    answer["done"] = true;
    return answer;
}

[[noreturn]] void hang(const std::string &self, kit::JsonLineChannel &channel)
{
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        for (;;)
            pause();
    }
    std::ofstream(self + ".pids") << getpid() << '\n' << child << '\n';
    channel.send({{"stage", "checking"}, {"progress", 0}, {"total", 1}, {"text", "hanging"}});
    for (;;)
        pause();
}

} // namespace

int main(int, char **words)
{
    const std::string self = words[0];
    Json script = Json::object();
    if (std::ifstream file(self + ".json"); file) file >> script;
    const std::size_t attempt = attemptsBefore(self + ".requests");
    kit::JsonLineChannel channel(0, 1);
    if (wordFor(script, attempt) == "early") {
        std::cerr << "cannot start\n";
        return 3;
    }
    channel.send(script.value("hello", Json{{"hello", "scripted"}, {"protocol", 1}, {"version", "1.2"}}));
    const auto request = channel.receive();
    if (!request) return 4;
    const kit::Lifeline lifeline(0, request->value("silence_s", 0.0));
    std::ofstream(self + ".requests", std::ios::app) << request->dump() << '\n';
    if (request->value("list_devices", false)) {
        Json answer = script.value("devices", Json::object());
        answer["done"] = true;
        channel.send(answer);
        return 0;
    }
    if (request->value("build_only", false)) {
        channel.send(built(script));
        return 0;
    }
    for (const Json &message : script.value("messages", Json::array()))
        channel.send(message);
    const std::string what = wordFor(script, attempt);
    if (what == "hang") hang(self, channel);
    if (what == "die") {
        std::cerr << "the worker's last words\n";
        return 7;
    }
    if (script.contains("outputs")) writeOutputs(*request, script.at("outputs"));
    Json last = script.value("last", Json::object());
    last["done"] = true;
    last["bytes_read"] = readFiles(*request);
    channel.send(last);
    return 0;
}
