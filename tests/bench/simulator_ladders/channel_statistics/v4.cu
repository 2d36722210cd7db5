// SPDX-License-Identifier: Apache-2.0
// Four images a block: eight times as many blocks, which add to the outputs; a second kernel makes the statistics of
// the sums.
#include <cuda_runtime.h>

constexpr int imagesPerBlock = 4;
constexpr int threads = 256;

struct Sums
{
    float first, second; // of the values less the shift, and of their squares
};

// Holds on thread 0.
__device__ Sums blockSums(Sums s)
{
    __shared__ Sums part[threads / 32];
    for (int step = 16; step > 0; step /= 2) {
        s.first += __shfl_down_sync(0xffffffffu, s.first, step);
        s.second += __shfl_down_sync(0xffffffffu, s.second, step);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < threads / 32; ++i) {
            s.first += part[i].first;
            s.second += part[i].second;
        }
    return s;
}

__device__ void add(Sums &s, float value)
{
    s.first += value;
    s.second += value * value;
}

__global__ void __launch_bounds__(threads)
    collect(const float *__restrict__ x, float *__restrict__ mean, float *__restrict__ variance, int batch,
            int channels, int pixels)
{
    const int c = blockIdx.x;
    const int firstImage = blockIdx.y * imagesPerBlock;
    const float shift = x[size_t(c) * pixels];
    const int fours = pixels % 4 == 0 ? pixels / 4 : 0;
    Sums s{};
    for (int n = firstImage; n < min(firstImage + imagesPerBlock, batch); ++n) {
        const float *plane = x + (size_t(n) * channels + c) * pixels;
        for (int p = threadIdx.x; p < fours; p += threads) {
            const float4 value = reinterpret_cast<const float4 *>(plane)[p];
            add(s, value.x - shift);
            add(s, value.y - shift);
            add(s, value.z - shift);
            add(s, value.w - shift);
        }
        for (int p = 4 * fours + threadIdx.x; p < pixels; p += threads)
            add(s, plane[p] - shift);
    }
    s = blockSums(s);
    if (threadIdx.x == 0) {
        atomicAdd(mean + c, s.first);
        atomicAdd(variance + c, s.second);
    }
}

__global__ void finish(const float *x, float *mean, float *variance, int batch, int channels, int pixels)
{
    const int c = blockIdx.x * threads + threadIdx.x;
    if (c >= channels)
        return;
    const float count = float(batch) * float(pixels);
    const float sum = mean[c];
    mean[c] = x[size_t(c) * pixels] + sum / count;
    variance[c] = (variance[c] - sum * sum / count) / count;
}

extern "C" void solve(const float *x, float *mean, float *variance, int batch, int channels, int pixels,
                      cudaStream_t stream)
{
    const dim3 blocks(channels, (batch + imagesPerBlock - 1) / imagesPerBlock);
    cudaMemsetAsync(mean, 0, size_t(channels) * sizeof(float), stream);
    cudaMemsetAsync(variance, 0, size_t(channels) * sizeof(float), stream);
    collect<<<blocks, threads, 0, stream>>>(x, mean, variance, batch, channels, pixels);
    finish<<<(channels + threads - 1) / threads, threads, 0, stream>>>(x, mean, variance, batch, channels, pixels);
}
