// SPDX-License-Identifier: Apache-2.0
// From the work issued to streams to a graph.
#include "graph.h"
#include "state.h"
#include "stream.h"

#include <set>

using namespace kernelskill::simulator::runtime;

namespace {

// Everything the nodes follow, and they themselves.
std::set<cudaGraphNode_t> reached(const std::vector<cudaGraphNode_t> &from)
{
    std::set<cudaGraphNode_t> seen;
    std::vector<cudaGraphNode_t> open = from;
    while (!open.empty()) {
        const cudaGraphNode_t node = open.back();
        open.pop_back();
        if (seen.insert(node).second) open.insert(open.end(), node->follows.begin(), node->follows.end());
    }
    return seen;
}

bool isJoined(const CUcapture_st &capture)
{
    const std::set<cudaGraphNode_t> joined = reached(capture.origin->tail);
    for (const cudaStream_t stream : capture.streams) {
        for (const cudaGraphNode_t node : stream->tail) {
            if (!joined.contains(node)) return false;
        }
    }
    return true;
}

} // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    if (!own) return State::instance().record(cudaErrorStreamCaptureUnsupported);
    if (own->capture) return State::instance().record(cudaErrorIllegalState);
    own->capture = new CUcapture_st{new CUgraph_st, own, {own}, false};
    own->tail.clear();
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    *graph = nullptr;
    if (!own || !own->capture) return State::instance().record(cudaErrorIllegalState);
    CUcapture_st *capture = own->capture;
    if (capture->origin != own) return State::instance().record(cudaErrorStreamCaptureUnmatched);
    const cudaError_t error = capture->isInvalid    ? cudaErrorStreamCaptureInvalidated
                              : !isJoined(*capture) ? cudaErrorStreamCaptureUnjoined
                                                    : cudaSuccess;
    if (error == cudaSuccess)
        *graph = capture->graph;
    else
        delete capture->graph;
    forget(capture);
    return State::instance().record(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    *status = !own || !own->capture     ? cudaStreamCaptureStatusNone
              : own->capture->isInvalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode)
{
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    std::swap(current, *mode);
    return cudaSuccess;
}

} // extern "C"
