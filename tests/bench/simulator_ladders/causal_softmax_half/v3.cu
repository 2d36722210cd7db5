// SPDX-License-Identifier: Apache-2.0
// A block of 128 threads a row, eight elements a thread in one 16-byte access and in registers; the mask is applied to
// whole rows, so the part right of the diagonal is read as well.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>

constexpr int warps = 4;
constexpr int threads = 32 * warps;

union Eight
{
    uint4 whole;
    __half2 pairs[4];
};

// For rows of up to 1024 elements in eights.
__global__ void __launch_bounds__(threads)
    causalSoftmaxVector(const uint4 *__restrict__ s, uint4 *__restrict__ y, int n)
{
    __shared__ float most[warps], sums[warps];
    const int warp = threadIdx.x / 32;
    const int vectors = n / 8;
    const int t = threadIdx.x;
    const int many = blockIdx.x % n + 1;
    const size_t at = size_t(blockIdx.x) * vectors + t;
    Eight v;
    v.whole = t < vectors ? s[at] : make_uint4(0, 0, 0, 0);
    float values[8];
    float largest = -INFINITY;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const float2 two = __half22float2(v.pairs[j]);
        values[2 * j] = 8 * t + 2 * j < many ? two.x : -INFINITY;
        values[2 * j + 1] = 8 * t + 2 * j + 1 < many ? two.y : -INFINITY;
        largest = fmaxf(largest, fmaxf(values[2 * j], values[2 * j + 1]));
    }
    for (int step = 16; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
    if (t % 32 == 0)
        most[warp] = largest;
    __syncthreads();
    largest = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
        values[j] = __expf(values[j] - largest);
        sum += values[j];
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (t % 32 == 0)
        sums[warp] = sum;
    __syncthreads();
    const float scale = 1.0f / (sums[0] + sums[1] + (sums[2] + sums[3]));
#pragma unroll
    for (int j = 0; j < 4; ++j)
        v.pairs[j] = __floats2half2_rn(values[2 * j] * scale, values[2 * j + 1] * scale);
    if (t < vectors)
        y[at] = v.whole;
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
    if (n % 8 == 0 && n <= 8 * threads && aligned(s) && aligned(y))
        causalSoftmaxVector<<<rows, threads, 0, stream>>>(reinterpret_cast<const uint4 *>(s),
                                                          reinterpret_cast<uint4 *>(y), n);
    else
        causalSoftmax<<<(rows + warps - 1) / warps, threads, 0, stream>>>(s, y, rows, n);
}
