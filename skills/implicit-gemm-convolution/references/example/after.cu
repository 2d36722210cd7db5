// SPDX-License-Identifier: Apache-2.0
// The convolution as a product: outputs × (channels · 9) times (channels · 9) × pixels. The right matrix is never
// stored; its elements are looked up in x when a tile is loaded.
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of outputs and of pixels a block computes
constexpr int kDepth = 16; // of channels · 9 a block holds at a time
constexpr int kThreads = 256;

struct alignas(16) Tile
{
    float left[kDepth][kTile + 4]; // weights, turned so that a thread reads its four outputs at once
    float right[kDepth][kTile];
};

struct Shape
{
    int batch, channels, outputs, height, width;
};

// `inner` counts channel · 9 + tap. A thread always loads the same column, so the caller splits up the pixel only once.
__device__ float inputAt(const float *x, const Shape &shape, int image, int row, int col, int inner)
{
    const int channel = inner / 9, tap = inner - 9 * channel;
    const int r = row + tap / 3 - 1, c = col + tap % 3 - 1;
    const bool inside = unsigned(r) < unsigned(shape.height) && unsigned(c) < unsigned(shape.width);
    return inside ? x[((size_t(image) * shape.channels + channel) * shape.height + r) * shape.width + c] : 0.0f;
}

__device__ void multiply(const Tile &tile, float (&sum)[4][4])
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int q = 0; q < kDepth; ++q) {
        float left[4], right[4];
        *reinterpret_cast<float4 *>(left) = *reinterpret_cast<const float4 *>(&tile.left[q][4 * ty]);
        *reinterpret_cast<float4 *>(right) = *reinterpret_cast<const float4 *>(&tile.right[q][4 * tx]);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                sum[i][j] += left[i] * right[j];
    }
}

__global__ void convolve(const float *x, const float *weight, float *y, Shape shape)
{
    __shared__ Tile tile;
    const int depth = shape.channels * 9, perImage = shape.height * shape.width;
    const int firstOut = blockIdx.y * kTile, firstPixel = blockIdx.x * kTile;
    const int ownPixel = firstPixel + threadIdx.x % kTile;
    const bool exists = ownPixel < shape.batch * perImage;
    const int image = ownPixel / perImage, inImage = ownPixel % perImage;
    const int row = inImage / shape.width, col = inImage % shape.width;
    float sum[4][4] = {};
    for (int first = 0; first < depth; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            const int out = firstOut + i / kDepth, inner = first + i % kDepth;
            tile.left[i % kDepth][i / kDepth] =
                out < shape.outputs && inner < depth ? weight[size_t(out) * depth + inner] : 0.0f;
        }
        for (int q = threadIdx.x / kTile; q < kDepth; q += kThreads / kTile) {
            const bool counts = exists && first + q < depth;
            tile.right[q][threadIdx.x % kTile] = counts ? inputAt(x, shape, image, row, col, first + q) : 0.0f;
        }
        __syncthreads();
        multiply(tile, sum);
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        const int pixel = firstPixel + threadIdx.x % 16 * 4 + j;
        for (int i = 0; i < 4; ++i) {
            const int out = firstOut + threadIdx.x / 16 * 4 + i;
            if (pixel < shape.batch * perImage && out < shape.outputs)
                y[(size_t(pixel / perImage) * shape.outputs + out) * perImage + pixel % perImage] = sum[i][j];
        }
    }
}

extern "C" void solve(const float *x, const float *weight, float *y, int batch, int channels, int outputs, int height,
                      int width, cudaStream_t stream)
{
    const dim3 blocks((batch * height * width + kTile - 1) / kTile, (outputs + kTile - 1) / kTile);
    convolve<<<blocks, kThreads, 0, stream>>>(x, weight, y, Shape{batch, channels, outputs, height, width});
}
