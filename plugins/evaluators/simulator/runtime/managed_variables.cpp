// SPDX-License-Identifier: Apache-2.0
#include "managed_variables.h"

#include "state.h"
#include "work.h"

#include <set>

namespace kernelskill::simulator::runtime {

namespace {

struct Managed
{
    std::recursive_mutex mutex;
    std::vector<std::pair<const char *, const char *>> sections;
    std::vector<const void *> registered; // all device variables so far
    std::set<const void *> variables;     // the managed ones
    static Managed &instance()
    {
        static Managed &managed = *new Managed;
        return managed;
    }
    [[nodiscard]] bool isInside(const void *variable) const
    {
        for (const auto &[begin, end] : sections) {
            if (variable >= begin && variable < end) return true;
        }
        return false;
    }
    // Sections and variables become known in either order. A variable begins with the value the device code gave it.
    void note()
    {
        for (const void *variable : registered) {
            if (isInside(variable) && variables.insert(variable).second) (void)carry(variable, false);
        }
    }
    static cudaError_t carry(const void *variable, bool toDevice)
    {
        const Variable *known = State::instance().variable(variable);
        if (!known) return cudaErrorInvalidSymbol;
        auto *const host = const_cast<void *>(variable);
        auto *const device = reinterpret_cast<void *>(known->address);
        return toDevice ? copyLinear(device, host, known->bytes, cudaMemcpyHostToDevice)
                        : copyLinear(host, device, known->bytes, cudaMemcpyDeviceToHost);
    }
};

} // namespace

void noteVariable(const void *hostVariable)
{
    const std::lock_guard lock(Managed::instance().mutex);
    Managed::instance().registered.push_back(hostVariable);
    Managed::instance().note();
}

void carryManagedVariables(bool toDevice)
{
    const std::lock_guard lock(Managed::instance().mutex);
    for (const void *variable : Managed::instance().variables)
        (void)Managed::carry(variable, toDevice);
}

} // namespace kernelskill::simulator::runtime

extern "C" void __kernelskillManagedVariables(const void *begin, const void *end)
{
    using namespace kernelskill::simulator::runtime;
    const std::lock_guard lock(Managed::instance().mutex);
    for (const auto &section : Managed::instance().sections) {
        if (section.first == begin) return; // every translation unit says so
    }
    Managed::instance().sections.emplace_back(static_cast<const char *>(begin), static_cast<const char *>(end));
    Managed::instance().note();
}
