// SPDX-License-Identifier: Apache-2.0
// policy.yaml as text → Policy, with every name and expression checked where it stands. skills/policy.yaml itself
// explains the form.
#pragma once

#include "retrieval/policy.h"

namespace kernelskill {

// Errors: policy.syntax, policy.name, policy.type, policy.expression; the message starts with "source:line:column: ".
// Reachability of cases is Policy::parse's business.
[[nodiscard]] Result<Policy> readPolicyText(const QString &text, const QString &source);

} // namespace kernelskill
