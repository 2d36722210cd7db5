// SPDX-License-Identifier: Apache-2.0
// A session of its own from a node of another: its past up to the node's evaluation, and the node as the next round's base.
#pragma once

#include "base/result.h"

#include <QString>

namespace kernelskill {

// The path of the new file; an empty target gives one beside the original, "NAME-fork1.kss". The original stays as it is.
// Errors: session.node when the node was never evaluated or did not pass its checks.
[[nodiscard]] Result<QString> forkSession(const QString &path, int node, QString target);

} // namespace kernelskill
