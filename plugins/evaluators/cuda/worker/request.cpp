// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <nlohmann/json.hpp>

namespace kernelskill::cuda {

namespace {

using Json = nlohmann::json;

Program program(const Json &object)
{
    Program result;
    result.unit = object.at("unit");
    if (object.contains("libraries")) result.libraries = object.at("libraries").get<std::vector<std::string>>();
    for (const Json &file : object.at("files"))
        result.files.push_back({file.at("path"), file.at("text")});
    return result;
}

Limits limitsOf(const Json &object)
{
    Limits result;
    result.call_ms = object.value("call_ms", result.call_ms);
    result.build_ms = object.value("build_ms", result.build_ms);
    result.stage_ms = object.value("stage_ms", result.stage_ms);
    result.lease_ms = object.value("lease_ms", result.lease_ms);
    result.sampling_s = object.value("sampling_s", result.sampling_s);
    result.hostMemoryBytes = object.value("host_memory_bytes", result.hostMemoryBytes);
    return result;
}

} // namespace

bool Request::parse(const Json &object, Request &request, std::string &error)
{
    // The library's exceptions stop here.
    try {
        request.buildOnly = object.value("build_only", request.buildOnly);
        if (!request.buildOnly) kit::readWorkOrder(object, request);
        if (!request.buildOnly && object.contains("after")) {
            Json later = object;
            later["checks"] = object.at("after");
            later["times"] = Json::array();
            kit::WorkOrder order;
            kit::readWorkOrder(later, order);
            request.after = std::move(order.checks);
        }
        request.device = object.value("device", request.device);
        request.mode = object.value("mode", request.mode);
        request.profiler = object.value("profiler", request.profiler);
        request.compiler = object.value("compiler", request.compiler);
        request.ceilings = object.value("ceilings", Json());
        request.unconfined = object.value("unconfined", request.unconfined);
        request.profile = object.value("profile", request.profile);
        request.generated = object.value("generated", request.generated);
        request.candidate = program(object.at("candidate"));
        request.baseline = program(object.at("baseline"));
        request.samples = object.value("samples", request.samples);
        if (object.contains("limits")) request.limits = limitsOf(object.at("limits"));
        return true;
    } catch (const Json::exception &problem) {
        error = std::string("The request is not understood: ") + problem.what();
        return false;
    }
}

} // namespace kernelskill::cuda
