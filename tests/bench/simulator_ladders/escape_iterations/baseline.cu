// SPDX-License-Identifier: Apache-2.0
// One thread a row of the image, pixel after pixel.
#include <cuda_runtime.h>

__global__ void escape(const float *corner, int *y, int height, int width, int limit, float across, float down)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= height)
        return;
    float ki = __fadd_rn(corner[1], __fmul_rn(float(r), down));
    for (int c = 0; c < width; ++c) {
        float kr = __fadd_rn(corner[0], __fmul_rn(float(c), across));
        float zr = 0.0f;
        float zi = 0.0f;
        int steps = 0;
        while (steps < limit && __fadd_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)) <= 4.0f) {
            float cross = __fmul_rn(zr, zi);
            zr = __fadd_rn(__fadd_rn(__fmul_rn(zr, zr), -__fmul_rn(zi, zi)), kr);
            zi = __fadd_rn(__fadd_rn(cross, cross), ki);
            ++steps;
        }
        y[size_t(r) * width + c] = steps;
    }
}

extern "C" void solve(const float *corner, int *y, int height, int width, int limit, cudaStream_t stream)
{
    const int threads = 64;
    escape<<<(height + threads - 1) / threads, threads, 0, stream>>>(corner, y, height, width, limit,
                                                                     3.0f / float(width), 3.0f / float(height));
}
