// SPDX-License-Identifier: Apache-2.0
// One kernel a function of the device's maths library: what does a call cost? 64 blocks of 256 threads, one call a thread,
// arguments from where candidates have them. `none` loads and stores alone.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

constexpr int threads = 256, blocks = 64, count = threads * blocks;

#define ONE(name, T, expression)                                                                                       \
    __global__ void name(const T *x, T *y)                                                                             \
    {                                                                                                                  \
        const int i = blockIdx.x * threads + threadIdx.x;                                                              \
        const T a = x[i];                                                                                              \
        y[i] = expression;                                                                                             \
    }
#define TWO(name, T, expression)                                                                                       \
    __global__ void name(const T *x, T *y)                                                                             \
    {                                                                                                                  \
        const int i = blockIdx.x * threads + threadIdx.x;                                                              \
        const T a = x[i], b = x[i + count];                                                                            \
        y[i] = expression;                                                                                             \
    }
#include "functions.inc"
#undef ONE
#undef TWO

template <class T> T *filled(int values)
{
    T *host = new T[values], *device = nullptr;
    for (int i = 0; i < values; ++i)
        host[i] = T(0.05) + T(0.9) * T((i * 2654435761u) >> 8) / T(1 << 24);
    cudaMalloc(&device, values * sizeof(T));
    cudaMemcpy(device, host, values * sizeof(T), cudaMemcpyHostToDevice);
    delete[] host;
    return device;
}

int main()
{
    float *x32 = filled<float>(2 * count), *y32 = filled<float>(count);
    double *x64 = filled<double>(2 * count), *y64 = filled<double>(count);
    struct {
        float *operator()(float *) { return a; }
        double *operator()(double *) { return b; }
        float *a;
        double *b;
    } from{x32, x64}, to{y32, y64};
#define ONE(name, T, expression) name<<<blocks, threads>>>(from((T *)nullptr), to((T *)nullptr));
#define TWO ONE
#include "functions.inc"
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(x32), cudaFree(y32), cudaFree(x64), cudaFree(y64);
    return error != cudaSuccess;
}
