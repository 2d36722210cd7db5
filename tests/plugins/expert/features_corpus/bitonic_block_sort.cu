// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void sort_blocks(const int *in, int *out)
{
    __shared__ int keys[512];
    const int t = threadIdx.x;
    keys[t] = in[blockIdx.x * 512 + t];
    for (int size = 2; size <= 512; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            const int other = t ^ gap;
            if (other > t) {
                const int a = keys[t], b = keys[other];
                const bool rising = (t & size) == 0;
                if ((a > b) == rising) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = keys[t];
}

extern "C" void solve(const int *in, int *out, int n, cudaStream_t stream)
{
    sort_blocks<<<n / 512, 512, 0, stream>>>(in, out);
}
