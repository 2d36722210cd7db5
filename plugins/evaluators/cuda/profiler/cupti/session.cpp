// SPDX-License-Identifier: Apache-2.0
// The functions of profile_abi.h: which parts run one after another, and what becomes of their failures.
#include "counters.h"
#include "driver.h"
#include "hot_spots.h"
#include "launches.h"
#include "profile_abi.h"
#include "report.h"
#include "timeline.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <sstream>

namespace kernelskill::profiling {

double Launch::duration_ns() const
{
    if (durations_ns.empty()) return double(end_ns - start_ns);
    std::vector<double> sorted = durations_ns;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

double Record::callDuration_ns() const
{
    double sum = 0;
    for (const Launch &launch : launches)
        sum += launch.duration_ns();
    return sum;
}

void check(CUptiResult result, const char *what)
{
    if (result == CUPTI_SUCCESS) return;
    const char *name = nullptr;
    cuptiGetResultString(result, &name);
    throw Failure{name ? name : "CUPTI_ERROR_" + std::to_string(int(result)), std::string("could not ") + what};
}

void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS) return;
    const char *name = nullptr;
    if (driver().errorName) driver().errorName(result, &name);
    throw Failure{name ? name : "CUDA_ERROR_" + std::to_string(int(result)), std::string("could not ") + what};
}

const Driver &driver()
{
    static const Driver found = [] {
        Driver result;
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        if (!library) throw Failure{"no_driver", "libcuda.so.1 is not there"};
        const auto look = [&](auto &function, const char *name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (!function) throw Failure{"old_driver", std::string("the driver has no ") + name};
        };
        look(result.contextCurrent, "cuCtxGetCurrent");
        look(result.contextDevice, "cuCtxGetDevice");
        look(result.contextSynchronize, "cuCtxSynchronize");
        look(result.deviceAttribute, "cuDeviceGetAttribute");
        look(result.errorName, "cuGetErrorName");
        return result;
    }();
    return found;
}

namespace {

struct PlannedPart
{
    std::string name;
    std::unique_ptr<Part> part;
};

struct Session
{
    Record record;
    std::vector<PlannedPart> parts;
    std::size_t current = 0;
    bool started = false, broken = false;
    std::chrono::steady_clock::time_point since;
};

std::unique_ptr<Session> theSession;
std::string lastError;

std::vector<std::string> list(const std::string &text)
{
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');)
        if (!word.empty()) result.push_back(word);
    return result;
}

Options parse(const char *text)
{
    Options options;
    std::istringstream stream(text ? text : "");
    for (std::string line; std::getline(stream, line);) {
        if (line.empty()) continue;
        const std::size_t at = line.find('=');
        const std::string name = line.substr(0, at), value = at == std::string::npos ? "" : line.substr(at + 1);
        if (name == "parts")
            options.parts = list(value);
        else if (name == "counters")
            options.counters.push_back(list(value));
        else if (name == "timeline")
            options.timeline = list(value);
        else if (name == "replay")
            options.replayKernels = value == "kernel";
        else if (name == "launch_calls")
            options.launchCalls = std::stoi(value);
        else if (name == "most_launches")
            options.mostLaunches = std::max(1, std::stoi(value));
        else if (name == "timeline_least_us")
            options.timelineLeast_us = std::stod(value);
        else if (name == "timeline_interval_ns")
            options.timelineInterval_ns = std::stoull(value);
        else if (name == "hot_spots_period")
            options.hotSpotsPeriod = std::stoi(value);
        else
            throw Failure{"unknown_option", "there is no option " + name};
    }
    return options;
}

// Program counters are sampled first: after a session of the range profiler CUPTI 13 samples nothing.
void plan(Session &session)
{
    const Options &options = session.record.options;
    const std::vector<std::string> order{"hot_spots", "launches", "counters", "timeline"};
    for (const std::string &name : options.parts)
        if (std::find(order.begin(), order.end(), name) == order.end())
            throw Failure{"unknown_part", "there is no part " + name};
    for (const std::string &name : order) {
        if (std::find(options.parts.begin(), options.parts.end(), name) == options.parts.end()) continue;
        if (name == "hot_spots") session.parts.push_back({name, hotSpotsPart()});
        if (name == "launches") session.parts.push_back({name, launchesPart()});
        if (name == "timeline" && !options.timeline.empty()) session.parts.push_back({name, timelinePart()});
        if (name == "counters")
            for (const std::vector<std::string> &counters : options.counters)
                session.parts.push_back({name, countersPart(counters)});
    }
}

void readAttributes(Record &record)
{
    const std::pair<const char *, CUdevice_attribute> wanted[] = {
        {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {"clock_khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {"memory_clock_khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {"memory_bus_bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {"threads_per_sm", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {"blocks_per_sm", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
        {"registers_per_sm", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
        {"shared_per_sm", CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {"shared_reserved_per_block", CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
        {"warp_size", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
        {"compute_major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {"compute_minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    };
    for (const auto &[name, attribute] : wanted) {
        int value = 0;
        if (driver().deviceAttribute(&value, attribute, record.device) == CUDA_SUCCESS) record.attributes[name] = value;
    }
}

template <typename Function> bool attempt(Session &session, Function function)
{
    const std::string &part = session.parts[session.current].name;
    try {
        function();
        return true;
    } catch (const Failure &failure) {
        session.record.problems.push_back({part, failure.code, failure.text});
        lastError = failure.text + " (" + failure.code + ")";
    } catch (const std::exception &error) {
        session.record.problems.push_back({part, "exception", error.what()});
        lastError = error.what();
    }
    session.broken = true;
    return false;
}

void endPart(Session &session)
{
    PlannedPart &planned = session.parts[session.current];
    if (session.started && !session.broken) attempt(session, [&] { planned.part->finish(session.record); });
    planned.part.reset(); // undoes what is still set up
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - session.since;
    session.record.seconds[planned.name] += took.count();
    ++session.current;
    session.started = session.broken = false;
}

// Moves on to a part that wants a call; false when there is none left.
bool settle(Session &session)
{
    while (session.current < session.parts.size()) {
        Part &part = *session.parts[session.current].part;
        if (!session.started) {
            session.since = std::chrono::steady_clock::now();
            session.started = true;
            attempt(session, [&] { part.start(session.record); });
        }
        if (!session.broken && part.wantsCall()) return true;
        endPart(session);
    }
    return false;
}

template <typename Function> int guarded(Function function)
{
    try {
        function();
        return 0;
    } catch (const Failure &failure) {
        lastError = failure.text + " (" + failure.code + ")";
    } catch (const std::exception &error) {
        lastError = error.what();
    }
    return 1;
}

} // namespace

} // namespace kernelskill::profiling

using namespace kernelskill::profiling;

int kernelskill_profile_abi(void)
{
    return KERNELSKILL_PROFILE_ABI;
}

int kernelskill_profile_attach(void)
{
    return guarded(watchModules);
}

int kernelskill_profile_begin(const char *options)
{
    return guarded([&] {
        auto session = std::make_unique<Session>();
        session->record.options = parse(options);
        check(driver().contextCurrent(&session->record.context), "find the current context");
        if (!session->record.context) throw Failure{"no_context", "no context is current"};
        check(driver().contextDevice(&session->record.device), "find the context's device");
        readAttributes(session->record);
        plan(*session);
        theSession = std::move(session);
    });
}

int kernelskill_profile_wants_call(void)
{
    return theSession && settle(*theSession) ? 1 : 0;
}

int kernelskill_profile_call_begin(void)
{
    if (!theSession || !settle(*theSession)) return 1;
    Session &session = *theSession;
    return attempt(session, [&] { session.parts[session.current].part->callBegin(); }) ? 0 : 1;
}

int kernelskill_profile_call_end(void)
{
    if (!theSession || theSession->current >= theSession->parts.size()) return 1;
    Session &session = *theSession;
    ++session.record.calls;
    if (session.broken) return 1;
    return attempt(session,
                   [&] {
                       check(driver().contextSynchronize(), "wait for the call");
                       session.parts[session.current].part->callEnd();
                   })
               ? 0
               : 1;
}

int kernelskill_profile_end(const char *outputPath)
{
    return guarded([&] {
        if (!theSession) throw Failure{"no_session", "nothing was begun"};
        while (theSession->current < theSession->parts.size())
            endPart(*theSession);
        const std::string text = report(theSession->record);
        theSession.reset();
        std::FILE *file = std::fopen(outputPath, "w");
        if (!file) throw Failure{"no_output", std::string("cannot write ") + outputPath};
        const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        if (std::fclose(file) != 0 || !written) throw Failure{"no_output", std::string("cannot write ") + outputPath};
    });
}

const char *kernelskill_profile_error(void)
{
    return lastError.c_str();
}
