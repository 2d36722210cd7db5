// SPDX-License-Identifier: Apache-2.0
// Streams and events. Work runs in the order it is issued, so they only keep order, the modelled clock, and captures.
#pragma once

#include "cuda_interface.h"

#include <vector>

// A capture in progress: several streams may take part in it.
struct CUcapture_st
{
    cudaGraph_t graph = nullptr;
    cudaStream_t origin = nullptr;
    std::vector<cudaStream_t> streams;
    bool isInvalid = false;
};

struct CUstream_st
{
    unsigned flags = 0;
    int priority = 0;
    CUcapture_st *capture = nullptr;
    std::vector<cudaGraphNode_t> tail; // of the capture: what the next work of this stream follows
};

struct CUevent_st
{
    unsigned flags = 0;
    double time_us = 0;
    bool recorded = false;
    CUcapture_st *capture = nullptr;
    std::vector<cudaGraphNode_t> tail; // recorded in a capture: what it stands for
};

namespace kernelskill::simulator::runtime {

// Null for the default streams. An unknown handle is told apart by isStream.
[[nodiscard]] cudaStream_t ownStream(cudaStream_t stream);
[[nodiscard]] bool isStream(cudaStream_t stream);
[[nodiscard]] bool isEvent(cudaEvent_t event);
// Sets the event to the modelled clock.
void recordNow(cudaEvent_t event);
// An error when the device may not be waited for now, because a stream is being captured; the capture is spoilt then.
[[nodiscard]] cudaError_t refuseInCapture(cudaStream_t stream);
[[nodiscard]] cudaError_t refuseInAnyCapture();
void forget(CUcapture_st *capture); // it ended

} // namespace kernelskill::simulator::runtime
