// SPDX-License-Identifier: Apache-2.0
// Graphs of work: nodes in the order they were added, what each follows, and instances that can be launched.
#pragma once

#include "work.h"

#include <memory>
#include <unordered_map>
#include <vector>

struct CUgraphNode_st
{
    kernelskill::simulator::runtime::Work work;
    std::vector<cudaGraphNode_t> follows;
    cudaGraph_t graph = nullptr;
    ~CUgraphNode_st();
};

struct CUgraph_st
{
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st
{
    std::vector<kernelskill::simulator::runtime::Work> steps; // in an order that respects what each follows
    std::unordered_map<const CUgraphNode_st *, std::size_t> stepOf;
    std::vector<std::unique_ptr<CUgraph_st>> children; // copies that steps refer to
};

namespace kernelskill::simulator::runtime {

// False when a dependency belongs to another graph.
[[nodiscard]] bool addNode(cudaGraph_t graph, const cudaGraphNode_t *dependencies, std::size_t count, Work work,
                           cudaGraphNode_t &node);
[[nodiscard]] std::unique_ptr<CUgraph_st> cloned(const CUgraph_st &graph);
// Nodes so that each comes after those it follows; empty when they follow one another in a circle.
[[nodiscard]] std::vector<const CUgraphNode_st *> ordered(const CUgraph_st &graph);
[[nodiscard]] cudaError_t runAll(const CUgraph_st &graph);
[[nodiscard]] cudaGraphNodeType typeOf(const Work &work);

} // namespace kernelskill::simulator::runtime
