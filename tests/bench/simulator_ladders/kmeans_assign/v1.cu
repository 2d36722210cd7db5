// SPDX-License-Identifier: Apache-2.0
// One thread a point, which goes through the centres and remembers the nearest: no distance goes to memory.
#include <cuda_runtime.h>

constexpr int dims = 32;

__global__ void assign(const float *x, const float *centre, int *label, int points, int centres)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    int best = 0;
    float least = 0.0f;
    for (int k = 0; k < centres; ++k) {
        float sum = 0.0f;
        for (int d = 0; d < dims; ++d) {
            float difference = x[size_t(i) * dims + d] - centre[k * dims + d];
            sum += difference * difference;
        }
        if (k == 0 || sum < least) {
            least = sum;
            best = k;
        }
    }
    label[i] = best;
}

extern "C" void solve(const float *x, const float *centre, int *label, int points, int centres, cudaStream_t stream)
{
    const int threads = 256;
    assign<<<(points + threads - 1) / threads, threads, 0, stream>>>(x, centre, label, points, centres);
}
