// SPDX-License-Identifier: Apache-2.0
#include "emission/helper_functions.h"

#include "emission/code_writer.h"

namespace kernelskill::expert {

namespace {

struct Reduction
{
    const char *name;    // as in warpSum
    const char *words;   // for comments
    const char *start;   // neutral element
    const char *combine; // %1 takes in %2
};

constexpr Reduction reductions[] = {
    {"Sum", "Sum", "0.0f", "%1 += %2"},
    {"Maximum", "Maximum", "-INFINITY", "%1 = fmaxf(%1, %2)"},
    {"Minimum", "Minimum", "INFINITY", "%1 = fminf(%1, %2)"},
};

QString combined(const Reduction &reduction, const QString &left, const QString &right)
{
    return QString::fromLatin1(reduction.combine).arg(left, right);
}

QString warpFunction(const Reduction &reduction)
{
    return filled(
        QStringLiteral(R"(
// @words@ over the 32 threads of a warp, exchanged register to register. Every thread gets the result.
__device__ __forceinline__ float warp@name@(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        @combine@;
    return value;
}
)"),
        {{QStringLiteral("words"), QString::fromLatin1(reduction.words)},
         {QStringLiteral("name"), QString::fromLatin1(reduction.name)},
         {QStringLiteral("combine"), combined(reduction, QStringLiteral("value"),
                                              QStringLiteral("__shfl_xor_sync(0xffffffffu, value, offset)"))}});
}

QString blockFunction(const Reduction &reduction, bool shuffled)
{
    const QMap<QString, QString> values = {
        {QStringLiteral("words"), QString::fromLatin1(reduction.words)},
        {QStringLiteral("name"), QString::fromLatin1(reduction.name)},
        {QStringLiteral("start"), QString::fromLatin1(reduction.start)},
        {QStringLiteral("tree"),
         combined(reduction, QStringLiteral("scratch[threadIdx.x]"), QStringLiteral("scratch[threadIdx.x + half]"))},
        {QStringLiteral("warps"), combined(reduction, QStringLiteral("total"), QStringLiteral("scratch[warp]"))}};
    if (!shuffled) {
        return filled(QStringLiteral(R"(
// @words@ over the block, halving the number of working threads in each step. `scratch` holds one value a thread.
// Every thread gets the result.
template <int kBlock> __device__ float block@name@(float value, float *scratch)
{
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            @tree@;
        __syncthreads();
    }
    const float total = scratch[0];
    __syncthreads(); // scratch may be used again
    return total;
}
)"),
                      values);
    }
    return filled(QStringLiteral(R"(
// @words@ over the block: warps first, then one value a warp through shared memory. `scratch` holds one value a warp.
// Every thread gets the result.
template <int kBlock> __device__ __forceinline__ float block@name@(float value, float *scratch)
{
    value = warp@name@(value);
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = value;
    __syncthreads();
    float total = @start@;
#pragma unroll
    for (int warp = 0; warp < kBlock / 32; ++warp)
        @warps@;
    __syncthreads(); // scratch may be used again
    return total;
}
)"),
                  values);
}

} // namespace

QString helperText(const QStringList &names)
{
    QString text;
    for (const Reduction &reduction : reductions) {
        const QString name = QString::fromLatin1(reduction.name);
        const bool shuffled = names.contains(QStringLiteral("block%1Shuffled").arg(name));
        if (shuffled || names.contains(QStringLiteral("warp") + name)) text += warpFunction(reduction);
        if (shuffled || names.contains(QStringLiteral("block") + name)) text += blockFunction(reduction, shuffled);
    }
    if (names.contains(QStringLiteral("areAligned"))) {
        text += QStringLiteral(R"(
// Whether memory at all these addresses may be touched 16 bytes at a time.
template <class... Pointers> static bool areAligned(Pointers... pointers)
{
    return ((reinterpret_cast<size_t>(pointers) % 16 == 0) && ...);
}
)");
    }
    return text;
}

} // namespace kernelskill::expert
