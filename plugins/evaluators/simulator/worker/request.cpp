// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <algorithm>

namespace kernelskill::simulator {

using Json = nlohmann::json;

std::expected<WorkRequest, std::string> WorkRequest::parse(const Json &object)
{
    // The library's exceptions stop here.
    try {
        WorkRequest request;
        request.gpuFile = object.at("gpu");
        request.ptx = object.at("ptx").get<std::vector<std::string>>();
        request.host = object.at("host");
        request.library = object.at("library");
        request.readable = object.at("readable").get<std::vector<std::string>>();
        request.unconfined = object.at("unconfined");
        request.mode = object.value("mode", request.mode);
        kit::readWorkOrder(object, request);
        request.sessionWork = std::max(1.0, object.value("session_work", request.sessionWork));
        request.sampleBudget = object.value("sample_budget", request.sampleBudget);
        request.hostLimit_ms = object.value("host_limit_ms", request.hostLimit_ms);
        request.stageLimit_ms = object.value("stage_limit_ms", request.stageLimit_ms);
        request.cores = object.value("cores", request.cores);
        return request;
    } catch (const Json::exception &error) {
        return std::unexpected(std::string("the request is not understood: ") + error.what());
    }
}

} // namespace kernelskill::simulator
