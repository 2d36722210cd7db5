// SPDX-License-Identifier: Apache-2.0
// What a process that runs a candidate calls in the profiling library. The library is compiled on the GPU machine
// against its own CUPTI and loaded with dlopen (RTLD_NOW | RTLD_LOCAL) when KERNELSKILL_PROFILE_LIBRARY names it.
//
//     kernelskill_profile_attach();               before the candidate's library is loaded
//     …make a context current, load the candidate…
//     if (kernelskill_profile_begin(options) == 0) {      before the first call of solve
//         while (kernelskill_profile_wants_call()) {
//             …restore inputs and outputs, empty the L2, wait for the device…
//             kernelskill_profile_call_begin();
//             solve(…);
//             kernelskill_profile_call_end();     waits for the context; call it whatever solve did
//         }
//         kernelskill_profile_end(path);          writes the JSON
//     }
//
// Counters need more passes than one, and each pass is a whole call of solve (CUPTI's "user replay"): kernels after one
// another see each other's L2 as they do in use, and nothing of the candidate's memory has to be saved and restored by
// CUPTI. So every call must do the same work; launches that differ from call to call are told in "problems".
// The first call is a warm-up to all parts. One made before it would do no harm but for CUDA graphs: those instantiated
// before program counters are sampled show no hot spots.
// All functions are called from one thread, return 0 for success, and never throw. A part that fails (no permission,
// a counter that this chip lacks) ends up in "problems", and the other parts still run.
#pragma once

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define KERNELSKILL_PROFILE_ABI 1

int kernelskill_profile_abi(void);
int kernelskill_profile_attach(void);

// A line "name=value" each; unknown names are refused. Of them "counters" may come several times.
//   parts=hot_spots,launches,counters,timeline   which parts run (all), always in this order
//   launch_calls=3              calls whose launches are timed; the median counts
//   most_launches=128           counters are read for so many launches of a call, about a millisecond each and pass
//   counters=A,B|C,D?,…         NVIDIA's counter names, one session a line; B|C: C on chips without B; D?: not missed
//                               where there is none
//   replay=call                 "call": a pass is a call; "kernel": CUPTI repeats each kernel and restores its memory
//   timeline=A,B,…              counters over time; must fit in one pass
//   timeline_least_us=50        kernels at least this long get a timeline
//   timeline_interval_ns=0      0: a 200th of the longest kernel, 2 µs at least
//   hot_spots_period=0          samples every 2^n cycles, 5…31; 0: chosen by the length of a call
int kernelskill_profile_begin(const char *options);

int kernelskill_profile_wants_call(void); // 1 as long as another call is needed
int kernelskill_profile_call_begin(void);
int kernelskill_profile_call_end(void);

// {"schema":1, "cupti":version, "chip":…, "device":{…attributes…}, "calls":n, "passes":n, "seconds":{part:…},
//  "busy_fraction":0…1, "problems":[{"part","code","text"}], "unknown_counters":[…],
//  "launches":[{"kind":"kernel"|"memcpy"|"memset", "name":mangled, "grid", "block", "cluster", "registers",
//    "static_shared", "dynamic_shared", "local_bytes", "bytes", "graph":bool, "durations_ns":[…],
//    "counters":{name: number|null for NaN}, "timeline":{"interval_us", "metrics":{name:[…]}}}],
//  "functions":[{"name":mangled, "samples":n, "stalls":{reason:samples}, "lines":[{"file","line","samples",
//    "stalls":{…}}]}]}
int kernelskill_profile_end(const char *outputPath);

// The last failure in words; empty when there was none.
const char *kernelskill_profile_error(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
