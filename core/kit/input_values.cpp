// SPDX-License-Identifier: Apache-2.0
#include "input_values.h"

#include "kit/value_generator.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace kernelskill::kit {

namespace {

std::optional<DistributionKind> kindOf(const std::string &name)
{
    static const std::map<std::string, DistributionKind, std::less<>> names{
        {"normal", DistributionKind::Normal},     {"uniform", DistributionKind::Uniform},
        {"integer", DistributionKind::Integer},   {"bernoulli", DistributionKind::Bernoulli},
        {"constant", DistributionKind::Constant}, {"permutation", DistributionKind::Permutation}};
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

bool fillInput(const ParameterSpec &parameter, std::uint64_t seed, std::span<std::byte> bytes, std::uint64_t count,
               std::string &error)
{
    const Dtype *dtype = findDtype(parameter.dtype);
    const auto kind = kindOf(parameter.distribution);
    if (!dtype || !kind) {
        error = "cannot make values for " + parameter.name + ": " + parameter.dtype + ", " + parameter.distribution;
        return false;
    }
    const bool repeats = count > longestPattern && *kind != DistributionKind::Permutation;
    const std::uint64_t made = repeats ? longestPattern : count;
    const ValueDistribution distribution{*kind, parameter.first, parameter.second};
    generateValues(*dtype, distribution, Variant::Random, Seed(seed), bytes.data(), 0, made, count);
    for (std::size_t done = made * dtype->bytes; done < bytes.size();) {
        const std::size_t part = std::min(done, bytes.size() - done);
        std::memcpy(bytes.data() + done, bytes.data(), part);
        done += part;
    }
    return true;
}

} // namespace kernelskill::kit
