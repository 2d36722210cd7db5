// SPDX-License-Identifier: Apache-2.0
// One thread a pair of points.
#include <cuda_runtime.h>

__global__ void distances(const float *x, const float *y, float *d, int n, int m, int dims)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= m)
        return;
    float sum = 0.0f;
    for (int l = 0; l < dims; ++l) {
        float difference = x[size_t(i) * dims + l] - y[size_t(j) * dims + l];
        sum += difference * difference;
    }
    d[size_t(i) * m + j] = sum;
}

extern "C" void solve(const float *x, const float *y, float *d, int n, int m, int dims, cudaStream_t stream)
{
    const dim3 threads(16, 16);
    distances<<<dim3((m + 15) / 16, (n + 15) / 16), threads, 0, stream>>>(x, y, d, n, m, dims);
}
