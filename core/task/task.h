// SPDX-License-Identifier: Apache-2.0
// What is to be made fast: parameters, sizes, tolerance, reference, baseline.
#pragma once

#include "graph/operator_graph.h"
#include "task/candidate.h"
#include "task/expression.h"

#include <QList>
#include <QString>

#include <optional>

namespace kernelskill {

struct Distribution
{
    enum class Kind { Normal, Uniform, Integer, Bernoulli, Constant, Permutation };
    Kind kind = Kind::Normal;
    double first = 0;  // mean, low, low, p, value, –
    double second = 1; // std, high, high (inclusive for integer), –, –, –
    friend bool operator==(const Distribution &, const Distribution &) = default;
};

struct Parameter
{
    enum class Kind { Tensor, Scalar };
    enum class Role { In, Out, InOut };
    QString name;
    Kind kind = Kind::Tensor;
    QString dtype;             // open registry, see dtypes.h
    QList<Expression> shape;   // tensors
    Role role = Role::In;      // tensors
    Distribution values;       // tensors that are read
    Expression value;          // scalars

    [[nodiscard]] bool isRead() const { return role != Role::Out; }
    [[nodiscard]] bool isWritten() const { return role != Role::In; }
};

struct TimeSize
{
    QString name = QStringLiteral("time");
    double weight = 1;
    Sizes sizes;
    double maxRegression = 1.05; // time over the base's time beyond which a candidate is not promoted
};

struct Tolerance
{
    double absolute = 1e-5;
    double relative = 1e-4;
};

// The same task by a library of the GPU's vendor: measured and shown beside, and nothing is learnt from it.
struct VendorBaseline
{
    QString title; // "cuBLAS sgemm"
    Candidate candidate;
};

struct Task
{
    int schema = 1;
    QString kind = QStringLiteral("native"); // "kernelbench", "project" later
    QString name;
    QString title;
    QString description; // Markdown
    QString folder;      // absolute
    Sizes check;
    QList<Sizes> edge;
    QList<TimeSize> time; // at least one
    QList<Parameter> parameters;
    Tolerance tolerance;
    Expression flops, bytes;      // work.flops, work.bytes
    std::optional<OperatorGraph> graph;
    QString reference;            // text of reference.cpp
    Candidate baseline;           // baseline.cu
    std::optional<VendorBaseline> vendor; // vendor.cu
    std::optional<QString> generateHook; // text of generate.cpp
    std::optional<QString> checkHook;    // text of check.cpp
    std::optional<QString> prepareEntry; // entry point in the candidate, timed apart

    [[nodiscard]] const Parameter *parameter(const QString &parameterName) const;
    // check sizes first, then edges: all sizes at which every block runs and every output is compared
    [[nodiscard]] QList<Sizes> checkedSizes() const;
    [[nodiscard]] QByteArray digest() const; // changes when anything that decides a verdict changes
    // The C declaration of solve or reference, for messages, prompts and generated wrappers.
    [[nodiscard]] QString solveDeclaration() const;
};

// Reads a task folder. Errors name the file and a JSON pointer or line, and what was expected.
[[nodiscard]] Result<Task> readTask(const QString &folder);

} // namespace kernelskill
