// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void relax_edges(const int2 *edges, const int *distance, int *updated, const int *weight, int m)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
        const int2 edge = edges[e];
        const int candidate = distance[edge.x] + weight[e];
        if (candidate < distance[edge.y]) atomicMin(&updated[edge.y], candidate);
    }
}

extern "C" void solve(const int *edges, const int *distance, int *updated, const int *weight, int m, cudaStream_t stream)
{
    relax_edges<<<132, 256, 0, stream>>>((const int2 *)edges, distance, updated, weight, m);
}
