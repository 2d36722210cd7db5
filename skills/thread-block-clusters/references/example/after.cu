// SPDX-License-Identifier: Apache-2.0
// A cluster of eight blocks a row: each keeps an eighth of it in shared memory, and they read each other's partial
// results.
#include <cfloat>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;

struct Sum
{
    __device__ float operator()(float a, float b) const { return a + b; }
};
struct Maximum
{
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Of all threads of the block; every thread gets it.
template <class Operation> __device__ float blockReduce(float value, Operation operation)
{
    __shared__ float scratch[kWarps];
    for (int offset = 16; offset > 0; offset /= 2)
        value = operation(value, __shfl_xor_sync(0xffffffffu, value, offset));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    value = scratch[0];
    for (int warp = 1; warp < kWarps; ++warp)
        value = operation(value, scratch[warp]);
    __syncthreads();
    return value;
}

constexpr int kCluster = 8;      // the largest that every device with clusters allows
constexpr int kHeld = 48 * 1024; // elements a block keeps in shared memory; what is beyond is read again

// Of all threads of the cluster. Two values' worth of room, so that the next reduction need not wait for slow readers
// of this one.
template <class Operation> __device__ float clusterReduce(float value, float &part, Operation operation)
{
    const cg::cluster_group cluster = cg::this_cluster();
    value = blockReduce(value, operation);
    if (threadIdx.x == 0) part = value;
    cluster.sync(); // everyone's part is written, and visible in the whole cluster
    value = *cluster.map_shared_rank(&part, 0);
    for (int rank = 1; rank < kCluster; ++rank)
        value = operation(value, *cluster.map_shared_rank(&part, rank));
    return value;
}

__global__ void __cluster_dims__(kCluster, 1, 1) softmax(const float *x, float *y, int cols)
{
    extern __shared__ float held[];
    __shared__ float parts[2];
    const int perBlock = (cols + kCluster - 1) / kCluster;
    const int first = static_cast<int>(cg::this_cluster().block_rank()) * perBlock;
    const int count = max(0, min(perBlock, cols - first));
    const float *from = x + size_t(blockIdx.x / kCluster) * cols + first;
    float *to = y + size_t(blockIdx.x / kCluster) * cols + first;

    float largest = -FLT_MAX;
    for (int i = threadIdx.x; i < count; i += kThreads) {
        const float value = from[i];
        if (i < kHeld) held[i] = value;
        largest = fmaxf(largest, value);
    }
    largest = clusterReduce(largest, parts[0], Maximum());

    float sum = 0.0f;
    for (int i = threadIdx.x; i < count; i += kThreads) {
        const float power = __expf((i < kHeld ? held[i] : from[i]) - largest);
        if (i < kHeld) held[i] = power;
        sum += power;
    }
    const float scale = 1.0f / clusterReduce(sum, parts[1], Sum());

    for (int i = threadIdx.x; i < count; i += kThreads)
        to[i] = (i < kHeld ? held[i] : __expf(from[i] - largest)) * scale;
    cg::this_cluster().sync(); // a block must not end while others may read its shared memory
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const int perBlock = (cols + kCluster - 1) / kCluster;
    const int bytes = (perBlock < kHeld ? perBlock : kHeld) * static_cast<int>(sizeof(float));
    cudaFuncSetAttribute(softmax, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    softmax<<<rows * kCluster, kThreads, bytes, stream>>>(x, y, cols);
}
