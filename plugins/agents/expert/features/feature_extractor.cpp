// SPDX-License-Identifier: Apache-2.0
#include "features/feature_extractor.h"

#include "features/kernel_facts.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

// A host function that tests a remainder, as in cols % 4 == 0 or address & 15, decides by alignment.
bool hostGuardsAlignment(const QList<SourceFunction> &functions)
{
    static const QStringList widths = {QStringLiteral("2"), QStringLiteral("4"), QStringLiteral("8"), QStringLiteral("16")};
    static const QStringList masks = {QStringLiteral("1"), QStringLiteral("3"), QStringLiteral("7"), QStringLiteral("15")};
    for (const SourceFunction &function : functions) {
        if (function.isKernel || function.isDevice)
            continue;
        for (qsizetype i = 0; i + 1 < function.body.size(); ++i) {
            const QString &op = function.body.at(i).text, &next = function.body.at(i + 1).text;
            if ((op == u"%" && widths.contains(next)) || (op == u"&" && masks.contains(next)))
                return true;
        }
    }
    return false;
}

// A graph can capture launches on the given stream, but nothing that waits for the device or allocates.
bool isCapturable(const QList<SourceFunction> &functions)
{
    static const QStringList blocking = {QStringLiteral("cudaMalloc"), QStringLiteral("cudaFree"), QStringLiteral("cudaMemcpy"),
                                         QStringLiteral("cudaDeviceSynchronize"), QStringLiteral("cudaStreamSynchronize"),
                                         QStringLiteral("cudaEventSynchronize"), QStringLiteral("cudaMemset")};
    for (const SourceFunction &function : functions) {
        if (function.isKernel || function.isDevice)
            continue;
        const QStringList names = identifiersIn(function.body);
        if (std::ranges::any_of(blocking, [&](const QString &name) { return names.contains(name); }))
            return false;
    }
    return true;
}

QString structureOf(const QList<KernelFacts> &kernels, bool several)
{
    const auto any = [&](auto member) { return std::ranges::any_of(kernels, member); };
    if (several)
        return QStringLiteral("S4");
    if (any(&KernelFacts::isGemm))
        return QStringLiteral("S1");
    if (any(&KernelFacts::isStencil) || any(&KernelFacts::isGather))
        return QStringLiteral("S2");
    return any(&KernelFacts::isReduction) ? QStringLiteral("S3") : QStringLiteral("S0");
}

bool isPointwise(const KernelFacts &kernel)
{
    return !kernel.usesShared && !kernel.isReduction && !kernel.isGemm && !kernel.isStencil && !kernel.isGather && !kernel.isExchange && !kernel.hasProductLoop;
}

} // namespace

Result<Features> extractFeatures(const Candidate &candidate)
{
    QString source;
    for (const CandidateFile &file : candidate.files)
        source += file.content + u'\n';
    const QList<SourceFunction> functions = functionsOf(source);
    QList<KernelFacts> kernels;
    for (const SourceFunction &function : functions) {
        if (function.isKernel)
            kernels.append(factsOf(function, functions));
    }
    if (kernels.isEmpty())
        return failure(QStringLiteral("features.no_kernel"), QStringLiteral("the candidate defines no __global__ function"));

    const auto any = [&](auto member) { return std::ranges::any_of(kernels, member); };
    const bool several = launchesOf(functions, candidate.entryPoint) > 1;
    const bool gemm = any(&KernelFacts::isGemm), stencil = any(&KernelFacts::isStencil);
    const bool vectors = any(&KernelFacts::hasVectorAccess);
    const bool flat = std::ranges::all_of(kernels, [](const KernelFacts &kernel) { return !kernel.hasVectorAccess || kernel.flatVectors; });
    Features features;
    features.insert(QStringLiteral("has_reuse"), gemm || stencil);
    features.insert(QStringLiteral("streaming_no_reuse"), !gemm && !stencil && !any(&KernelFacts::isGather));
    features.insert(QStringLiteral("has_vector_load_store"), vectors);
    features.insert(QStringLiteral("is_aligned_vector_access"), vectors && (flat || any(&KernelFacts::guardsAlignment) || hostGuardsAlignment(functions)));
    features.insert(QStringLiteral("has_tail_handling_overhead"), any(&KernelFacts::hasTail));
    features.insert(QStringLiteral("tc_eligible"), gemm && any(&KernelFacts::hasHalfOperands));
    features.insert(QStringLiteral("is_pointwise"), std::ranges::all_of(kernels, isPointwise));
    features.insert(QStringLiteral("uses_transcendentals"), any(&KernelFacts::usesTranscendentals));
    features.insert(QStringLiteral("is_naive_gemm"), any(&KernelFacts::isNaiveGemm));
    features.insert(QStringLiteral("has_k_loop"), any(&KernelFacts::hasProductLoop));
    features.insert(QStringLiteral("is_gemm_kloop"), gemm);
    features.insert(QStringLiteral("is_stencil_conv"), stencil);
    features.insert(QStringLiteral("has_shared_memory_tile"), any(&KernelFacts::hasSharedTile));
    features.insert(QStringLiteral("uses_vector_types"), any(&KernelFacts::usesVectorTypes));
    features.insert(QStringLiteral("has_bounds_check"), any(&KernelFacts::hasBoundsCheck));
    features.insert(QStringLiteral("kernel_structure_id"), structureOf(kernels, several));
    features.insert(QStringLiteral("has_multiple_kernels_in_forward"), several);
    features.insert(QStringLiteral("cudagraph_eligible"), isCapturable(functions));
    return features;
}

} // namespace kernelskill::expert
