// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include "graph.h"
#include "state.h"
#include "stream.h"

namespace kernelskill::simulator::runtime {

namespace {

struct Runner
{
    cudaError_t operator()(const NoWork &) const { return cudaSuccess; }
    cudaError_t operator()(const MemoryWork &) const { return cudaSuccess; }
    cudaError_t operator()(const KernelWork &work) const { return launch(work); }
    cudaError_t operator()(const CopyWork &work) const { return copyShaped(work.parameters); }
    cudaError_t operator()(const FillWork &work) const { return fillShaped(work); }
    cudaError_t operator()(const GraphWork &work) const { return runAll(*work.graph); }
    cudaError_t operator()(const HostWork &work) const
    {
        State::instance().flushPrinted();
        work.parameters.fn(work.parameters.userData);
        return cudaSuccess;
    }
    cudaError_t operator()(const CallbackWork &work) const
    {
        const cudaError_t error = synchronise();
        work.callback(work.stream, error, work.userData);
        return cudaSuccess;
    }
    cudaError_t operator()(const EventWork &work) const
    {
        if (work.records) recordNow(work.event);
        return cudaSuccess;
    }
};

} // namespace

cudaError_t run(const Work &work)
{
    return std::visit(Runner(), work);
}

cudaError_t submit(cudaStream_t stream, Work work)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    if (!own || !own->capture) return State::instance().record(run(work));
    if (own->capture->isInvalid) return State::instance().record(cudaErrorStreamCaptureInvalidated);
    cudaGraphNode_t node = nullptr;
    if (!addNode(own->capture->graph, own->tail.data(), own->tail.size(), std::move(work), node))
        return State::instance().record(cudaErrorStreamCaptureMerge);
    own->tail = {node};
    return cudaSuccess;
}

} // namespace kernelskill::simulator::runtime
