// SPDX-License-Identifier: Apache-2.0
// SQL compares anything with anything; a policy must not. Checks what a field is compared with.
#pragma once

#include "base/result.h"

#include <QMap>
#include <QString>

namespace kernelskill {

// A structure is compared only for equality, and only with 'S0' to 'S4'; a number never with a text; a boolean never
// with a number but 0 and 1. `kinds`: name → "number", "boolean", "structure". Names it does not know are left to
// SQLite.
[[nodiscard]] Result<void> checkPredicateTypes(const QString &expression, const QMap<QString, QString> &kinds);

} // namespace kernelskill
