// SPDX-License-Identifier: Apache-2.0
// Two points a thread and two centres at a time: each read of shared memory serves twice, with four sums under way.
#include <cuda_runtime.h>

#include <math.h>

constexpr int quads = 8; // of a point
constexpr int threads = 128;
constexpr int tile = 128;

static_assert(tile == threads && tile % 2 == 0);

__device__ void subtract(float &sum, float4 a, float4 b)
{
    sum -= a.x * b.x;
    sum -= a.y * b.y;
    sum -= a.z * b.z;
    sum -= a.w * b.w;
}

__device__ void compare(float &least, int &best, float sum, int k)
{
    if (sum < least) {
        least = sum;
        best = k;
    }
}

__global__ void __launch_bounds__(threads)
    assign(const float4 *__restrict__ x, const float4 *__restrict__ centre, int *__restrict__ label, int points,
           int centres)
{
    __shared__ float4 some[tile * quads];
    __shared__ float halves[tile];
    const int i = blockIdx.x * 2 * threads + threadIdx.x; // and threads further on
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 a[quads], b[quads];
#pragma unroll
    for (int q = 0; q < quads; ++q) {
        a[q] = i < points ? x[size_t(i) * quads + q] : zero;
        b[q] = i + threads < points ? x[size_t(i + threads) * quads + q] : zero;
    }
    int bestA = 0, bestB = 0;
    float leastA = INFINITY, leastB = INFINITY;
    for (int first = 0; first < centres; first += tile) {
        const int many = min(tile, centres - first);
        __syncthreads(); // nobody needs the last centres any more
        for (int j = threadIdx.x; j < tile * quads; j += threads)
            some[j] = j < many * quads ? centre[first * quads + j] : zero;
        __syncthreads();
        float square = 0.0f;
        for (int q = 0; q < quads; ++q) {
            const float4 c = some[threadIdx.x * quads + (q + threadIdx.x) % quads]; // turned: fewer bank conflicts
            square += c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w;
        }
        halves[threadIdx.x] = int(threadIdx.x) < many ? 0.5f * square : INFINITY; // never the least
        __syncthreads();
        for (int k = 0; k < many; k += 2) {
            float a0 = halves[k], a1 = halves[k + 1];
            float b0 = a0, b1 = a1;
#pragma unroll
            for (int q = 0; q < quads; ++q) {
                const float4 c0 = some[k * quads + q];
                const float4 c1 = some[(k + 1) * quads + q];
                subtract(a0, a[q], c0);
                subtract(a1, a[q], c1);
                subtract(b0, b[q], c0);
                subtract(b1, b[q], c1);
            }
            compare(leastA, bestA, a0, first + k);
            compare(leastA, bestA, a1, first + k + 1);
            compare(leastB, bestB, b0, first + k);
            compare(leastB, bestB, b1, first + k + 1);
        }
    }
    if (i < points)
        label[i] = bestA;
    if (i + threads < points)
        label[i + threads] = bestB;
}

extern "C" void solve(const float *x, const float *centre, int *label, int points, int centres, cudaStream_t stream)
{
    assign<<<(points + 2 * threads - 1) / (2 * threads), threads, 0, stream>>>(
        reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(centre), label, points, centres);
}
