// SPDX-License-Identifier: Apache-2.0
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct RowOf
{
    int cols;
    __host__ __device__ int operator()(int i) const { return i / cols; }
};

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowOf{cols});
    const int count = rows * cols;
    // Scratch memory of the library's own, kept from call to call.
    static void *storage = nullptr;
    static size_t kept = 0;
    size_t needed = 0;
    cub::DeviceScan::InclusiveSumByKey(nullptr, needed, keys, x, y, count, ::cuda::std::equal_to<>{}, stream);
    if (needed > kept) {
        cudaFree(storage);
        cudaMalloc(&storage, kept = needed);
    }
    cub::DeviceScan::InclusiveSumByKey(storage, needed, keys, x, y, count, ::cuda::std::equal_to<>{}, stream);
}
