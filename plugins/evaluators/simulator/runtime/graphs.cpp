// SPDX-License-Identifier: Apache-2.0
// Graphs as programs build them node by node, instantiate, change and launch them.
#include "graph.h"
#include "state.h"
#include "stream.h"

#include <algorithm>

using namespace kernelskill::simulator::runtime;

namespace {

cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count, Work work)
{
    if (!node || !graph || (count > 0 && !dependencies)) return record(cudaErrorInvalidValue);
    return record(addNode(graph, dependencies, count, std::move(work), *node) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t kernelWorkOf(const cudaKernelNodeParams *p, KernelWork &work)
{
    if (!p || !p->func || p->extra) return cudaErrorInvalidValue;
    return kernelWork(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, 0, work);
}

// The work of a step of this type; null when the node is not of this graph or of another type.
template <class Type> Type *stepOf(cudaGraphExec_t executable, cudaGraphNode_t node)
{
    if (!executable) return nullptr;
    const auto found = executable->stepOf.find(node);
    return found == executable->stepOf.end() ? nullptr : std::get_if<Type>(&executable->steps[found->second]);
}

// Hands out a list as the interface does: how many there are, or as many as fit.
cudaError_t handOut(const std::vector<cudaGraphNode_t> &all, cudaGraphNode_t *nodes, size_t *count)
{
    if (!count) return record(cudaErrorInvalidValue);
    if (nodes) {
        for (size_t i = 0; i < *count; ++i)
            nodes[i] = i < all.size() ? all[i] : nullptr;
    }
    *count = nodes ? std::min(*count, all.size()) : all.size();
    return cudaSuccess;
}

bool fill(CUgraphExec_st &executable, const CUgraph_st &graph)
{
    const auto nodes = ordered(graph);
    if (nodes.size() != graph.nodes.size()) return false;
    for (const CUgraphNode_st *node : nodes) {
        executable.stepOf[node] = executable.steps.size();
        if (const auto *child = std::get_if<GraphWork>(&node->work)) {
            executable.children.push_back(cloned(*child->graph));
            executable.steps.push_back(GraphWork{executable.children.back().get()});
        } else {
            executable.steps.push_back(node->work);
        }
    }
    return true;
}

} // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    if (!graph || flags != 0) return record(cudaErrorInvalidValue);
    *graph = new CUgraph_st;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return record(graph ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone || !graph) return record(cudaErrorInvalidValue);
    *clone = cloned(*graph).release();
    return cudaSuccess;
}

// --- nodes
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaKernelNodeParams *parameters)
{
    KernelWork work;
    if (const cudaError_t error = kernelWorkOf(parameters, work); error != cudaSuccess) return record(error);
    return add(node, graph, dependencies, count, std::move(work));
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *parameters)
{
    auto *work = node ? std::get_if<KernelWork>(&node->work) : nullptr;
    if (!work || !parameters) return record(cudaErrorInvalidValue);
    work->pointers.clear();
    for (auto &argument : work->arguments)
        work->pointers.push_back(argument.data());
    *parameters = {const_cast<void *>(work->function),
                   work->grid,
                   work->block,
                   static_cast<unsigned>(work->sharedBytes),
                   work->pointers.data(),
                   nullptr};
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *parameters)
{
    KernelWork work;
    if (!node || !std::holds_alternative<KernelWork>(node->work)) return record(cudaErrorInvalidValue);
    if (const cudaError_t error = kernelWorkOf(parameters, work); error != cudaSuccess) return record(error);
    node->work = std::move(work);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaMemcpy3DParms *parameters)
{
    return parameters ? add(node, graph, dependencies, count, CopyWork{*parameters}) : record(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return add(node, graph, dependencies, count, linearCopy(to, from, bytes, kind));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaMemsetParams *parameters)
{
    return parameters ? add(node, graph, dependencies, count, FillWork{*parameters}) : record(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                 size_t count, const cudaHostNodeParams *parameters)
{
    if (!parameters || !parameters->fn) return record(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, HostWork{*parameters});
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count)
{
    return add(node, graph, dependencies, count, NoWork());
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child)
{
    if (!child) return record(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, GraphWork{cloned(*child).release()});
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event)
{
    if (!isEvent(event)) return record(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, EventWork{event, true});
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event)
{
    if (!isEvent(event)) return record(cudaErrorInvalidValue);
    return add(node, graph, dependencies, count, EventWork{event, false});
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph)
            return record(cudaErrorInvalidValue);
        to[i]->follows.push_back(from[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (!node) return record(cudaErrorInvalidValue);
    auto &nodes = node->graph->nodes;
    for (const auto &other : nodes)
        std::erase(other->follows, node);
    std::erase_if(nodes, [&](const auto &one) { return one.get() == node; });
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    if (!node || !type) return record(cudaErrorInvalidValue);
    *type = typeOf(node->work);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (!graph) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> all;
    for (const auto &node : graph->nodes)
        all.push_back(node.get());
    return handOut(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    if (!graph) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> roots;
    for (const auto &node : graph->nodes) {
        if (node->follows.empty()) roots.push_back(node.get());
    }
    return handOut(roots, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    if (!graph || !count || (from == nullptr) != (to == nullptr)) return record(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> starts, ends;
    for (const auto &node : graph->nodes) {
        for (const cudaGraphNode_t before : node->follows) {
            starts.push_back(before);
            ends.push_back(node.get());
        }
    }
    size_t room = *count;
    if (from) (void)handOut(starts, from, &room);
    return handOut(ends, to, count);
}

// --- instances
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    if (!executable || !graph) return record(cudaErrorInvalidValue);
    auto made = std::make_unique<CUgraphExec_st>();
    if (!fill(*made, *graph)) return record(cudaErrorInvalidValue);
    *executable = made.release();
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags)
{
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    delete executable;
    return record(executable ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream)
{
    return record(executable && isStream(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (!executable) return record(cudaErrorInvalidValue);
    for (const Work &step : executable->steps) {
        // In a capture the steps become nodes of the new graph, as a child graph's would.
        Work work = step;
        if (const auto *child = std::get_if<GraphWork>(&step); child && ownStream(stream) && ownStream(stream)->capture)
            work = GraphWork{cloned(*child->graph).release()};
        if (const cudaError_t error = submit(stream, std::move(work)); error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result)
{
    if (!executable || !graph || !result) return record(cudaErrorInvalidValue);
    auto fresh = std::make_unique<CUgraphExec_st>();
    *result = {};
    result->result = !fill(*fresh, *graph) || fresh->steps.size() != executable->steps.size()
                         ? cudaGraphExecUpdateErrorTopologyChanged
                         : cudaGraphExecUpdateSuccess;
    for (std::size_t i = 0; result->result == cudaGraphExecUpdateSuccess && i < fresh->steps.size(); ++i) {
        if (typeOf(fresh->steps[i]) != typeOf(executable->steps[i]))
            result->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    if (result->result != cudaGraphExecUpdateSuccess) return record(cudaErrorGraphExecUpdateFailure);
    // Nodes of the graph it was made from still name its steps: their places are the same.
    fresh->stepOf.insert(executable->stepOf.begin(), executable->stepOf.end());
    *executable = std::move(*fresh);
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters)
{
    auto *step = stepOf<KernelWork>(executable, node);
    KernelWork work;
    if (!step) return record(cudaErrorInvalidValue);
    if (const cudaError_t error = kernelWorkOf(parameters, work); error != cudaSuccess) return record(error);
    *step = std::move(work);
    return cudaSuccess;
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, cudaMemcpyKind kind)
{
    auto *step = stepOf<CopyWork>(executable, node);
    if (step) *step = linearCopy(to, from, bytes, kind);
    return record(step ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams *parameters)
{
    auto *step = stepOf<FillWork>(executable, node);
    if (step && parameters) *step = FillWork{*parameters};
    return record(step && parameters ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams *parameters)
{
    auto *step = stepOf<HostWork>(executable, node);
    if (step && parameters) *step = HostWork{*parameters};
    return record(step && parameters ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return record(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

} // extern "C"
