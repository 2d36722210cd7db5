// SPDX-License-Identifier: Apache-2.0
// What accesses and loops amount to: products, reductions, stencils, exchanges, tiles.
#include "features/kernel_analysis.h"

#include <algorithm>

namespace kernelskill::expert {

// A product of two array elements that is added up. Independent indices on both sides make it a matrix product; one side's
// being part of the other's, in nested loops, a convolution; equal ones a dot product.
void KernelAnalysis::judgeProduct(const Tokens &expression, qsizetype position)
{
    QList<Tokens> factors(1);
    int depth = 0;
    for (const CodeToken &token : expression) {
        if (token.text == u"(" || token.text == u"[")
            ++depth;
        else if (token.text == u")" || token.text == u"]")
            --depth;
        if (depth == 0 && token.text == u"*")
            factors.append(Tokens{});
        else
            factors.last().append(token);
    }
    if (factors.size() != 2)
        return;
    const auto left = operandOf(factors.at(0)), right = operandOf(factors.at(1));
    if (!left || !right || left->array == right->array)
        return;
    m_facts.hasProductLoop = true;
    const auto hasOwn = [](const QStringList &mine, const QStringList &other) {
        return std::ranges::any_of(mine, [&](const QString &name) { return !other.contains(name); });
    };
    const bool leftOwn = hasOwn(left->variables, right->variables), rightOwn = hasOwn(right->variables, left->variables);
    const bool fromGlobal = m_arrays.value(left->array).space == MemorySpace::Global && m_arrays.value(right->array).space == MemorySpace::Global;
    const bool nested = loopsAround(position) >= 2;
    if (fromGlobal && nested && (leftOwn || rightOwn)) {
        m_facts.isStencil = true;
    } else if (leftOwn && rightOwn) {
        m_facts.isGemm = true;
        m_facts.isNaiveGemm = m_facts.isNaiveGemm || fromGlobal;
    }
}

// `target` accumulates m_tokens[from, to).
void KernelAnalysis::accumulate(qsizetype target, qsizetype from, qsizetype to)
{
    const bool inDataLoop = std::ranges::any_of(m_loops, [&](const LoopRange &loop) { return loop.begin <= target && target < loop.end && isDataLoop(loop); });
    const bool inLoop = loopsAround(target) > 0;
    if (!inLoop)
        return;
    const Tokens expression = m_tokens.mid(from, to - from);
    const bool wasProduct = m_facts.hasProductLoop;
    m_facts.hasProductLoop = false;
    judgeProduct(expression, target);
    const bool product = m_facts.hasProductLoop;
    m_facts.hasProductLoop = wasProduct || product;
    if (product && (m_facts.isGemm || m_facts.isStencil))
        return;
    // Into a plain variable or shared scratch, from data: a reduction.
    const bool scalarTarget = text(target + 1) != u"[";
    const bool sharedTarget = !scalarTarget && m_arrays.value(text(target)).space == MemorySpace::Shared;
    const bool fromShared = std::ranges::any_of(identifiersIn(expression), [&](const QString &name) { return m_arrays.value(name).space == MemorySpace::Shared && m_arrays.contains(name); });
    const bool readsArray = std::ranges::any_of(identifiersIn(expression), [&](const QString &name) { return m_arrays.contains(name) || m_scalars.contains(name); });
    const bool anyValue = !identifiersIn(expression).isEmpty();
    if ((scalarTarget && (readsArray || (inDataLoop && anyValue))) || (sharedTarget && fromShared))
        m_facts.isReduction = true;
}

void KernelAnalysis::findAccumulations()
{
    const auto statementEnd = [&](qsizetype from) {
        int depth = 0;
        qsizetype end = from;
        for (; end < m_tokens.size(); ++end) {
            depth += text(end) == u"(" || text(end) == u"{" ? 1 : text(end) == u")" || text(end) == u"}" ? -1 : 0;
            if (depth < 0 || (depth == 0 && (text(end) == u";" || text(end) == u",")))
                break;
        }
        return end;
    };
    for (qsizetype i = 0; i < m_tokens.size(); ++i) {
        // Loop counters live in headers: for (…; i += step) accumulates nothing.
        const bool inHeader = [&] {
            qsizetype k = i;
            int depth = 0;
            while (k > 0 && text(k) != u"{" && text(k) != u"}") {
                depth += text(k) == u")" ? 1 : text(k) == u"(" ? -1 : 0;
                if (depth < 0)
                    return text(k - 1) == u"for" || text(k - 1) == u"while";
                --k;
            }
            return false;
        }();
        if (inHeader)
            continue;
        if (text(i) == u"+=" || text(i) == u"-=") {
            qsizetype target = i - 1;
            while (text(target) == u"]") { // back over subscripts
                int depth = 0;
                for (; target > 0; --target) {
                    depth += text(target) == u"]" ? 1 : text(target) == u"[" ? -1 : 0;
                    if (depth == 0)
                        break;
                }
                --target;
            }
            accumulate(target, i + 1, statementEnd(i + 1));
        } else if (text(i) == u"=" && i > 0 && isIdentifierToken(m_tokens.at(i - 1)) &&
                   (i < 2 || (!isIdentifierToken(m_tokens.at(i - 2)) && text(i - 2) != u"."))) {
            // v = fmaxf(v, …), v = v + …, v = fmaf(a, b, v)
            const QString &name = text(i - 1);
            const qsizetype end = statementEnd(i + 1);
            const Tokens right = m_tokens.mid(i + 1, end - i - 1);
            if (!identifiersIn(right).contains(name))
                continue;
            const bool fused = text(i + 1) == u"fmaf" || text(i + 1) == u"fma" || text(i + 1) == u"__fmaf_rn";
            if (!fused) {
                accumulate(i - 1, i + 1, end);
                continue;
            }
            Tokens product;
            int depth = 0, comma = 0;
            for (qsizetype k = i + 2; k < end; ++k) {
                depth += text(k) == u"(" || text(k) == u"[" ? 1 : text(k) == u")" || text(k) == u"]" ? -1 : 0;
                if (depth == 1 && text(k) == u"," && ++comma == 2)
                    break;
                if (k > i + 2)
                    product.append(depth == 1 && text(k) == u"," ? CodeToken{CodeToken::Kind::Punctuation, QStringLiteral("*")} : m_tokens.at(k));
            }
            if (loopsAround(i) > 0) {
                judgeProduct(product, i);
                if (!m_facts.isGemm && !m_facts.isStencil)
                    m_facts.isReduction = true;
            }
        }
    }
}

void KernelAnalysis::findBoundsChecks()
{
    static const QSet<QString> comparisons = {QStringLiteral("<"), QStringLiteral("<="), QStringLiteral(">"), QStringLiteral(">=")};
    const auto compares = [&](const Tokens &condition) {
        const bool comparison = std::ranges::any_of(condition, [](const CodeToken &token) { return comparisons.contains(token.text); });
        const QStringList names = identifiersIn(condition);
        return comparison && std::ranges::any_of(names, [&](const QString &name) { return m_sizes.contains(name) || name == u"vectors"; });
    };
    for (qsizetype i = 0; i < m_tokens.size(); ++i) {
        if (text(i) == u"if" && text(i + 1) == u"(") {
            const Tokens condition = m_tokens.mid(i + 2, closing(m_tokens, i + 1) - i - 2);
            m_facts.hasBoundsCheck = m_facts.hasBoundsCheck || compares(condition);
            for (qsizetype k = 0; k + 2 < condition.size(); ++k)
                m_facts.guardsAlignment = m_facts.guardsAlignment || (condition.at(k).text == u"%" && condition.at(k + 2).text == u"==");
        } else if (text(i) == u"?") {
            qsizetype start = i;
            while (start > 0 && text(start) != u"=" && text(start) != u";" && text(start) != u"{")
                --start;
            m_facts.hasBoundsCheck = m_facts.hasBoundsCheck || compares(m_tokens.mid(start, i - start));
        }
    }
}

// Offsets of neighbours, places read elsewhere than written, indices that were themselves loaded.
void KernelAnalysis::findIndexPatterns()
{
    QMap<QString, QStringList> readIndices;
    QStringList writeIndices;
    for (const ArrayAccess &access : m_accesses) {
        const ArrayInfo array = m_arrays.value(access.array);
        if (array.space != MemorySpace::Global)
            continue;
        if (access.isWrite)
            writeIndices.append(access.index);
        else
            readIndices[access.array].append(access.index);
        for (const ArrayAccess &inner : m_accesses) {
            const bool inside = inner.position > access.position && access.index.contains(inner.array + u'[') && inner.array != access.array;
            m_facts.isGather = m_facts.isGather || (inside && m_arrays.value(inner.array).space == MemorySpace::Global);
        }
        for (const QString &variable : access.variables) {
            const auto loaded = m_scalars.constFind(variable);
            m_facts.isGather = m_facts.isGather || (loaded != m_scalars.cend() && m_arrays.value(loaded->array).space == MemorySpace::Global);
        }
    }
    for (auto it = readIndices.constBegin(); it != readIndices.constEnd(); ++it) {
        for (const QString &index : it.value()) {
            // x[i - 1] beside x[i]: "4*i+1" and "i*4+1" are lanes of a vector, not neighbours.
            const bool shifted = index.contains(QLatin1String("-1;")) || index.contains(QLatin1String("-1)")) || index.contains(QLatin1String("-cols")) ||
                                 index.contains(QLatin1String("-width"));
            const bool distinct = std::ranges::any_of(it.value(), [&](const QString &other) { return other != index; });
            m_facts.isStencil = m_facts.isStencil || (shifted && distinct);
        }
        for (const QString &index : it.value()) {
            const bool twoSided = index.contains(u'*') && !writeIndices.isEmpty();
            const bool same = writeIndices.contains(index);
            const bool productWritten = std::ranges::any_of(writeIndices, [](const QString &written) { return written.contains(u'*'); });
            m_facts.isExchange = m_facts.isExchange || (twoSided && !same && productWritten);
        }
    }
}

// Calls reach into device functions of the same file, one level after another.
void KernelAnalysis::findCalls()
{
    static const QSet<QString> transcendental = {
        QStringLiteral("expf"), QStringLiteral("exp"), QStringLiteral("exp2f"), QStringLiteral("exp2"), QStringLiteral("expm1f"), QStringLiteral("__expf"),
        QStringLiteral("logf"), QStringLiteral("log"), QStringLiteral("log2f"), QStringLiteral("log1pf"), QStringLiteral("__logf"), QStringLiteral("tanhf"),
        QStringLiteral("tanh"), QStringLiteral("erff"), QStringLiteral("erf"), QStringLiteral("erfcf"), QStringLiteral("sinf"), QStringLiteral("cosf"),
        QStringLiteral("__sinf"), QStringLiteral("__cosf"), QStringLiteral("sincosf"), QStringLiteral("powf"), QStringLiteral("pow"), QStringLiteral("__powf"),
        QStringLiteral("sinhf"), QStringLiteral("coshf")};
    QStringList pending, seen;
    const auto look = [&](const Tokens &body, bool callee) {
        for (qsizetype i = 0; i < body.size(); ++i) {
            const QString &name = body.at(i).text;
            if (!isIdentifierToken(body.at(i)))
                continue;
            m_facts.usesTranscendentals = m_facts.usesTranscendentals || transcendental.contains(name);
            m_facts.usesVectorTypes = m_facts.usesVectorTypes || isVectorType(name);
            const bool shuffles = name.startsWith(QLatin1String("__shfl_")) || name.startsWith(QLatin1String("__reduce_"));
            const bool atomic = name == u"atomicAdd" || name == u"atomicMax" || name == u"atomicMin";
            if (shuffles || atomic)
                m_facts.isReduction = true;
            if (callee && name == u"__shared__")
                m_facts.usesShared = true;
            if (!seen.contains(name) && !pending.contains(name))
                pending.append(name);
        }
    };
    look(m_tokens, false);
    while (!pending.isEmpty()) {
        const QString name = pending.takeFirst();
        seen.append(name);
        for (const SourceFunction &function : m_functions) {
            if (function.name == name && function.isDevice && !function.isKernel)
                look(function.body, true);
        }
    }
}

// A tile holds data from memory; scratch of a reduction holds one value a thread.
void KernelAnalysis::findSharedTile()
{
    for (const ArrayInfo &array : std::as_const(m_arrays))
        m_facts.hasSharedTile = m_facts.hasSharedTile || (array.space == MemorySpace::Shared && array.dimensions > 1);
    for (const ArrayAccess &write : m_accesses) {
        if (!write.isWrite || m_arrays.value(write.array).space != MemorySpace::Shared)
            continue;
        qsizetype end = write.position;
        while (end < m_tokens.size() && text(end) != u";")
            ++end;
        const bool fromGlobal = std::ranges::any_of(m_accesses, [&](const ArrayAccess &read) {
            return !read.isWrite && read.position > write.position && read.position < end && m_arrays.value(read.array).space == MemorySpace::Global;
        });
        m_facts.hasSharedTile = m_facts.hasSharedTile || fromGlobal;
    }
}

} // namespace kernelskill::expert
