// SPDX-License-Identifier: Apache-2.0
// Two results a row from one 16-byte read and the pixel left of it, walking down seven rows with streaming writes.
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int run = 7;

// For widths that four divides: then only the left border and the lower one matter.
__global__ void __launch_bounds__(threads)
    averagePoolVector(const float *__restrict__ x, float *__restrict__ y, int items, int strips, int height, int width)
{
    const int outHeight = (height + 1) / 2;
    const int outWidth = width / 2;
    const int quads = width / 4;
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    const int q = item % quads;
    const int strip = item / quads % strips;
    const int plane = item / quads / strips;
    const float *from = x + size_t(plane) * height * width + 4 * q;
    float *to = y + size_t(plane) * outHeight * outWidth + 2 * q;
    const auto sumsOf = [=](int row) {
        const float4 v = *reinterpret_cast<const float4 *>(from + row * width);
        const float left = q > 0 ? from[row * width - 1] : 0.0f;
        return make_float2(left + v.x + v.y, v.y + v.z + v.w);
    };
    const float firstShare = q > 0 ? 1.0f / 3.0f : 0.5f;
    const int begin = strip * run;
    float2 above = begin > 0 ? sumsOf(2 * begin - 1) : make_float2(0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < run; ++k) {
        const int r = begin + k;
        if (r >= outHeight)
            break;
        const bool more = 2 * r + 1 < height;
        const float2 here = sumsOf(2 * r);
        const float2 below = more ? sumsOf(2 * r + 1) : make_float2(0.0f, 0.0f);
        const int rows = 1 + (r > 0) + more;
        const float share = rows == 3 ? 1.0f / 3.0f : rows == 2 ? 0.5f : 1.0f;
        const float2 result = make_float2((above.x + here.x + below.x) * share * firstShare,
                                          (above.y + here.y + below.y) * share * (1.0f / 3.0f));
        __stcs(reinterpret_cast<float2 *>(to + r * outWidth), result);
        above = below;
    }
}

__global__ void __launch_bounds__(threads)
    averagePool(const float *__restrict__ x, float *__restrict__ y, int items, int strips, int height, int width)
{
    const int outHeight = (height + 1) / 2;
    const int outWidth = (width + 1) / 2;
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    const int c = item % outWidth;
    const int strip = item / outWidth % strips;
    const int plane = item / outWidth / strips;
    const float *from = x + size_t(plane) * height * width + 2 * c;
    float *to = y + size_t(plane) * outHeight * outWidth + c;
    const bool left = c > 0;
    const bool right = 2 * c + 1 < width;
    const int countCols = 1 + left + right;
    const auto sumOf = [=](int row) {
        const float *at = from + row * width;
        return at[0] + (left ? at[-1] : 0.0f) + (right ? at[1] : 0.0f);
    };
    const int begin = strip * run;
    const int end = min(begin + run, outHeight);
    float above = begin > 0 ? sumOf(2 * begin - 1) : 0.0f;
    for (int r = begin; r < end; ++r) {
        const bool more = 2 * r + 1 < height;
        const float here = sumOf(2 * r);
        const float below = more ? sumOf(2 * r + 1) : 0.0f;
        to[r * outWidth] = __fdividef(above + here + below, float((1 + (r > 0) + more) * countCols));
        above = below;
    }
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *x, float *y, int batch, int channels, int height, int width, cudaStream_t stream)
{
    const int strips = ((height + 1) / 2 + run - 1) / run;
    if (width % 4 == 0 && aligned(x) && aligned(y)) {
        const int items = batch * channels * strips * (width / 4);
        averagePoolVector<<<(items + threads - 1) / threads, threads, 0, stream>>>(x, y, items, strips, height, width);
    } else {
        const int items = batch * channels * strips * ((width + 1) / 2);
        averagePool<<<(items + threads - 1) / threads, threads, 0, stream>>>(x, y, items, strips, height, width);
    }
}
