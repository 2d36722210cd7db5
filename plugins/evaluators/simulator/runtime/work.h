// SPDX-License-Identifier: Apache-2.0
// What can be put into a stream, or into a node of a graph, as values that may be run any number of times.
#pragma once

#include "cuda_interface.h"
#include "wire.h"

#include <cstddef>
#include <variant>
#include <vector>

namespace kernelskill::simulator::runtime {

struct KernelWork
{
    const void *function = nullptr;
    dim3 grid, block;
    std::size_t sharedBytes = 0;
    std::uint32_t flags = 0; // wire::launchCooperative, wire::launchInClusters
    std::vector<std::vector<std::byte>> arguments;
    std::vector<void *> pointers; // to the arguments, for who asks for a node's parameters
};
struct CopyWork
{
    cudaMemcpy3DParms parameters; // widths in bytes unless an array takes part
};
struct FillWork
{
    cudaMemsetParams parameters;
    std::size_t depth = 1, sliceBytes = 0;
};
struct HostWork
{
    cudaHostNodeParams parameters;
};
struct CallbackWork
{
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *userData;
};
struct EventWork
{
    cudaEvent_t event;
    bool records = true; // else waits
};
struct GraphWork
{
    cudaGraph_t graph = nullptr; // owned by the node that holds it
};
// Memory that a captured stream asked for is there from the capture on.
struct MemoryWork
{
    bool allocates = true;
};
struct NoWork
{
};
using Work =
    std::variant<NoWork, KernelWork, CopyWork, FillWork, HostWork, CallbackWork, EventWork, GraphWork, MemoryWork>;

[[nodiscard]] cudaError_t run(const Work &work);
// Runs it now, or notes it when the stream is being captured. Keeps the error.
cudaError_t submit(cudaStream_t stream, Work work);

// Makes a kernel's work from pointers to its arguments. An error when the function is no kernel.
[[nodiscard]] cudaError_t kernelWork(const void *function, dim3 grid, dim3 block, void **arguments,
                                     std::size_t sharedBytes, std::uint32_t flags, KernelWork &work);
[[nodiscard]] cudaError_t launch(const KernelWork &work);
[[nodiscard]] cudaError_t copyShaped(const cudaMemcpy3DParms &parameters);
[[nodiscard]] cudaError_t fillShaped(const FillWork &work);
// `bytes` from one place to another in a row.
[[nodiscard]] CopyWork linearCopy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
[[nodiscard]] cudaError_t copyLinear(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
// Device memory; flags as wire::Kind::Allocate has them.
cudaError_t allocateDevice(void **pointer, std::size_t bytes, std::uint32_t flags);

} // namespace kernelskill::simulator::runtime
