// SPDX-License-Identifier: Apache-2.0
// What a fusion group computes, independent of its schedule. One program type a pattern; a group is legal exactly when
// its program can be built.
#pragma once

#include "patterns/element_code.h"
#include "plan/kernel_plan.h"
#include "plan/task_view.h"

namespace kernelskill::expert {

// How an operand varies over a space of rows × columns.
enum class LoadKind { Element, PerColumn, PerRow, Uniform };

struct Load
{
    QString name;   // value, as in ${name}
    QString buffer; // parameter it is read from
    LoadKind kind = LoadKind::Element;
};

struct Store
{
    QString value;
    QString buffer;
    ElementCode code;
    bool perRow = false; // one value a row (then code refers to row values only)
};

// Elements are addressed as row * cols + col.
struct IterationSpace
{
    QStringList outer, inner; // dimensions whose products are rows and cols
};

struct PointwiseProgram
{
    IterationSpace space;
    bool isFlat = true; // no operand needs row or column: one index is enough
    QList<Load> loads;
    QList<Store> stores;
};

struct RowValue
{
    QString name;
    Code code; // over other row values, #{cols} and PerRow loads
};

struct RowPhase
{
    enum class Kind { Sum, Maximum, Minimum };
    Kind kind = Kind::Sum;
    QString name;    // row value it defines
    QString comment; // "Largest element of the row."
    ElementCode element;
    QList<RowValue> after;      // row values computed from it
    bool startsSoftmax = false; // this maximum and the next sum may be found in one pass
    QString keep;               // load whose cached copy is replaced by the element's value, for later passes
};

struct RowProgram
{
    IterationSpace space;
    QList<Load> loads;
    QList<RowValue> before; // row values that need no reduction
    QList<RowPhase> phases;
    QList<Store> stores;
    bool hasSoftmax = false;
    QString softmaxSum; // row value of the sum of exponentials
};

struct MatrixProgram
{
    QString a, b; // buffers
    bool transposedA = false, transposedB = false;
    QStringList batch;
    QString m, n, k;   // dimensions
    QString product;   // value name of the bare product, as in ${product}
    QList<Load> loads; // of the epilogue, without the product
    Store store;
};

struct TransposeProgram
{
    QString input, output;  // buffers
    QStringList rows, cols; // of the input; the output is cols × rows
    QStringList batch;
    ElementCode element; // over ${input value}
    QString inputValue;
};

struct ReductionProgram
{
    RowPhase::Kind kind = RowPhase::Kind::Sum;
    QStringList dimensions;
    QList<Load> loads; // Element or Uniform
    ElementCode element;
    QString output; // buffer of one value
    bool isMean = false;
    QString name;
};

[[nodiscard]] Result<PointwiseProgram> buildPointwise(const TaskView &view, const Group &group);
[[nodiscard]] Result<RowProgram> buildRows(const TaskView &view, const Group &group);
[[nodiscard]] Result<MatrixProgram> buildMatrixProduct(const TaskView &view, const Group &group);
[[nodiscard]] Result<TransposeProgram> buildTranspose(const TaskView &view, const Group &group);
[[nodiscard]] Result<ReductionProgram> buildFullReduction(const TaskView &view, const Group &group);
// Whether the group's program can be built, whatever its pattern.
[[nodiscard]] Result<void> checkGroup(const TaskView &view, const Group &group);

// Shared by the builders.
[[nodiscard]] std::unexpected<Error> notThisPattern(const Group &group, const QString &why);
[[nodiscard]] QStringList externalInputs(const TaskView &view, const Group &group);
[[nodiscard]] QStringList externalOutputs(const TaskView &view, const Group &group);
// How `shape` varies over `space`, nothing when it fits in no way.
[[nodiscard]] std::optional<LoadKind> loadKind(const graph::SymbolicShape &shape, const IterationSpace &space);

} // namespace kernelskill::expert
