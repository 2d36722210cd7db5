// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void clear(float *loss) { loss[0] = 0.0f; }

__global__ void addSquares(const float *x, const float *target, float *loss, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(loss, (x[i] - target[i]) * (x[i] - target[i]) / count);
}

extern "C" void solve(const float *x, const float *target, float *loss, int rows, int cols, cudaStream_t stream)
{
    const int count = rows * cols;
    clear<<<1, 1, 0, stream>>>(loss);
    addSquares<<<(count + 255) / 256, 256, 0, stream>>>(x, target, loss, count);
}
