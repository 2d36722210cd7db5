// SPDX-License-Identifier: Apache-2.0
// Reading declarations, accesses and loops.
#include "features/kernel_analysis.h"

#include <algorithm>

namespace kernelskill::expert {

void KernelAnalysis::readParameters()
{
    Tokens one;
    const auto finish = [&] {
        if (one.isEmpty())
            return;
        QStringList names = identifiersIn(one);
        const bool pointer = std::ranges::any_of(one, [](const CodeToken &token) { return token.text == u"*" || token.text == u"["; });
        QString name;
        for (const CodeToken &token : one) {
            if (isIdentifierToken(token))
                name = token.text;
        }
        if (pointer) {
            const bool vector = std::ranges::any_of(names, isVectorType);
            m_arrays.insert(name, {MemorySpace::Global, name, vector, true, 1});
            static const QStringList narrow = {QStringLiteral("half"), QStringLiteral("__half"), QStringLiteral("__half2"), QStringLiteral("half2"),
                                               QStringLiteral("__nv_bfloat16"), QStringLiteral("nv_bfloat16"), QStringLiteral("int8_t")};
            m_facts.hasHalfOperands = m_facts.hasHalfOperands || std::ranges::any_of(narrow, [&](const QString &type) { return names.contains(type); });
        } else {
            m_sizes.append(name);
        }
        one.clear();
    };
    int depth = 0;
    for (const CodeToken &token : m_kernel.parameters) {
        depth += token.text == u"(" ? 1 : token.text == u")" ? -1 : 0;
        if (token.text == u"," && depth == 0)
            finish();
        else
            one.append(token);
    }
    finish();
}

// type * name = initialiser; where the initialiser mentions an array already known.
void KernelAnalysis::readPointer(qsizetype star)
{
    qsizetype nameAt = star + 1;
    while (text(nameAt) == u"__restrict__" || text(nameAt) == u"const")
        ++nameAt;
    if (nameAt >= m_tokens.size() || !isIdentifierToken(m_tokens.at(nameAt)) || text(nameAt + 1) != u"=")
        return;
    qsizetype typeAt = star - 1;
    while (text(typeAt) == u"const")
        --typeAt;
    if (typeAt < 0 || !isIdentifierToken(m_tokens.at(typeAt)) || text(typeAt) == u"return")
        return;
    qsizetype end = nameAt + 2;
    Tokens initialiser;
    int depth = 0;
    while (end < m_tokens.size() && text(end) != u";" && !(text(end) == u"," && depth == 0)) {
        depth += text(end) == u"(" ? 1 : text(end) == u")" ? -1 : 0;
        initialiser.append(m_tokens.at(end++));
    }
    for (const QString &name : identifiersIn(initialiser)) {
        const auto source = m_arrays.constFind(name);
        if (source == m_arrays.cend())
            continue;
        ArrayInfo array = *source;
        const bool vectorCast = std::ranges::any_of(identifiersIn(initialiser), isVectorType);
        array.isVector = isVectorType(text(typeAt)) || (text(typeAt) == u"auto" && (vectorCast || source->isVector));
        const bool offset = std::ranges::any_of(initialiser, [](const CodeToken &token) { return token.text == u"+" || token.text == u"["; });
        array.bare = source->bare && !offset;
        m_arrays.insert(text(nameAt), array);
        return;
    }
}

void KernelAnalysis::readShared(qsizetype at)
{
    // __shared__ [__align__(16)] type a[x][y], b[z];
    QString name;
    for (qsizetype i = at + 1; i < m_tokens.size() && text(i) != u";"; ++i) {
        if (text(i) == u"(") {
            i = closing(m_tokens, i);
        } else if (text(i) == u"[") {
            const bool further = text(i - 1) == u"]";
            if (further)
                ++m_arrays[name].dimensions;
            else
                m_arrays.insert(name = text(i - 1), {MemorySpace::Shared, text(i - 1), false, true, 1});
            i = closing(m_tokens, i);
        }
    }
}

// float sums[4][4]; — an identifier before and after is a declaration.
void KernelAnalysis::readLocalArray(qsizetype at)
{
    const bool declares = at > 1 && text(at) == u"[" && isIdentifierToken(m_tokens.at(at - 1)) && isIdentifierToken(m_tokens.at(at - 2)) &&
                          text(at - 2) != u"return" && text(at - 2) != u"else";
    if (declares && !m_arrays.contains(text(at - 1)))
        m_arrays.insert(text(at - 1), {MemorySpace::Local, text(at - 1), isVectorType(text(at - 2)), true, 1});
}

void KernelAnalysis::readDeclarations()
{
    for (qsizetype i = 0; i < m_tokens.size(); ++i) {
        if (text(i) == u"__shared__")
            readShared(i);
        else if (text(i) == u"*")
            readPointer(i);
        else if (text(i) == u"[")
            readLocalArray(i);
        if (isVectorType(text(i)))
            m_facts.usesVectorTypes = true;
    }
    for (const CodeToken &token : m_kernel.parameters)
        m_facts.usesVectorTypes = m_facts.usesVectorTypes || isVectorType(token.text);
    m_facts.usesShared = std::ranges::any_of(m_arrays, [](const ArrayInfo &array) { return array.space == MemorySpace::Shared; });
}

QStringList KernelAnalysis::variablesIn(const Tokens &index) const
{
    static const QSet<QString> types = {QStringLiteral("size_t"), QStringLiteral("int"), QStringLiteral("unsigned"), QStringLiteral("long"),
                                        QStringLiteral("static_cast"), QStringLiteral("int64_t"), QStringLiteral("uint32_t")};
    QStringList variables;
    for (qsizetype i = 0; i < index.size(); ++i) {
        if (!isIdentifierToken(index.at(i)))
            continue;
        QString name = index.at(i).text;
        if (i + 2 < index.size() && index.at(i + 1).text == u".") { // threadIdx.x
            name += u'.' + index.at(i + 2).text;
            i += 2;
        }
        const bool constant = name.size() > 1 && name.front() == u'k' && name.at(1).isUpper();
        const bool allCaps = name == name.toUpper() && !name.contains(u'.');
        if (!types.contains(name) && !m_sizes.contains(name) && !constant && !allCaps && !m_arrays.contains(name) && !variables.contains(name))
            variables.append(name);
    }
    return variables;
}

void KernelAnalysis::readAccesses()
{
    for (qsizetype i = 0; i + 1 < m_tokens.size(); ++i) {
        if (!isIdentifierToken(m_tokens.at(i)) || text(i + 1) != u"[" || !m_arrays.contains(text(i)))
            continue;
        if (i > 0 && isIdentifierToken(m_tokens.at(i - 1)) && text(i - 1) != u"return" && text(i - 1) != u"else")
            continue; // a declaration
        ArrayAccess access{text(i), {}, {}, false, i};
        Tokens index;
        qsizetype end = i + 1;
        while (text(end) == u"[") {
            const qsizetype close = closing(m_tokens, end);
            index += m_tokens.mid(end + 1, close - end - 1);
            index.append({CodeToken::Kind::Punctuation, QStringLiteral(";")});
            end = close + 1;
        }
        access.variables = variablesIn(index);
        access.index = joined(index);
        while (text(end) == u".")
            end += 2; // lane of a vector
        static const QSet<QString> compound = {QStringLiteral("+="), QStringLiteral("-="), QStringLiteral("*="), QStringLiteral("/=")};
        access.isWrite = text(end) == u"=" || compound.contains(text(end));
        m_accesses.append(access);
        const ArrayInfo &array = m_arrays[text(i)];
        if (array.space == MemorySpace::Global) {
            (array.isVector ? m_vectorReads : m_scalarReads).append(array.root);
            if (array.isVector) {
                m_facts.hasVectorAccess = true;
                m_facts.flatVectors = m_facts.flatVectors && array.bare;
            }
        }
    }
}

// *reinterpret_cast<const float4 *>(x + i), *(float4 *)&x[i]
void KernelAnalysis::readCasts()
{
    for (qsizetype i = 1; i + 2 < m_tokens.size(); ++i) {
        if (text(i) != u"*" || !isVectorType(text(i - 1)) || (text(i + 1) != u">" && text(i + 1) != u")"))
            continue;
        Tokens operand;
        if (text(i + 2) == u"(") {
            operand = m_tokens.mid(i + 3, closing(m_tokens, i + 2) - i - 3);
        } else {
            for (qsizetype k = i + 2; k < m_tokens.size() && text(k) != u";" && text(k) != u","; ++k)
                operand.append(m_tokens.at(k));
        }
        for (const QString &name : identifiersIn(operand)) {
            const auto array = m_arrays.constFind(name);
            if (array == m_arrays.cend())
                continue;
            if (array->space == MemorySpace::Global) {
                // Whether the cast makes a pointer (then its accesses are seen elsewhere) or an access on the spot.
                qsizetype start = i - 1;
                while (start > 0 && (text(start) == u"const" || isVectorType(text(start)) || text(start) == u"<" || text(start) == u"(" ||
                                     text(start) == u"reinterpret_cast"))
                    --start;
                m_facts.hasVectorAccess = true;
                m_vectorReads.append(array->root);
                const bool isPointer = text(start) == u"=" || isIdentifierToken(m_tokens.at(start));
                if (!isPointer || operand.size() > 1)
                    m_facts.flatVectors = m_facts.flatVectors && operand.size() <= 1;
            }
            break;
        }
    }
}

void KernelAnalysis::readLoops()
{
    for (qsizetype i = 0; i < m_tokens.size(); ++i) {
        if ((text(i) != u"for" && text(i) != u"while") || text(i + 1) != u"(")
            continue;
        const qsizetype close = closing(m_tokens, i + 1);
        qsizetype begin = close + 1, end = begin;
        if (text(begin) == u"{") {
            end = closing(m_tokens, begin);
        } else {
            // One statement, perhaps another loop: up to its semicolon outside parentheses, or its closing brace.
            int depth = 0;
            for (end = begin; end < m_tokens.size(); ++end) {
                depth += text(end) == u"(" ? 1 : text(end) == u")" ? -1 : 0;
                if (depth == 0 && text(end) == u"{") {
                    end = closing(m_tokens, end);
                    break;
                }
                if (depth == 0 && text(end) == u";")
                    break;
            }
        }
        m_loops.append({begin, end, m_tokens.mid(i + 2, close - i - 2)});
    }
}

// A loop over data, not over a constant handful: its header names a size, or something that is no literal.
bool KernelAnalysis::isDataLoop(const LoopRange &loop) const
{
    const QStringList names = identifiersIn(loop.header);
    return std::ranges::any_of(names, [&](const QString &name) { return m_sizes.contains(name) || name == u"vectors" || name == u"n4"; });
}

int KernelAnalysis::loopsAround(qsizetype position) const
{
    return static_cast<int>(std::ranges::count_if(m_loops, [&](const LoopRange &loop) { return loop.begin <= position && position < loop.end; }));
}

// Local scalars that hold one element: float v = a[i]; and vectors: const float4 x4 = x_row[i];
void KernelAnalysis::readScalars()
{
    for (qsizetype i = 1; i + 1 < m_tokens.size(); ++i) {
        if (text(i + 1) != u"=" || !isIdentifierToken(m_tokens.at(i)) || !isIdentifierToken(m_tokens.at(i - 1)) || m_arrays.contains(text(i)))
            continue;
        qsizetype end = i + 2;
        while (end < m_tokens.size() && text(end) != u";")
            ++end;
        QList<ArrayAccess> inside;
        for (const ArrayAccess &access : m_accesses) {
            if (access.position > i && access.position < end)
                inside.append(access);
        }
        if (inside.size() == 1)
            m_scalars.insert(text(i), inside.first());
    }
}

// The array element a factor stands for: a[i], a value loaded from one, a lane of a loaded vector.
std::optional<ArrayAccess> KernelAnalysis::operandOf(const Tokens &factor) const
{
    static const QSet<QString> wrappers = {QStringLiteral("__ldg"), QStringLiteral("__half2float"), QStringLiteral("float"), QStringLiteral("double"),
                                           QStringLiteral("static_cast"), QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z"), QStringLiteral("w")};
    for (qsizetype i = 0; i < factor.size(); ++i) {
        const QString &name = factor.at(i).text;
        if (!isIdentifierToken(factor.at(i)) || (wrappers.contains(name) && !m_arrays.contains(name)))
            continue;
        if (m_arrays.contains(name) && i + 1 < factor.size() && factor.at(i + 1).text == u"[") {
            Tokens index;
            qsizetype at = i + 1;
            while (at < factor.size() && factor.at(at).text == u"[") {
                const qsizetype close = closing(factor, at);
                index += factor.mid(at + 1, close - at - 1);
                at = close + 1;
            }
            return ArrayAccess{name, variablesIn(index), joined(index), false, 0};
        }
        if (m_scalars.contains(name))
            return m_scalars.value(name);
        return std::nullopt;
    }
    return std::nullopt;
}

KernelFacts KernelAnalysis::run()
{
    m_facts.name = m_kernel.name;
    m_facts.flatVectors = true;
    readParameters();
    readDeclarations();
    readAccesses();
    readCasts();
    readLoops();
    readScalars();
    findAccumulations();
    findBoundsChecks();
    findIndexPatterns();
    findCalls();
    findSharedTile();
    m_facts.flatVectors = m_facts.flatVectors && m_facts.hasVectorAccess;
    m_facts.hasTail = std::ranges::any_of(m_vectorReads, [&](const QString &root) { return m_scalarReads.contains(root); });
    m_facts.isReduction = m_facts.isReduction && !m_facts.isGemm && !m_facts.isStencil;
    m_facts.isExchange = m_facts.isExchange && !m_facts.isGemm && !m_facts.isReduction && !m_facts.isStencil;
    return m_facts;
}

KernelFacts factsOf(const SourceFunction &kernel, const QList<SourceFunction> &functions)
{
    return KernelAnalysis(kernel, functions).run();
}

} // namespace kernelskill::expert
