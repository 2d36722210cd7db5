// SPDX-License-Identifier: Apache-2.0
// One thread for the distance of a point and a centre, all distances to memory; a second kernel looks for the least.
#include <cuda_runtime.h>

constexpr int dims = 32;
constexpr int most = 1 << 24; // distances at a time

__device__ float distances[most];

__global__ void measure(const float *x, const float *centre, int first, int many, int centres)
{
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= many * centres)
        return;
    int i = first + item / centres;
    int k = item % centres;
    float sum = 0.0f;
    for (int d = 0; d < dims; ++d) {
        float difference = x[size_t(i) * dims + d] - centre[size_t(k) * dims + d];
        sum += difference * difference;
    }
    distances[item] = sum;
}

__global__ void choose(int *label, int first, int many, int centres)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= many)
        return;
    int best = 0;
    for (int k = 1; k < centres; ++k)
        if (distances[size_t(i) * centres + k] < distances[size_t(i) * centres + best])
            best = k;
    label[first + i] = best;
}

extern "C" void solve(const float *x, const float *centre, int *label, int points, int centres, cudaStream_t stream)
{
    const int threads = 256;
    int part = most / centres; // points at a time
    for (int first = 0; first < points; first += part) {
        int many = points - first < part ? points - first : part;
        measure<<<(many * centres + threads - 1) / threads, threads, 0, stream>>>(x, centre, first, many, centres);
        choose<<<(many + threads - 1) / threads, threads, 0, stream>>>(label, first, many, centres);
    }
}
