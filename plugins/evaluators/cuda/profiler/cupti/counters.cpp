// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <cupti_range_profiler.h>

#include <algorithm>

namespace kernelskill::profiling {

namespace {

void requireSupport(CUdevice device)
{
    KERNELSKILL_PARAMETERS(CUpti_Profiler_DeviceSupported_Params, parameters);
    parameters.cuDevice = device;
    parameters.api = CUPTI_PROFILER_RANGE_PROFILING;
    check(cuptiProfilerDeviceSupported(&parameters), "ask whether the device can be profiled");
    if (parameters.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
    const auto off = [](CUpti_Profiler_Support_Level level) { return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED; };
    const char *why = off(parameters.architecture)          ? "its architecture"
                      : off(parameters.vGpu)                ? "it is a virtual GPU"
                      : off(parameters.confidentialCompute) ? "confidential computing is on"
                      : off(parameters.wsl)                 ? "WSL"
                                                            : "its configuration";
    throw Failure{"device_unsupported", std::string("the device's counters cannot be read because of ") + why};
}

class CountersPart : public Part
{
public:
    explicit CountersPart(std::vector<std::string> names) : m_names(std::move(names)) {}

    void start(Record &record) override
    {
        requireSupport(record.device);
        // CUPTI 13.0 fails at the end of such a call and has no ranges for it; ncu sees the nodes.
        if (std::any_of(record.launches.begin(), record.launches.end(), [](const Launch &l) { return l.graph; }))
            throw Failure{"graph_launch", "the range profiler has no counters for the kernels of a CUDA graph"};
        m_host = std::make_unique<CounterHost>(CUPTI_PROFILER_TYPE_RANGE_PROFILER, record);
        m_host->schedule(m_names, record);
        m_passes = m_host->passes();
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
        enable.ctx = record.context;
        check(cuptiRangeProfilerEnable(&enable), "enable the range profiler");
        m_profiler = enable.pRangeProfilerObject;
        configure(record);
    }
    bool wantsCall() const override { return !m_complete && m_calls < m_passes + 2; }
    void callBegin() override
    {
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_Start_Params, parameters);
        parameters.pRangeProfilerObject = m_profiler;
        check(cuptiRangeProfilerStart(&parameters), "start the range profiler");
    }
    void callEnd() override
    {
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_Stop_Params, parameters);
        parameters.pRangeProfilerObject = m_profiler;
        check(cuptiRangeProfilerStop(&parameters), "stop the range profiler");
        m_complete = parameters.isAllPassSubmitted != 0;
        ++m_calls;
    }
    void finish(Record &record) override
    {
        if (m_profiler && m_calls > 0) read(record);
        disable();
        m_host.reset();
    }
    ~CountersPart() override { disable(); }

private:
    void configure(Record &record)
    {
        const std::size_t kernels = std::size_t(std::count_if(record.launches.begin(), record.launches.end(),
                                                              [](const Launch &l) { return l.isKernel(); }));
        const std::size_t most = std::clamp<std::size_t>(kernels, 1, std::size_t(record.options.mostLaunches));
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
        size.pRangeProfilerObject = m_profiler;
        size.pMetricNames = m_host->names().data();
        size.numMetrics = m_host->names().size();
        size.maxNumOfRanges = most;
        size.maxNumRangeTreeNodes = std::uint32_t(most);
        check(cuptiRangeProfilerGetCounterDataSize(&size), "size the counters");
        m_data.assign(size.counterDataSize, 0);
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
        image.pRangeProfilerObject = m_profiler;
        image.pCounterData = m_data.data();
        image.counterDataSize = m_data.size();
        check(cuptiRangeProfilerCounterDataImageInitialize(&image), "make room for the counters");
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, config);
        config.pRangeProfilerObject = m_profiler;
        config.pConfig = m_host->config().data();
        config.configSize = m_host->config().size();
        config.pCounterDataImage = m_data.data();
        config.counterDataImageSize = m_data.size();
        config.range = CUPTI_AutoRange;
        config.replayMode = record.options.replayKernels ? CUPTI_KernelReplay : CUPTI_UserReplay;
        config.maxRangesPerPass = most;
        config.numNestingLevels = 1;
        config.minNestingLevel = 1;
        config.targetNestingLevel = 1;
        check(cuptiRangeProfilerSetConfig(&config), "set the range profiler up");
    }

    void read(Record &record)
    {
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
        decode.pRangeProfilerObject = m_profiler;
        check(cuptiRangeProfilerDecodeData(&decode), "decode the counters");
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
        info.pCounterDataImage = m_data.data();
        info.counterDataImageSize = m_data.size();
        check(cuptiRangeProfilerGetCounterDataInfo(&info), "count the ranges");
        record.passes += int(m_calls);

        std::vector<Launch *> kernels;
        for (Launch &launch : record.launches)
            if (launch.isKernel()) kernels.push_back(&launch);
        // Without the part "launches" the ranges still are launches in order, of unknown name.
        if (record.launches.empty()) {
            record.launches.resize(info.numTotalRanges);
            for (Launch &launch : record.launches)
                kernels.push_back(&launch);
        }
        const std::size_t most = std::min(kernels.size(), std::size_t(record.options.mostLaunches));
        const std::string counts =
            std::to_string(info.numTotalRanges) + " launches of " + std::to_string(kernels.size());
        if (info.numTotalRanges != most) {
            // Which range belongs to which kernel is not known.
            record.problems.push_back({"counters", "ranges_differ", "counters of " + counts});
            return;
        }
        if (most < kernels.size())
            record.problems.push_back({"counters", "first_launches_only", "counters of the first " + counts});
        for (std::size_t range = 0; range < std::min(info.numTotalRanges, kernels.size()); ++range) {
            const std::vector<double> values = m_host->values(m_data, range);
            for (std::size_t i = 0; i < values.size(); ++i)
                kernels[range]->counters[m_host->names()[i]] = values[i];
        }
    }

    void disable()
    {
        if (!m_profiler) return;
        KERNELSKILL_PARAMETERS(CUpti_RangeProfiler_Disable_Params, parameters);
        parameters.pRangeProfilerObject = m_profiler;
        cuptiRangeProfilerDisable(&parameters);
        m_profiler = nullptr;
    }

    std::vector<std::string> m_names;
    std::unique_ptr<CounterHost> m_host;
    CUpti_RangeProfiler_Object *m_profiler = nullptr;
    std::vector<std::uint8_t> m_data;
    std::size_t m_passes = 0, m_calls = 0;
    bool m_complete = false;
};

} // namespace

std::unique_ptr<Part> countersPart(std::vector<std::string> names)
{
    return std::make_unique<CountersPart>(std::move(names));
}

} // namespace kernelskill::profiling
