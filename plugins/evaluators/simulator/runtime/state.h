// SPDX-License-Identifier: Apache-2.0
// What the run time remembers: the last error, as CUDA keeps it, and the registered kernels and variables.
#pragma once

#include "channel.h"
#include "cuda_interface.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace kernelskill::simulator::runtime {

struct Kernel
{
    std::string name; // mangled
    wire::KernelFacts facts;
    std::vector<std::uint32_t> parameterBytes;
    bool known = false; // facts and sizes were asked for
};

struct Variable
{
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t address = 0; // 0: not asked for yet
};

class State
{
public:
    static State &instance();

    // Keeps the error for cudaGetLastError and hands it on. A kernel's fault is sticky: the worker answers every later
    // request with it, so nothing here has to remember.
    cudaError_t record(std::int32_t error);
    cudaError_t takeLastError();
    [[nodiscard]] cudaError_t peekLastError();

    // What kernels printed shows on stdout where CUDA shows it: when the host waits for the device, and at the end.
    void addPrinted(std::string text);
    void flushPrinted();

    void addKernel(const void *hostFunction, const char *name);
    void addVariable(const void *hostVariable, const char *name, std::uint64_t bytes);
    // Null when the function is no registered kernel, or the worker does not know it.
    [[nodiscard]] Kernel *kernel(const void *hostFunction);
    [[nodiscard]] Variable *variable(const void *hostVariable);
    [[nodiscard]] const wire::DeviceFacts &device();

private:
    std::recursive_mutex m_mutex;
    std::string m_printed;
    std::unordered_map<const void *, Kernel> m_kernels;
    std::unordered_map<const void *, Variable> m_variables;
    wire::DeviceFacts m_device;
    bool m_deviceKnown = false;
};

inline cudaError_t record(std::int32_t error)
{
    return State::instance().record(error);
}

// One request whose reply is only an error.
cudaError_t simpleRequest(wire::Kind kind, const wire::Writer &payload);
// Waits for the device.
cudaError_t synchronise();

} // namespace kernelskill::simulator::runtime
