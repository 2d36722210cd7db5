// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void softmax(const float *x, float *y, int cols)
{
    extern __shared__ float row[];
    __shared__ float parts[8];
    const float *in = x + blockIdx.x * cols;
    float top = -3.4e38f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = in[c];
        top = fmaxf(top, row[c]);
    }
    for (int o = 16; o > 0; o >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, o));
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = top;
    __syncthreads();
    for (int w = 0; w < 8; ++w)
        top = fmaxf(top, parts[w]);
    __syncthreads();
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        row[c] = expf(row[c] - top);
        sum += row[c];
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < 8; ++w)
        sum += parts[w];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[blockIdx.x * cols + c] = row[c] / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    softmax<<<rows, 256, cols * sizeof(float), stream>>>(x, y, cols);
}
