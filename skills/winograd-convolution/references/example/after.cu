// SPDX-License-Identifier: Apache-2.0
// Winograd's F(2×2, 3×3): weights and inputs are transformed, 16 products take the place of a convolution, and their
// sums are transformed back. 16 multiplications make a patch of 2 × 2 outputs instead of 36.
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of outputs and of patches a block computes
constexpr int kDepth = 16; // of channels a block holds at a time
constexpr int kThreads = 256;

struct alignas(16) Tile
{
    float left[kDepth][kTile + 4]; // weights, turned so that a thread reads its four outputs at once
    float right[kDepth][kTile];
};

struct Shape
{
    int batch, channels, outputs, height, width;

    __host__ __device__ int down() const { return (height + 1) / 2; }
    __host__ __device__ int across() const { return (width + 1) / 2; }
    __host__ __device__ int patches() const { return batch * down() * across(); }
};

// turned[point][output][channel] = G w Gᵀ, with G = [1 0 0; ½ ½ ½; ½ -½ ½; 0 0 1].
__global__ void transformWeights(const float *weight, float *turned, int filters)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= filters) return;
    const float *w = weight + size_t(i) * 9;
    float half[4][3];
    for (int c = 0; c < 3; ++c) {
        half[0][c] = w[c];
        half[1][c] = 0.5f * (w[c] + w[3 + c] + w[6 + c]);
        half[2][c] = 0.5f * (w[c] - w[3 + c] + w[6 + c]);
        half[3][c] = w[6 + c];
    }
    for (int r = 0; r < 4; ++r) {
        turned[size_t(4 * r) * filters + i] = half[r][0];
        turned[size_t(4 * r + 1) * filters + i] = 0.5f * (half[r][0] + half[r][1] + half[r][2]);
        turned[size_t(4 * r + 2) * filters + i] = 0.5f * (half[r][0] - half[r][1] + half[r][2]);
        turned[size_t(4 * r + 3) * filters + i] = half[r][2];
    }
}

// turned[point][channel][patch] = Bᵀ d B with Bᵀ = [1 0 -1 0; 0 1 1 0; 0 -1 1 0; 0 1 0 -1]: additions only. The 4 × 4
// inputs d reach one beyond the patch's outputs on every side.
__global__ void transformInputs(const float *x, float *turned, Shape shape)
{
    const int patch = blockIdx.x * kThreads + threadIdx.x, channel = blockIdx.y;
    if (patch >= shape.patches()) return;
    const int image = patch / (shape.down() * shape.across());
    const int row = patch / shape.across() % shape.down() * 2 - 1, col = patch % shape.across() * 2 - 1;
    const float *plane = x + (size_t(image) * shape.channels + channel) * shape.height * shape.width;
    float d[4][4], half[4][4];
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            const bool inside = unsigned(row + r) < unsigned(shape.height) && unsigned(col + c) < unsigned(shape.width);
            const float value = plane[inside ? (row + r) * shape.width + col + c : 0]; // no branch: loads may overlap
            d[r][c] = inside ? value : 0.0f;
        }
    }
    for (int c = 0; c < 4; ++c) {
        half[0][c] = d[0][c] - d[2][c];
        half[1][c] = d[1][c] + d[2][c];
        half[2][c] = d[2][c] - d[1][c];
        half[3][c] = d[1][c] - d[3][c];
    }
    const size_t perPoint = size_t(shape.channels) * shape.patches();
    float *to = turned + size_t(channel) * shape.patches() + patch;
    for (int r = 0; r < 4; ++r) {
        to[(4 * r) * perPoint] = half[r][0] - half[r][2];
        to[(4 * r + 1) * perPoint] = half[r][1] + half[r][2];
        to[(4 * r + 2) * perPoint] = half[r][2] - half[r][1];
        to[(4 * r + 3) * perPoint] = half[r][1] - half[r][3];
    }
}

// y = Aᵀ m A for each patch, with Aᵀ = [1 1 1 0; 0 1 -1 -1].
__global__ void transformSums(const float *sums, float *y, Shape shape)
{
    const int patch = blockIdx.x * kThreads + threadIdx.x, out = blockIdx.y;
    if (patch >= shape.patches()) return;
    const size_t perPoint = size_t(shape.outputs) * shape.patches();
    const float *m = sums + size_t(out) * shape.patches() + patch;
    float half[2][4];
    for (int c = 0; c < 4; ++c) {
        const float m0 = m[c * perPoint], m1 = m[(4 + c) * perPoint], m2 = m[(8 + c) * perPoint],
                    m3 = m[(12 + c) * perPoint];
        half[0][c] = m0 + m1 + m2;
        half[1][c] = m1 - m2 - m3;
    }
    const int image = patch / (shape.down() * shape.across());
    const int row = patch / shape.across() % shape.down() * 2, col = patch % shape.across() * 2;
    float *plane = y + (size_t(image) * shape.outputs + out) * shape.height * shape.width;
    for (int r = 0; r < 2 && row + r < shape.height; ++r) {
        plane[(row + r) * shape.width + col] = half[r][0] + half[r][1] + half[r][2];
        if (col + 1 < shape.width) plane[(row + r) * shape.width + col + 1] = half[r][1] - half[r][2] - half[r][3];
    }
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

// A product for each of the 16 points: outputs × channels times channels × patches.
__global__ void multiplyPoints(const float *weights, const float *inputs, float *sums, Shape shape)
{
    __shared__ Tile tile;
    const int point = blockIdx.z, depth = shape.channels, patches = shape.patches();
    weights += size_t(point) * shape.outputs * depth;
    inputs += size_t(point) * depth * patches;
    sums += size_t(point) * shape.outputs * patches;
    const int firstOut = blockIdx.y * kTile, firstPatch = blockIdx.x * kTile;
    const int ownPatch = firstPatch + threadIdx.x % kTile;
    float sum[4][4] = {};
    for (int first = 0; first < depth; first += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            const int out = firstOut + i / kDepth, inner = first + i % kDepth;
            const bool counts = out < shape.outputs && inner < depth;
            tile.left[i % kDepth][i / kDepth] = counts ? weights[size_t(out) * depth + inner] : 0.0f;
        }
        for (int q = threadIdx.x / kTile; q < kDepth; q += kThreads / kTile) {
            const bool counts = ownPatch < patches && first + q < depth;
            tile.right[q][threadIdx.x % kTile] = counts ? inputs[size_t(first + q) * patches + ownPatch] : 0.0f;
        }
        __syncthreads();
        multiply(tile, sum);
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            const int out = firstOut + threadIdx.x / 16 * 4 + i, patch = firstPatch + threadIdx.x % 16 * 4 + j;
            if (out < shape.outputs && patch < patches) sums[size_t(out) * patches + patch] = sum[i][j];
        }
    }
}

extern "C" void solve(const float *x, const float *weight, float *y, int batch, int channels, int outputs, int height,
                      int width, cudaStream_t stream)
{
    const Shape shape{batch, channels, outputs, height, width};
    const int filters = outputs * channels, patches = shape.patches();
    const size_t needed = 16 * (size_t(filters) + size_t(channels) * patches + size_t(outputs) * patches);
    static float *buffer = nullptr;
    static size_t capacity = 0;
    if (capacity < needed) {
        cudaFree(buffer);
        cudaMalloc(&buffer, needed * sizeof(float));
        capacity = needed;
    }
    float *weights = buffer, *inputs = weights + 16 * size_t(filters), *sums = inputs + 16 * size_t(channels) * patches;

    const int patchBlocks = (patches + kThreads - 1) / kThreads;
    transformWeights<<<(filters + kThreads - 1) / kThreads, kThreads, 0, stream>>>(weight, weights, filters);
    transformInputs<<<dim3(patchBlocks, channels), kThreads, 0, stream>>>(x, inputs, shape);
    const dim3 tiles((patches + kTile - 1) / kTile, (outputs + kTile - 1) / kTile, 16);
    multiplyPoints<<<tiles, kThreads, 0, stream>>>(weights, inputs, sums, shape);
    transformSums<<<dim3(patchBlocks, outputs), kThreads, 0, stream>>>(sums, y, shape);
}
