// SPDX-License-Identifier: Apache-2.0
#include "check_chains.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kernelskill::simulator {

namespace {

// One case, or two of the same sizes that follow one another: the second finds the first one's addresses.
std::vector<CheckChain> pairs(const std::vector<CheckCase> &cases)
{
    std::vector<CheckChain> all;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!all.empty() && all.back().size() == 1 && cases[all.back().front()].binding == cases[i].binding)
            all.back().push_back(i);
        else
            all.push_back({i});
    }
    return all;
}

// Each to the chain that has the fewest cases.
std::vector<CheckChain> dealt(const std::vector<CheckChain> &pieces, std::size_t count)
{
    std::vector<CheckChain> chains(count);
    for (const CheckChain &piece : pieces) {
        CheckChain &shortest = *std::ranges::min_element(chains, {}, [](const CheckChain &c) { return c.size(); });
        shortest.insert(shortest.end(), piece.begin(), piece.end());
    }
    return chains;
}

double elements(const Binding &binding)
{
    double sum = 1; // there may be no tensor
    for (const auto &shape : binding.shapes)
        sum += shape.empty() ? 0 : static_cast<double>(kit::elementCount(shape));
    return sum;
}

bool hasBothKinds(const CheckChain &chain, const std::vector<CheckCase> &cases)
{
    std::size_t ownAddresses = 0, foundAgain = 0;
    bool again = false;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        again = i > 0 && !again && cases[chain[i]].binding == cases[chain[i - 1]].binding;
        ++(again ? foundAgain : ownAddresses);
    }
    return ownAddresses >= 2 && foundAgain >= 1;
}

} // namespace

std::vector<CheckChain> checkChains(const std::vector<CheckCase> &cases, std::size_t most)
{
    const std::vector<CheckChain> pieces = pairs(cases);
    for (std::size_t count = std::min(pieces.size() / 2, most); count > 1; --count) {
        std::vector<CheckChain> chains = dealt(pieces, count);
        if (std::ranges::all_of(chains, [&](const CheckChain &chain) { return hasBothKinds(chain, cases); }))
            return chains;
    }
    return dealt(pieces, 1);
}

std::vector<std::size_t> orderOfStart(const std::vector<CheckChain> &chains, const std::vector<CheckCase> &cases)
{
    std::vector<double> sizes;
    for (const CheckChain &chain : chains)
        sizes.push_back(std::accumulate(chain.begin(), chain.end(), 0.0, [&](double sum, std::size_t number) {
            return sum + elements(cases[number].binding);
        }));
    std::vector<std::size_t> order(chains.empty() ? 0 : chains.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t(1));
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t chain) { return sizes[chain]; });
    return order;
}

std::size_t worthwhileChains(const std::vector<CheckCase> &cases, std::uint64_t firstInstructions, double worth)
{
    if (cases.empty()) return 1;
    double all = 0;
    for (const CheckCase &one : cases)
        all += elements(one.binding);
    const double instructions = static_cast<double>(firstInstructions) * all / elements(cases.front().binding);
    return static_cast<std::size_t>(std::clamp(instructions / worth, 1.0, static_cast<double>(cases.size())));
}

} // namespace kernelskill::simulator
