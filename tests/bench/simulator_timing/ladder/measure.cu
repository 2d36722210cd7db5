// SPDX-License-Identifier: Apache-2.0
// Times the ladder on a real GPU: nvcc -O3 -arch=sm_90 -o measure measure.cu -lcuda && ./measure > measured.csv
// Each time is the median of samples, each a batch of launches between two events; inputs rotate through buffers that
// together are larger than L2, so that every launch begins with cold inputs.
#include "kernels.cu"
#include "ladder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Kernel = void (*)(const float *, const float *, float *, int, int, int);

static Kernel find(const char *name)
{
    static const struct { const char *name; Kernel kernel; } all[] = {
        {"empty", empty}, {"copy_strided", copy_strided}, {"copy_scalar", copy_scalar}, {"copy_vector", copy_vector},
        {"gelu_scalar", gelu_scalar}, {"gelu_vector", gelu_vector}, {"softmax_thread", softmax_thread},
        {"softmax_warp", softmax_warp}, {"softmax_block", softmax_block}, {"softmax_registers", softmax_registers},
        {"layernorm_thread", layernorm_thread}, {"layernorm_block", layernorm_block},
        {"layernorm_registers", layernorm_registers}, {"matmul_scattered", matmul_scattered},
        {"matmul_coalesced", matmul_coalesced}, {"matmul_tiled16", matmul_tiled16}, {"matmul_tiled32", matmul_tiled32},
        {"matmul_blocked64", matmul_blocked64}, {"matmul_blocked128", matmul_blocked128},
        {"transpose_naive", transpose_naive}, {"transpose_tiled", transpose_tiled}, {"transpose_padded", transpose_padded},
        {"sum_atomic", sum_atomic}, {"sum_shared", sum_shared}, {"sum_shuffle", sum_shuffle}, {"sum_grid", sum_grid}};
    for (const auto &entry : all)
        if (!std::strcmp(entry.name, name))
            return entry.kernel;
    std::fprintf(stderr, "no kernel %s\n", name);
    std::exit(2);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

__global__ void fill(float *x, size_t count)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        x[i] = float((i * 2654435761u) % 2001) * 1e-3f - 1;
}

int main()
{
    constexpr int copies = 4; // 64 MiB each of a and c: more than L2 lies between two uses
    float *a[copies], *b[copies], *c[copies];
    for (int i = 0; i < copies; ++i) {
        for (float **buffer : {&a[i], &b[i], &c[i]}) {
            check(cudaMalloc(buffer, size_t(elements) * 4));
            fill<<<1024, 256>>>(*buffer, elements);
        }
    }
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    std::printf("family,kernel,median_us,fastest_us,registers,shared_bytes\n");
    for (const Rung &rung : ladder) {
        const Kernel kernel = find(rung.kernel);
        cudaFuncAttributes attributes;
        check(cudaFuncGetAttributes(&attributes, kernel));
        const dim3 grid(rung.gridX, rung.gridY), block(rung.blockX, rung.blockY);
        const bool slow = rung.flops > 1e11 || !std::strcmp(rung.kernel, "sum_atomic");
        const int batch = slow ? 2 : 20, samples = slow ? 3 : 9;
        std::vector<float> times;
        for (int sample = -1; sample < samples; ++sample) { // the first warms up
            check(cudaEventRecord(start));
            for (int i = 0; i < batch; ++i)
                kernel<<<grid, block>>>(a[i % copies], b[i % copies], c[i % copies], rung.rows, rung.cols, rung.inner);
            check(cudaEventRecord(stop));
            check(cudaEventSynchronize(stop));
            float milliseconds = 0;
            check(cudaEventElapsedTime(&milliseconds, start, stop));
            if (sample >= 0)
                times.push_back(milliseconds * 1e3f / batch);
        }
        std::sort(times.begin(), times.end());
        std::printf("%s,%s,%.2f,%.2f,%d,%zu\n", rung.family, rung.kernel, times[times.size() / 2], times[0],
                    attributes.numRegs, attributes.sharedSizeBytes);
        std::fflush(stdout);
    }
    return 0;
}
