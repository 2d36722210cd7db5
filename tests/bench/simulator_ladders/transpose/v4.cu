// SPDX-License-Identifier: Apache-2.0
// Tiles of 64×64 read and written 16 bytes at a time; sizes that 4 does not divide move single elements.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int pitch = tile + 1;
constexpr int threads = 256;

template <bool aligned>
__global__ void __launch_bounds__(threads)
    transpose(const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float part[tile * pitch];
    const int firstCol = blockIdx.x * tile;
    const int firstRow = blockIdx.y * tile;
    if (aligned) {
        const int lane = threadIdx.x % 16 * 4;
        const int line = threadIdx.x / 16;
        float4 v[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = firstRow + line + i * 16;
            if (row < rows && firstCol + lane < cols)
                v[i] = *reinterpret_cast<const float4 *>(x + size_t(row) * cols + firstCol + lane);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float *to = part + (line + i * 16) * pitch + lane;
            to[0] = v[i].x;
            to[1] = v[i].y;
            to[2] = v[i].z;
            to[3] = v[i].w;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = firstCol + line + i * 16; // of y
            const float *from = part + lane * pitch + line + i * 16;
            if (row < cols && firstRow + lane < rows)
                *reinterpret_cast<float4 *>(y + size_t(row) * rows + firstRow + lane) =
                    make_float4(from[0], from[pitch], from[2 * pitch], from[3 * pitch]);
        }
        return;
    }
    const int lane = threadIdx.x % tile;
    const int line = threadIdx.x / tile;
    for (int i = line; i < tile; i += threads / tile)
        if (firstRow + i < rows && firstCol + lane < cols)
            part[i * pitch + lane] = x[size_t(firstRow + i) * cols + firstCol + lane];
    __syncthreads();
    for (int i = line; i < tile; i += threads / tile)
        if (firstCol + i < cols && firstRow + lane < rows)
            y[size_t(firstCol + i) * rows + firstRow + lane] = part[lane * pitch + i];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks((cols + tile - 1) / tile, (rows + tile - 1) / tile);
    if (rows % 4 == 0 && cols % 4 == 0)
        transpose<true><<<blocks, threads, 0, stream>>>(x, y, rows, cols);
    else
        transpose<false><<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
