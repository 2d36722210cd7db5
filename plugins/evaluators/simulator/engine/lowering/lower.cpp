// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/lower.h"

#include "engine/lowering/passes.h"

#include <algorithm>
#include <utility>

namespace kernelskill::simulator::lowering {
namespace {

// An array whose size is a multiple of a vector's can begin at one's boundary at no cost: the assembler, which places
// shared arrays itself, does so.
void alignShared(std::vector<ptx::Variable> &variables) {
    for (auto &variable : variables)
        if (variable.space == ptx::Space::Shared && !variable.dynamicShared && variable.bytes != 0 && variable.bytes % 16 == 0)
            variable.alignment = std::max<std::size_t>(variable.alignment, 16);
}

ptx::Function lowered(ptx::Function function, const ptx::Module &module) {
    alignShared(function.variables);
    Graph graph = graphOf(std::move(function));
    graph.tidy();
    inferSpaces(graph);
    markReadOnly(graph);
    simplify(graph);
    convertBranches(graph);
    simplify(graph);
    foldSelections(graph);
    coalesceMoves(graph);
    unrollLoops(graph);
    foldSums(graph);
    simplify(graph);
    mergeLoads(graph, module);
    coalesceMoves(graph);
    orderBlocks(graph);
    scheduleBlocks(graph);
    return functionOf(std::move(graph));
}

} // namespace

std::vector<FunctionFacts> lower(ptx::Module &module) {
    alignShared(module.variables);
    std::vector<FunctionFacts> facts(module.functions.size());
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
        ptx::Function &function = module.functions[f];
        if (function.isExternal || function.instructions.empty()) continue;
        if (!isWellFormed(function)) {
            facts[f] = {std::vector<MachineCost>(function.instructions.size()), 32};
            continue;
        }
        function = lowered(std::move(function), module);
        facts[f].costs = costsOf(function);
        facts[f].registers = registersOf(function, facts[f].costs);
    }
    return facts;
}

} // namespace kernelskill::simulator::lowering
