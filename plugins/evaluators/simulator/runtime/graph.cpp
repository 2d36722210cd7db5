// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>

using namespace kernelskill::simulator::runtime;

CUgraphNode_st::~CUgraphNode_st()
{
    if (const auto *child = std::get_if<GraphWork>(&work)) delete child->graph;
}

namespace kernelskill::simulator::runtime {

bool addNode(cudaGraph_t graph, const cudaGraphNode_t *dependencies, std::size_t count, Work work,
             cudaGraphNode_t &node)
{
    const std::vector<cudaGraphNode_t> follows(dependencies, dependencies + count);
    for (const cudaGraphNode_t one : follows) {
        if (!one || one->graph != graph) return false;
    }
    auto made = std::make_unique<CUgraphNode_st>();
    made->work = std::move(work);
    made->follows = follows;
    made->graph = graph;
    node = made.get();
    graph->nodes.push_back(std::move(made));
    return true;
}

std::unique_ptr<CUgraph_st> cloned(const CUgraph_st &graph)
{
    auto copy = std::make_unique<CUgraph_st>();
    std::unordered_map<const CUgraphNode_st *, cudaGraphNode_t> twin;
    for (const auto &node : graph.nodes) {
        auto made = std::make_unique<CUgraphNode_st>();
        made->graph = copy.get();
        if (const auto *child = std::get_if<GraphWork>(&node->work))
            made->work = GraphWork{cloned(*child->graph).release()};
        else
            made->work = node->work;
        twin[node.get()] = made.get();
        copy->nodes.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const cudaGraphNode_t before : graph.nodes[i]->follows)
            copy->nodes[i]->follows.push_back(twin.at(before));
    }
    return copy;
}

std::vector<const CUgraphNode_st *> ordered(const CUgraph_st &graph)
{
    std::vector<const CUgraphNode_st *> result;
    std::vector<bool> done(graph.nodes.size(), false);
    std::unordered_map<const CUgraphNode_st *, std::size_t> index;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        index[graph.nodes[i].get()] = i;
    // Nodes mostly come after what they follow, so one pass does it for nearly every graph.
    for (bool progress = true; progress && result.size() < graph.nodes.size();) {
        progress = false;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const CUgraphNode_st &node = *graph.nodes[i];
            if (done[i] || !std::ranges::all_of(node.follows, [&](const auto *n) { return done[index.at(n)]; }))
                continue;
            done[i] = progress = true;
            result.push_back(&node);
        }
    }
    if (result.size() < graph.nodes.size()) result.clear();
    return result;
}

cudaError_t runAll(const CUgraph_st &graph)
{
    for (const CUgraphNode_st *node : ordered(graph)) {
        if (const cudaError_t error = run(node->work); error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaGraphNodeType typeOf(const Work &work)
{
    struct Namer
    {
        cudaGraphNodeType operator()(const NoWork &) const { return cudaGraphNodeTypeEmpty; }
        cudaGraphNodeType operator()(const KernelWork &) const { return cudaGraphNodeTypeKernel; }
        cudaGraphNodeType operator()(const CopyWork &) const { return cudaGraphNodeTypeMemcpy; }
        cudaGraphNodeType operator()(const FillWork &) const { return cudaGraphNodeTypeMemset; }
        cudaGraphNodeType operator()(const HostWork &) const { return cudaGraphNodeTypeHost; }
        cudaGraphNodeType operator()(const CallbackWork &) const { return cudaGraphNodeTypeHost; }
        cudaGraphNodeType operator()(const GraphWork &) const { return cudaGraphNodeTypeGraph; }
        cudaGraphNodeType operator()(const EventWork &work) const
        {
            return work.records ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent;
        }
        cudaGraphNodeType operator()(const MemoryWork &work) const
        {
            return work.allocates ? cudaGraphNodeTypeMemAlloc : cudaGraphNodeTypeMemFree;
        }
    };
    return std::visit(Namer(), work);
}

} // namespace kernelskill::simulator::runtime
