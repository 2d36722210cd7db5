// SPDX-License-Identifier: Apache-2.0
// Registration of a candidate's kernels and variables, and launches.
#include "managed_variables.h"
#include "state.h"
#include "stream.h"
#include "work.h"

#include <algorithm>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

struct Configuration
{
    dim3 grid, block;
    size_t sharedBytes = 0;
    void *stream = nullptr;
};
thread_local std::vector<Configuration> configurations; // pushed by <<<…>>>, popped by the kernel's stub

cudaError_t launchNow(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                      std::uint32_t flags, cudaStream_t stream)
{
    KernelWork work;
    if (const cudaError_t error = kernelWork(function, grid, block, arguments, sharedBytes, flags, work);
        error != cudaSuccess)
        return State::instance().record(error);
    return submit(stream, std::move(work));
}

int fatBinaryHandle = 0;

} // namespace

namespace kernelskill::simulator::runtime {

cudaError_t kernelWork(const void *function, dim3 grid, dim3 block, void **arguments, std::size_t sharedBytes,
                       std::uint32_t flags, KernelWork &work)
{
    const Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!arguments && !kernel->parameterBytes.empty()) return cudaErrorInvalidValue;
    work = {function, grid, block, sharedBytes, flags, {}, {}};
    for (std::size_t i = 0; i < kernel->parameterBytes.size(); ++i) {
        const auto *from = static_cast<const std::byte *>(arguments[i]);
        work.arguments.emplace_back(from, from + kernel->parameterBytes[i]);
    }
    return cudaSuccess;
}

cudaError_t launch(const KernelWork &work)
{
    const Kernel *kernel = State::instance().kernel(work.function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    wire::Writer message;
    message.text(kernel->name);
    for (const unsigned n : {work.grid.x, work.grid.y, work.grid.z, work.block.x, work.block.y, work.block.z})
        message.value(static_cast<std::uint32_t>(n));
    message.value(static_cast<std::uint32_t>(std::min<size_t>(work.sharedBytes, 0xffffffffu)));
    message.value(work.flags);
    message.value(static_cast<std::uint32_t>(work.arguments.size()));
    for (const auto &argument : work.arguments)
        message.block(argument);
    carryManagedVariables(true);
    const Reply reply = Channel::instance().request(wire::Kind::Launch, message);
    carryManagedVariables(false);
    State::instance().addPrinted(wire::Reader(reply.payload).text());
    return static_cast<cudaError_t>(reply.error);
}

} // namespace kernelskill::simulator::runtime

namespace {

constexpr unsigned mostClusterBlocks = 16; // with what is not portable

} // namespace

extern "C" {

// --- what the compiler's registration code calls
// ------------------------------------------------------------------------------
void **__cudaRegisterFatBinary(void *)
{
    // The worker has the device code from the front end; what the candidate's library carries is not read.
    static void *handle = &fatBinaryHandle;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **) {}

void __cudaRegisterFunction(void **, const char *hostFunction, char *, const char *deviceName, int, void *, void *,
                            void *, void *, int *)
{
    State::instance().addKernel(hostFunction, deviceName);
}

void __cudaRegisterVar(void **, char *hostVariable, char *, const char *deviceName, int, size_t bytes, int, int)
{
    State::instance().addVariable(hostVariable, deviceName, bytes);
    noteVariable(hostVariable);
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes, void *stream)
{
    configurations.push_back({grid, block, sharedBytes, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream)
{
    if (configurations.empty()) return cudaErrorInvalidConfiguration;
    const Configuration top = configurations.back();
    configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *sharedBytes = top.sharedBytes;
    *static_cast<void **>(stream) = top.stream;
    return cudaSuccess;
}

// nvcc's stubs. Its kernel handle is the host function itself here.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = static_cast<cudaKernel_t>(const_cast<void *>(function));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                               cudaStream_t stream)
{
    return launchNow(kernel, grid, block, arguments, sharedBytes, 0, stream);
}

char __cudaInitModule(void **)
{
    return 1;
}

// --- launches and what a kernel is like
// ------------------------------------------------------------------------------------------
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                             cudaStream_t stream)
{
    return launchNow(function, grid, block, arguments, sharedBytes, 0, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream)
{
    return launchNow(function, grid, block, arguments, sharedBytes, wire::launchCooperative, stream);
}

// Work runs in order, so that a programmatic launch starts after what it may start before, and priorities change
// nothing.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function, void **arguments)
{
    if (!configuration) return State::instance().record(cudaErrorInvalidValue);
    std::uint32_t flags = 0;
    for (unsigned i = 0; i < configuration->numAttrs; ++i) {
        const cudaLaunchAttribute &attribute = configuration->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative)
            flags |= wire::launchCooperative;
        if (attribute.id == cudaLaunchAttributeClusterDimension) {
            const auto &size = attribute.val.clusterDim;
            const dim3 &grid = configuration->gridDim;
            if (size.x == 0 || size.y == 0 || size.z == 0 || grid.x % size.x || grid.y % size.y || grid.z % size.z)
                return State::instance().record(cudaErrorInvalidClusterSize);
            if (size.x > mostClusterBlocks || size.y > mostClusterBlocks || size.z > mostClusterBlocks ||
                size.x * size.y * size.z > mostClusterBlocks)
                return State::instance().record(cudaErrorInvalidClusterSize);
            flags |= wire::launchInClusters(size.x, size.y, size.z);
        }
    }
    return launchNow(function, configuration->gridDim, configuration->blockDim, arguments,
                     configuration->dynamicSmemBytes, flags, configuration->stream);
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value)
{
    Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return State::instance().record(cudaErrorInvalidDeviceFunction);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess; // hints about the carve-out change nothing in the model
    wire::Writer message;
    message.text(kernel->name);
    message.value(static_cast<std::uint32_t>(std::max(value, 0)));
    return simpleRequest(wire::Kind::SharedLimit, message);
}

cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache)
{
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig)
{
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function)
{
    const Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return State::instance().record(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<size_t>(kernel->facts.staticShared);
    attributes->localSizeBytes = static_cast<size_t>(kernel->facts.localBytes);
    attributes->maxThreadsPerBlock = kernel->facts.maxThreadsPerBlock;
    attributes->numRegs = kernel->facts.registers;
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxDynamicSharedSizeBytes = State::instance().device().sharedPerBlock;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int blockSize,
                                                          size_t dynamicSharedBytes)
{
    const Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return State::instance().record(cudaErrorInvalidDeviceFunction);
    wire::Writer message;
    message.text(kernel->name);
    message.value(static_cast<std::uint32_t>(blockSize));
    message.value(static_cast<std::uint32_t>(dynamicSharedBytes));
    const Reply reply = Channel::instance().request(wire::Kind::Occupancy, message);
    if (reply.error == cudaSuccess) *blocks = static_cast<int>(wire::Reader(reply.payload).value<std::uint32_t>());
    return State::instance().record(reply.error);
}

// The most dynamic shared memory with which so many blocks still fit.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int blockSize)
{
    const wire::DeviceFacts &device = State::instance().device();
    const Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return State::instance().record(cudaErrorInvalidDeviceFunction);
    if (!bytes || blocks < 1) return State::instance().record(cudaErrorInvalidValue);
    const auto allocationUnit = std::int32_t(128), reserved = std::int32_t(1024);
    const std::int32_t each = device.sharedPerMultiprocessor / blocks / allocationUnit * allocationUnit - reserved;
    const std::int32_t most = std::min(each, device.sharedPerBlockOptIn) - kernel->facts.staticShared;
    int fitting = 0;
    const cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, function, blockSize, std::size_t(std::max(most, 0)));
    *bytes = error == cudaSuccess && fitting >= blocks ? std::size_t(std::max(most, 0)) : 0;
    return error;
}

// As if clusters could lie anywhere on the device: GPCs that a size does not fill are not considered.
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *configuration)
{
    if (!clusters || !configuration) return State::instance().record(cudaErrorInvalidValue);
    *clusters = 0; // where no clusters are asked for
    unsigned blocks = 0;
    for (unsigned i = 0; i < configuration->numAttrs; ++i) {
        const cudaLaunchAttribute &attribute = configuration->attrs[i];
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            blocks = attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z;
    }
    if (blocks == 0) return cudaSuccess;
    if (blocks > mostClusterBlocks) return State::instance().record(cudaErrorInvalidClusterSize);
    const dim3 &block = configuration->blockDim;
    int resident = 0, multiprocessors = 0;
    if (const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, function, static_cast<int>(block.x * block.y * block.z), configuration->dynamicSmemBytes);
        error != cudaSuccess)
        return error;
    if (const cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
        error != cudaSuccess)
        return error;
    *clusters = resident * multiprocessors / static_cast<int>(blocks);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *)
{
    constexpr int portable = 8;
    if (!size) return State::instance().record(cudaErrorInvalidValue);
    if (!State::instance().kernel(function)) return State::instance().record(cudaErrorInvalidDeviceFunction);
    *size = portable;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int blockSize,
                                                                   size_t dynamicSharedBytes, unsigned int)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, dynamicSharedBytes);
}

} // extern "C"
