// SPDX-License-Identifier: Apache-2.0
// Linked into every candidate: counts what it asks the run time for. The linker sends its calls here first (--wrap).
// A candidate that goes around it only makes its own work look like less.
#include <cuda_runtime_api.h>

extern "C" {

struct KernelskillCounts
{
    unsigned long long launches, toHost, toDevice; // bytes
    int launchError;                               // the first that was not success
};
__attribute__((visibility("default"))) KernelskillCounts kernelskill_counts = {0, 0, 0, 0};

static cudaError_t launched(cudaError_t status)
{
    __atomic_fetch_add(&kernelskill_counts.launches, 1, __ATOMIC_RELAXED);
    if (status != cudaSuccess && kernelskill_counts.launchError == 0) kernelskill_counts.launchError = status;
    return status;
}

static void copied(size_t bytes, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDeviceToHost) __atomic_fetch_add(&kernelskill_counts.toHost, bytes, __ATOMIC_RELAXED);
    if (kind == cudaMemcpyHostToDevice) __atomic_fetch_add(&kernelskill_counts.toDevice, bytes, __ATOMIC_RELAXED);
}

cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared,
                                    cudaStream_t s)
{
    return launched(__real_cudaLaunchKernel(f, grid, block, arguments, shared, s));
}
// From CUDA 13 on.
__attribute__((weak)) cudaError_t __real___cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t __wrap___cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared,
                                      cudaStream_t s)
{
    return launched(__real___cudaLaunchKernel(f, grid, block, arguments, shared, s));
}
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *f, void **arguments)
{
    return launched(__real_cudaLaunchKernelExC(configuration, f, arguments));
}
cudaError_t __real_cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **arguments, size_t shared,
                                               cudaStream_t s)
{
    return launched(__real_cudaLaunchCooperativeKernel(f, grid, block, arguments, shared, s));
}
cudaError_t __real_cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t __wrap_cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t s)
{
    return launched(__real_cudaGraphLaunch(graph, s));
}
cudaError_t __real_cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t __wrap_cudaMemcpy(void *target, const void *source, size_t bytes, cudaMemcpyKind kind)
{
    copied(bytes, kind);
    return __real_cudaMemcpy(target, source, bytes, kind);
}
cudaError_t __real_cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __wrap_cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind, cudaStream_t s)
{
    copied(bytes, kind);
    return __real_cudaMemcpyAsync(target, source, bytes, kind, s);
}

} // extern "C"
