// SPDX-License-Identifier: Apache-2.0
// kernelskill-sim-host LIBRARY: the candidate's process. Loads the candidate's shared library and calls its entry point
// when the worker says so. Everything the candidate does happens here, confined; nothing here decides a verdict.
#include "channel.h"
#include "kit/refusal_reporter.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

using Trampoline = void (*)(void **);

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
    call(arguments.data());
    std::fflush(nullptr);
    channel.send(wire::Kind::Returned, {});
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: kernelskill-sim-host LIBRARY\n");
        return 2;
    }
    kernelskill::kit::installRefusalReporter();
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        std::fprintf(stderr, "kernelskill: cannot load the candidate: %s\n", dlerror());
        return 3;
    }
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
