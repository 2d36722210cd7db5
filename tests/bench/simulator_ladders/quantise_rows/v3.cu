// SPDX-License-Identifier: Apache-2.0
// Four elements at a time, 16 bytes in and 4 out.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;

__device__ unsigned char byteOf(float value, float from, float inverse)
{
    return (unsigned char)(int(rintf((value - from) * inverse)));
}

__global__ void quantise(const float *__restrict__ x, unsigned char *__restrict__ q, float *__restrict__ scale,
                         float *__restrict__ low, int cols)
{
    __shared__ float least[threads];
    __shared__ float greatest[threads];
    const int t = threadIdx.x;
    const float *row = x + size_t(blockIdx.x) * cols;
    unsigned char *out = q + size_t(blockIdx.x) * cols;
    const int fours = cols % 4 == 0 ? cols / 4 : 0;
    float from = INFINITY;
    float to = -INFINITY;
    for (int i = t; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4 *>(row)[i];
        from = fminf(from, fminf(fminf(v.x, v.y), fminf(v.z, v.w)));
        to = fmaxf(to, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    for (int c = 4 * fours + t; c < cols; c += threads) {
        from = fminf(from, row[c]);
        to = fmaxf(to, row[c]);
    }
    least[t] = from;
    greatest[t] = to;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half) {
            least[t] = fminf(least[t], least[t + half]);
            greatest[t] = fmaxf(greatest[t], greatest[t + half]);
        }
        __syncthreads();
    }
    from = least[0];
    const float step = (greatest[0] - from) / 255.0f;
    const float inverse = step > 0.0f ? 1.0f / step : 0.0f;
    for (int i = t; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4 *>(row)[i];
        reinterpret_cast<uchar4 *>(out)[i] = make_uchar4(byteOf(v.x, from, inverse), byteOf(v.y, from, inverse),
                                                         byteOf(v.z, from, inverse), byteOf(v.w, from, inverse));
    }
    for (int c = 4 * fours + t; c < cols; c += threads)
        out[c] = byteOf(row[c], from, inverse);
    if (t == 0) {
        scale[blockIdx.x] = step;
        low[blockIdx.x] = from;
    }
}

extern "C" void solve(const float *x, unsigned char *q, float *scale, float *low, int rows, int cols,
                      cudaStream_t stream)
{
    quantise<<<rows, threads, 0, stream>>>(x, q, scale, low, cols);
}
