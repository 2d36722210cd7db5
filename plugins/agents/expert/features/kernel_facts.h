// SPDX-License-Identifier: Apache-2.0
// What one kernel does with memory and loops, read off its tokens.
#pragma once

#include "features/source_model.h"

namespace kernelskill::expert {

struct KernelFacts
{
    QString name;
    bool hasVectorAccess = false;   // to global memory
    bool flatVectors = false;       // vector pointers are made of bare parameters: aligned as the allocation is
    bool guardsAlignment = false;   // tests a remainder before it uses vectors
    bool hasTail = false;           // the same array also element by element
    bool usesVectorTypes = false;
    bool hasSharedTile = false;
    bool usesShared = false;
    bool hasBoundsCheck = false;
    bool usesTranscendentals = false;
    bool hasProductLoop = false;    // accumulates products of elements of two arrays
    bool isGemm = false;            // … whose indices are independent on both sides
    bool isNaiveGemm = false;       // … straight from global memory
    bool isReduction = false;
    bool isStencil = false;
    bool isGather = false;
    bool isExchange = false;        // written at another place than read: transposition
    bool hasHalfOperands = false;   // half, bfloat16 or int8 arrays
};

[[nodiscard]] KernelFacts factsOf(const SourceFunction &kernel, const QList<SourceFunction> &functions);

} // namespace kernelskill::expert
