// SPDX-License-Identifier: Apache-2.0
// The plan of a whole candidate: fusion groups in order of launch, each with a pattern and a schedule.
// It travels in Candidate::agentData, so the next round goes on from it.
#pragma once

#include "base/result.h"
#include "plan/schedule.h"

#include <QList>
#include <QStringList>

namespace kernelskill::expert {

enum class Pattern { Pointwise, Rows, Transpose, MatrixProduct, FullReduction };
[[nodiscard]] QString toString(Pattern pattern); // "pointwise", "rows", "transpose", "matrix_product", "full_reduction"

struct Group
{
    Pattern pattern = Pattern::Pointwise;
    QStringList nodes; // operator ids, topological order; the last one names the group
    Schedule schedule;
    QStringList skills; // applied to this group so far, in order

    [[nodiscard]] QString id() const { return nodes.isEmpty() ? QString() : nodes.last(); }
    friend bool operator==(const Group &, const Group &) = default;
};

struct KernelPlan
{
    QList<Group> groups;

    [[nodiscard]] const Group *group(const QString &id) const;
    [[nodiscard]] QStringList skills() const; // of all groups, without repetition, in order
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Result<KernelPlan> fromJson(const QJsonObject &object);
    friend bool operator==(const KernelPlan &, const KernelPlan &) = default;
};

} // namespace kernelskill::expert
