// SPDX-License-Identifier: Apache-2.0
// kernelskill-sim-host LIBRARY: the candidate's process. Loads the candidate's shared library and calls its entry point
// when the worker says so. Everything the candidate does happens here, confined; nothing here decides a verdict.
// kernelskill-sim-host --program LIBRARY FOLDER NAME ARGUMENTS…: the same for a whole program, whose main runs in
// FOLDER.
#include "channel.h"
#include "kit/refusal_reporter.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

using Trampoline = void (*)(void **, void *);

bool serve(Channel &channel, Trampoline call)
{
    wire::Header header;
    std::vector<std::byte> payload;
    if (!channel.receive(header, payload)) return false;
    if (header.kind != static_cast<std::uint32_t>(wire::Kind::Call)) return false;
    wire::Reader reader(payload);
    std::vector<std::vector<std::byte>> values(reader.value<std::uint32_t>());
    std::vector<void *> arguments;
    for (auto &value : values) {
        const auto block = reader.block();
        value.assign(block.begin(), block.end());
        value.resize(std::max<std::size_t>(value.size(), 8));
        arguments.push_back(value.data());
    }
    if (!reader.ok()) return false;
    call(arguments.data(), nullptr); // the default stream
    std::fflush(nullptr);
    channel.send(wire::Kind::Returned, {});
    return true;
}

void *load(const char *path)
{
    kernelskill::kit::installRefusalReporter();
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) std::fprintf(stderr, "kernelskill: cannot load the candidate: %s\n", dlerror());
    return library;
}

int runProgram(int argc, char **argv)
{
    if (::chdir(argv[3]) != 0) {
        std::fprintf(stderr, "kernelskill: the program cannot run in %s\n", argv[3]);
        return 3;
    }
    void *library = load(argv[2]);
    if (!library) return 3;
    const auto entry = reinterpret_cast<int (*)(int, char **, char **)>(dlsym(library, "main"));
    if (!entry) {
        std::fprintf(stderr, "kernelskill: the program has no main\n");
        return 3;
    }
    std::exit(entry(argc - 4, argv + 4, environ));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc >= 5 && std::strcmp(argv[1], "--program") == 0) return runProgram(argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: kernelskill-sim-host LIBRARY\n");
        return 2;
    }
    void *library = load(argv[1]);
    if (!library) return 3;
    const auto call = reinterpret_cast<Trampoline>(dlsym(library, "kernelskill_call"));
    if (!call) {
        std::fprintf(stderr, "kernelskill: the candidate's library has no entry point\n");
        return 3;
    }
    Channel &channel = Channel::instance();
    wire::Writer ready;
    ready.value(wire::version);
    if (channel.request(wire::Kind::Ready, ready).error != 0) return 3;
    while (serve(channel, call)) {
    }
    return 0;
}
