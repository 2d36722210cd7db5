// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void to_channels_last(const float *in, float *out, int n, int c, int h, int w)
{
    const int total = n * c * h * w;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        int rest = i;
        const int channel = rest % c;
        rest /= c;
        const int x = rest % w;
        rest /= w;
        const int y = rest % h;
        const int image = rest / h;
        out[i] = in[((image * c + channel) * h + y) * w + x];
    }
}

extern "C" void solve(const float *in, float *out, int n, int c, int h, int w, cudaStream_t stream)
{
    to_channels_last<<<1024, 256, 0, stream>>>(in, out, n, c, h, w);
}
