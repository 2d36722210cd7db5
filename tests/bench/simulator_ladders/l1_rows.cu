// SPDX-License-Identifier: Apache-2.0
// What L1 keeps of the rows that co-resident blocks read again and again: each block reads a row of its own three times, the
// last time writing as much where the case says so. Prints a line a case, in the order of its launches, for measure.py, which
// has a profiler count the hits: "blocks an SM, KiB they have live together, waves of blocks, writes".
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int passes = 3;

__global__ void readRows(const float *x, float *y, int columns, bool writes)
{
    const float *in = x + size_t(blockIdx.x) * columns;
    float *out = y + size_t(blockIdx.x) * columns;
    float sum = 0;
    for (int pass = 0; pass < passes - writes; ++pass) {
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            sum += in[c] * (pass + 1);
        __syncthreads();
    }
    if (writes) {
        for (int c = threadIdx.x; c < columns; c += blockDim.x)
            out[c] = in[c] * sum;
    } else if (sum != 0) {
        out[0] = sum; // never: all is zero
    }
}

} // namespace

int main()
{
    constexpr int largest_kib = 192, mostWaves = 4;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const size_t bytes = size_t(sms) * mostWaves * largest_kib * 1024;
    float *x = nullptr, *y = nullptr;
    cudaMalloc(&x, bytes);
    cudaMalloc(&y, bytes);
    cudaMemset(x, 0, bytes);
    for (const int waves : {1, mostWaves})
        for (const bool writes : {false, true})
            for (const int blocks : {8, 4, 2})
                for (int kib = 32; kib <= largest_kib; kib += 32) {
                    std::printf("%d %d %d %d\n", blocks, kib, waves, writes);
                    readRows<<<sms * blocks * waves, 2048 / blocks>>>(x, y, kib * 256 / blocks, writes);
                }
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
