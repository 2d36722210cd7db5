// SPDX-License-Identifier: Apache-2.0
// 16-byte reads, four in flight a lane; one comparison dismisses four values, and sorted lists are merged by halves.
#include <cfloat>
#include <cuda_runtime.h>

constexpr int warps = 8;
constexpr int batch = 4;

__device__ void insert(float (&best)[4], float value)
{
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float greater = fmaxf(best[i], value);
        value = fminf(best[i], value);
        best[i] = greater;
    }
}

__device__ void insertFour(float (&best)[4], float4 v)
{
    if (fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)) <= best[3])
        return;
    insert(best, v.x);
    insert(best, v.y);
    insert(best, v.z);
    insert(best, v.w);
}

__device__ void order(float &first, float &second)
{
    const float greater = fmaxf(first, second);
    second = fminf(first, second);
    first = greater;
}

__global__ void __launch_bounds__(32 * warps)
    greatest(const float *__restrict__ x, float *__restrict__ y, int rows, int cols, bool vectors)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows)
        return;
    const float *in = x + size_t(row) * cols;
    float best[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    if (vectors) {
        const float4 *quad = reinterpret_cast<const float4 *>(in);
        const int quads = cols / 4;
        int i = lane;
        for (; i + 32 * (batch - 1) < quads; i += 32 * batch) {
            float4 v[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j)
                v[j] = quad[i + 32 * j];
#pragma unroll
            for (int j = 0; j < batch; ++j)
                insertFour(best, v[j]);
        }
        for (; i < quads; i += 32)
            insertFour(best, quad[i]);
    } else {
        for (int c = lane; c < cols; c += 32)
            if (in[c] > best[3])
                insert(best, in[c]);
    }
    __syncwarp();
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        float other[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            other[i] = __shfl_xor_sync(~0u, best[3 - i], step);
#pragma unroll
        for (int i = 0; i < 4; ++i) // the four greatest of both, rising and then falling or the other way
            best[i] = fmaxf(best[i], other[i]);
        order(best[0], best[2]);
        order(best[1], best[3]);
        order(best[0], best[1]);
        order(best[2], best[3]);
    }
    if (lane < 4)
        y[size_t(row) * 4 + lane] = lane == 0 ? best[0] : lane == 1 ? best[1] : lane == 2 ? best[2] : best[3];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const bool vectors = cols % 4 == 0 && reinterpret_cast<size_t>(x) % sizeof(float4) == 0;
    greatest<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(x, y, rows, cols, vectors);
}
