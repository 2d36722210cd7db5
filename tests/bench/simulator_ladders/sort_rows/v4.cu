// SPDX-License-Identifier: Apache-2.0
// Eight neighbouring elements a thread: partners at a distance below 8 are in the same thread's registers, below 256 in
// the same warp; three steps are left to shared memory.
#include <cuda_runtime.h>

#include <math.h>

constexpr int most = 1024; // elements of a row
constexpr int each = 8;    // elements of a thread
constexpr int threads = most / each;

// One step of the network on the thread's own elements; `first` is the number of the first one.
template <int step> __device__ void exchange(float (&value)[each], int first, int run)
{
#pragma unroll
    for (int r = 0; r < each; ++r)
        if ((r & step) == 0) {
            const float least = fminf(value[r], value[r | step]);
            const float largest = fmaxf(value[r], value[r | step]);
            const bool ascending = ((first + r) & run) == 0;
            value[r] = ascending ? least : largest;
            value[r | step] = ascending ? largest : least;
        }
}

__global__ void __launch_bounds__(threads) sortRows(const float *__restrict__ x, float *__restrict__ y, int cols)
{
    __shared__ float row[each][threads];
    const size_t start = size_t(blockIdx.x) * cols;
    const int t = threadIdx.x;
    const int first = t * each;
    float value[each];
#pragma unroll
    for (int r = 0; r < each; ++r) // any order will do to start with
        value[r] = r * threads + t < cols ? x[start + r * threads + t] : INFINITY;
    exchange<1>(value, first, 2);
    exchange<2>(value, first, 4);
    exchange<1>(value, first, 4);
    for (int run = 8; run <= most; run *= 2) {
        for (int step = run / 2; step >= each; step /= 2) {
            const int partner = t ^ (step / each);
            const bool smaller = ((first & step) == 0) == ((first & run) == 0);
            if (step >= 32 * each) {
                __syncthreads();
#pragma unroll
                for (int r = 0; r < each; ++r)
                    row[r][t] = value[r];
                __syncthreads();
            }
#pragma unroll
            for (int r = 0; r < each; ++r) {
                const float other = step >= 32 * each ? row[r][partner]
                                                      : __shfl_xor_sync(0xffffffffu, value[r], step / each);
                value[r] = smaller ? fminf(value[r], other) : fmaxf(value[r], other);
            }
        }
        exchange<4>(value, first, run);
        exchange<2>(value, first, run);
        exchange<1>(value, first, run);
    }
    if (cols % 4 == 0) {
#pragma unroll
        for (int r = 0; r < each; r += 4)
            if (first + r < cols)
                *reinterpret_cast<float4 *>(y + start + first + r) =
                    make_float4(value[r], value[r + 1], value[r + 2], value[r + 3]);
        return;
    }
#pragma unroll
    for (int r = 0; r < each; ++r)
        if (first + r < cols)
            y[start + first + r] = value[r];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    sortRows<<<rows, threads, 0, stream>>>(x, y, cols);
}
