#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the simulator's modelled times with those measured on the GPU (h200.json).

    compare.py PROGRAM [--families a,b] [--held-out a,b] [--arguments "--device h200"] [--save FILE] [--verbose]
    compare.py --load FILE [--held-out a,b] [--plot FILE.svg]

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
        # Of the multiprocessors: lts__t_sectors also counts what the two halves of this L2 send each other.
        "l2_bytes": 32 * get("lts__t_sectors_srcunit_tex.sum", 0),
        "tensor_instructions": get("smsp__inst_executed_pipe_tensor.sum", 0),
        "l1_wavefronts": get("l1tex__data_pipe_lsu_wavefronts.sum", 0),
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
        loads = own.get(access.format("sectors", "ld"), 0)
        hits = own.get("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 0)
        if loads:
            counters["l1_hit_pct"] = 100 * hits / loads
        if own.get("lts__t_sectors_srcunit_tex.sum"):
            counters["l2_hit_pct"] = min(100, 100 * own.get("lts__t_sectors_srcunit_tex_lookup_hit.sum", 0)
                                         / own["lts__t_sectors_srcunit_tex.sum"])
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


# Counter -> how far it may be off: a share, or so many of its own unit.
TOLERANCES = {"fp32_flops": 0.05, "tensor_instructions": 0.05, "sectors_per_request": 0.05,
              "store_sectors_per_request": 0.05, "l2_bytes": 0.05, "dram_bytes": 0.05, "l1_wavefronts": 0.05,
              "instructions": 0.20, "registers_per_thread": "8", "l1_hit_pct": "10", "l2_hit_pct": "10"}


def off(name, modelled, measured):
    """(error, within its tolerance); the error in the unit of the tolerance."""
    tolerance = TOLERANCES.get(name)
    if isinstance(tolerance, str):
        return abs(modelled - measured), abs(modelled - measured) <= float(tolerance)
    error = abs(modelled / measured - 1) if measured else float(modelled != measured)
    return error, tolerance is not None and error <= tolerance


def plot(path, families, held_out):
    """A small scatter plot on logarithmic scales: measured across, modelled upwards."""
    import math
    size, margin, low, high = 420, 44, 0.5, 4.6  # exponents of ten of the microseconds shown

    def at(value):
        return margin + (math.log10(value) - low) / (high - low) * (size - 2 * margin)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-family="sans-serif" font-size="11">',
             f'<rect width="{size}" height="{size}" fill="#fff"/>']
    for factor, dash in ((1, ""), (1.25, "3 3"), (0.8, "3 3")):
        ends = [(10 ** low, 10 ** low * factor), (10 ** high, 10 ** high * factor)]
        (x1, y1), (x2, y2) = [(at(x), size - at(y)) for x, y in ends]
        lines.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#999" stroke-dasharray="{dash}"/>')
    for exponent in range(1, 5):
        x = at(10 ** exponent)
        lines.append(f'<path d="M{x:.1f} {size - margin}v4M{margin} {size - x:.1f}h-4" stroke="#333"/>'
                     f'<text x="{x:.1f}" y="{size - margin + 17}" text-anchor="middle">{10 ** exponent}</text>'
                     f'<text x="{margin - 7}" y="{size - x + 4:.1f}" text-anchor="end">{10 ** exponent}</text>')
    lines.append(f'<path d="M{margin} {margin}V{size - margin}H{size - margin}" fill="none" stroke="#333"/>')
    for family in families:
        held = family["name"] in held_out
        for measured, modelled in family["pairs"]:
            x, y = at(measured), size - at(modelled)
            mark = (f'<path d="M{x:.1f} {y - 4.5:.1f}l4 7h-8z" fill="#c4500c"/>' if held
                    else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="none" stroke="#1f5fa8"/>')
            lines.append(mark)
    lines.append(f'<text x="{size / 2}" y="{size - 8}" text-anchor="middle">measured on an H200, µs</text>'
                 f'<text transform="translate(12 {size / 2}) rotate(-90)" text-anchor="middle">modelled, µs</text>'
                 f'<text x="{margin + 8}" y="{margin - 14}">filled: families held back from fitting; '
                 'dashed: 25 % off</text></svg>')
    path.write_text("\n".join(lines) + "\n")


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
    parser.add_argument("--plot", type=pathlib.Path, help="an SVG of measured against modelled")
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
                if name == "tensor_instructions" and value == 0:
                    continue  # the pipe also executes some of what is no matrix instruction
                error, within = off(name, value, wanted[name])
                counter_errors.setdefault(name, []).append((error, family, version, within))
                if options.verbose:
                    ratio = f", ratio {value / wanted[name]:.3f}" if wanted[name] else ""
                    print(f"      {name}: measured {wanted[name]:.6g}, modelled {value:.6g}{ratio}")
        if errors:
            tau, right, clear = ladder(pairs)
            results.append({"name": family, "tau": tau, "right": right, "clear": clear, "errors": errors,
                            "pairs": pairs})
            print(f"  tau {tau:.3f}, pairs {right}/{clear}, median absolute error {100 * median(errors):.1f} %")
    print()
    summary("all", results)
    if options.held_out:
        summary("held out", [result for result in results if result["name"] in held_out])
        summary("the others", [result for result in results if result["name"] not in held_out])
    if options.plot:
        plot(options.plot, results, held_out)
    if counter_errors:
        print("\ncounter: median error, worst; within the tolerance")
        for name, found in sorted(counter_errors.items()):
            error, family, version, _ = max(found)
            in_units = isinstance(TOLERANCES.get(name), str)
            text = "{:.1f}" if in_units else "{:.1%}"
            inside = sum(1 for one in found if one[3])
            limit = f"; {inside} of {len(found)} within {TOLERANCES[name] if in_units else format(TOLERANCES[name], '.0%')}" \
                if name in TOLERANCES else f"; {len(found)} versions"
            print(f"  {name}: {text.format(median([one[0] for one in found]))}, {text.format(error)} "
                  f"({family} {version}){limit}")
    return 0 if results else 3


if __name__ == "__main__":
    sys.exit(main())
