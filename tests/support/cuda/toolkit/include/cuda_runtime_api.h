// SPDX-License-Identifier: Apache-2.0
// What the run time's interface declares, as far as counter.cpp and the candidates of the tests use it. The functions are
// in the driver's stand-in.
#pragma once

#include <cstddef>

struct dim3
{
    unsigned x = 1, y = 1, z = 1;
};
using cudaStream_t = struct StandInStream *;
using cudaGraphExec_t = struct StandInGraph *;
enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
struct cudaLaunchConfig_t
{
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes = 0;
    cudaStream_t stream = nullptr;
};

extern "C" {
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function, void **arguments);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
// Only the stand-in has these.
void standInSetPersistingL2(size_t bytes);
void standInScaleEvents(float factor); // events tell so much of the truth
void standInFault(int status);         // what the device says from now on
void standInRunAtOnce(cudaStream_t stream); // work runs when it is handed in, as on a device with nothing else to do
}
