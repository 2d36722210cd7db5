// SPDX-License-Identifier: Apache-2.0
// How KernelFacts are found, in four steps: which names are arrays and where they live; every access to one with its index;
// loops; and what is accumulated in them. It is a reading of idioms, not a compiler: names are resolved one definition
// deep, which covers how kernels are written.
#pragma once

#include "features/kernel_facts.h"

#include <QMap>

namespace kernelskill::expert {

enum class MemorySpace { Global, Shared, Local };

struct ArrayInfo
{
    MemorySpace space = MemorySpace::Local;
    QString root;          // parameter a pointer was derived from
    bool isVector = false; // elements are float4 and the like
    bool bare = true;      // a vector pointer made of a parameter without an offset
    int dimensions = 1;
};

struct ArrayAccess
{
    QString array;
    QStringList variables; // names in the index that vary over threads and iterations
    QString index;         // text
    bool isWrite = false;
    qsizetype position = 0;
};

struct LoopRange
{
    qsizetype begin = 0, end = 0; // tokens of the body
    Tokens header;
};

class KernelAnalysis
{
public:
    KernelAnalysis(const SourceFunction &kernel, const QList<SourceFunction> &functions) : m_kernel(kernel), m_functions(functions), m_tokens(kernel.body) {}
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
    [[nodiscard]] std::optional<ArrayAccess> operandOf(const Tokens &factor) const;
    [[nodiscard]] int loopsAround(qsizetype position) const;
    [[nodiscard]] bool isDataLoop(const LoopRange &loop) const;
    [[nodiscard]] const QString &text(qsizetype i) const
    {
        static const QString none;
        return i >= 0 && i < m_tokens.size() ? m_tokens.at(i).text : none;
    }

    const SourceFunction &m_kernel;
    const QList<SourceFunction> &m_functions;
    const Tokens &m_tokens;
    KernelFacts m_facts;
    QMap<QString, ArrayInfo> m_arrays;
    QStringList m_sizes;              // scalar parameters
    QMap<QString, ArrayAccess> m_scalars;  // local scalar → the one array element it was loaded from
    QList<ArrayAccess> m_accesses;
    QList<LoopRange> m_loops;
    QStringList m_scalarReads, m_vectorReads; // roots accessed by element and by vector
};

} // namespace kernelskill::expert
