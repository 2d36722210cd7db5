// SPDX-License-Identifier: Apache-2.0
// One block a row: coalesced, the greatest and the sum by trees in shared memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;

__global__ void causalSoftmax(const __half *s, __half *y, int n)
{
    __shared__ float part[threads];
    const int t = threadIdx.x;
    const __half *in = s + size_t(blockIdx.x) * n;
    __half *out = y + size_t(blockIdx.x) * n;
    const int many = blockIdx.x % n + 1;
    float largest = -INFINITY;
    for (int c = t; c < many; c += threads)
        largest = fmaxf(largest, __half2float(in[c]));
    part[t] = largest;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    largest = part[0];
    __syncthreads(); // before the sums take its place
    float sum = 0.0f;
    for (int c = t; c < many; c += threads)
        sum += expf(__half2float(in[c]) - largest);
    part[t] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    sum = part[0];
    for (int c = t; c < n; c += threads)
        out[c] = c < many ? __float2half(expf(__half2float(in[c]) - largest) / sum) : __float2half(0.0f);
}

extern "C" void solve(const __half *s, __half *y, int heads, int n, cudaStream_t stream)
{
    causalSoftmax<<<heads * n, threads, 0, stream>>>(s, y, n);
}
