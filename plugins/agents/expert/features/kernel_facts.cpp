// SPDX-License-Identifier: Apache-2.0
// The analysis works on the kernel's tokens in four steps: which names are arrays and where they live; every access to one
// with its index; loops; and what is accumulated in them. It is a reading of idioms, not a compiler: names are resolved one
// definition deep, which covers how kernels are written.
#include "features/kernel_facts.h"

#include <QMap>

#include <algorithm>

namespace kernelskill::expert {

namespace {

enum class Space { Global, Shared, Local };

struct Array
{
    Space space = Space::Local;
    QString root;          // parameter a pointer was derived from
    bool isVector = false; // elements are float4 and the like
    bool bare = true;      // a vector pointer made of a parameter without an offset
    int dimensions = 1;
};

struct Access
{
    QString array;
    QStringList variables; // names in the index that vary over threads and iterations
    QString index;         // text
    bool isWrite = false;
    qsizetype position = 0;
};

struct Loop
{
    qsizetype begin = 0, end = 0; // tokens of the body
    Tokens header;
};

class Analysis
{
public:
    Analysis(const SourceFunction &kernel, const QList<SourceFunction> &functions) : m_kernel(kernel), m_functions(functions), m_tokens(kernel.body) {}
    KernelFacts run();

private:
    void readParameters();
    void readDeclarations();
    void readPointer(qsizetype star);
    void readShared(qsizetype at);
    void readLocalArray(qsizetype at);
    void readScalars();
    void readAccesses();
    void readCasts();
    void readLoops();
    void findAccumulations();
    void accumulate(qsizetype target, qsizetype from, qsizetype to);
    void judgeProduct(const Tokens &expression, qsizetype position);
    void findBoundsChecks();
    void findIndexPatterns();
    void findCalls();
    void findSharedTile();

    [[nodiscard]] QStringList variablesIn(const Tokens &index) const;
    [[nodiscard]] std::optional<Access> operandOf(const Tokens &factor) const;
    [[nodiscard]] int loopsAround(qsizetype position) const;
    [[nodiscard]] bool isDataLoop(const Loop &loop) const;
    [[nodiscard]] const QString &text(qsizetype i) const
    {
        static const QString none;
        return i >= 0 && i < m_tokens.size() ? m_tokens.at(i).text : none;
    }

    const SourceFunction &m_kernel;
    const QList<SourceFunction> &m_functions;
    const Tokens &m_tokens;
    KernelFacts m_facts;
    QMap<QString, Array> m_arrays;
    QStringList m_sizes;              // scalar parameters
    QMap<QString, Access> m_scalars;  // local scalar → the one array element it was loaded from
    QList<Access> m_accesses;
    QList<Loop> m_loops;
    QStringList m_scalarReads, m_vectorReads; // roots accessed by element and by vector
};

void Analysis::readParameters()
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
            m_arrays.insert(name, {Space::Global, name, vector, true, 1});
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
void Analysis::readPointer(qsizetype star)
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
        Array array = *source;
        const bool vectorCast = std::ranges::any_of(identifiersIn(initialiser), isVectorType);
        array.isVector = isVectorType(text(typeAt)) || (text(typeAt) == u"auto" && (vectorCast || source->isVector));
        const bool offset = std::ranges::any_of(initialiser, [](const CodeToken &token) { return token.text == u"+" || token.text == u"["; });
        array.bare = source->bare && !offset;
        m_arrays.insert(text(nameAt), array);
        return;
    }
}

void Analysis::readShared(qsizetype at)
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
                m_arrays.insert(name = text(i - 1), {Space::Shared, text(i - 1), false, true, 1});
            i = closing(m_tokens, i);
        }
    }
}

// float sums[4][4]; — an identifier before and after is a declaration.
void Analysis::readLocalArray(qsizetype at)
{
    const bool declares = at > 1 && text(at) == u"[" && isIdentifierToken(m_tokens.at(at - 1)) && isIdentifierToken(m_tokens.at(at - 2)) &&
                          text(at - 2) != u"return" && text(at - 2) != u"else";
    if (declares && !m_arrays.contains(text(at - 1)))
        m_arrays.insert(text(at - 1), {Space::Local, text(at - 1), isVectorType(text(at - 2)), true, 1});
}

void Analysis::readDeclarations()
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
    m_facts.usesShared = std::ranges::any_of(m_arrays, [](const Array &array) { return array.space == Space::Shared; });
}

QStringList Analysis::variablesIn(const Tokens &index) const
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

void Analysis::readAccesses()
{
    for (qsizetype i = 0; i + 1 < m_tokens.size(); ++i) {
        if (!isIdentifierToken(m_tokens.at(i)) || text(i + 1) != u"[" || !m_arrays.contains(text(i)))
            continue;
        if (i > 0 && isIdentifierToken(m_tokens.at(i - 1)) && text(i - 1) != u"return" && text(i - 1) != u"else")
            continue; // a declaration
        Access access{text(i), {}, {}, false, i};
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
        const Array &array = m_arrays[text(i)];
        if (array.space == Space::Global) {
            (array.isVector ? m_vectorReads : m_scalarReads).append(array.root);
            if (array.isVector) {
                m_facts.hasVectorAccess = true;
                m_facts.flatVectors = m_facts.flatVectors && array.bare;
            }
        }
    }
}

// *reinterpret_cast<const float4 *>(x + i), *(float4 *)&x[i]
void Analysis::readCasts()
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
            if (array->space == Space::Global) {
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

void Analysis::readLoops()
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
bool Analysis::isDataLoop(const Loop &loop) const
{
    const QStringList names = identifiersIn(loop.header);
    return std::ranges::any_of(names, [&](const QString &name) { return m_sizes.contains(name) || name == u"vectors" || name == u"n4"; });
}

int Analysis::loopsAround(qsizetype position) const
{
    return static_cast<int>(std::ranges::count_if(m_loops, [&](const Loop &loop) { return loop.begin <= position && position < loop.end; }));
}

// Local scalars that hold one element: float v = a[i]; and vectors: const float4 x4 = x_row[i];
void Analysis::readScalars()
{
    for (qsizetype i = 1; i + 1 < m_tokens.size(); ++i) {
        if (text(i + 1) != u"=" || !isIdentifierToken(m_tokens.at(i)) || !isIdentifierToken(m_tokens.at(i - 1)) || m_arrays.contains(text(i)))
            continue;
        qsizetype end = i + 2;
        while (end < m_tokens.size() && text(end) != u";")
            ++end;
        QList<Access> inside;
        for (const Access &access : m_accesses) {
            if (access.position > i && access.position < end)
                inside.append(access);
        }
        if (inside.size() == 1)
            m_scalars.insert(text(i), inside.first());
    }
}

// The array element a factor stands for: a[i], a value loaded from one, a lane of a loaded vector.
std::optional<Access> Analysis::operandOf(const Tokens &factor) const
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
            return Access{name, variablesIn(index), joined(index), false, 0};
        }
        if (m_scalars.contains(name))
            return m_scalars.value(name);
        return std::nullopt;
    }
    return std::nullopt;
}

// A product of two array elements that is added up. Independent indices on both sides make it a matrix product; one side's
// being part of the other's, in nested loops, a convolution; equal ones a dot product.
void Analysis::judgeProduct(const Tokens &expression, qsizetype position)
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
    const bool fromGlobal = m_arrays.value(left->array).space == Space::Global && m_arrays.value(right->array).space == Space::Global;
    const bool nested = loopsAround(position) >= 2;
    if (fromGlobal && nested && (leftOwn || rightOwn)) {
        m_facts.isStencil = true;
    } else if (leftOwn && rightOwn) {
        m_facts.isGemm = true;
        m_facts.isNaiveGemm = m_facts.isNaiveGemm || fromGlobal;
    }
}

// `target` accumulates m_tokens[from, to).
void Analysis::accumulate(qsizetype target, qsizetype from, qsizetype to)
{
    const bool inDataLoop = std::ranges::any_of(m_loops, [&](const Loop &loop) { return loop.begin <= target && target < loop.end && isDataLoop(loop); });
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
    const bool sharedTarget = !scalarTarget && m_arrays.value(text(target)).space == Space::Shared;
    const bool fromShared = std::ranges::any_of(identifiersIn(expression), [&](const QString &name) { return m_arrays.value(name).space == Space::Shared && m_arrays.contains(name); });
    const bool readsArray = std::ranges::any_of(identifiersIn(expression), [&](const QString &name) { return m_arrays.contains(name) || m_scalars.contains(name); });
    const bool anyValue = !identifiersIn(expression).isEmpty();
    if ((scalarTarget && (readsArray || (inDataLoop && anyValue))) || (sharedTarget && fromShared))
        m_facts.isReduction = true;
}

void Analysis::findAccumulations()
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

void Analysis::findBoundsChecks()
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
void Analysis::findIndexPatterns()
{
    QMap<QString, QStringList> readIndices;
    QStringList writeIndices;
    for (const Access &access : m_accesses) {
        const Array array = m_arrays.value(access.array);
        if (array.space != Space::Global)
            continue;
        if (access.isWrite)
            writeIndices.append(access.index);
        else
            readIndices[access.array].append(access.index);
        for (const Access &inner : m_accesses) {
            const bool inside = inner.position > access.position && access.index.contains(inner.array + u'[') && inner.array != access.array;
            m_facts.isGather = m_facts.isGather || (inside && m_arrays.value(inner.array).space == Space::Global);
        }
        for (const QString &variable : access.variables) {
            const auto loaded = m_scalars.constFind(variable);
            m_facts.isGather = m_facts.isGather || (loaded != m_scalars.cend() && m_arrays.value(loaded->array).space == Space::Global);
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
void Analysis::findCalls()
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
void Analysis::findSharedTile()
{
    for (const Array &array : std::as_const(m_arrays))
        m_facts.hasSharedTile = m_facts.hasSharedTile || (array.space == Space::Shared && array.dimensions > 1);
    for (const Access &write : m_accesses) {
        if (!write.isWrite || m_arrays.value(write.array).space != Space::Shared)
            continue;
        qsizetype end = write.position;
        while (end < m_tokens.size() && text(end) != u";")
            ++end;
        const bool fromGlobal = std::ranges::any_of(m_accesses, [&](const Access &read) {
            return !read.isWrite && read.position > write.position && read.position < end && m_arrays.value(read.array).space == Space::Global;
        });
        m_facts.hasSharedTile = m_facts.hasSharedTile || fromGlobal;
    }
}

KernelFacts Analysis::run()
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

} // namespace

KernelFacts factsOf(const SourceFunction &kernel, const QList<SourceFunction> &functions)
{
    return Analysis(kernel, functions).run();
}

} // namespace kernelskill::expert
