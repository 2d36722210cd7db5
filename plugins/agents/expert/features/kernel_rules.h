// SPDX-License-Identifier: Apache-2.0
// What the facts of one kernel amount to. The meaning of every word, with its borderline cases, is in
// tests/plugins/expert/features_corpus/README.md.
#pragma once

#include "features/kernel_facts.h"

namespace kernelskill::expert {

struct KernelJudgement
{
    bool hasContraction = false; // a loop that adds up products of elements of two operands
    bool isProduct = false;      // … each of which has an index of its own: a matrix product
    bool isNaiveProduct = false; // … one element a thread, operands straight from global memory
    bool takesTensorCores = false;
    bool isStencil = false;
    bool hasReuse = false;
    bool isGather = false;    // or scatter
    bool isIrregular = false; // branches or loops on data
    bool isReduction = false; // or scan
    bool isPointwise = false;
    bool hasTile = false;
    bool hasVectors = false;
    bool vectorsAligned = false;
    bool guardsAlignment = false;
    bool hasTail = false;
    [[nodiscard]] QString structure() const; // S0 … S3
};

[[nodiscard]] KernelJudgement judge(const KernelFacts &facts);

} // namespace kernelskill::expert
