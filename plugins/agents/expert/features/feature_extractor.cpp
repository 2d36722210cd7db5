// SPDX-License-Identifier: Apache-2.0
#include "features/feature_extractor.h"

#include "features/clang_front.h"
#include "features/code_parser.h"
#include "features/host_code.h"
#include "features/kernel_rules.h"

#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::expert {

namespace {

struct JudgedKernel
{
    KernelFacts facts;
    KernelJudgement judgement;
};

QString structureOf(const std::vector<JudgedKernel> &kernels, bool several)
{
    if (several) return QStringLiteral("S4");
    for (const char *structure : {"S1", "S2", "S3"}) {
        const QString name = QLatin1String(structure);
        if (std::ranges::any_of(kernels, [&](const JudgedKernel &one) { return one.judgement.structure() == name; }))
            return name;
    }
    return QStringLiteral("S0");
}

Features featuresOf(const HostFacts &host, const std::vector<JudgedKernel> &kernels)
{
    const auto any = [&](auto member) {
        return std::ranges::any_of(kernels, [&](const JudgedKernel &one) { return one.judgement.*member; });
    };
    const auto anyFact = [&](auto member) {
        return std::ranges::any_of(kernels, [&](const JudgedKernel &one) { return one.facts.*member; });
    };
    const bool several = host.launches > 1;
    const bool reuse = any(&KernelJudgement::hasReuse);
    const bool vectors = any(&KernelJudgement::hasVectors);
    const bool aligned = std::ranges::all_of(kernels, [&](const JudgedKernel &one) {
        return !one.judgement.hasVectors || one.judgement.vectorsAligned || one.judgement.guardsAlignment;
    });
    const bool pointwise =
        std::ranges::all_of(kernels, [](const JudgedKernel &one) { return one.judgement.isPointwise; });
    return Features{{QStringLiteral("has_reuse"), reuse},
                    {QStringLiteral("streaming_no_reuse"), !reuse && !any(&KernelJudgement::isGather)},
                    {QStringLiteral("has_vector_load_store"), vectors},
                    {QStringLiteral("is_aligned_vector_access"), vectors && (aligned || host.guardsAlignment)},
                    {QStringLiteral("has_tail_handling_overhead"), any(&KernelJudgement::hasTail)},
                    {QStringLiteral("tc_eligible"), any(&KernelJudgement::takesTensorCores)},
                    {QStringLiteral("is_pointwise"), pointwise},
                    {QStringLiteral("uses_transcendentals"), anyFact(&KernelFacts::usesTranscendentals)},
                    {QStringLiteral("is_naive_gemm"), any(&KernelJudgement::isNaiveProduct)},
                    {QStringLiteral("has_k_loop"), any(&KernelJudgement::hasContraction)},
                    {QStringLiteral("is_gemm_kloop"), any(&KernelJudgement::isProduct)},
                    {QStringLiteral("is_stencil_conv"), any(&KernelJudgement::isStencil)},
                    {QStringLiteral("has_shared_memory_tile"), any(&KernelJudgement::hasTile)},
                    {QStringLiteral("uses_vector_types"), anyFact(&KernelFacts::usesVectorTypes)},
                    {QStringLiteral("has_bounds_check"), anyFact(&KernelFacts::hasBoundsCheck)},
                    {QStringLiteral("kernel_structure_id"), structureOf(kernels, several)},
                    {QStringLiteral("has_multiple_kernels_in_forward"), several},
                    {QStringLiteral("cudagraph_eligible"), host.isCapturable}};
}

// Headers first: what follows then knows their types.
QString sourceOf(const Candidate &candidate)
{
    QString headers, rest;
    for (const CandidateFile &file : candidate.files) {
        const bool header = file.path.endsWith(QLatin1String(".h")) || file.path.endsWith(QLatin1String(".cuh")) ||
                            file.path.endsWith(QLatin1String(".hpp"));
        (header ? headers : rest) += file.content + u'\n';
    }
    return headers + rest;
}

void applyOverrides(const Candidate &candidate, ExtractedFeatures &result)
{
    static const QRegularExpression line(QStringLiteral("^([^\"\\n]*)//\\s*@(\\w+)\\s*:\\s*(\\w+)"),
                                         QRegularExpression::MultilineOption);
    for (const CandidateFile &file : candidate.files) {
        for (auto it = line.globalMatch(file.content); it.hasNext();) {
            const auto match = it.next();
            const QString name = match.captured(2), value = match.captured(3);
            const bool known = result.features.contains(name);
            const bool isStructure = name == u"kernel_structure_id";
            const bool fits =
                isStructure ? value.size() == 2 && value.at(0) == u'S' && value.at(1) >= u'0' && value.at(1) <= u'4'
                            : value == u"true" || value == u"false";
            if (!known || !fits) {
                result.notes.append(known ? QStringLiteral("\"@%1: %2\" is no value of this feature").arg(name, value)
                                          : QStringLiteral("\"@%1\" is no feature").arg(name));
                continue;
            }
            result.features.insert(name, isStructure ? QVariant(value) : QVariant(value == u"true"));
            result.origins.insert(name, QStringLiteral("override"));
        }
    }
}

Result<ExtractedFeatures> judgeProgram(const CodeProgram &program, const Candidate &candidate, const QString &origin)
{
    const HostFacts host = hostFactsOf(program, candidate.entryPoint);
    std::vector<JudgedKernel> kernels;
    for (const LaunchedKernel &launched : host.kernels) {
        KernelFacts facts = factsOf(program, *launched.kernel, launched.binding);
        const KernelJudgement judgement = judge(facts);
        kernels.push_back({std::move(facts), judgement});
    }
    if (kernels.empty())
        return failure(QStringLiteral("features.no_kernel"),
                       QStringLiteral("the candidate defines no __global__ function"));
    ExtractedFeatures result;
    result.features = featuresOf(host, kernels);
    for (auto it = result.features.cbegin(); it != result.features.cend(); ++it)
        result.origins.insert(it.key(), origin);
    for (const JudgedKernel &kernel : kernels) {
        if (kernel.facts.wasCutShort)
            result.notes.append(QStringLiteral("%1 is longer than what is read of a kernel").arg(kernel.facts.name));
    }
    return result;
}

} // namespace

const QStringList &featureNames()
{
    static const QStringList names = [] {
        QStringList list = featuresOf({}, {}).keys();
        list.sort();
        return list;
    }();
    return names;
}

Result<ExtractedFeatures> extractWithOrigins(const Candidate &candidate, FrontEnd frontEnd)
{
    QString refusal;
    if (frontEnd != FrontEnd::Tokens) {
        const auto program = parseWithClang(candidate);
        if (program) {
            auto result = judgeProgram(*program, candidate, QStringLiteral("ast"));
            if (result || frontEnd == FrontEnd::Ast) {
                if (result) applyOverrides(candidate, *result);
                return result;
            }
        } else {
            if (frontEnd == FrontEnd::Ast) return std::unexpected(program.error());
            refusal = program.error().message;
        }
    }
    auto result = judgeProgram(parseTokens(sourceOf(candidate)), candidate, QStringLiteral("tokens"));
    if (!result) return result;
    if (!refusal.isEmpty()) result->notes.append(refusal);
    applyOverrides(candidate, *result);
    return result;
}

QString describeOrigins(const ExtractedFeatures &found)
{
    const QStringList overridden = found.origins.keys(QStringLiteral("override"));
    const bool tokens = found.origins.values().contains(QStringLiteral("tokens"));
    QString text = tokens ? QStringLiteral("Read from the code's tokens.") : QStringLiteral("Read from clang's AST.");
    if (!overridden.isEmpty())
        text += QStringLiteral(" The candidate itself says: %1.").arg(overridden.join(QStringLiteral(", ")));
    for (const QString &note : found.notes)
        text += QStringLiteral("\n- %1").arg(note);
    return text;
}

Result<Features> extractFeatures(const Candidate &candidate)
{
    auto result = extractWithOrigins(candidate);
    if (!result) return std::unexpected(result.error());
    return result->features;
}

} // namespace kernelskill::expert
