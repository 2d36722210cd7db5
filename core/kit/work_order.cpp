// SPDX-License-Identifier: Apache-2.0
#include "work_order.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace kernelskill::kit {

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

// As text: JSON numbers end at 53 bits.
std::vector<std::uint64_t> seeds(const Json &texts)
{
    std::vector<std::uint64_t> result;
    for (const std::string &seed : texts.get<std::vector<std::string>>())
        result.push_back(std::strtoull(seed.c_str(), nullptr, 10));
    return result;
}

CheckCase checkCase(const Json &object)
{
    CheckCase result;
    result.name = object.at("name");
    result.variant = object.value("variant", result.variant);
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
    result.seeds = seeds(object.at("seeds"));
    if (object.contains("fresh_seeds")) result.freshSeeds = seeds(object.at("fresh_seeds"));
    result.inputFiles = files(object, "inputs");
    result.expectedFiles = files(object, "expected");
    if (object.contains("input_sets"))
        result.inputSets = object.at("input_sets").get<std::vector<std::vector<std::string>>>();
    return result;
}

} // namespace

std::uint64_t elementCount(const std::vector<std::int64_t> &shape)
{
    std::uint64_t count = 1;
    for (const std::int64_t n : shape)
        count *= std::uint64_t(std::max<std::int64_t>(n, 0));
    return count;
}

void readWorkOrder(const Json &object, WorkOrder &order)
{
    order.absoluteTolerance = object.at("absolute");
    order.relativeTolerance = object.at("relative");
    for (const Json &one : object.at("parameters"))
        order.parameters.push_back(parameter(one));
    for (const Json &one : object.at("checks"))
        order.checks.push_back(checkCase(one));
    for (const Json &one : object.at("times"))
        order.times.push_back(timeCase(one));
}

} // namespace kernelskill::kit
