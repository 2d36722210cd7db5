// SPDX-License-Identifier: Apache-2.0
// Variables that host and device share (__managed__): each side has its own, and values are carried across at launches.
#pragma once

namespace kernelskill::simulator::runtime {

// A device variable was registered; it may be managed.
void noteVariable(const void *hostVariable);
void carryManagedVariables(bool toDevice);

} // namespace kernelskill::simulator::runtime
