// SPDX-License-Identifier: Apache-2.0
// Fills tensors with values that depend on seed, distribution and place only: not on platform, compiler, thread count or
// on how a tensor is cut into pieces.
#pragma once

#include "kit/dtypes.h"
#include "kit/seeds.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace kernelskill::kit {

enum class DistributionKind { Normal, Uniform, Integer, Bernoulli, Constant, Permutation };

struct ValueDistribution
{
    DistributionKind kind = DistributionKind::Normal;
    double first = 0;  // mean, low, low, p, value, –
    double second = 1; // std, high, high (inclusive for integer), –, –, –
};

// What the values are for. All but Random are adversarial fills. Distributions with bounds keep them, so that an index
// stays an index and a probability a probability; constants and permutations stay what they are.
enum class Variant
{
    Random,
    Zeros,
    Ones,
    Large,    // the distribution's values, far from 0
    Tiny,     // very near 0, but not 0
    Negative, // nothing above 0
};

[[nodiscard]] std::string_view toString(Variant variant); // "random", "zeros", …
[[nodiscard]] std::optional<Variant> variantFromString(std::string_view text);

// Elements [begin, begin + count) of a tensor of `total` elements into `target`, which holds the piece only.
void generateValues(const Dtype &dtype, const ValueDistribution &distribution, Variant variant, Seed seed, void *target,
                    std::size_t begin, std::size_t count, std::size_t total);

// The same as doubles, before rounding to a dtype.
void generateDoubles(const ValueDistribution &distribution, Variant variant, const Dtype &dtype, Seed seed,
                     double *target, std::size_t begin, std::size_t count, std::size_t total);

// Inverse of the normal distribution's cumulative function, 0 < p < 1 (Wichura 1988, AS 241), absolute error below 1e-15
// near the middle. Only additions, multiplications, divisions and square roots, so it is the same everywhere.
[[nodiscard]] double normalQuantile(double p);

// A bijection on [0, total): place `index` of a random permutation.
[[nodiscard]] std::uint64_t permuted(Seed seed, std::uint64_t index, std::uint64_t total);

} // namespace kernelskill::kit
