// SPDX-License-Identifier: Apache-2.0
// Which loads of one line go to L2 as one. One block an SM; those on chosen SMs begin together, some cycles apart where the case says
// so, and read the same MiB, by which time it is in L2. Prints a line a case, in the order of its launches, for measure.py, which
// has a profiler count what reaches L2: "name, SMs that read". First of all, for each SM its GPC, from clusters, whose blocks lie
// on one ("gpcs …"), and the SMs of the first blocks of a grid in their order ("order …").
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int mostSms = 160, words = 256 * 1024, threads = 256, sharedBytes = 160 * 1024; // one block an SM

struct Readers
{
    int delay[mostSms]; // cycles; below 0: does not read
};

__device__ unsigned arrived;
__device__ volatile unsigned long long start_ns;

__device__ unsigned smId()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

__device__ unsigned long long now_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ void pause(int cycles)
{
    for (long long begin = clock64(); clock64() - begin < cycles;) {}
}

__global__ void placeOf(unsigned *sms, int cycles)
{
    if (threadIdx.x == 0) {
        sms[blockIdx.x] = smId();
        pause(cycles); // until all blocks have begun
    }
}

__global__ void forget()
{
    arrived = 0;
    start_ns = 0;
}

// `step_cycles` below 0: as fast as it goes; else with a barrier and a pause after each load.
__global__ void readSame(const float *x, float *y, Readers readers, int step_cycles)
{
    extern __shared__ float keep[];
    if (threadIdx.x == 0) {
        if (atomicAdd(&arrived, 1u) == gridDim.x - 1)
            start_ns = now_ns() + 20000;
        while (start_ns == 0)
            __nanosleep(200);
        while (now_ns() < start_ns) {}
    }
    __syncthreads();
    const int delay = readers.delay[smId()];
    if (delay < 0)
        return;
    pause(delay);
    float sum = 0;
    for (int i = threadIdx.x; i < words; i += threads) {
        sum += x[i];
        if (step_cycles >= 0) {
            keep[threadIdx.x] = sum;
            __syncthreads();
            pause(step_cycles);
        }
    }
    if (sum != 0)
        y[0] = sum; // never: all is zero
}

int smCount()
{
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    return sms;
}

// Clusters of 16 and of 8 blocks, launched a few times over: those that meet on an SM are of one GPC.
void printGpcs(unsigned *sms)
{
    std::vector<int> gpc(smCount());
    std::iota(gpc.begin(), gpc.end(), 0);
    cudaFuncSetAttribute(placeOf, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (const int size : {16, 8}) {
        for (int round = 0; round < 8; ++round) {
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(smCount() / size * size);
            config.blockDim = dim3(threads);
            config.dynamicSmemBytes = sharedBytes;
            cudaLaunchAttribute cluster;
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim = {unsigned(size), 1, 1};
            config.attrs = &cluster;
            config.numAttrs = 1;
            if (cudaLaunchKernelEx(&config, placeOf, sms, 100000) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
                break;
            for (unsigned i = 0; i < config.gridDim.x; ++i) {
                const int into = gpc[sms[i / size * size]], from = gpc[sms[i]];
                std::replace(gpc.begin(), gpc.end(), from, into);
            }
        }
    }
    std::printf("gpcs");
    for (const int g : gpc)
        std::printf(" %d", g);
    placeOf<<<2 * smCount(), threads, sharedBytes / 2>>>(sms, 200000);
    cudaDeviceSynchronize();
    std::printf("\norder");
    for (int i = 0; i < 2 * smCount(); ++i)
        std::printf(" %u", sms[i]);
    std::printf("\n");
}

struct Case
{
    const float *x;
    float *y;

    void run(const std::string &name, const std::vector<std::pair<int, int>> &smsAndDelays, int step_cycles) const
    {
        Readers readers;
        std::fill(std::begin(readers.delay), std::end(readers.delay), -1);
        for (const auto &[sm, delay] : smsAndDelays)
            readers.delay[sm] = delay;
        std::printf("%s %zu\n", name.c_str(), smsAndDelays.size());
        forget<<<1, 1>>>();
        readSame<<<smCount(), threads, sharedBytes>>>(x, y, readers, step_cycles);
    }
};

} // namespace

int main()
{
    float *x = nullptr, *y = nullptr;
    unsigned *sms = nullptr;
    cudaMalloc(&x, words * sizeof *x);
    cudaMalloc(&y, sizeof *y);
    cudaMallocManaged(&sms, 2 * mostSms * sizeof *sms);
    cudaMemset(x, 0, words * sizeof *x);
    cudaFuncSetAttribute(placeOf, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    cudaFuncSetAttribute(readSame, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    printGpcs(sms);
    const Case same{x, y};
    same.run("nobody", {}, -1);
    same.run("one", {{0, 0}}, -1);
    for (int sm = 1; sm < smCount(); ++sm)
        same.run("0_and_" + std::to_string(sm), {{0, 0}, {sm, 0}}, 300);
    for (const int delay : {0, 25, 50, 75, 100, 125, 150, 175, 200, 300, 500, 1000})
        for (const int sm : {1, 16})
            same.run("0_and_" + std::to_string(sm) + "_later_by_" + std::to_string(delay), {{0, 0}, {sm, delay}}, 300);
    for (const int spread : {0, 100, 300, 1000, 3000})
        for (const int step : {-1, 0, 300, 1000}) {
            std::vector<std::pair<int, int>> all;
            for (int sm = 0; sm < smCount(); ++sm)
                all.emplace_back(sm, spread > 0 ? sm * 7919 % spread : 0);
            same.run("all_within_" + std::to_string(spread) + (step < 0 ? "_freely" : "_pausing_" + std::to_string(step)), all, step);
        }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
