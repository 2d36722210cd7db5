// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void relax(float *x, int *changed, float limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float next = 0.5f * (x[i] + 2.0f / x[i]);
    if (fabsf(next - x[i]) > limit) *changed = 1;
    x[i] = next;
}

extern "C" void solve(float *x, int *changed, float limit, int n, cudaStream_t stream)
{
    int again = 1;
    while (again) {
        cudaMemsetAsync(changed, 0, sizeof(int), stream);
        relax<<<(n + 255) / 256, 256, 0, stream>>>(x, changed, limit, n);
        cudaMemcpyAsync(&again, changed, sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
    }
}
