// SPDX-License-Identifier: Apache-2.0
// Eight elements a read of 16 bytes: their greatest is found first, so the sum is scaled once for eight.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr float nothing = -1e30f; // less than any half

struct __align__(16) Eight
{
    __half2 part[4];
};

struct Sum // of exp(x - most)
{
    float most, sum;
};

__device__ Sum join(Sum a, Sum b)
{
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

__device__ void see(Sum &own, const Eight &eight)
{
    float2 v[4];
    float most = own.most;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        v[i] = __half22float2(eight.part[i]);
        most = fmaxf(most, fmaxf(v[i].x, v[i].y));
    }
    float sum = own.sum * expf(own.most - most);
#pragma unroll
    for (int i = 0; i < 4; ++i)
        sum += expf(v[i].x - most) + expf(v[i].y - most);
    own = {most, sum};
}

__global__ void __launch_bounds__(threads)
    crossEntropy(const __half *__restrict__ x, const int *__restrict__ targets, float *__restrict__ loss, int cols)
{
    __shared__ Sum part[threads];
    const int t = threadIdx.x;
    const __half *row = x + size_t(blockIdx.x) * cols;
    const int eights = cols % 8 == 0 ? cols / 8 : 0;
    Sum own{nothing, 0.0f};
    for (int i = t; i < eights; i += threads)
        see(own, reinterpret_cast<const Eight *>(row)[i]);
    for (int c = 8 * eights + t; c < cols; c += threads)
        own = join(own, {__half2float(row[c]), 1.0f});
    part[t] = own;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = join(part[t], part[t + half]);
        __syncthreads();
    }
    if (t == 0)
        loss[blockIdx.x] = logf(part[0].sum) + part[0].most - __half2float(row[targets[blockIdx.x] % cols]);
}

extern "C" void solve(const __half *x, const int *targets, float *loss, int rows, int cols, cudaStream_t stream)
{
    crossEntropy<<<rows, threads, 0, stream>>>(x, targets, loss, cols);
}
