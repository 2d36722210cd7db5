// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int BX = 32, BY = 8;

__global__ void laplacian(const float *in, float *out, int nx, int ny, int nz)
{
    __shared__ float plane[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BY + threadIdx.y + 1;
    if (x > nx || y > ny) return;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int pitch = nx + 2, slab = pitch * (ny + 2);
    int at = y * pitch + x;
    float behind = in[at], current = in[at + slab];
    for (int z = 1; z <= nz; ++z) {
        at += slab;
        const float ahead = in[at + slab];
        __syncthreads();
        plane[ty][tx] = current;
        if (threadIdx.x == 0) plane[ty][0] = in[at - 1];
        if (threadIdx.x == BX - 1) plane[ty][BX + 1] = in[at + 1];
        if (threadIdx.y == 0) plane[0][tx] = in[at - pitch];
        if (threadIdx.y == BY - 1) plane[BY + 1][tx] = in[at + pitch];
        __syncthreads();
        out[at] = behind + ahead + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] -
                  6.0f * current;
        behind = current;
        current = ahead;
    }
}

extern "C" void solve(const float *in, float *out, int nx, int ny, int nz, cudaStream_t stream)
{
    laplacian<<<dim3(nx / BX, ny / BY), dim3(BX, BY), 0, stream>>>(in, out, nx, ny, nz);
}
