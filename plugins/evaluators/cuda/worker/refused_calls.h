// SPDX-License-Identifier: Apache-2.0
// While only the driver is at work, a system call that the filter refuses says "not permitted" and the driver does
// without. What the candidate asks for ends its process: kit/refusal_reporter.h takes over before it is loaded.
#pragma once

namespace kernelskill::cuda {

void answerRefusedCalls();

} // namespace kernelskill::cuda
