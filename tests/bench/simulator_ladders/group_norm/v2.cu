// SPDX-License-Identifier: Apache-2.0
// Two kernels: the first leaves what a channel is multiplied by and what is added, the second has a thread for every
// element and no barrier.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int most = 1 << 20; // channels of the images of a launch; one image may not have more

__device__ float2 affine[most]; // factor and summand of each channel of each image

__device__ float blockSum(float own)
{
    __shared__ float part[threads];
    const int t = threadIdx.x;
    part[t] = own;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    const float sum = part[0];
    __syncthreads(); // before the next sum
    return sum;
}

__global__ void statistics(const float *x, const float *gamma, const float *beta, int groups, int depth, int pixels)
{
    const int size = depth * pixels;
    const float *in = x + size_t(blockIdx.x) * size;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads)
        sum += in[i];
    const float mean = blockSum(sum) / size;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads)
        squares += (in[i] - mean) * (in[i] - mean);
    const float scale = rsqrtf(blockSum(squares) / size + 1e-5f);
    for (int i = threadIdx.x; i < depth; i += threads) {
        const int channel = blockIdx.x % groups * depth + i;
        const float factor = scale * gamma[channel];
        affine[blockIdx.x * depth + i] = make_float2(factor, beta[channel] - mean * factor);
    }
}

__global__ void apply(const float *x, float *y, int pixels, size_t elements)
{
    const size_t i = blockIdx.x * size_t(threads) + threadIdx.x;
    if (i >= elements)
        return;
    const float2 own = affine[i / pixels];
    y[i] = x[i] * own.x + own.y;
}

extern "C" void solve(const float *x, const float *gamma, const float *beta, float *y, int batch, int groups, int depth,
                      int pixels, cudaStream_t stream)
{
    const int channels = groups * depth;
    const int images = max(most / channels, 1); // at a time
    for (int image = 0; image < batch; image += images) {
        const int many = min(images, batch - image);
        const size_t elements = size_t(many) * channels * pixels;
        const size_t first = size_t(image) * channels * pixels;
        statistics<<<many * groups, threads, 0, stream>>>(x + first, gamma, beta, groups, depth, pixels);
        apply<<<int((elements + threads - 1) / threads), threads, 0, stream>>>(x + first, y + first, pixels, elements);
    }
}
