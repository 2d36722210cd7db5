// SPDX-License-Identifier: Apache-2.0
// One block of 256 threads a row and a single pass: a sum is scaled down when a greater element comes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr float nothing = -1e30f; // less than any half

struct Sum // of exp(x - most)
{
    float most, sum;
};

__device__ Sum join(Sum a, Sum b)
{
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

__global__ void crossEntropy(const __half *x, const int *targets, float *loss, int cols)
{
    __shared__ Sum part[threads];
    const int t = threadIdx.x;
    const __half *row = x + size_t(blockIdx.x) * cols;
    Sum own{nothing, 0.0f};
    for (int c = t; c < cols; c += threads) {
        const float value = __half2float(row[c]);
        if (value > own.most)
            own = {value, own.sum * expf(own.most - value) + 1.0f};
        else
            own.sum += expf(value - own.most);
    }
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
