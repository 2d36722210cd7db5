// SPDX-License-Identifier: Apache-2.0
// The host interface for typed pointers, symbols and functions, and in the forms other versions of CUDA have.
#pragma once

// --- memory
template <class T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), bytes, pool, stream);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, static_cast<void *>(pointer), length, flags);
}
// CUDA 13 says where with a cudaMemLocation.
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location,
                                               unsigned int, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(pointer, bytes,
                                location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id, stream);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location)
{
    return cudaMemAdvise(pointer, bytes, advice,
                         location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id);
}

// --- symbols
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol(static_cast<const void *>(&symbol), from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync(static_cast<const void *>(&symbol), from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, static_cast<const void *>(&symbol), bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, static_cast<const void *>(&symbol), bytes, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return cudaGetSymbolAddress(pointer, static_cast<const void *>(&symbol));
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, static_cast<const void *>(&symbol));
}

// --- functions
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache configuration)
{
    return cudaFuncSetCacheConfig(reinterpret_cast<const void *>(function), configuration);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig configuration)
{
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(function), configuration);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function)
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel(reinterpret_cast<const void *>(function), grid, block, arguments, sharedBytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                      size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(function), grid, block, arguments, sharedBytes,
                                       stream);
}
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *configuration, void (*kernel)(Parameters...),
                                             Arguments &&...arguments)
{
    return [&](Parameters... values) {
        void *pointers[sizeof...(Parameters) + 1] = {
            const_cast<void *>(static_cast<const volatile void *>(&values))...};
        return cudaLaunchKernelExC(configuration, reinterpret_cast<const void *>(kernel), pointers);
    }(static_cast<Arguments &&>(arguments)...);
}

// --- occupancy
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int blockSize,
                                                                        size_t dynamicSharedBytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(function), blockSize,
                                                         dynamicSharedBytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int blockSize,
                                                                                 size_t dynamicSharedBytes,
                                                                                 unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, reinterpret_cast<const void *>(function),
                                                                  blockSize, dynamicSharedBytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks,
                                                                    int blockSize)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, reinterpret_cast<const void *>(function), blocks,
                                                     blockSize);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *function,
                                                         const cudaLaunchConfig_t *configuration)
{
    return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void *>(function), configuration);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *function,
                                                               const cudaLaunchConfig_t *configuration)
{
    return cudaOccupancyMaxPotentialClusterSize(size, reinterpret_cast<const void *>(function), configuration);
}
// The block size that gives the most resident threads, and the grid that fills the device with it. `dynamicShared` says
// how much a block of a size needs.
template <class Size, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize, T function,
                                                                         Size dynamicShared, int limit = 0)
{
    int best = 0, multiprocessors = 0;
    cudaFuncAttributes attributes;
    if (const cudaError_t error = cudaFuncGetAttributes(&attributes, function); error != cudaSuccess) return error;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int most = attributes.maxThreadsPerBlock;
    for (int size = (limit > 0 && limit < most ? limit : most) / 32 * 32; size >= 32; size -= 32) {
        int blocks = 0;
        const cudaError_t error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size, dynamicShared(size));
        if (error != cudaSuccess) return error;
        if (blocks * size > best) {
            best = blocks * size;
            *blockSize = size;
            *gridSize = blocks * multiprocessors;
        }
    }
    return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T function,
                                                             size_t dynamicSharedBytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        gridSize, blockSize, function, [=](int) { return dynamicSharedBytes; }, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, T function,
                                                                      size_t dynamicSharedBytes = 0, int limit = 0,
                                                                      unsigned int = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(gridSize, blockSize, function, dynamicSharedBytes, limit);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

// --- graphs, as CUDA 11 has them
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                               cudaGraphNode_t *errorNode, char *log, size_t logBytes)
{
    if (errorNode) *errorNode = 0;
    if (log && logBytes > 0) *log = 0;
    return cudaGraphInstantiate(executable, graph, 0ull);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (errorNode) *errorNode = info.errorNode;
    if (result) *result = info.result;
    return error;
}
