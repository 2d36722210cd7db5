// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <cstdlib>

namespace kernelskill::simulator {

namespace {

using Json = nlohmann::json;

Binding binding(const Json &object)
{
    Binding result;
    result.shapes = object.at("shapes").get<std::vector<std::vector<std::int64_t>>>();
    result.scalars = object.at("scalars").get<std::vector<double>>();
    return result;
}

ParameterSpec parameter(const Json &object)
{
    ParameterSpec result;
    result.name = object.at("name");
    result.dtype = object.at("dtype");
    result.isTensor = object.at("tensor");
    result.read = object.at("read");
    result.written = object.at("written");
    result.distribution = object.value("distribution", std::string("normal"));
    result.first = object.value("first", 0.0);
    result.second = object.value("second", 1.0);
    return result;
}

std::vector<std::string> files(const Json &object, const char *name)
{
    return object.contains(name) ? object.at(name).get<std::vector<std::string>>() : std::vector<std::string>();
}

CheckCase checkCase(const Json &object)
{
    CheckCase result;
    result.name = object.at("name");
    result.binding = binding(object);
    result.inputFiles = files(object, "inputs");
    result.expectedFiles = files(object, "expected");
    result.outputFiles = files(object, "outputs");
    return result;
}

TimeCase timeCase(const Json &object)
{
    TimeCase result;
    result.name = object.at("name");
    result.weight = object.at("weight");
    result.binding = binding(object);
    for (const std::string &seed : object.at("seeds").get<std::vector<std::string>>())
        result.seeds.push_back(std::strtoull(seed.c_str(), nullptr, 10));
    result.inputFiles = files(object, "inputs");
    result.expectedFiles = files(object, "expected");
    return result;
}

} // namespace

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
        request.absoluteTolerance = object.at("absolute");
        request.relativeTolerance = object.at("relative");
        for (const Json &one : object.at("parameters"))
            request.parameters.push_back(parameter(one));
        for (const Json &one : object.at("checks"))
            request.checks.push_back(checkCase(one));
        for (const Json &one : object.at("times"))
            request.times.push_back(timeCase(one));
        request.sampleBudget = object.value("sample_budget", request.sampleBudget);
        request.hostLimit_ms = object.value("host_limit_ms", request.hostLimit_ms);
        request.stageLimit_ms = object.value("stage_limit_ms", request.stageLimit_ms);
        return request;
    } catch (const Json::exception &error) {
        return std::unexpected(std::string("the request is not understood: ") + error.what());
    }
}

} // namespace kernelskill::simulator
