// SPDX-License-Identifier: Apache-2.0
#include "roles/schemas.h"

#include <array>

namespace kernelskill::llm {

namespace {

QJsonObject closed(const QJsonObject &properties)
{
    return {{"type", QStringLiteral("object")},
            {"properties", properties},
            {"required", QJsonArray::fromStringList(properties.keys())},
            {"additionalProperties", false}};
}

QJsonObject text()
{
    return {{"type", QStringLiteral("string")}};
}

QJsonObject oneOf(const QStringList &words)
{
    return {{"type", QStringLiteral("string")}, {"enum", QJsonArray::fromStringList(words)}};
}

QJsonObject listOf(const QJsonObject &items)
{
    return {{"type", QStringLiteral("array")}, {"items", items}};
}

QJsonObject orNull(QJsonObject schema)
{
    schema.insert("type", QJsonArray{schema.value("type"), QStringLiteral("null")});
    if (schema.contains("enum")) {
        QJsonArray words = schema.value("enum").toArray();
        words.append(QJsonValue::Null);
        schema.insert("enum", words);
    }
    return schema;
}

struct FeatureMeaning
{
    const char *name, *meaning;
};
constexpr std::array features{
    FeatureMeaning{"has_reuse", "the same global element is read by several threads or iterations"},
    FeatureMeaning{"streaming_no_reuse",
                   "every global element is touched once, at addresses that follow the thread's index"},
    FeatureMeaning{"has_vector_load_store", "global memory is read or written in units of 8 or 16 bytes a thread"},
    FeatureMeaning{"is_aligned_vector_access", "those accesses are aligned, by construction or by a check"},
    FeatureMeaning{"has_tail_handling_overhead", "every element pays for a check that only the last ones need"},
    FeatureMeaning{"tc_eligible", "a product of matrices in types tensor cores take"},
    FeatureMeaning{"is_pointwise", "each output depends on the inputs at its own place only"},
    FeatureMeaning{"uses_transcendentals", "exp, log, tanh, sin, erf and the like in device code"},
    FeatureMeaning{"is_naive_gemm", "a matrix product with one thread an output and operands read from global memory"},
    FeatureMeaning{"has_k_loop", "a loop that accumulates products over a shared dimension"},
    FeatureMeaning{"is_gemm_kloop", "that loop is the one of a matrix product"},
    FeatureMeaning{"is_stencil_conv", "a stencil or convolution: neighbours at fixed offsets"},
    FeatureMeaning{"has_shared_memory_tile", "data is staged in shared memory and read by other threads"},
    FeatureMeaning{"uses_vector_types", "float2, float4, half2 or the like appear"},
    FeatureMeaning{"has_bounds_check", "device code compares an index with a size"},
    FeatureMeaning{"kernel_structure_id", "S0 streaming without reuse, S1 reuse, S2 irregular (gathers, data-dependent "
                                          "branches, stencils), S3 reduction or scan, S4 several kernels in one call"},
    FeatureMeaning{"has_multiple_kernels_in_forward", "one call of the entry point launches more than one kernel"},
    FeatureMeaning{"cudagraph_eligible",
                   "the host side neither allocates, synchronises nor branches on device results"},
};

} // namespace

QJsonObject featureSchema()
{
    QJsonObject properties;
    for (const FeatureMeaning &feature : features) {
        const QString name = QString::fromLatin1(feature.name);
        const bool isStructure = name == u"kernel_structure_id";
        properties.insert(name,
                          orNull(isStructure ? oneOf({QStringLiteral("S0"), QStringLiteral("S1"), QStringLiteral("S2"),
                                                      QStringLiteral("S3"), QStringLiteral("S4")})
                                             : QJsonObject{{"type", QStringLiteral("boolean")}}));
    }
    return closed(properties);
}

QString featureMeanings()
{
    QStringList lines;
    for (const FeatureMeaning &feature : features)
        lines.append(QStringLiteral("- %1: %2").arg(QLatin1String(feature.name), QLatin1String(feature.meaning)));
    return lines.join(u'\n');
}

QJsonObject planSchema(const Retrieval &retrieval)
{
    QStringList allowed;
    for (const RankedMethod &method : retrieval.allowed)
        allowed.append(method.skill);
    QJsonObject skill = allowed.isEmpty() ? text() : oneOf(allowed);
    return closed({{"skill", orNull(skill)},
                   {"parameters", listOf(closed({{"name", text()}, {"value", text()}}))},
                   {"rationale", text()},
                   {"promises", listOf(closed({{"metric", text()}, {"change", text()}}))},
                   {"idea", orNull(closed({{"name", text()}, {"what", text()}}))}});
}

QStringList errorClasses()
{
    return {QStringLiteral("build"),         QStringLiteral("out_of_bounds"), QStringLiteral("race"),
            QStringLiteral("uninitialised"), QStringLiteral("misaligned"),    QStringLiteral("divergent_barrier"),
            QStringLiteral("wrong_result"),  QStringLiteral("precision"),     QStringLiteral("timeout"),
            QStringLiteral("crash"),         QStringLiteral("resources"),     QStringLiteral("other")};
}

QJsonObject diagnosisSchema()
{
    return closed({{"error_class", oneOf(errorClasses())}, {"cause", text()}, {"fix", text()}});
}

QJsonObject skillSchema()
{
    return closed({{"title", text()},
                   {"description", text()},
                   {"intent", text()},
                   {"steps", listOf(text())},
                   {"prohibits", listOf(text())},
                   {"pitfalls", listOf(text())}});
}

} // namespace kernelskill::llm
