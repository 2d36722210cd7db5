// SPDX-License-Identifier: Apache-2.0
// Device variables by their host-side names.
#include "state.h"
#include "work.h"

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

// Where `bytes` at `offset` of a variable lie; null with the error kept when there is no such place.
void *placeIn(const void *symbol, size_t bytes, size_t offset)
{
    const Variable *variable = State::instance().variable(symbol);
    if (variable && offset <= variable->bytes && bytes <= variable->bytes - offset)
        return reinterpret_cast<void *>(variable->address + offset);
    State::instance().record(variable ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
    return nullptr;
}

} // namespace

extern "C" {

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable) return State::instance().record(cudaErrorInvalidSymbol);
    *pointer = reinterpret_cast<void *>(variable->address);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable) return State::instance().record(cudaErrorInvalidSymbol);
    *bytes = variable->bytes;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream)
{
    void *const to = placeIn(symbol, bytes, offset);
    if (!to) return State::instance().variable(symbol) ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
    return submit(stream, linearCopy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    State::instance().flushPrinted();
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    const void *const from = placeIn(symbol, bytes, offset);
    if (!from) return State::instance().variable(symbol) ? cudaErrorInvalidValue : cudaErrorInvalidSymbol;
    return submit(stream, linearCopy(to, from, bytes, kind));
}

} // extern "C"
