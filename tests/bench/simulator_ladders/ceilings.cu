// SPDX-License-Identifier: Apache-2.0
// What the GPU itself can do: bandwidths, pipe rates, latencies, launch costs. Prints one JSON object.
// Rates are thread instructions a cycle of one SM, taken by that SM's own clock in one block of 1024 threads, so they
// do not depend on the clock frequency. Latencies are cycles from issue to use, one thread in a dependent chain.
#include "ceilings_kernels.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

bool firstField = true;
void report(const std::string &name, double value)
{
    std::printf("%s\n  \"%s\": %.5g", firstField ? "" : ",", name.c_str(), value);
    std::fflush(stdout);
    firstField = false;
}

double medianOf(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

__global__ void wait(long long nanoseconds)
{
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
}

// Median duration of what `work` queues, in microseconds. The GPU is kept busy first, for as long as the host needs to
// queue it all, so that the host's launch cost is hidden.
double time_us(const std::function<void()> &work, int samples = 15, double busy_us = 60,
               const std::function<void()> &before = [] {})
{
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    std::vector<double> all;
    for (int i = 0; i < samples + 3; ++i) {
        before();
        wait<<<1, 1>>>((long long)(busy_us * 1000));
        check(cudaEventRecord(begin), "record");
        work();
        check(cudaEventRecord(end), "record");
        check(cudaDeviceSynchronize(), "work");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
        if (i >= 3)
            all.push_back(ms * 1000.0);
    }
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return medianOf(all);
}

long long *cyclesOnDevice;
float *sink;

template <typename Launch> long long cyclesOf(const Launch &launch)
{
    launch();
    launch();
    check(cudaDeviceSynchronize(), "rate");
    long long cycles = 0;
    check(cudaMemcpy(&cycles, cyclesOnDevice, sizeof cycles, cudaMemcpyDeviceToHost), "copy");
    return cycles;
}

void bandwidths()
{
    const std::size_t bytes = std::size_t(2) << 30;
    float4 *a, *b;
    check(cudaMalloc(&a, bytes), "cudaMalloc");
    check(cudaMalloc(&b, bytes), "cudaMalloc");
    check(cudaMemset(a, 0, bytes), "memset");
    check(cudaMemset(b, 0, bytes), "memset");
    const std::size_t n = bytes / 16;
    double t = time_us([&] { cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); });
    report("memcpy_device_to_device_gb_s", 2 * bytes / t / 1e3);
    t = time_us([&] { copyAll<<<int((n + 1023) / 1024), 256>>>(a, b, n); });
    report("copy_kernel_gb_s", 2 * bytes / t / 1e3);
    t = time_us([&] { readAll<4><<<132 * 8, 256>>>(a, n, sink); });
    report("read_kernel_gb_s", bytes / t / 1e3);
    t = time_us([&] { writeAll<<<int((n + 255) / 256), 256>>>(a, n); });
    report("write_kernel_gb_s", bytes / t / 1e3);
    for (int mib : {64, 128}) { // what a task of usual size reaches, all launch and tail effects in
        const std::size_t small = (std::size_t(mib) << 20) / 16;
        t = time_us([&] { copyAll<<<int((small + 1023) / 1024), 256>>>(a + 2 * small, b + 2 * small, small); });
        report("copy_kernel_" + std::to_string(mib) + "mib_warm_us", t);
    }
    // Little's law: how much an SM reads with few warps and 16 or 64 bytes in flight a thread.
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        const std::size_t part = (std::size_t(threads < 128 ? 64 : 512) << 20) / 16;
        t = time_us([&] { readWords<<<132, threads>>>(reinterpret_cast<const float *>(a), part * 4, sink); }, 5);
        report("read_gb_s_132_blocks_of_" + std::to_string(threads) + "_16_bytes_a_thread", part * 16 / t / 1e3);
        t = time_us([&] { readAll<4><<<132, threads>>>(a, part, sink); }, 5);
        report("read_gb_s_132_blocks_of_" + std::to_string(threads) + "_64_bytes_a_thread", part * 16 / t / 1e3);
    }
    for (int mib : {4, 8, 16, 24, 32, 40, 48, 64}) {
        const int elements = int((std::size_t(mib) << 20) / 16);
        const int rounds = 20;
        t = time_us([&] { readResident<<<132 * 4, 512>>>(a, elements, rounds, sink); }, 9);
        report("l2_read_gb_s_" + std::to_string(mib) + "mib", double(elements) * 16 * rounds / t / 1e3);
    }
    check(cudaFree(a), "free");
    check(cudaFree(b), "free");
}

#define REPORT_PAIR(NAME, TYPE, PER_STATEMENT)                                                                         \
    {                                                                                                                  \
        const int rounds = 256;                                                                                        \
        const long long many =                                                                                         \
            cyclesOf([&] { NAME##Rate<<<1, 1024>>>(cyclesOnDevice, rounds, reinterpret_cast<TYPE *>(sink)); });        \
        report("rate_" #NAME, 1024.0 * rounds * 4 * 8 * PER_STATEMENT / many);                                         \
        const long long one =                                                                                          \
            cyclesOf([&] { NAME##Chain<<<1, 32>>>(cyclesOnDevice, rounds, reinterpret_cast<TYPE *>(sink)); });         \
        report("latency_" #NAME, double(one) / (rounds * 32 * PER_STATEMENT));                                         \
    }

void pipes()
{
    REPORT_PAIR(ffma, float, 1)
    REPORT_PAIR(fadd, float, 1)
    REPORT_PAIR(fmul, float, 1)
    REPORT_PAIR(fmax, float, 1)
    REPORT_PAIR(dfma, double, 1)
    REPORT_PAIR(imad, int, 1)
    REPORT_PAIR(ixor, int, 1)
    REPORT_PAIR(shift, int, 1)
    REPORT_PAIR(popc, int, 1)
    REPORT_PAIR(ex2, float, 1)
    REPORT_PAIR(rsqrt, float, 1)
    REPORT_PAIR(sin, float, 1)
    REPORT_PAIR(f2i, float, 1)
    REPORT_PAIR(i2f, float, 1)
    REPORT_PAIR(f2h, float, 1)
    REPORT_PAIR(fdiv, float, 1)
    REPORT_PAIR(fsqrt, float, 1)
    REPORT_PAIR(prmt, int, 1)
    REPORT_PAIR(lop3, int, 1)
    REPORT_PAIR(shfl, int, 1)
    REPORT_PAIR(vote, int, 1)
    REPORT_PAIR(hfma2, unsigned, 1)
    const int rounds = 256;
    report("rate_iadd", 1024.0 * rounds * 32 /
                            cyclesOf([&] { iaddRate<<<1, 1024>>>(cyclesOnDevice, rounds, (int *)sink); }));
    const int shared = 65536;
    check(cudaFuncSetAttribute(sharedRead<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    check(cudaFuncSetAttribute(sharedRead<float4>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    check(cudaFuncSetAttribute(sharedWrite, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared");
    for (int pitch : {0, 1, 2, 4, 8, 16, 32})
        report("shared_read_warp_cycles_pitch_" + std::to_string(pitch),
               cyclesOf([&] { sharedRead<float><<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, pitch); }) /
                   (32.0 * rounds * 8));
    report("shared_read_bytes_a_cycle", 1024.0 * rounds * 8 * 4 / cyclesOf([&] {
                                            sharedRead<float><<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, 1);
                                        }));
    report("shared_read_float4_bytes_a_cycle", 1024.0 * rounds * 8 * 16 / cyclesOf([&] {
                                                   sharedRead<float4>
                                                       <<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink, 4);
                                               }));
    report("shared_write_bytes_a_cycle", 1024.0 * rounds * 8 * 4 / cyclesOf([&] {
                                             sharedWrite<<<1, 1024, shared>>>(cyclesOnDevice, rounds, sink);
                                         }));
    const struct { const char *name; int addresses, pitch, warpPitch; } patterns[] = {
        {"distinct_banks", 32, 1, 32}, {"distinct_banks_same_words_all_warps", 32, 1, 0},
        {"random_of_256", 256, 0, 0}, {"random_of_256_own_of_each_warp", 256, 0, 256},
        {"random_of_32_own_of_each_warp", 32, 0, 256}, {"two_lanes_an_address", 16, 1, 32},
        {"four_lanes_an_address", 8, 1, 32}, {"one_address", 1, 1, 32}, {"one_address_all_warps", 1, 1, 0},
        {"one_bank", 32, 32, 256}};
    for (const auto &pattern : patterns)
        report(std::string("shared_add_warp_cycles_") + pattern.name, cyclesOf([&] {
                   (pattern.pitch ? sharedAdd<false> : sharedAdd<true>)<<<1, 1024, 40960>>>(
                       cyclesOnDevice, rounds, (int *)sink, pattern.addresses, pattern.pitch, pattern.warpPitch);
               }) / (32.0 * rounds * 8));
    float *small;
    check(cudaMalloc(&small, 1 << 20), "cudaMalloc");
    check(cudaMemset(small, 0, 1 << 20), "memset");
    report("l1_read_bytes_a_cycle", 1024.0 * rounds * 4 * 4 / cyclesOf([&] {
                                        l1Read<1><<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
                                    }));
    report("l1_read_float4_bytes_a_cycle", 1024.0 * rounds * 4 * 16 / cyclesOf([&] {
                                               l1Read<4><<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
                                           }));
    report("l1_read_32_lines_warp_cycles", cyclesOf([&] {
               l1Scatter<<<1, 1024>>>(cyclesOnDevice, rounds, small, sink);
           }) / (32.0 * rounds * 4));
    check(cudaFree(small), "free");
    for (int threads : {32, 128, 256, 512, 1024})
        report("barrier_cycles_" + std::to_string(threads) + "_threads",
               double(cyclesOf([&] { barriers<<<1, threads>>>(cyclesOnDevice, 1024, sink); })) / 1024);
}

// A random cycle through `bytes` of memory, one word a 128-byte line.
unsigned *chain(std::size_t bytes)
{
    const std::size_t lines = bytes / 128;
    std::vector<unsigned> order(lines), words(bytes / 4, 0);
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937 random(7);
    std::shuffle(order.begin() + 1, order.end(), random);
    for (std::size_t i = 0; i < lines; ++i)
        words[std::size_t(order[i]) * 32] = order[(i + 1) % lines] * 128u;
    unsigned *device;
    check(cudaMalloc(&device, bytes), "cudaMalloc");
    check(cudaMemcpy(device, words.data(), bytes, cudaMemcpyHostToDevice), "copy");
    return device;
}

void latencies()
{
    unsigned *unsignedSink = reinterpret_cast<unsigned *>(sink);
    unsigned *small = chain(16 << 10), *middle = chain(4 << 20), *large = chain(std::size_t(2) << 30);
    report("latency_l1", cyclesOf([&] { chase<true><<<1, 1>>>(small, 1024, cyclesOnDevice, unsignedSink); }) / 1024.0);
    // Every line of the 4 MiB once, so the second of cyclesOf's two runs finds all in L2.
    report("latency_l2", cyclesOf([&] { chase<false><<<1, 1>>>(middle, 32768, cyclesOnDevice, unsignedSink); }) /
                             32768.0);
    // Two runs of the same few lines would hit L2: the L2 is overwritten before the measured one.
    float4 *other;
    const std::size_t otherBytes = std::size_t(256) << 20;
    check(cudaMalloc(&other, otherBytes), "cudaMalloc");
    report("latency_dram_2gib", cyclesOf([&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               chase<false><<<1, 1>>>(large, 4096, cyclesOnDevice, unsignedSink);
           }) / 4096.0);
    unsigned *local = chain(std::size_t(64) << 20);
    report("latency_dram_64mib", cyclesOf([&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               chase<false><<<1, 1>>>(local, 4096, cyclesOnDevice, unsignedSink);
           }) / 4096.0);
    report("latency_shared", cyclesOf([&] { chaseShared<<<1, 1>>>(4096, cyclesOnDevice, unsignedSink); }) / 4096.0);
    std::vector<unsigned> words(1024);
    for (unsigned i = 0; i < 1024; ++i)
        words[i] = (i + 1) % 64;
    check(cudaMemcpyToSymbol(constantNext, words.data(), 4096), "constant");
    report("latency_constant_indexed",
           cyclesOf([&] { chaseConstant<<<1, 1>>>(1024, cyclesOnDevice, unsignedSink); }) / 1024.0);
    cyclesOf([&] { chaseAtomics<<<1, 1>>>(1024, small, cyclesOnDevice, unsignedSink); });
    long long both[2];
    check(cudaMemcpy(both, cyclesOnDevice, sizeof both, cudaMemcpyDeviceToHost), "copy");
    report("latency_shared_atomic", both[0] / 1024.0);
    report("latency_global_atomic", both[1] / 1024.0);
    check(cudaFree(small), "free");
    check(cudaFree(middle), "free");
    check(cudaFree(large), "free");
    check(cudaFree(local), "free");
    check(cudaFree(other), "free");
}

void wholeDevice()
{
    const int rounds = 20000;
    const double t = time_us([&] { fmaAll<<<132 * 2, 1024>>>(rounds, sink, cyclesOnDevice); }, 7);
    report("fp32_fma_tflops", 2.0 * 132 * 2 * 1024 * rounds * 64 / t / 1e6);
    long long clocks[2];
    check(cudaMemcpy(clocks, cyclesOnDevice, sizeof clocks, cudaMemcpyDeviceToHost), "copy");
    report("sm_clock_mhz_during_fma", 1e3 * clocks[0] / clocks[1]);

    report("empty_kernel_event_pair_us", time_us([&] { nothing<<<1, 32>>>(); }, 51));
    report("two_empty_kernels_event_pair_us", time_us([&] {
               nothing<<<1, 32>>>();
               nothing<<<1, 32>>>();
           }, 51));
    report("event_pair_us", time_us([] {}, 51));
    report("empty_kernels_back_to_back_us", time_us([&] {
                                                for (int i = 0; i < 500; ++i)
                                                    nothing<<<1, 32>>>();
                                            }, 9, 4000) / 500);
    report("empty_kernels_full_grid_back_to_back_us", time_us([&] {
                                                          for (int i = 0; i < 500; ++i)
                                                              nothing<<<132 * 8, 256>>>();
                                                      }, 9, 4000) / 500);
    for (int threads : {32, 256, 1024})
        for (int blocks : {132, 13200, 132000})
            report("empty_grid_" + std::to_string(blocks) + "_blocks_of_" + std::to_string(threads) + "_us",
                   time_us([&] { nothing<<<blocks, threads>>>(); }));
    std::vector<double> host;
    for (int i = 0; i < 200; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        check(cudaDeviceSynchronize(), "launch");
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    report("launch_and_synchronise_host_us", medianOf(host));
    host.clear();
    for (int i = 0; i < 200; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    check(cudaDeviceSynchronize(), "launch");
    report("launch_call_host_us", medianOf(host));
    report("memset_4_bytes_event_pair_us", time_us([&] { cudaMemsetAsync(sink, 0, 4); }, 51));
}

void atomics()
{
    int *words;
    check(cudaMalloc(&words, std::size_t(64) << 20), "cudaMalloc");
    check(cudaMemset(words, 0, std::size_t(64) << 20), "memset");
    const int blocks = 4096;
    const double adds = blocks * 256.0;
    auto *floats = reinterpret_cast<float *>(words);
    report("global_add_float_one_address_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 0, 0); }));
    report("global_add_int_one_address_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 0, 0); }));
    report("global_add_float_256_words_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 97, 255); }));
    report("global_add_int_256_words_per_us", adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 97, 255); }));
    report("global_add_float_coalesced_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 1, (1 << 20) - 1); }));
    report("global_add_float_scattered_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(floats, 9973, (1 << 20) - 1); }));
    // Where 256 words lie decides how many L2 slices share the work: the same at 64 places.
    std::vector<double> places;
    for (int i = 0; i < 64; ++i) {
        int *at = words + i * 262144 / 4 + i * 256;
        places.push_back(adds / time_us([&] { globalAdd<<<blocks, 256>>>(at, 97, 255); }, 5));
    }
    std::sort(places.begin(), places.end());
    report("global_add_int_256_words_at_64_places_least_per_us", places.front());
    report("global_add_int_256_words_at_64_places_median_per_us", places[32]);
    report("global_add_int_256_words_at_64_places_most_per_us", places.back());
    for (unsigned many : {32u, 256u, 4096u, 65536u, 1048576u})
        report("global_add_int_random_of_" + std::to_string(many) + "_words_per_us",
               adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, many); }));
    float4 *other;
    const std::size_t otherBytes = std::size_t(256) << 20;
    check(cudaMalloc(&other, otherBytes), "cudaMalloc");
    report("global_add_int_random_of_256_words_after_memset_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60,
                          [&] { cudaMemsetAsync(words, 0, 1024); }));
    report("global_add_int_random_of_256_words_after_flush_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60,
                          [&] { readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink); }));
    report("global_add_int_random_of_256_words_after_flush_and_memset_per_us",
           adds / time_us([&] { globalAddRandom<<<blocks, 256>>>(words, 256); }, 15, 60, [&] {
               readAll<4><<<1056, 256>>>(other, otherBytes / 16, sink);
               cudaMemsetAsync(words, 0, 1024);
           }));
    check(cudaFree(other), "free");
    // Whole sectors at once, a block's 256 lanes on the same 256 words: how histograms are merged.
    report("global_add_int_same_1024_bytes_coalesced_per_us",
           adds / time_us([&] { globalAdd<<<blocks, 256>>>(words, 1, 255); }));
    check(cudaFree(words), "free");
}

} // namespace

// What L1 still has when an SM reads so many KiB again: the share of lines that come from it, the second time and after ten
// rounds; alone, and with as much written in between. An LRU cache gives 1 up to its size and 0 beyond, any other a slope.
void retention()
{
    constexpr int most_kib = 320, limit = 120; // cycles: L1 answers in 40, L2 in 250 and more
    float *from, *other;
    check(cudaMalloc(&from, most_kib * 1024), "cudaMalloc");
    check(cudaMalloc(&other, most_kib * 1024), "cudaMalloc");
    check(cudaMemset(from, 0, most_kib * 1024), "memset");
    for (const bool writes : {false, true})
        for (const int passes : {2, 10})
            for (int kib = 16; kib <= most_kib; kib += 16) {
                const int lines = kib * 1024 / 128;
                const long long late =
                    cyclesOf([&] { readAgain<<<1, 32>>>(from, other, lines, passes, writes, limit, cyclesOnDevice); });
                report("l1_kept_" + std::to_string(kib) + "kib_pass_" + std::to_string(passes) + (writes ? "_writing" : ""),
                       1 - double(late) / lines);
            }
    check(cudaFree(from), "free");
    check(cudaFree(other), "free");
}

int main()
{
    check(cudaMalloc(&cyclesOnDevice, 64), "cudaMalloc");
    check(cudaMalloc(&sink, 65536), "cudaMalloc");
    std::printf("{");
    wholeDevice();
    pipes();
    atomics();
    latencies();
    retention();
    bandwidths();
    std::printf("\n}\n");
    check(cudaDeviceSynchronize(), "end");
    return 0;
}
