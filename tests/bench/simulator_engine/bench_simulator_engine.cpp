// SPDX-License-Identifier: Apache-2.0
// How many thread instructions a second the engine executes on one core, with every check and counter on and without
// the checks. Processor time, so that a busy machine disturbs little; the best of several runs. Then how much more two cores
// do than one, with a launch each: by the clock, which wants a machine with two cores to spare, and by processor time,
// which shows what the launches take from each other.
//   bench_simulator_engine [kernel]
#include "engine/device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

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

constexpr int n = 1 << 20;

// A device with the bench's kernels and three buffers of n floats.
struct Workplace {
    Device device;
    std::vector<std::byte> a, b, c;

    [[nodiscard]] bool prepare(const std::string &ptx) {
        if (const auto loaded = device.loadModule(ptx); !loaded) {
            std::fprintf(stderr, "%s\n", loaded.error().message.c_str());
            return false;
        }
        const std::vector<float> values(n, 1.5f);
        for (auto *buffer : {&a, &b, &c}) {
            const auto address = device.allocate(n * sizeof(float), "buffer");
            if (!address || !device.write(*address, std::as_bytes(std::span(values)))) return false;
            *buffer = argument(*address);
        }
        return true;
    }
};

LaunchRequest request(const char *name, Dim3 grid, std::vector<std::vector<std::byte>> arguments) {
    LaunchRequest r;
    r.kernel = name;
    r.grid = grid;
    r.block = {256, 1, 1};
    r.arguments = std::move(arguments);
    return r;
}

struct Seconds { double wall = 1e9, busy = 1e9; };

// Time by the clock until `count` devices have run the matrix product side by side, and processor time of each; the least
// of several tries.
Seconds sideBySide(std::vector<std::unique_ptr<Workplace>> &places, std::size_t count) {
    Seconds least;
    for (int run = 0; run < 7; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        std::vector<double> busy(count, 0);
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < count; ++i)
            threads.emplace_back([&place = *places[i], &mine = busy[i]] {
                (void)place.device.launch(request("gemm", {8, 8, 1}, {place.a, place.b, place.c, argument(512)}));
                std::timespec spent{};
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
                mine = static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
            });
        threads.clear();
        least.wall = std::min(least.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        least.busy = std::min(least.busy, *std::ranges::max_element(busy));
    }
    return least;
}

int measureTwoCores(const std::string &ptx) {
    std::vector<std::unique_ptr<Workplace>> places;
    for (int i = 0; i < 2; ++i) {
        places.push_back(std::make_unique<Workplace>());
        if (!places.back()->prepare(ptx)) return 1;
    }
    const Seconds one = sideBySide(places, 1), two = sideBySide(places, 2);
    std::printf("two cores  %.2f times the work of one by the clock, %.2f by processor time (matrix product: %.0f ms alone, %.0f ms each of two side by side)\n",
                2 * one.wall / two.wall, 2 * one.busy / two.busy, one.busy * 1e3, two.busy * 1e3);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    std::ifstream file(KERNEL_DIR "/bench_kernels.ptx");
    std::stringstream text;
    text << file.rdbuf();
    Workplace place;
    if (!place.prepare(text.str())) return 1;
    Device &device = place.device;
    const auto &a = place.a, &b = place.b, &c = place.c;
    const char *only = argc > 1 ? argv[1] : nullptr;
    measure(device, request("vadd", {4096, 1, 1}, {a, b, c, argument(n)}), only);
    measure(device, request("v4copy", {1024, 1, 1}, {a, c, argument(n / 4)}), only);
    measure(device, request("rowsum", {1024, 1, 1}, {a, c, argument(1024)}), only);
    measure(device, request("gemm", {8, 8, 1}, {a, b, c, argument(512)}), only);
    measure(device, request("diverge", {1024, 1, 1}, {c, argument(12345)}), only);
    measure(device, request("polynomial", {1024, 1, 1}, {a, c, argument(64)}), only);
    return only == nullptr || std::strcmp(only, "cores") == 0 ? measureTwoCores(text.str()) : 0;
}
