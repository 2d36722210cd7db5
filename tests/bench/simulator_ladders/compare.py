#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the simulator's modelled times with those measured on the GPU (h200.json).

    compare.py PROGRAM [--families a,b] [--held-out a,b] [--arguments "--device h200"] [--save FILE] [--verbose]
    compare.py --load FILE [--held-out a,b]

PROGRAM is the path of `kernelskill`. Every version is evaluated by `PROGRAM evaluate TASK vN.cu --json`.
Printed per family: modelled against measured, Kendall's tau of the ladder (pairs whose measured times differ by less
than 3 % are noise and left out), how many pairs that differ by at least 20 % are ordered rightly, the median absolute
relative error; then the same over all families, and the errors of the counters both sides know.
Exit: 0 compared, 2 wrong usage, 3 nothing could be evaluated.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import pathlib
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
NOISE = 0.03
CLEAR = 0.20
SMALL = 10000  # counters below this are accidents of a run, such as a few bank conflicts


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def evaluate(program, arguments, task, candidate, limit):
    """The program's JSON document, with the seconds it took; {"status": ...} alone when there is none."""
    begin = time.monotonic()
    try:
        result = subprocess.run([program, "evaluate", str(task), str(candidate), "--json", *arguments],
                                capture_output=True, text=True, timeout=limit)
        document = json.loads(result.stdout)
    except subprocess.TimeoutExpired:
        document = {"status": "no answer in time"}
    except json.JSONDecodeError:
        document = {"status": f"exit {result.returncode}", "log": result.stderr[-2000:]}
    document["seconds"] = round(time.monotonic() - begin, 1)
    return document


def measured_metrics(entry):
    """What the profiler counted for one solve(), under its own names and under the workbench's."""
    counters = {name: value for name, value in entry.get("counters", {}).items() if value >= SMALL}
    get = entry.get("counters", {}).get
    flop = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
    access = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
    named = {
        "instructions": get("smsp__inst_executed.sum", 0),
        "dram_bytes": get("dram__bytes_read.sum", 0) + get("dram__bytes_write.sum", 0),
        "l2_bytes": 32 * get("lts__t_sectors.sum", 0),
        "fp32_flops": 2 * get(flop.format("ffma"), 0) + get(flop.format("fadd"), 0) + get(flop.format("fmul"), 0),
        "shared_bank_conflicts": get(conflicts.format("ld"), 0) + get(conflicts.format("st"), 0),
    }
    counters.update({name: value for name, value in named.items() if value >= SMALL})
    kernels = entry.get("kernels", [])
    if len(kernels) == 1:  # ratios do not add up over kernels
        own = kernels[0]["counters"]
        for name, kind in (("sectors_per_request", "ld"), ("store_sectors_per_request", "st")):
            if own.get(access.format("requests", kind)):
                counters[name] = own[access.format("sectors", kind)] / own[access.format("requests", kind)]
        counters["registers_per_thread"] = own["launch__registers_per_thread"]
        counters["achieved_occupancy_pct"] = own["sm__warps_active.avg.pct_of_peak_sustained_active"]
    return counters


def modelled_metrics(metrics, wanted):
    """The wanted ones: from the top level if they stand there, else summed over whatever lists kernels below it."""
    found = {}

    def visit(value):
        for name, member in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(member, (dict, list)):
                visit(member)
            elif name in wanted and isinstance(member, (int, float)):
                found[name] = found.get(name, 0) + member

    visit(metrics)
    if isinstance(metrics, dict):
        found.update({name: value for name, value in metrics.items()
                      if name in wanted and isinstance(value, (int, float))})
    return found


def ladder(pairs):
    """(tau, ordered rightly, clearly different pairs) of [(measured, modelled), ...]."""
    agree, total, right, clear = 0, 0, 0, 0
    for (measured, modelled), (other_measured, other_modelled) in itertools.combinations(pairs, 2):
        apart = abs(measured - other_measured) / min(measured, other_measured)
        same = (measured - other_measured) * (modelled - other_modelled)
        if apart >= NOISE:
            total += 1
            agree += (same > 0) - (same < 0)
        if apart >= CLEAR:
            clear += 1
            right += same > 0
    return (agree / total if total else 1.0), right, clear


def summary(name, families):
    taus = [family["tau"] for family in families]
    errors = [error for family in families for error in family["errors"]]
    right = sum(family["right"] for family in families)
    clear = sum(family["clear"] for family in families)
    if errors:
        print(f"{name}: {len(families)} families, tau mean {sum(taus) / len(taus):.3f} least {min(taus):.3f}; "
              f"pairs {right}/{clear} ({100 * right / max(clear, 1):.1f} %); "
              f"median absolute error {100 * median(errors):.1f} %, worst {100 * max(errors):.0f} %")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("--families", default="")
    parser.add_argument("--held-out", default="", help="families to sum up on their own")
    parser.add_argument("--arguments", default="", help="more arguments for every evaluation")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=900, help="seconds for one evaluation")
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--load", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="the counters of every version")
    options = parser.parse_args()
    if bool(options.program) == bool(options.load):
        parser.error("expected either the path of kernelskill or --load FILE")
    data = json.loads((HERE / "h200.json").read_text())
    chosen = options.families.split(",") if options.families else sorted(data["families"])
    if unknown := [name for name in chosen if name not in data["families"]]:
        parser.error(f"h200.json has no family {', '.join(unknown)}")

    answers = json.loads(options.load.read_text()) if options.load else {}
    if options.program:
        jobs = {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for family in chosen:
                for version in sorted(data["families"][family]["versions"]):
                    task = (HERE / data["families"][family]["task"]).resolve()
                    jobs[(family, version)] = pool.submit(evaluate, options.program, shlex.split(options.arguments),
                                                          task, (HERE / family / f"{version}.cu").resolve(),
                                                          options.limit)
            for (family, version), job in jobs.items():
                answers.setdefault(family, {})[version] = job.result()
                print(f"{family} {version}: {answers[family][version].get('status')} "
                      f"{answers[family][version]['seconds']} s", file=sys.stderr)
                if options.save:
                    options.save.write_text(json.dumps(answers, indent=1) + "\n")

    results, held_out, counter_errors = [], options.held_out.split(","), {}
    for family in chosen:
        print(f"\n{family}\n  version   measured µs   modelled µs   ratio  verdict")
        pairs, errors = [], []
        for version, entry in sorted(data["families"][family]["versions"].items()):
            source = HERE / family / f"{version}.cu"
            if hashlib.sha256(source.read_bytes()).hexdigest() != entry["sha256"]:
                print(f"  {version}: the source is not the one that was measured", file=sys.stderr)
            answer = answers.get(family, {}).get(version, {"status": "not evaluated"})
            measured, modelled = entry["time_us"], answer.get("time_us")
            if not modelled:
                print(f"  {version:7} {measured:13.2f}   {'–':>11}      –   {answer.get('status')}")
                continue
            pairs.append((measured, modelled))
            errors.append(abs(modelled / measured - 1))
            print(f"  {version:7} {measured:13.2f} {modelled:13.2f} {modelled / measured:7.2f}  "
                  f"{answer.get('verdict', answer.get('status'))}")
            wanted = measured_metrics(entry)
            for name, value in sorted(modelled_metrics(answer.get("metrics", {}), wanted).items()):
                counter_errors.setdefault(name, []).append((abs(value / wanted[name] - 1), family, version))
                if options.verbose:
                    print(f"      {name}: measured {wanted[name]:.6g}, modelled {value:.6g}, "
                          f"ratio {value / wanted[name]:.3f}")
        if errors:
            tau, right, clear = ladder(pairs)
            results.append({"name": family, "tau": tau, "right": right, "clear": clear, "errors": errors})
            print(f"  tau {tau:.3f}, pairs {right}/{clear}, median absolute error {100 * median(errors):.1f} %")
    print()
    summary("all", results)
    if options.held_out:
        summary("held out", [result for result in results if result["name"] in held_out])
        summary("the others", [result for result in results if result["name"] not in held_out])
    if counter_errors:
        print("\ncounter: median absolute error, worst")
        for name, found in sorted(counter_errors.items()):
            worst = max(found)
            print(f"  {name}: {100 * median([error for error, *_ in found]):.1f} %, "
                  f"{100 * worst[0]:.0f} % ({worst[1]} {worst[2]}), {len(found)} versions")
    return 0 if results else 3


if __name__ == "__main__":
    sys.exit(main())
