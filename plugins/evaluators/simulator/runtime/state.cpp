// SPDX-License-Identifier: Apache-2.0
#include "state.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kernelskill::simulator::runtime {

namespace {

thread_local cudaError_t lastError = cudaSuccess; // each host thread has its own

}

// Never destroyed: the program's own static objects may still call the run time when they go.
State &State::instance()
{
    static State &state = *new State;
    return state;
}

cudaError_t State::record(std::int32_t error)
{
    const auto code = static_cast<cudaError_t>(error);
    if (code != cudaSuccess && code != cudaErrorNotReady) lastError = code;
    return code;
}

cudaError_t State::peekLastError()
{
    // A kernel that failed meanwhile shows here too, as it may on a device.
    record(Channel::instance().request(wire::Kind::Synchronise, {}).error);
    return lastError;
}

cudaError_t State::takeLastError()
{
    const cudaError_t error = peekLastError();
    lastError = cudaSuccess;
    return error;
}

void State::addPrinted(std::string text)
{
    if (text.empty()) return;
    const std::lock_guard lock(m_mutex);
    static const int atEnd = std::atexit([] { instance().flushPrinted(); });
    (void)atEnd;
    m_printed += text;
}

void State::flushPrinted()
{
    const std::lock_guard lock(m_mutex);
    if (m_printed.empty()) return;
    const std::string text = std::exchange(m_printed, {});
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void State::addKernel(const void *hostFunction, const char *name)
{
    const std::lock_guard lock(m_mutex);
    m_kernels[hostFunction].name = name;
}

void State::addVariable(const void *hostVariable, const char *name, std::uint64_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_variables[hostVariable] = {name, bytes, 0};
}

Kernel *State::kernel(const void *hostFunction)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_kernels.find(hostFunction);
    if (found == m_kernels.end()) return nullptr;
    Kernel &kernel = found->second;
    if (!kernel.known) {
        wire::Writer query;
        query.text(kernel.name);
        const Reply reply = Channel::instance().request(wire::Kind::KernelQuery, query);
        if (reply.error != cudaSuccess) return nullptr;
        wire::Reader reader(reply.payload);
        kernel.facts = reader.value<wire::KernelFacts>();
        kernel.parameterBytes.resize(reader.value<std::uint32_t>());
        for (std::uint32_t &bytes : kernel.parameterBytes)
            bytes = reader.value<std::uint32_t>();
        kernel.known = reader.ok();
    }
    return kernel.known ? &kernel : nullptr;
}

Variable *State::variable(const void *hostVariable)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_variables.find(hostVariable);
    if (found == m_variables.end()) return nullptr;
    Variable &variable = found->second;
    if (variable.address == 0) {
        wire::Writer query;
        query.text(variable.name);
        const Reply reply = Channel::instance().request(wire::Kind::GlobalQuery, query);
        if (reply.error != cudaSuccess) return nullptr;
        wire::Reader reader(reply.payload);
        variable.address = reader.value<std::uint64_t>();
        variable.bytes = reader.value<std::uint64_t>();
    }
    return &variable;
}

const wire::DeviceFacts &State::device()
{
    const std::lock_guard lock(m_mutex);
    if (!m_deviceKnown) {
        wire::Writer ready;
        ready.value(wire::version);
        const Reply reply = Channel::instance().request(wire::Kind::Ready, ready);
        wire::Reader reader(reply.payload);
        m_device = reader.value<wire::DeviceFacts>();
        m_deviceKnown = true;
    }
    return m_device;
}

cudaError_t simpleRequest(wire::Kind kind, const wire::Writer &payload)
{
    return State::instance().record(Channel::instance().request(kind, payload).error);
}

cudaError_t synchronise()
{
    const cudaError_t error = simpleRequest(wire::Kind::Synchronise, {});
    State::instance().flushPrinted();
    return error;
}

} // namespace kernelskill::simulator::runtime
