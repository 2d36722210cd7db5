// SPDX-License-Identifier: Apache-2.0
// Registration of a candidate's kernels and variables, and launches.
#include "state.h"

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

cudaError_t launch(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                   std::uint32_t flags)
{
    Kernel *kernel = State::instance().kernel(function);
    if (!kernel) return State::instance().record(cudaErrorInvalidDeviceFunction);
    wire::Writer message;
    message.text(kernel->name);
    for (const unsigned n : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
        message.value(static_cast<std::uint32_t>(n));
    message.value(static_cast<std::uint32_t>(std::min<size_t>(sharedBytes, 0xffffffffu)));
    message.value(flags);
    message.value(static_cast<std::uint32_t>(kernel->parameterBytes.size()));
    for (std::size_t i = 0; i < kernel->parameterBytes.size(); ++i)
        message.block({static_cast<const std::byte *>(arguments[i]), kernel->parameterBytes[i]});
    const Reply reply = Channel::instance().request(wire::Kind::Launch, message);
    State::instance().addPrinted(wire::Reader(reply.payload).text());
    return State::instance().record(reply.error);
}

int fatBinaryHandle = 0;

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
                               cudaStream_t)
{
    return launch(kernel, grid, block, arguments, sharedBytes, 0);
}

char __cudaInitModule(void **)
{
    return 1;
}

// --- launches and what a kernel is like
// ------------------------------------------------------------------------------------------
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                             cudaStream_t)
{
    return launch(function, grid, block, arguments, sharedBytes, 0);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t)
{
    return launch(function, grid, block, arguments, sharedBytes, wire::launchCooperative);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function, void **arguments)
{
    std::uint32_t flags = 0;
    for (unsigned i = 0; i < configuration->numAttrs; ++i) {
        if (configuration->attrs[i].id == cudaLaunchAttributeCooperative && configuration->attrs[i].val.cooperative)
            flags |= wire::launchCooperative;
    }
    return launch(function, configuration->gridDim, configuration->blockDim, arguments, configuration->dynamicSmemBytes,
                  flags);
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

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int blockSize,
                                                                   size_t dynamicSharedBytes, unsigned int)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, blockSize, dynamicSharedBytes);
}

} // extern "C"
