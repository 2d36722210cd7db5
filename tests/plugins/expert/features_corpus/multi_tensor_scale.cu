// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct Chunks
{
    float *data[4];
    int size[4];
};

__global__ void scale_all(Chunks chunks, float f)
{
    float *p = chunks.data[blockIdx.y];
    const int n = chunks.size[blockIdx.y];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= f;
}

extern "C" void solve(float *a, float *b, int na, int nb, float f, cudaStream_t stream)
{
    Chunks chunks{{a, b, nullptr, nullptr}, {na, nb, 0, 0}};
    const int most = na > nb ? na : nb;
    scale_all<<<dim3((most + 255) / 256, 2), 256, 0, stream>>>(chunks, f);
}
