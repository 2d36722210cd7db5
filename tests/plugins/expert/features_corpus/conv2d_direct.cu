// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void conv2d(const float *input, const float *weight, float *output, int C, int H, int W, int OC, int R,
                       int stride, int pad, int OH, int OW)
{
    const int ox = blockIdx.x * blockDim.x + threadIdx.x;
    const int oy = blockIdx.y * blockDim.y + threadIdx.y;
    const int oc = blockIdx.z;
    if (ox >= OW || oy >= OH) return;
    float acc = 0.0f;
    for (int c = 0; c < C; ++c) {
        for (int ky = 0; ky < R; ++ky) {
            for (int kx = 0; kx < R; ++kx) {
                const int iy = oy * stride + ky - pad;
                const int ix = ox * stride + kx - pad;
                if (iy >= 0 && iy < H && ix >= 0 && ix < W)
                    acc += input[(c * H + iy) * W + ix] * weight[((oc * C + c) * R + ky) * R + kx];
            }
        }
    }
    output[(oc * OH + oy) * OW + ox] = acc;
}

extern "C" void solve(const float *input, const float *weight, float *output, int C, int H, int W, int OC, int R,
                      cudaStream_t stream)
{
    const int OH = (H - R) / 2 + 1, OW = (W - R) / 2 + 1;
    conv2d<<<dim3((OW + 15) / 16, (OH + 15) / 16, OC), dim3(16, 16), 0, stream>>>(input, weight, output, C, H, W, OC, R,
                                                                                  2, 0, OH, OW);
}
