// SPDX-License-Identifier: Apache-2.0
#include "input_values.h"

#include "kit/value_generator.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace kernelskill::simulator {

namespace {

std::optional<kit::DistributionKind> kindOf(const std::string &name)
{
    static const std::map<std::string, kit::DistributionKind, std::less<>> names{
        {"normal", kit::DistributionKind::Normal},     {"uniform", kit::DistributionKind::Uniform},
        {"integer", kit::DistributionKind::Integer},   {"bernoulli", kit::DistributionKind::Bernoulli},
        {"constant", kit::DistributionKind::Constant}, {"permutation", kit::DistributionKind::Permutation}};
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

std::expected<void, std::string> fillInput(const ParameterSpec &parameter, std::uint64_t seed,
                                           std::span<std::byte> bytes, std::uint64_t count)
{
    const kit::Dtype *dtype = kit::findDtype(parameter.dtype);
    const auto kind = kindOf(parameter.distribution);
    if (!dtype || !kind)
        return std::unexpected("cannot make values for " + parameter.name + ": " + parameter.dtype + ", " +
                               parameter.distribution);
    const bool repeats = count > longestPattern && *kind != kit::DistributionKind::Permutation;
    const std::uint64_t made = repeats ? longestPattern : count;
    const kit::ValueDistribution distribution{*kind, parameter.first, parameter.second};
    kit::generateValues(*dtype, distribution, kit::Variant::Random, kit::Seed(seed), bytes.data(), 0, made, count);
    for (std::size_t done = made * dtype->bytes; done < bytes.size();) {
        const std::size_t part = std::min(done, bytes.size() - done);
        std::memcpy(bytes.data() + done, bytes.data(), part);
        done += part;
    }
    return {};
}

} // namespace kernelskill::simulator
