// SPDX-License-Identifier: Apache-2.0
// Groups of cp.async: the data are copied at issue, a wait moves the warp's clock to when they would have arrived.
#include "engine/execution/warp_context.h"

#include <algorithm>

namespace kernelskill::simulator {

void commitAsyncGroup(WarpContext &context, const MicroOp &) {
    WarpState &w = *context.warp;
    const std::uint64_t before = w.asyncCommitted == 0 ? 0 : w.asyncGroups[(w.asyncCommitted - 1) % 16];
    w.asyncGroups[w.asyncCommitted % 16] = std::max(before, w.asyncOpen); // groups complete in order
    w.asyncCommitted += 1;
    w.asyncOpen = 0;
}

void waitAsyncGroups(WarpContext &context, const MicroOp &op) {
    WarpState &w = *context.warp;
    std::uint64_t arrival = op.immediate < 0 ? w.asyncOpen : 0;
    const std::uint64_t pending = op.immediate < 0 ? 0 : static_cast<std::uint64_t>(op.immediate);
    if (w.asyncCommitted > pending && pending < 16) arrival = std::max(arrival, w.asyncGroups[(w.asyncCommitted - 1 - pending) % 16]);
    if (arrival <= w.clock) return;
    context.launch->stalls[context.pc].cycles[static_cast<std::size_t>(StallReason::LongScoreboard)] += arrival - w.clock;
    w.clock = arrival;
}

} // namespace kernelskill::simulator
