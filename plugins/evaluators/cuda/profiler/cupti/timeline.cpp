// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include "counters.h"

#include <cupti_pmsampling.h>

#include <algorithm>
#include <cmath>

namespace kernelskill::profiling {

namespace {

// On an H200 intervals of 1 µs work too. A sample takes some 8 KB of the hardware's buffer there.
constexpr std::uint64_t leastInterval_ns = 2000;
constexpr std::size_t wantedSamples = 200, mostSamples = 4096;
constexpr std::size_t hardwareBuffer = std::size_t(128) << 20;
// Tells when a kernel runs; added to the counters asked for, and cut from the result.
constexpr const char *activity = "sm__cycles_active.avg";

struct Sample
{
    std::uint64_t start_ns = 0, end_ns = 0; // the device's clock, which is not that of the launches
    std::vector<double> values;
};

class TimelinePart : public Part
{
public:
    void start(Record &record) override
    {
        m_done = false;
        m_longest_ns = 0;
        for (const Launch &launch : record.launches)
            if (launch.isKernel()) m_longest_ns = std::max(m_longest_ns, launch.duration_ns());
        if (m_longest_ns < record.options.timelineLeast_us * 1000) {
            m_done = true; // nothing is long enough
            return;
        }
        m_interval_ns = record.options.timelineInterval_ns;
        if (m_interval_ns == 0)
            m_interval_ns = std::max({leastInterval_ns, std::uint64_t(m_longest_ns / wantedSamples),
                                      std::uint64_t(record.callDuration_ns() * 2 / mostSamples)});
        m_host = std::make_unique<CounterHost>(CUPTI_PROFILER_TYPE_PM_SAMPLING, record);
        std::vector<std::string> names = record.options.timeline;
        names.push_back(activity);
        m_host->schedule(names, record);
        if (m_host->passes() != 1)
            throw Failure{"too_many_counters", "the counters over time need more than one pass on this chip"};
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_Enable_Params, enable);
        enable.deviceIndex = std::size_t(record.device);
        check(cuptiPmSamplingEnable(&enable), "enable sampling of counters");
        m_sampler = enable.pPmSamplingObject;
        configure();
        makeRoom();
    }
    bool wantsCall() const override { return !m_done; }
    void callBegin() override
    {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_Start_Params, parameters);
        parameters.pPmSamplingObject = m_sampler;
        check(cuptiPmSamplingStart(&parameters), "start sampling of counters");
    }
    void callEnd() override
    {
        m_done = true;
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_Stop_Params, parameters);
        parameters.pPmSamplingObject = m_sampler;
        check(cuptiPmSamplingStop(&parameters), "stop sampling of counters");
        // NVIDIA's sample decodes in a thread that ends with the call and so loses what is still in the buffer; a call
        // fits into the buffer, so decoding afterwards sees everything.
        decode();
    }
    void finish(Record &record) override
    {
        if (m_samples.size() > 1) cut(record);
        disable();
        m_host.reset();
    }
    ~TimelinePart() override { disable(); }

private:
    void configure()
    {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_SetConfig_Params, parameters);
        parameters.pPmSamplingObject = m_sampler;
        parameters.pConfig = m_host->config().data();
        parameters.configSize = m_host->config().size();
        parameters.hardwareBufferSize = hardwareBuffer;
        parameters.samplingInterval = m_interval_ns;
        parameters.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
        parameters.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
        if (cuptiPmSamplingSetConfig(&parameters) == CUPTI_SUCCESS) return;
        // Chips before GA10x trigger by clock cycles alone; 1.5 of them a nanosecond is near enough.
        parameters.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
        parameters.samplingInterval = m_interval_ns * 3 / 2;
        check(cuptiPmSamplingSetConfig(&parameters), "set sampling of counters up");
    }

    void makeRoom()
    {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_GetCounterDataSize_Params, size);
        size.pPmSamplingObject = m_sampler;
        size.pMetricNames = m_host->names().data();
        size.numMetrics = m_host->names().size();
        size.maxSamples = mostSamples;
        check(cuptiPmSamplingGetCounterDataSize(&size), "size the samples");
        m_data.assign(size.counterDataSize, 0);
        resetData();
    }

    void resetData()
    {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_CounterDataImage_Initialize_Params, image);
        image.pPmSamplingObject = m_sampler;
        image.pCounterData = m_data.data();
        image.counterDataSize = m_data.size();
        check(cuptiPmSamplingCounterDataImageInitialize(&image), "make room for the samples");
    }

    void decode()
    {
        for (int round = 0; round < 16; ++round) {
            KERNELSKILL_PARAMETERS(CUpti_PmSampling_DecodeData_Params, decode);
            decode.pPmSamplingObject = m_sampler;
            decode.pCounterDataImage = m_data.data();
            decode.counterDataImageSize = m_data.size();
            check(cuptiPmSamplingDecodeData(&decode), "decode the samples");
            KERNELSKILL_PARAMETERS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
            info.pCounterDataImage = m_data.data();
            info.counterDataImageSize = m_data.size();
            check(cuptiPmSamplingGetCounterDataInfo(&info), "count the samples");
            for (std::size_t i = 0; i < info.numCompletedSamples; ++i)
                read(i);
            if (decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL) return;
            resetData();
        }
    }

    void read(std::size_t index)
    {
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, info);
        info.pPmSamplingObject = m_sampler;
        info.pCounterDataImage = m_data.data();
        info.counterDataImageSize = m_data.size();
        info.sampleIndex = index;
        check(cuptiPmSamplingCounterDataGetSampleInfo(&info), "read a sample");
        m_samples.push_back({info.startTimestamp, info.endTimestamp, m_host->values(m_data, index)});
    }

    // The first sample in which a multiprocessor is busy holds the start of the first kernel; from there the launches'
    // own times tell which samples are whose. Sample 0 is none: it lasts from the set-up to the first trigger.
    void cut(Record &record)
    {
        const std::size_t active = m_host->names().size() - 1;
        const auto first =
            std::find_if(m_samples.begin() + 1, m_samples.end(), [&](const Sample &s) { return s.values[active] > 0; });
        const Launch *earliest = nullptr;
        for (const Launch &launch : record.launches)
            if (launch.isKernel() && (!earliest || launch.start_ns < earliest->start_ns)) earliest = &launch;
        if (first == m_samples.end() || !earliest) return;
        // The kernel has begun where the share of busy cycles says, measured by the sample after it.
        double share = 0.5;
        if (first + 1 != m_samples.end() && (first + 1)->values[active] > 0)
            share = std::min(1.0, first->values[active] / (first + 1)->values[active]);
        const double zero = double(first->end_ns) - share * double(m_interval_ns);
        for (Launch &launch : record.launches) {
            if (!launch.isKernel() || launch.duration_ns() < record.options.timelineLeast_us * 1000) continue;
            const double begin = zero + (double(launch.start_ns) - double(earliest->start_ns));
            const double end = begin + launch.duration_ns();
            launch.timeline.interval_us = double(m_interval_ns) / 1000;
            for (const Sample &sample : m_samples) {
                const double middle = (double(sample.start_ns) + double(sample.end_ns)) / 2;
                if (middle < begin || middle > end) continue;
                for (std::size_t i = 0; i < active; ++i)
                    launch.timeline.metrics[m_host->names()[i]].push_back(sample.values[i]);
            }
        }
    }

    void disable()
    {
        if (!m_sampler) return;
        KERNELSKILL_PARAMETERS(CUpti_PmSampling_Disable_Params, parameters);
        parameters.pPmSamplingObject = m_sampler;
        cuptiPmSamplingDisable(&parameters);
        m_sampler = nullptr;
    }

    bool m_done = false;
    double m_longest_ns = 0;
    std::uint64_t m_interval_ns = 0;
    std::unique_ptr<CounterHost> m_host;
    CUpti_PmSampling_Object *m_sampler = nullptr;
    std::vector<std::uint8_t> m_data;
    std::vector<Sample> m_samples;
};

} // namespace

std::unique_ptr<Part> timelinePart()
{
    return std::make_unique<TimelinePart>();
}

} // namespace kernelskill::profiling
