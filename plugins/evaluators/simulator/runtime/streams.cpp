// SPDX-License-Identifier: Apache-2.0
#include "graph.h"
#include "state.h"
#include "stream.h"

#include <algorithm>
#include <set>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

// Handles in use, so that a wrong one is an error and not a crash.
struct Handles
{
    std::recursive_mutex mutex;
    std::set<cudaStream_t> streams;
    std::set<cudaEvent_t> events;
    CUstream_st perThread{cudaStreamNonBlocking, 0, nullptr, {}};
    static Handles &instance()
    {
        static Handles &handles = *new Handles;
        return handles;
    }
};

double clock_us()
{
    return wire::Reader(Channel::instance().request(wire::Kind::Clock, {}).payload).value<double>();
}

// A modelled clock may stand still between two events; a real one ticks about this often.
constexpr double eventResolution_us = 0.5;
constexpr int leastPriority = 0, greatestPriority = -5;

} // namespace

namespace kernelskill::simulator::runtime {

bool isStream(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return true;
    const std::lock_guard lock(Handles::instance().mutex);
    return Handles::instance().streams.contains(stream);
}

bool isEvent(cudaEvent_t event)
{
    const std::lock_guard lock(Handles::instance().mutex);
    return Handles::instance().events.contains(event);
}

cudaStream_t ownStream(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread) return &Handles::instance().perThread;
    return stream == cudaStreamLegacy ? nullptr : stream;
}

void recordNow(cudaEvent_t event)
{
    event->time_us = clock_us();
    event->recorded = true;
    event->capture = nullptr;
    event->tail.clear();
}

cudaError_t refuseInCapture(cudaStream_t stream)
{
    const cudaStream_t own = ownStream(stream);
    if (!own || !own->capture) return cudaSuccess;
    own->capture->isInvalid = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuseInAnyCapture()
{
    const std::lock_guard lock(Handles::instance().mutex);
    for (const cudaStream_t stream : Handles::instance().streams) {
        if (const cudaError_t error = refuseInCapture(stream); error != cudaSuccess) return error;
    }
    return refuseInCapture(cudaStreamPerThread);
}

void forget(CUcapture_st *capture)
{
    const std::lock_guard lock(Handles::instance().mutex);
    for (const cudaStream_t stream : capture->streams) {
        stream->capture = nullptr;
        stream->tail.clear();
    }
    for (const cudaEvent_t event : Handles::instance().events) {
        if (event->capture != capture) continue;
        event->capture = nullptr;
        event->tail.clear();
    }
    delete capture;
}

} // namespace kernelskill::simulator::runtime

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    if (!stream || (flags & ~unsigned(cudaStreamNonBlocking)) != 0)
        return State::instance().record(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, std::clamp(priority, greatestPriority, leastPriority), nullptr, {}};
    const std::lock_guard lock(Handles::instance().mutex);
    Handles::instance().streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const std::lock_guard lock(Handles::instance().mutex);
    if (Handles::instance().streams.erase(stream) == 0) return State::instance().record(cudaErrorInvalidResourceHandle);
    if (stream->capture) std::erase(stream->capture->streams, stream);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = refuseInCapture(stream); error != cudaSuccess) return State::instance().record(error);
    return synchronise();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    *flags = own ? own->flags : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    if (!isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    *priority = own ? own->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = leastPriority;
    if (greatest) *greatest = greatestPriority;
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags)
{
    if (!callback || flags != 0) return State::instance().record(cudaErrorInvalidValue);
    return submit(stream, CallbackWork{callback, stream, userData});
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData)
{
    if (!function) return State::instance().record(cudaErrorInvalidValue);
    return submit(stream, HostWork{{function, userData}});
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *, size_t, unsigned int)
{
    return State::instance().record(isStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// Hints to caches and schedulers: nothing in the model depends on them.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue *)
{
    return State::instance().record(isStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID, cudaStreamAttrValue *value)
{
    *value = {};
    return State::instance().record(isStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// A stream that waits for an event of a capture joins the capture.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int)
{
    if (!isStream(stream) || !isEvent(event)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    if (!event->capture) {
        if (own && own->capture) return submit(stream, EventWork{event, false});
        return cudaSuccess;
    }
    if (!own) return State::instance().record(cudaErrorStreamCaptureImplicit);
    if (!own->capture) {
        own->capture = event->capture;
        own->capture->streams.push_back(own);
    }
    if (own->capture != event->capture) return State::instance().record(cudaErrorStreamCaptureMerge);
    for (const cudaGraphNode_t node : event->tail) {
        if (std::ranges::find(own->tail, node) == own->tail.end()) own->tail.push_back(node);
    }
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (!event || (flags & ~7u) != 0) return State::instance().record(cudaErrorInvalidValue);
    *event = new CUevent_st{flags, 0, false, nullptr, {}};
    const std::lock_guard lock(Handles::instance().mutex);
    Handles::instance().events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const std::lock_guard lock(Handles::instance().mutex);
    if (Handles::instance().events.erase(event) == 0) return State::instance().record(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    if (!isEvent(event) || !isStream(stream)) return State::instance().record(cudaErrorInvalidResourceHandle);
    const cudaStream_t own = ownStream(stream);
    if (own && own->capture) {
        if (flags & cudaEventRecordExternal) return submit(stream, EventWork{event, true});
        event->capture = own->capture;
        event->tail = own->tail;
        return cudaSuccess;
    }
    recordNow(event);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (!isEvent(event)) return State::instance().record(cudaErrorInvalidResourceHandle);
    if (event->capture) {
        event->capture->isInvalid = true;
        return State::instance().record(cudaErrorCapturedEvent);
    }
    return synchronise();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!isEvent(start) || !isEvent(end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return State::instance().record(cudaErrorInvalidResourceHandle);
    const double between_us = end->time_us - start->time_us;
    *milliseconds = static_cast<float>(
        (start != end && between_us >= 0 ? std::max(between_us, eventResolution_us) : between_us) / 1000);
    return synchronise();
}

} // extern "C"
