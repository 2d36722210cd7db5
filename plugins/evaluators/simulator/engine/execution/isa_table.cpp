// SPDX-License-Identifier: Apache-2.0
// Chooses the handlers this host can run.
#include "engine/execution/operation.h"
#include "engine/execution/warp_context.h"

namespace kernelskill::simulator {

namespace baseline { extern const IsaTable table; }
#ifdef KERNELSKILL_HAVE_X86_64_V3
namespace x86_64_v3 { extern const IsaTable table; }
#endif

const IsaTable &isaTable() {
#ifdef KERNELSKILL_HAVE_X86_64_V3
    static const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
    if (v3) return x86_64_v3::table;
#endif
    return baseline::table;
}

} // namespace kernelskill::simulator
