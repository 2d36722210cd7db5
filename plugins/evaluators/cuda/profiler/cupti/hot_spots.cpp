// SPDX-License-Identifier: Apache-2.0
#include "hot_spots.h"

#include <cupti_pcsampling.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

namespace kernelskill::profiling {

namespace {

constexpr std::size_t mostPlaces = 8192; // instructions in one reading
constexpr std::size_t hardwareBuffer = std::size_t(64) << 20, scratchBuffer = std::size_t(16) << 20;
constexpr int mostCalls = 8;
constexpr double enough_ns = 1e6; // of sampled time

struct Modules
{
    std::mutex mutex;
    std::map<std::uint64_t, std::vector<char>> byCrc;
    std::size_t bytes = 0;
};

Modules &modules()
{
    static Modules all;
    return all;
}

void CUPTIAPI onResource(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
    const auto *resource = static_cast<const CUpti_ResourceData *>(data);
    const auto *module = static_cast<const CUpti_ModuleResourceData *>(resource->resourceDescriptor);
    if (!module || !module->pCubin) return;
    constexpr std::size_t most = std::size_t(512) << 20; // vendor libraries bring large modules
    CUpti_GetCubinCrcParams parameters{};
    parameters.size = CUpti_GetCubinCrcParamsSize;
    parameters.cubin = module->pCubin;
    parameters.cubinSize = module->cubinSize;
    const std::lock_guard lock(modules().mutex);
    if (modules().bytes + module->cubinSize > most || cuptiGetCubinCrc(&parameters) != CUPTI_SUCCESS) return;
    modules().bytes += module->cubinSize;
    modules().byCrc[parameters.cubinCrc].assign(module->pCubin, module->pCubin + module->cubinSize);
}

// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" → "long_scoreboard"; those "_not_issued" count a warp whose
// scheduler issued nothing and are part of the others.
std::string stallName(const std::string &full)
{
    const std::string_view marker = "issue_stalled_";
    const std::size_t at = full.find(marker);
    if (at != std::string::npos) {
        const std::string name = full.substr(at + marker.size());
        return name == "no_instructions" ? "no_instruction" : name; // as the counters call it
    }
    return full.find("samples_data_dropped") != std::string::npos ? std::string() : full;
}

bool endsWith(const std::string &text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Room for one reading, in the form CUPTI fills.
class Reading
{
public:
    explicit Reading(std::size_t stalls) : m_stalls(mostPlaces * stalls), m_places(mostPlaces)
    {
        m_data.size = sizeof(CUpti_PCSamplingData);
        m_data.collectNumPcs = mostPlaces;
        m_data.pPcData = m_places.data();
        for (std::size_t i = 0; i < mostPlaces; ++i) {
            m_places[i].size = sizeof(CUpti_PCSamplingPCData);
            m_places[i].stallReason = m_stalls.data() + i * stalls;
        }
    }
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;
    CUpti_PCSamplingData &data() { return m_data; }

private:
    std::vector<CUpti_PCSamplingStallReason> m_stalls;
    std::vector<CUpti_PCSamplingPCData> m_places;
    CUpti_PCSamplingData m_data{};
};

class HotSpotsPart : public Part
{
public:
    void start(Record &record) override
    {
        m_record = &record;
        CUpti_PCSamplingEnableParams enable{};
        enable.size = CUpti_PCSamplingEnableParamsSize;
        enable.ctx = record.context;
        check(cuptiPCSamplingEnable(&enable), "enable sampling of program counters");
        m_enabled = true;
        readStallNames();
        m_whole = std::make_unique<Reading>(m_stallNames.size());
        m_part = std::make_unique<Reading>(m_stallNames.size());
    }
    // The first call is not sampled: its length chooses the period.
    bool wantsCall() const override { return m_calls < m_wanted + 1; }
    void callBegin() override
    {
        m_since = std::chrono::steady_clock::now();
        if (m_calls == 0) return;
        CUpti_PCSamplingStartParams parameters{};
        parameters.size = CUpti_PCSamplingStartParamsSize;
        parameters.ctx = m_record->context;
        check(cuptiPCSamplingStart(&parameters), "start sampling of program counters");
    }
    void callEnd() override
    {
        if (m_calls++ == 0) {
            const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - m_since;
            m_wanted = std::clamp(int(std::ceil(enough_ns / std::max(took.count(), 1.0))), 1, mostCalls);
            configure(took.count());
            return;
        }
        CUpti_PCSamplingStopParams parameters{};
        parameters.size = CUpti_PCSamplingStopParamsSize;
        parameters.ctx = m_record->context;
        check(cuptiPCSamplingStop(&parameters), "stop sampling of program counters");
        CUpti_PCSamplingGetDataParams get{};
        get.size = CUpti_PCSamplingGetDataParamsSize;
        get.ctx = m_record->context;
        get.pcSamplingData = &m_part->data();
        do {
            m_part->data().totalNumPcs = 0;
            check(cuptiPCSamplingGetData(&get), "read the sampled program counters");
            collect(m_part->data());
        } while (m_part->data().remainingNumPcs > 0 && m_part->data().totalNumPcs > 0);
        m_record->droppedSamples += m_part->data().droppedSamples;
    }
    void finish(Record &) override
    {
        disable();
        for (char *name : m_functionNames)
            std::free(name);
        m_functionNames.clear();
    }
    ~HotSpotsPart() override { disable(); }

private:
    void readStallNames()
    {
        std::size_t count = 0;
        CUpti_PCSamplingGetNumStallReasonsParams number{};
        number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
        number.ctx = m_record->context;
        number.numStallReasons = &count;
        check(cuptiPCSamplingGetNumStallReasons(&number), "count the reasons to wait");
        std::vector<std::uint32_t> indices(count);
        std::vector<std::vector<char>> texts(count, std::vector<char>(CUPTI_STALL_REASON_STRING_SIZE));
        std::vector<char *> pointers;
        for (std::vector<char> &text : texts)
            pointers.push_back(text.data());
        CUpti_PCSamplingGetStallReasonsParams reasons{};
        reasons.size = CUpti_PCSamplingGetStallReasonsParamsSize;
        reasons.ctx = m_record->context;
        reasons.numStallReasons = count;
        reasons.stallReasonIndex = indices.data();
        reasons.stallReasons = pointers.data();
        check(cuptiPCSamplingGetStallReasons(&reasons), "name the reasons to wait");
        for (std::size_t i = 0; i < count; ++i)
            m_stallNames[indices[i]] = texts[i].data();
    }

    void configure(double call_ns)
    {
        int period = m_record->options.hotSpotsPeriod;
        // About 1.5 cycles a nanosecond. A thousand samples of each multiprocessor are plenty, and every 32 cycles the
        // hardware drops two of three.
        if (period == 0)
            period = std::clamp(int(std::ceil(std::log2(std::max(call_ns * m_wanted * 1.5 / 1000, 64.0)))), 6, 20);
        std::vector<CUpti_PCSamplingConfigurationInfo> settings(6);
        settings[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
        settings[0].attributeData.enableStartStopControlData.enableStartStopControl = 1;
        settings[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
        settings[1].attributeData.samplingDataBufferData.samplingDataBuffer = &m_whole->data();
        settings[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
        settings[2].attributeData.samplingPeriodData.samplingPeriod = std::uint32_t(period);
        settings[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
        settings[3].attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
        settings[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
        settings[4].attributeData.hardwareBufferSizeData.hardwareBufferSize = hardwareBuffer;
        settings[5].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE;
        settings[5].attributeData.scratchBufferSizeData.scratchBufferSize = scratchBuffer;
        CUpti_PCSamplingConfigurationInfoParams parameters{};
        parameters.size = CUpti_PCSamplingConfigurationInfoParamsSize;
        parameters.ctx = m_record->context;
        parameters.numAttributes = settings.size();
        parameters.pPCSamplingConfigurationInfo = settings.data();
        check(cuptiPCSamplingSetConfigurationAttribute(&parameters), "set sampling of program counters up");
    }

    void collect(const CUpti_PCSamplingData &data)
    {
        for (std::size_t i = 0; i < data.totalNumPcs; ++i) {
            const CUpti_PCSamplingPCData &place = data.pPcData[i];
            if (!place.functionName) continue;
            m_functionNames.insert(place.functionName);
            FunctionSamples &function = m_record->functions[place.functionName];
            LineSamples &line = function.lines[lineOf(place)];
            for (std::size_t j = 0; j < place.stallReasonCount; ++j) {
                const std::string name = stallName(m_stallNames[place.stallReason[j].pcSamplingStallReasonIndex]);
                const std::uint64_t samples = place.stallReason[j].samples;
                if (samples == 0 || name.empty() || endsWith(name, "_not_issued")) continue;
                function.samples += samples;
                function.stalls[name] += samples;
                line.samples += samples;
                line.stalls[name] += samples;
            }
        }
    }

    std::pair<std::string, unsigned> lineOf(const CUpti_PCSamplingPCData &place)
    {
        const auto key = std::tuple(place.cubinCrc, std::string(place.functionName), place.pcOffset);
        if (const auto found = m_lines.find(key); found != m_lines.end()) return found->second;
        std::pair<std::string, unsigned> line;
        const std::lock_guard lock(modules().mutex);
        if (const auto module = modules().byCrc.find(place.cubinCrc); module != modules().byCrc.end()) {
            CUpti_GetSassToSourceCorrelationParams parameters{};
            parameters.size = CUpti_GetSassToSourceCorrelationParamsSize;
            parameters.cubin = module->second.data();
            parameters.cubinSize = module->second.size();
            parameters.functionName = place.functionName;
            parameters.pcOffset = place.pcOffset;
            if (cuptiGetSassToSourceCorrelation(&parameters) == CUPTI_SUCCESS && parameters.lineNumber > 0) {
                const std::string folder = parameters.dirName ? parameters.dirName : "";
                const std::string file = parameters.fileName ? parameters.fileName : "";
                line = {folder.empty() || file.rfind('/', 0) == 0 ? file : folder + "/" + file, parameters.lineNumber};
                std::free(parameters.fileName);
                std::free(parameters.dirName);
            }
        }
        m_lines[key] = line;
        return line;
    }

    void disable()
    {
        if (!m_enabled) return;
        m_enabled = false;
        CUpti_PCSamplingDisableParams parameters{};
        parameters.size = CUpti_PCSamplingDisableParamsSize;
        parameters.ctx = m_record->context;
        cuptiPCSamplingDisable(&parameters);
    }

    Record *m_record = nullptr;
    bool m_enabled = false;
    int m_calls = 0, m_wanted = 1;
    std::chrono::steady_clock::time_point m_since;
    std::map<std::uint32_t, std::string> m_stallNames;
    std::unique_ptr<Reading> m_whole, m_part;
    std::set<char *> m_functionNames; // CUPTI's, ours to free when all is read
    std::map<std::tuple<std::uint64_t, std::string, std::uint64_t>, std::pair<std::string, unsigned>> m_lines;
};

} // namespace

std::unique_ptr<Part> hotSpotsPart()
{
    return std::make_unique<HotSpotsPart>();
}

void watchModules()
{
    static CUpti_SubscriberHandle subscriber = nullptr;
    if (subscriber) return;
    check(cuptiSubscribe(&subscriber, onResource, nullptr), "subscribe to loaded modules");
    check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
          "watch loaded modules");
}

} // namespace kernelskill::profiling
