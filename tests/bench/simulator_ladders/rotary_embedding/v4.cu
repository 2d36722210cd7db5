// SPDX-License-Identifier: Apache-2.0
// A block takes a token: the sines and cosines of up to 128 pairs in shared memory, then eight pairs a thread in
// 16-byte accesses.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int most = 128; // pairs at a time

struct Table
{
    float s[most];
    float c[most];
};

struct __align__(16) Eight
{
    __half2 part[4];
};

__device__ void turn(float &first, float &second, float s, float c)
{
    const float old = first;
    first = old * c - second * s;
    second = second * c + old * s;
}

__device__ void turnEight(const __half *in, __half *out, int pairs, const float *s, const float *c)
{
    Eight first = *reinterpret_cast<const Eight *>(in);
    Eight second = *reinterpret_cast<const Eight *>(in + pairs);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float2 a = __half22float2(first.part[j]);
        float2 b = __half22float2(second.part[j]);
        turn(a.x, b.x, s[2 * j], c[2 * j]);
        turn(a.y, b.y, s[2 * j + 1], c[2 * j + 1]);
        first.part[j] = __floats2half2_rn(a.x, a.y);
        second.part[j] = __floats2half2_rn(b.x, b.y);
    }
    *reinterpret_cast<Eight *>(out) = first;
    *reinterpret_cast<Eight *>(out + pairs) = second;
}

__global__ void __launch_bounds__(threads)
    rotate(const __half *__restrict__ x, const int *__restrict__ positions, __half *__restrict__ y, int heads,
           int pairs)
{
    __shared__ __align__(16) Table table;
    const int token = blockIdx.x;
    const float position = positions[token];
    for (int begin = 0; begin < pairs; begin += most) {
        const int many = min(most, pairs - begin);
        if (begin > 0)
            __syncthreads(); // nobody needs the last table any more
        for (int i = threadIdx.x; i < many; i += threads)
            sincosf(position * powf(10000.0f, -float(begin + i) / pairs), &table.s[i], &table.c[i]);
        __syncthreads();
        const size_t first = size_t(token) * heads * 2 * pairs + begin;
        const int group = pairs % 8 == 0 ? 8 : 1; // pairs a thread
        const int groups = many / group;
        for (int item = threadIdx.x; item < heads * groups; item += threads) {
            const int i = item % groups * group;
            const size_t at = first + size_t(item / groups) * 2 * pairs + i;
            if (group == 8) {
                turnEight(x + at, y + at, pairs, table.s + i, table.c + i);
                continue;
            }
            float a = __half2float(x[at]);
            float b = __half2float(x[at + pairs]);
            turn(a, b, table.s[i], table.c[i]);
            y[at] = __float2half(a);
            y[at + pairs] = __float2half(b);
        }
    }
}

extern "C" void solve(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs,
                      cudaStream_t stream)
{
    rotate<<<tokens, threads, 0, stream>>>(x, positions, y, heads, pairs);
}
