// SPDX-License-Identifier: Apache-2.0
// What one kernel does with memory and loops: the layer of facts between the front ends and the rules.
#pragma once

#include "features/code_tree.h"
#include "features/index_form.h"

#include <QHash>

namespace kernelskill::expert {

enum class MemorySpace { Global, Constant, Shared, Local };

struct ArrayFact
{
    QString name;
    MemorySpace space = MemorySpace::Local;
    QString element;             // plain type
    bool isStaged = false;       // shared: holds elements of global memory
    bool combinesItself = false; // shared: cells are updated from other cells, as scratch of reductions and scans is
    std::set<int> contentLoads, contentLinear; // local: the loads its cells were made of
    Dependence content;
};

struct Access
{
    int array = -1;
    Polynomial index; // in elements of the array
    bool isWrite = false;
    bool isAtomic = false;
    bool isVector = false;
    bool isAligned = true;    // a vector's place is a multiple of its width whatever the sizes are
    bool isIndexData = false; // used for bounds of loops or for indices only
    std::vector<int> loops;   // outermost first
    std::set<int> varying;    // atoms that change over threads, blocks and loops; a local array's content included
    std::set<int> loads;      // write: the loads its value depends on
    Dependence value;         // write: what its value depends on
};

struct LoopFact
{
    int atom = -1;
    std::optional<double> trips;
    bool isIrregular = false; // its end depends on data
};

struct Product
{
    std::set<int> left, right; // loads that enter linearly
};

struct Accumulation
{
    bool isScalar = true;    // into a variable, not into cells
    bool isFromLoop = false; // adds something new in every trip
    std::vector<int> loops;  // that it runs over
    std::set<int> loads;
    std::vector<Product> products;
};

struct KernelFacts
{
    QString name;
    AtomTable atoms;
    std::vector<ArrayFact> arrays;
    std::vector<Access> accesses;
    std::vector<LoopFact> loops;
    std::vector<Accumulation> accumulations;
    bool hasBoundsCheck = false;
    bool guardsAlignment = false;
    bool hasRemainderLoop = false;
    bool branchesOnData = false;
    bool exchangesInWarp = false; // shuffles, votes, warp or group reductions
    bool usesTensorCores = false;
    bool hasPackedProduct = false; // __dp4a
    bool usesTranscendentals = false;
    bool usesVectorTypes = false;
    bool wasCutShort = false; // more code than is looked at
};

// How a kernel is launched tells what its template parameters and functors are.
struct KernelBinding
{
    QStringList templateArguments;
    QHash<QString, QString> argumentTypes;        // parameter → type of what is passed
    QHash<QString, const Node *> argumentLambdas; // parameter → lambda
};

[[nodiscard]] KernelFacts factsOf(const CodeProgram &program, const CodeFunction &kernel, const KernelBinding &binding);
[[nodiscard]] bool isTranscendental(const QString &function);
[[nodiscard]] bool isTranscendentalAssembly(const QString &text);
// Built-in vectors and structs that pack several lanes of one type into one aligned unit.
[[nodiscard]] bool isVectorLike(const CodeProgram &program, const QString &plain);

} // namespace kernelskill::expert
