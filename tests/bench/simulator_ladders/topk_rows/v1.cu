// SPDX-License-Identifier: Apache-2.0
// One block a row: it searches the maximum four times, each time among what comes after the last one found.
#include <cfloat>
#include <climits>
#include <cuda_runtime.h>

constexpr int threads = 256;

// Whether a value comes before another: the greater, or the earlier of equals.
__device__ bool before(float value, int place, float other, int otherPlace)
{
    return value > other || (value == other && place < otherPlace);
}

__global__ void greatest(const float *x, float *y, int cols)
{
    __shared__ float values[threads];
    __shared__ int places[threads];
    const int t = threadIdx.x;
    const float *in = x + size_t(blockIdx.x) * cols;
    float last = 0.0f;
    int lastPlace = -1;
    for (int round = 0; round < 4; ++round) {
        float best = -FLT_MAX;
        int place = INT_MAX;
        for (int c = t; c < cols; c += threads) {
            const float value = in[c];
            if ((round == 0 || before(last, lastPlace, value, c)) && before(value, c, best, place)) {
                best = value;
                place = c;
            }
        }
        values[t] = best;
        places[t] = place;
        __syncthreads();
        for (int half = threads / 2; half > 0; half /= 2) {
            if (t < half && before(values[t + half], places[t + half], values[t], places[t])) {
                values[t] = values[t + half];
                places[t] = places[t + half];
            }
            __syncthreads();
        }
        last = values[0];
        lastPlace = places[0];
        __syncthreads(); // before the next round
        if (t == 0)
            y[size_t(blockIdx.x) * 4 + round] = last;
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    greatest<<<rows, threads, 0, stream>>>(x, y, cols);
}
