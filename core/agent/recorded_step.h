// SPDX-License-Identifier: Apache-2.0
// Where a replayed candidate comes from, and what the record says of it.
#pragma once

#include "evaluation/evaluation.h"

#include <QJsonObject>

#include <optional>

namespace kernelskill {

struct RecordedStep
{
    int node = -1;   // of the recorded session
    QString verdict; // as recorded; empty: it was never evaluated there
    std::optional<Speedup> speedup; // over the recorded baseline
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static RecordedStep fromJson(const QJsonObject &object);
};

// What the evaluator says now against the record, in a sentence; empty where the two agree: the same verdict, and
// speedups whose intervals meet or that are within 5 % of each other.
[[nodiscard]] QString divergence(const RecordedStep &recorded, const QString &verdict, const std::optional<Speedup> &speedup);

} // namespace kernelskill
