// SPDX-License-Identifier: Apache-2.0
// One warp a bag, 16 bytes a lane, row numbers passed by shuffles, eight rows in flight.
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int bagsPerBlock = threads / 32;

__device__ unsigned rowOf(int hash, int vocabulary)
{
    return unsigned(hash) % unsigned(vocabulary);
}

__global__ void __launch_bounds__(threads)
    bagSumVector(const float4 *__restrict__ table, const int *__restrict__ hashes, float4 *__restrict__ y,
                 int vocabulary, int quads, int bags, int length)
{
    const int bag = blockIdx.x * bagsPerBlock + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (bag >= bags)
        return;
    for (int firstQuad = 0; firstQuad < quads; firstQuad += 32) {
        const int q = firstQuad + lane;
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (int start = 0; start < length; start += 32) {
            const int many = min(32, length - start);
            const unsigned mine = lane < many ? rowOf(hashes[size_t(bag) * length + start + lane], vocabulary) : 0u;
#pragma unroll 8
            for (int i = 0; i < many; ++i) {
                const unsigned chosen = __shfl_sync(~0u, mine, i);
                if (q < quads) {
                    const float4 v = table[size_t(chosen) * quads + q];
                    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
                }
            }
        }
        if (q < quads)
            y[size_t(bag) * quads + q] = sum;
    }
}

__global__ void bagSum(const float *table, const int *hashes, float *y, int vocabulary, int width, int length)
{
    const int bag = blockIdx.x;
    for (int c = threadIdx.x; c < width; c += threads) {
        float sum = 0.0f;
        for (int i = 0; i < length; ++i)
            sum += table[size_t(rowOf(hashes[size_t(bag) * length + i], vocabulary)) * width + c];
        y[size_t(bag) * width + c] = sum;
    }
}

extern "C" void solve(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags,
                      int length, cudaStream_t stream)
{
    if (width % 4 == 0)
        bagSumVector<<<(bags + bagsPerBlock - 1) / bagsPerBlock, threads, 0, stream>>>(
            reinterpret_cast<const float4 *>(table), hashes, reinterpret_cast<float4 *>(y), vocabulary, width / 4, bags,
            length);
    else
        bagSum<<<bags, threads, 0, stream>>>(table, hashes, y, vocabulary, width, length);
}
