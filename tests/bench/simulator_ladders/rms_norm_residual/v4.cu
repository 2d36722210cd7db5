// SPDX-License-Identifier: Apache-2.0
// Two blocks a multiprocessor go through all rows: the next row is on its way while one is added up, and the weights
// stay in registers.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int mostBlocks = 264;

// `part` must be free; it is read after the barrier.
__device__ float blockSum(float own, float *part)
{
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_xor_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; ++w)
        own += part[w];
    return own;
}

__device__ float dot(float4 v)
{
    return v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
}

template <int each>
__device__ void load(float4 (&to)[each], const float4 *from, int quads)
{
#pragma unroll
    for (int j = 0; j < each; ++j) {
        const int i = threadIdx.x + j * threads;
        to[j] = i < quads ? from[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

template <int each>
__global__ void __launch_bounds__(threads, 2)
    normalise(const float4 *__restrict__ x, const float4 *__restrict__ residual, const float4 *__restrict__ weight,
              float4 *__restrict__ sum, float4 *__restrict__ y, int rows, int quads)
{
    __shared__ float part[2][warps]; // of this row and the last: one barrier a row is enough
    float4 factor[each], a[each], b[each];
    load<each>(factor, weight, quads);
    load<each>(a, x + size_t(blockIdx.x) * quads, quads);
    load<each>(b, residual + size_t(blockIdx.x) * quads, quads);
    int buffer = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x, buffer ^= 1) {
        const size_t first = size_t(row) * quads;
        float4 kept[each];
        float squares = 0.0f;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            kept[j] = make_float4(a[j].x + b[j].x, a[j].y + b[j].y, a[j].z + b[j].z, a[j].w + b[j].w);
            squares += dot(kept[j]);
        }
        if (row + int(gridDim.x) < rows) {
            const size_t next = first + size_t(gridDim.x) * quads;
            load<each>(a, x + next, quads);
            load<each>(b, residual + next, quads);
        }
        const float scale = rsqrtf(blockSum(squares, part[buffer]) / (4 * quads) + 1e-6f);
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int i = threadIdx.x + j * threads;
            if (i < quads) {
                sum[first + i] = kept[j];
                y[first + i] = make_float4(kept[j].x * scale * factor[j].x, kept[j].y * scale * factor[j].y,
                                           kept[j].z * scale * factor[j].z, kept[j].w * scale * factor[j].w);
            }
        }
    }
}

// Longer or unaligned rows: two passes.
__global__ void __launch_bounds__(threads)
    normaliseAny(const float *__restrict__ x, const float *__restrict__ residual, const float *__restrict__ weight,
                 float *__restrict__ sum, float *__restrict__ y, int cols)
{
    __shared__ float part[warps];
    const size_t first = size_t(blockIdx.x) * cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads) {
        const float value = x[first + c] + residual[first + c];
        sum[first + c] = value;
        squares += value * value;
    }
    const float scale = rsqrtf(blockSum(squares, part) / cols + 1e-6f);
    for (int c = threadIdx.x; c < cols; c += threads)
        y[first + c] = sum[first + c] * scale * weight[c];
}

template <int each>
void launch(const float *x, const float *residual, const float *weight, float *sum, float *y, int rows, int cols,
            cudaStream_t stream)
{
    normalise<each><<<rows < mostBlocks ? rows : mostBlocks, threads, 0, stream>>>(
        reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(residual),
        reinterpret_cast<const float4 *>(weight), reinterpret_cast<float4 *>(sum), reinterpret_cast<float4 *>(y), rows,
        cols / 4);
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *x, const float *residual, const float *weight, float *sum, float *y, int rows,
                      int cols, cudaStream_t stream)
{
    const bool vectors =
        cols % 4 == 0 && aligned(x) && aligned(residual) && aligned(weight) && aligned(sum) && aligned(y);
    const int each = vectors ? (cols / 4 + threads - 1) / threads : 0;
    switch (each) {
    case 1:
        return launch<1>(x, residual, weight, sum, y, rows, cols, stream);
    case 2:
        return launch<2>(x, residual, weight, sum, y, rows, cols, stream);
    case 3:
        return launch<3>(x, residual, weight, sum, y, rows, cols, stream);
    case 4:
        return launch<4>(x, residual, weight, sum, y, rows, cols, stream);
    case 5:
        return launch<5>(x, residual, weight, sum, y, rows, cols, stream);
    default:
        normaliseAny<<<rows, threads, 0, stream>>>(x, residual, weight, sum, y, cols);
    }
}
