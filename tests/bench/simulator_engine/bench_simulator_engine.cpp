// SPDX-License-Identifier: Apache-2.0
// How many thread instructions a second the engine executes on one core, with every check and counter on and without
// the checks. Processor time, so that a busy machine disturbs little; the best of several runs.
//   bench_simulator_engine [kernel]
#include "engine/device.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

using namespace kernelskill::simulator;

namespace {

template <class T> std::vector<std::byte> argument(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

void measure(Device &device, LaunchRequest request, const char *only) {
    if (only != nullptr && request.kernel != only) return;
    for (const bool checks : {true, false}) {
        request.checks = checks;
        double best = 0, perWarpInstruction = 0;
        for (int run = 0; run < 5; ++run) {
            const std::clock_t begin = std::clock();
            const auto report = device.launch(request);
            const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            if (!report || !report->completed) {
                std::printf("%-10s did not complete\n", request.kernel.c_str());
                return;
            }
            std::uint64_t threads = 0, warps = 0;
            for (const auto n : report->counters.threadInstructions) threads += n;
            for (const auto n : report->counters.warpInstructions) warps += n;
            const double rate = static_cast<double>(threads) / seconds / 1e9;
            if (rate > best) {
                best = rate;
                perWarpInstruction = seconds * 1e9 / static_cast<double>(warps);
            }
        }
        std::printf("%-10s %-10s %6.2f billion thread instructions/s, %6.1f ns a warp instruction\n", request.kernel.c_str(),
                    checks ? "checks" : "no checks", best, perWarpInstruction);
    }
}

} // namespace

int main(int argc, char **argv) {
    std::ifstream file(KERNEL_DIR "/bench_kernels.ptx");
    std::stringstream text;
    text << file.rdbuf();
    Device device;
    if (const auto loaded = device.loadModule(text.str()); !loaded) {
        std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
        return 1;
    }
    constexpr int n = 1 << 20;
    const std::vector<float> values(n, 1.5f);
    std::uint64_t buffers[3];
    for (auto &address : buffers) {
        address = *device.allocate(n * sizeof(float), "buffer");
        if (!device.write(address, std::as_bytes(std::span(values)))) return 1;
    }
    const auto a = argument(buffers[0]), b = argument(buffers[1]), c = argument(buffers[2]);
    const char *only = argc > 1 ? argv[1] : nullptr;
    const auto request = [](const char *name, Dim3 grid, std::vector<std::vector<std::byte>> arguments) {
        LaunchRequest r;
        r.kernel = name;
        r.grid = grid;
        r.block = {256, 1, 1};
        r.arguments = std::move(arguments);
        return r;
    };
    measure(device, request("vadd", {4096, 1, 1}, {a, b, c, argument(n)}), only);
    measure(device, request("v4copy", {1024, 1, 1}, {a, c, argument(n / 4)}), only);
    measure(device, request("rowsum", {1024, 1, 1}, {a, c, argument(1024)}), only);
    measure(device, request("gemm", {8, 8, 1}, {a, b, c, argument(512)}), only);
    measure(device, request("diverge", {1024, 1, 1}, {c, argument(12345)}), only);
    measure(device, request("polynomial", {1024, 1, 1}, {a, c, argument(64)}), only);
    return 0;
}
