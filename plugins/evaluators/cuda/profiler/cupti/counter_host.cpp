// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <cupti_pmsampling.h>
#include <cupti_target.h>

#include <limits>
#include <sstream>

namespace kernelskill::profiling {

namespace {

std::vector<std::uint8_t> availability(CUpti_ProfilerType type, Record &record)
{
    if (type == CUPTI_PROFILER_TYPE_PM_SAMPLING) {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_GetCounterAvailability_Params, parameters);
        parameters.deviceIndex = std::size_t(record.device);
        check(cuptiPmSamplingGetCounterAvailability(&parameters), "ask which counters can be sampled");
        std::vector<std::uint8_t> image(parameters.counterAvailabilityImageSize);
        parameters.pCounterAvailabilityImage = image.data();
        check(cuptiPmSamplingGetCounterAvailability(&parameters), "ask which counters can be sampled");
        return image;
    }
    KERNELSKILL_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, parameters);
    parameters.ctx = record.context;
    check(cuptiProfilerGetCounterAvailability(&parameters), "ask which counters are available");
    std::vector<std::uint8_t> image(parameters.counterAvailabilityImageSize);
    parameters.pCounterAvailabilityImage = image.data();
    check(cuptiProfilerGetCounterAvailability(&parameters), "ask which counters are available");
    return image;
}

} // namespace

CounterHost::CounterHost(CUpti_ProfilerType type, Record &record) : m_type(type)
{
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Initialize_Params, initialize);
    check(cuptiProfilerInitialize(&initialize), "initialise the profiler");
    KERNELSKILL_PARAMETERS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = std::size_t(record.device);
    check(cuptiDeviceGetChipName(&chip), "ask for the chip's name");
    record.chip = chip.pChipName;
    m_availability = availability(type, record);
    m_host = make(record);
}

CounterHost::~CounterHost()
{
    destroy(m_host);
}

CUpti_Profiler_Host_Object *CounterHost::make(Record &record)
{
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, parameters);
    parameters.profilerType = m_type;
    parameters.pChipName = record.chip.c_str();
    parameters.pCounterAvailabilityImage = m_availability.data();
    check(cuptiProfilerHostInitialize(&parameters), "initialise the profiler's host side");
    return parameters.pHostObject;
}

void CounterHost::destroy(CUpti_Profiler_Host_Object *object)
{
    if (!object) return;
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, parameters);
    parameters.pHostObject = object;
    cuptiProfilerHostDeinitialize(&parameters);
}

// A name that is refused leaves the object in doubt, so each is tried on one of its own.
bool CounterHost::isKnown(const std::string &name, Record &record)
{
    const char *pointer = name.c_str();
    CUpti_Profiler_Host_Object *trial = make(record);
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = trial;
    add.ppMetricNames = &pointer;
    add.numMetrics = 1;
    const bool known = cuptiProfilerHostConfigAddMetrics(&add) == CUPTI_SUCCESS;
    destroy(trial);
    return known;
}

void CounterHost::schedule(const std::vector<std::string> &wishes, Record &record)
{
    for (std::string wish : wishes) {
        const bool optional = !wish.empty() && wish.back() == '?';
        if (optional) wish.pop_back();
        std::istringstream alternatives(wish);
        bool known = false;
        for (std::string name; !known && std::getline(alternatives, name, '|');) {
            known = isKnown(name, record);
            if (known) m_names.push_back(name);
        }
        if (!known && !optional) record.unknownCounters.push_back(wish);
    }
    for (const std::string &name : m_names)
        m_pointers.push_back(name.c_str());
    if (m_names.empty()) throw Failure{"no_counters", "this chip has none of the counters asked for"};

    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = m_host;
    add.ppMetricNames = m_pointers.data();
    add.numMetrics = m_pointers.size();
    check(cuptiProfilerHostConfigAddMetrics(&add), "schedule the counters");
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = m_host;
    check(cuptiProfilerHostGetConfigImageSize(&size), "size the schedule of counters");
    m_config.resize(size.configImageSize);
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = m_host;
    image.pConfigImage = m_config.data();
    image.configImageSize = m_config.size();
    check(cuptiProfilerHostGetConfigImage(&image), "make the schedule of counters");
}

std::size_t CounterHost::passes()
{
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, parameters);
    parameters.pConfigImage = m_config.data();
    parameters.configImageSize = m_config.size();
    check(cuptiProfilerHostGetNumOfPasses(&parameters), "count the passes");
    return parameters.numOfPasses;
}

std::vector<double> CounterHost::values(const std::vector<std::uint8_t> &data, std::size_t range)
{
    std::vector<double> found(m_pointers.size(), std::numeric_limits<double>::quiet_NaN());
    KERNELSKILL_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, parameters);
    parameters.pHostObject = m_host;
    parameters.pCounterDataImage = data.data();
    parameters.counterDataImageSize = data.size();
    parameters.ppMetricNames = m_pointers.data();
    parameters.numMetrics = m_pointers.size();
    parameters.rangeIndex = range;
    parameters.pMetricValues = found.data();
    check(cuptiProfilerHostEvaluateToGpuValues(&parameters), "evaluate the counters");
    return found;
}

} // namespace kernelskill::profiling
