// SPDX-License-Identifier: Apache-2.0
#include "host_session.h"

#include "refused_calls.h"

#include "kit/refusal_reporter.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace kernelskill::cuda {

namespace {

constexpr unsigned readThreads = 256;
// The legacy default stream waits for this one and is waited for: a candidate that launches without its stream is still
// measured whole.
constexpr unsigned blockingStream = 0;

double microseconds(std::chrono::steady_clock::duration time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

} // namespace

int HostSession::run()
{
    while (const auto request = m_link.receive()) {
        m_number = request->value("n", 0);
        // The library's exceptions stop here.
        try {
            handle(*request);
        } catch (const Json::exception &error) {
            fail(-1, error.what());
        }
    }
    // The driver is left to the end of the process: a candidate may have left its context in any state.
    return 0;
}

void HostSession::handle(const Json &request)
{
    const std::string what = request.at("do");
    if (what == "load")
        load(request);
    else if (what == "map")
        map(request);
    else if (what == "unmap") {
        m_slabs.erase(request.at("slab").get<int>());
        reply(Json::object());
    } else if (what == "call")
        call(request);
    else if (what == "row")
        row(request);
    else if (what == "mark")
        mark(request);
    else if (what == "profile")
        profile(request);
    else if (what == "state")
        state();
    else
        fail(-1, "unknown request " + what);
}

void HostSession::reply(Json object)
{
    object["n"] = m_number;
    m_link.send(object);
}

void HostSession::fail(Status status, const std::string &text, bool blamesMachine)
{
    reply({{"error", status}, {"text", text}, {"machine", int(blamesMachine)}});
}

bool HostSession::check(Status status, const char *what)
{
    std::string error;
    if (m_driver->succeeded(status, what, error)) return true;
    std::fflush(nullptr);          // what an assertion in a kernel printed
    fail(status, error, !m_entry); // before there is a candidate it is not to blame
    return false;
}

void HostSession::load(const Json &request)
{
    std::string error;
    answerRefusedCalls();
    m_driver = Driver::load(error);
    if (!m_driver || !findDevice(*m_driver, "0", m_device, error) || !enterContext(*m_driver, m_device, error))
        return fail(-1, error, true);
    if (!prepareDevice(request.at("tools"))) return;
    if (const char *library = std::getenv(profileVariable))
        m_profiler = ProfilingCalls::load(library, m_profilerProblem);
    // A profiler may ask for what the filter refuses at any time and does without; what it sees decides nothing.
    if (!m_profiler) kit::installRefusalReporter();
    void *library = dlopen(request.at("library").get<std::string>().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return fail(-1, std::string("the candidate cannot be loaded: ") + dlerror());
    m_entry = reinterpret_cast<void (*)(void **, void *)>(dlsym(library, "kernelskill_call"));
    m_counts = static_cast<const Counts *>(dlsym(library, "kernelskill_counts"));
    if (!m_entry) return fail(-1, "the candidate's library has no entry point");
    state();
}

bool HostSession::prepareDevice(const std::string &tools)
{
    std::ifstream file(tools, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    void *module = nullptr;
    m_flushedBytes = 2 * std::max<std::uint64_t>(m_device.l2Bytes, std::uint64_t(1) << 20);
    return check(m_driver->moduleLoadData(&module, image.c_str()), "the supervisor's kernels") &&
           check(m_driver->moduleGetFunction(&m_read, module, "kernelskill_read"), "the supervisor's kernels") &&
           check(m_driver->streamCreate(&m_stream, blockingStream), "no stream") &&
           check(m_driver->eventCreate(&m_begin, 0), "no event") &&
           check(m_driver->eventCreate(&m_end, 0), "no event") &&
           check(m_driver->memAlloc(&m_flushed, m_flushedBytes), "no memory to flush the L2 with") &&
           check(m_driver->setBytes(m_flushed, 0, m_flushedBytes), "the L2 cannot be flushed");
}

void HostSession::map(const Json &request)
{
    const int descriptor = m_link.takeDescriptor();
    if (descriptor < 0) return fail(-1, "no descriptor came with the memory");
    Slab slab;
    std::string error;
    const bool mapped = slab.map(*m_driver, m_device.ordinal, descriptor, request.at("bytes").get<std::uint64_t>(),
                                 request.at("writable").get<bool>(), error);
    close(descriptor);
    if (!mapped) return fail(-1, error);
    m_slabs[request.at("slab").get<int>()] = std::move(slab);
    reply(Json::object());
}

DevicePointer HostSession::addressOf(const Json &slot) const
{
    const auto slab = m_slabs.find(slot.at(0).get<int>());
    return slab == m_slabs.end() ? 0 : slab->second.address() + slot.at(1).get<std::uint64_t>();
}

bool HostSession::readCall(const Json &slots, Call &call)
{
    for (const Json &slot : slots) {
        std::vector<std::byte> value(8);
        if (slot.is_array()) {
            const DevicePointer address = addressOf(slot);
            std::memcpy(value.data(), &address, sizeof address);
        } else {
            const std::string digits = slot.get<std::string>();
            value.resize(std::max<std::size_t>(8, digits.size() / 2));
            for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
                value[i / 2] = std::byte(digit(digits[i]) * 16 + digit(digits[i + 1]));
        }
        call.values.push_back(std::move(value));
    }
    for (auto &value : call.values)
        call.slots.push_back(value.data());
    return m_entry != nullptr;
}

// Reads only: lines that were read are clean, and what displaces them pays nothing for writing them back.
void HostSession::flush()
{
    std::uint64_t words = m_flushedBytes / 16;
    DevicePointer bytes = m_flushed;
    void *arguments[] = {&bytes, &words};
    const auto blocks = unsigned(std::max(1, m_device.multiprocessors) * 8);
    m_driver->launchKernel(m_read, blocks, 1, 1, readThreads, 1, 1, 0, m_stream, arguments, nullptr);
}

void HostSession::call(const Json &request)
{
    Call one;
    if (!readCall(request.at("slots"), one)) return fail(-1, "nothing is loaded");
    if (request.value("flush", false)) flush();
    if (!check(m_driver->eventRecord(m_begin, m_stream), "no event")) return;
    m_entry(one.slots.data(), m_stream);
    if (!check(m_driver->eventRecord(m_end, m_stream), "the call")) return;
    if (!check(m_driver->eventSynchronize(m_end), "the call")) return;
    const auto ended = std::chrono::steady_clock::now();
    if (!check(m_driver->contextSynchronize(), "the call")) return;
    const double tail_us = microseconds(std::chrono::steady_clock::now() - ended);
    float time_ms = 0;
    if (!check(m_driver->eventElapsed(&time_ms, m_begin, m_end), "no time")) return;
    std::fflush(nullptr);
    reply({{"event_us", double(time_ms) * 1000}, {"tail_us", tail_us}});
}

// Many calls at once, for the supervisor's own clock. With a gate they wait on the device until the supervisor opens
// it, so that its clock sees the device's work alone; without, they start at its word, and launches count.
void HostSession::row(const Json &request)
{
    std::vector<Call> calls;
    for (const Json &slots : request.at("calls"))
        if (!readCall(slots, calls.emplace_back())) return fail(-1, "nothing is loaded");
    const Json &gate = request.at("gate");
    if (gate.is_null()) {
        reply({{"armed", true}});
        if (!m_link.receive()) return;
    } else if (!check(m_driver->streamWaitValue(m_stream, addressOf(gate), 1, waitGreaterOrEqual), "no gate")) {
        return;
    }
    for (Call &one : calls)
        m_entry(one.slots.data(), m_stream);
    if (!gate.is_null()) reply({{"armed", true}});
    if (!check(m_driver->streamSynchronize(m_stream), "the calls")) return;
    if (!check(m_driver->contextSynchronize(), "the calls")) return;
    reply(Json::object());
}

// For a profiler that watches this process from outside and is told by the driver what to look at.
void HostSession::mark(const Json &request)
{
    Call one;
    if (!readCall(request.at("slots"), one)) return fail(-1, "nothing is loaded");
    flush();
    if (!check(m_driver->contextSynchronize(), "the call")) return;
    if (!check(m_driver->profilerStart(), "the profiler")) return;
    m_entry(one.slots.data(), m_stream);
    const Status status = m_driver->contextSynchronize();
    if (check(m_driver->profilerStop(), "the profiler") && check(status, "the call")) reply(Json::object());
}

// Every call the profiler wants finds the same inputs and a cold L2; outputs that are read as well go on from what the
// call before left.
void HostSession::profile(const Json &request)
{
    Call one;
    if (!readCall(request.at("slots"), one)) return fail(-1, "nothing is loaded");
    if (!m_profiler) return reply({{"profile", ""}, {"problem", m_profilerProblem}});
    const std::string output = "/tmp/kernelskill-profile-" + std::to_string(getpid()) + ".json";
    Status status = 0;
    const auto settle = [&] { return (status = m_driver->contextSynchronize()) == 0; };
    const auto prepare = [&] {
        flush();
        return settle();
    };
    const auto call = [&] {
        m_entry(one.slots.data(), m_stream);
        return settle();
    };
    std::string problem, text;
    const bool seen = m_profiler->profile(request.at("options"), prepare, call, output, problem);
    if (std::ifstream file(output, std::ios::binary); seen) text.assign(std::istreambuf_iterator<char>(file), {});
    std::remove(output.c_str());
    if (check(status, "the call")) reply({{"profile", text}, {"problem", problem}});
}

void HostSession::state()
{
    std::size_t persisting = 0;
    m_driver->contextGetLimit(&persisting, limitPersistingL2);
    Json object{{"persisting_l2", persisting}};
    if (m_counts) {
        object["launches"] = m_counts->launches;
        object["to_host"] = m_counts->toHost;
        object["to_device"] = m_counts->toDevice;
        object["launch_error"] = m_counts->launchError;
    }
    reply(std::move(object));
}

} // namespace kernelskill::cuda
