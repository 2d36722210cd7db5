// SPDX-License-Identifier: Apache-2.0
// A person's own changes to the policy that ships, in a file of their own. It names what it changes and no more:
//
//     overlay: 1
//     remove: [memory_bandwidth.streaming_wider]      # cases, or whole bottlenecks
//     tiers: {H: primary_limiter_util < 50}           # likewise fields, derived (by name), methods, reuse_source; advice is added
//     bottlenecks:
//       - id: compute                                 # there already: the keys given here replace those there
//         cases:
//           - {id: pointwise, allowed: [M21, M2]}     # likewise
//           - {id: mine, before: pointwise, title: My own case, structures: [S0], allowed: [M21]}
//
// What is new stands before the one that `before` names, else last (a bottleneck: before the fallback).
#pragma once

#include "retrieval/policy.h"

#include <yaml-cpp/yaml.h>

#include <functional>

namespace kernelskill {

// Ends reading with an error at a node.
using RefusePolicy = std::function<void(const YAML::Node &at, const QString &message)>;

// Changes `policy` in place. Nodes keep their places in their texts.
void applyOverlay(YAML::Node policy, const YAML::Node &overlay, const RefusePolicy &refuse);

} // namespace kernelskill
