// SPDX-License-Identifier: Apache-2.0
// The plane at work stands in shared memory with its border, two barriers a plane; before and behind are in registers.
#include <cuda_runtime.h>

constexpr int wide = 32;
constexpr int high = 16;
constexpr int deep = 64;

__global__ void __launch_bounds__(wide *high)
    stencil(const float *__restrict__ x, float *__restrict__ y, int depth, int height, int width)
{
    __shared__ float tile[high + 2][wide + 2];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int c = blockIdx.x * wide + tx;
    const int r = blockIdx.y * high + ty;
    const bool inside = c < width && r < height;
    const int begin = blockIdx.z * deep;
    const int end = min(begin + deep, depth);
    const size_t plane = size_t(height) * width;
    size_t i = begin * plane + size_t(r) * width + c;
    float before = inside && begin > 0 ? x[i - plane] : 0.0f;
    float here = inside ? x[i] : 0.0f;
    for (int d = begin; d < end; ++d) {
        tile[ty + 1][tx + 1] = here;
        if (ty == 0)
            tile[0][tx + 1] = c < width && r > 0 ? x[i - width] : 0.0f;
        if (ty == high - 1)
            tile[high + 1][tx + 1] = c < width && r + 1 < height ? x[i + width] : 0.0f;
        if (tx == 0)
            tile[ty + 1][0] = r < height && c > 0 ? x[i - 1] : 0.0f;
        if (tx == wide - 1)
            tile[ty + 1][wide + 1] = r < height && c + 1 < width ? x[i + 1] : 0.0f;
        const float behind = inside && d + 1 < depth ? x[i + plane] : 0.0f;
        __syncthreads();
        if (inside)
            y[i] = 0.4f * here + 0.1f * (before + behind + tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] +
                                         tile[ty + 2][tx + 1]);
        __syncthreads(); // before the next plane
        before = here;
        here = behind;
        i += plane;
    }
}

extern "C" void solve(const float *x, float *y, int depth, int height, int width, cudaStream_t stream)
{
    const dim3 threads(wide, high);
    const dim3 blocks((width + wide - 1) / wide, (height + high - 1) / high, (depth + deep - 1) / deep);
    stencil<<<blocks, threads, 0, stream>>>(x, y, depth, height, width);
}
