// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <cudnn.h>

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    static cudnnHandle_t library = [] {
        cudnnHandle_t made;
        cudnnCreate(&made);
        return made;
    }();
    static cudnnTensorDescriptor_t shape = [] {
        cudnnTensorDescriptor_t made;
        cudnnCreateTensorDescriptor(&made);
        return made;
    }();
    cudnnSetStream(library, stream);
    cudnnSetTensor4dDescriptor(shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, rows, cols, 1, 1);
    const float one = 1.0f, zero = 0.0f;
    cudnnSoftmaxForward(library, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, shape, x, &zero, shape, y);
}
