// SPDX-License-Identifier: Apache-2.0
// Which counters are asked for. Chosen for GH100 with CUPTI's own scheduler: all of them take ten passes there (nine of
// the hardware, one of instrumented code), as on TU102, GA100, AD102, GB100 and GB202.
#pragma once

#include <string>
#include <vector>

namespace kernelskill::cuda {

// For the evidence row and the metric catalogue. NVIDIA's own SM and L1 "throughput" is the largest of some twenty
// shares and costs six passes more; ours is the largest of those that were ever the largest (see smThroughputParts()).
[[nodiscard]] const std::vector<std::string> &policyCounters();

// Counters over time, in one pass.
[[nodiscard]] const std::vector<std::string> &timelineCounters();

// Of which sm__throughput and l1tex__throughput are the largest.
[[nodiscard]] const std::vector<std::string> &smThroughputParts();
[[nodiscard]] const std::vector<std::string> &l1ThroughputParts();

// GA100 and GH100 send packed half arithmetic, which compilers use to load constants, through the tensor pipe:
// instructions of that pipe which are no matrix instructions.
[[nodiscard]] const std::string &packedHalfOnTensorPipe();

// What the waits are called in policyCounters() and in the catalogue, without "selected".
[[nodiscard]] const std::vector<std::string> &stallReasons();

struct ProfileWish
{
    bool counters = true, timeline = true, hotSpots = true;
    double timelineLeast_us = 50;
    bool replayKernels = false; // CUPTI repeats each kernel itself: for candidates whose calls differ
};

// The options of kernelskill_profile_begin().
[[nodiscard]] std::string profileOptions(const ProfileWish &wish = {});

} // namespace kernelskill::cuda
