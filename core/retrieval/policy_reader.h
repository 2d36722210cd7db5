// SPDX-License-Identifier: Apache-2.0
// policy.yaml as text → Policy, with every name and expression checked where it stands. skills/policy.yaml itself
// explains the form; policy_overlay.h that of a person's own changes.
#pragma once

#include "retrieval/policy.h"

namespace kernelskill {

struct PolicyText
{
    QString text, source; // source: for messages
};

// Errors: policy.syntax, policy.name, policy.type, policy.expression; the message starts with "source:line:column: ".
// Reachability of cases is Policy::parse's business. With an overlay, Policy::text is that of both merged.
[[nodiscard]] Result<Policy> readPolicyText(const PolicyText &policy, const PolicyText &overlay = {});

} // namespace kernelskill
