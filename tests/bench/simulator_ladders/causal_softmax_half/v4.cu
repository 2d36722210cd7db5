// SPDX-License-Identifier: Apache-2.0
// A warp a row with all of it in registers, no barriers; nothing right of the diagonal is read or worked on, and writes
// stream.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>

constexpr int warps = 4;
constexpr int threads = 32 * warps;
constexpr int parts = 4; // vectors of eight a lane

union Eight
{
    uint4 whole;
    __half2 pairs[4];
};

// For rows of up to 1024 elements in eights.
__global__ void __launch_bounds__(threads)
    causalSoftmaxVector(const uint4 *__restrict__ s, uint4 *__restrict__ y, int rows, int n)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows)
        return;
    const int vectors = n / 8;
    const int many = row % n + 1;
    const size_t first = size_t(row) * vectors;
    Eight v[parts] = {};
#pragma unroll
    for (int p = 0; p < parts; ++p)
        if (8 * (lane + 32 * p) < many)
            v[p].whole = __ldcs(&s[first + lane + 32 * p]);
    float values[parts][8];
    float largest = -INFINITY;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
        const int left = many - 8 * (lane + 32 * p); // elements from here to the diagonal
        if (256 * p < many) { // the same for the warp
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const float2 two = __half22float2(v[p].pairs[j]);
                values[p][2 * j] = 2 * j < left ? two.x : -INFINITY;
                values[p][2 * j + 1] = 2 * j + 1 < left ? two.y : -INFINITY;
                largest = fmaxf(largest, fmaxf(values[p][2 * j], values[p][2 * j + 1]));
            }
        }
    }
    for (int step = 16; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
    constexpr float toBase2 = 1.44269504f;
    const float shift = largest * toBase2;
    float sum = 0.0f;
#pragma unroll
    for (int p = 0; p < parts; ++p)
        if (256 * p < many) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                values[p][j] = exp2f(values[p][j] * toBase2 - shift);
                sum += values[p][j];
            }
        }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    const float scale = 1.0f / sum;
#pragma unroll
    for (int p = 0; p < parts; ++p) {
        Eight result;
        result.whole = make_uint4(0, 0, 0, 0);
        if (256 * p < many) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
                result.pairs[j] = __floats2half2_rn(values[p][2 * j] * scale, values[p][2 * j + 1] * scale);
        }
        if (lane + 32 * p < vectors)
            __stcs(&y[first + lane + 32 * p], result.whole);
    }
}

// Rows of any length.
__global__ void __launch_bounds__(32 * warps)
    causalSoftmax(const __half *__restrict__ s, __half *__restrict__ y, int rows, int n)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows)
        return;
    const __half *in = s + size_t(row) * n;
    __half *out = y + size_t(row) * n;
    const int many = row % n + 1;
    float largest = -INFINITY;
    for (int c = lane; c < many; c += 32)
        largest = fmaxf(largest, __half2float(in[c]));
    for (int step = 16; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
    float sum = 0.0f;
    for (int c = lane; c < many; c += 32)
        sum += __expf(__half2float(in[c]) - largest);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    const float scale = 1.0f / sum;
    for (int c = lane; c < n; c += 32)
        out[c] = c < many ? __float2half(__expf(__half2float(in[c]) - largest) * scale) : __float2half(0.0f);
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(uint4) == 0;
}

extern "C" void solve(const __half *s, __half *y, int heads, int n, cudaStream_t stream)
{
    const int rows = heads * n;
    const int blocks = (rows + warps - 1) / warps;
    if (n % 8 == 0 && n <= 256 * parts && aligned(s) && aligned(y))
        causalSoftmaxVector<<<blocks, threads, 0, stream>>>(reinterpret_cast<const uint4 *>(s),
                                                            reinterpret_cast<uint4 *>(y), rows, n);
    else
        causalSoftmax<<<blocks, threads, 0, stream>>>(s, y, rows, n);
}
