// SPDX-License-Identifier: Apache-2.0
// The driver interface as far as include/cuda.h has it. Its codes are those of the run time.
#include "../include/cuda.h"

#include <cstdio>

extern "C" {

CUresult cuInit(unsigned int flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version)
{
    return static_cast<CUresult>(cudaDriverGetVersion(version));
}

CUresult cuDeviceGetCount(int *count)
{
    return static_cast<CUresult>(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && length > 0) std::snprintf(name, static_cast<size_t>(length), "%s", properties.name);
    return static_cast<CUresult>(error);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) *bytes = properties.totalGlobalMem;
    return static_cast<CUresult>(error);
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = cudaGetErrorName(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

} // extern "C"
