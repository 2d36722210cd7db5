#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole loop over the bundled tasks and those beside this file, next to vendor baselines and rooflines (README.md)."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LADDERS = HERE.parent / "simulator_ladders"
RESOURCES = HERE.parents[2] / "resources"


def value_of(expression, sizes):
    """An expression of task.json: numbers, names of sizes, + - * / // % ( ), min and max."""
    if not re.fullmatch(r"[\w\s+\-*/%(),.]+", expression):
        sys.exit(f"{expression}: not an expression of task.json")
    return eval(expression, {"__builtins__": {}}, {**sizes, "min": min, "max": max})


def time_sizes(task):
    time_entry = task["sizes"]["time"]
    return [one["size"] for one in time_entry] if isinstance(time_entry, list) else [time_entry]


def roofline_us(task, gpu):
    """Geometric mean over the sizes, like the times beside it."""
    product, sizes = 1.0, time_sizes(task)
    for size in sizes:
        moved = value_of(str(task["work"]["bytes"]), size) / (gpu["dram_gb_s"] * 1e3)
        computed = value_of(str(task["work"]["flops"]), size) / (gpu["fp32_tflops"] * 1e6)
        product *= max(moved, computed)
    return product ** (1 / len(sizes))


class Program:
    def __init__(self, arguments):
        self.path = arguments.kernelskill
        self.common = ["--evaluator", arguments.evaluator, "--mode", arguments.mode, "--json"]
        if arguments.unconfined:
            self.common.append("--unconfined")
        self.rounds = str(arguments.rounds)
        self.limit_s = arguments.limit

    def ask(self, *command):
        """The one JSON document of a command, or a sentence about why there is none."""
        try:
            end = subprocess.run([self.path, *map(str, command), *self.common], capture_output=True, text=True,
                                 timeout=self.limit_s)
        except subprocess.TimeoutExpired:
            return {"error": f"took longer than {self.limit_s} s"}
        try:
            return json.loads(end.stdout)
        except json.JSONDecodeError:
            lines = (end.stderr or end.stdout).strip().splitlines()
            return {"error": lines[-1] if lines else f"exit status {end.returncode}"}

    def optimise(self, folder):
        return self.ask("optimize", folder, "--agent", "expert", "--rounds", self.rounds, "--memory", "none")

    def evaluate(self, folder, candidate):
        return self.ask("evaluate", folder, candidate)


def short(answer):
    keep = ("status", "verdict", "time_us", "interval", "kind", "error", "evidence")
    result = {key: answer[key] for key in keep if key in answer}
    reasons = [f"{check['name']}: {check['detail']}" for check in answer.get("checks", [])
               if check["outcome"] not in ("passed", "not made")]
    reasons += [finding["message"] for finding in answer.get("findings", [])]
    if reasons:
        result["reason"] = reasons[0]
    return result


def measure(program, folder, gpu):
    task = json.loads((folder / "task.json").read_text())
    start = time.time()
    row = {"roofline_us": roofline_us(task, gpu), "loop": program.optimise(folder)}
    if "vendor" in task:
        row["vendor"] = {"title": task["vendor"]["title"],
                         **short(program.evaluate(folder, folder / task["vendor"].get("file", "vendor.cu")))}
    row["wall_s"] = round(time.time() - start, 1)
    return row


def measure_ladder(program, folder, gpu):
    """Vendor baseline and every hand-written version of a family that has no operator graph."""
    task = json.loads((folder / "task.json").read_text())
    row = {"roofline_us": roofline_us(task, gpu),
           "vendor": {"title": task["vendor"]["title"], **short(program.evaluate(folder, folder / "vendor.cu"))}}
    versions = {file.stem: short(program.evaluate(folder, file)) for file in sorted(folder.glob("v?.cu"))}
    row["versions"] = versions
    return row


def microseconds(value):
    return f"{value:.1f}" if isinstance(value, (int, float)) else "–"


def vendor_cells(row, ours):
    vendor = row.get("vendor")
    if not vendor:
        return "–", "–"
    if vendor.get("verdict") not in ("verified", "unproven") or not vendor.get("time_us"):
        return vendor.get("verdict", "error"), "–"
    ratio = f"{vendor['time_us'] / ours:.2f}×" if ours else "–"
    return f"{vendor['time_us']:.1f} ({vendor['title']})", ratio


def print_table(rows):
    print("| task | naive µs | ours µs | speedup | verdict | vendor µs | ours over vendor | roofline µs | part of it |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        roof = row["roofline_us"]
        if "versions" in row:
            usable = {v: one["time_us"] for v, one in row["versions"].items() if one.get("verdict") == "verified"}
            best = min(usable, key=usable.get, default=None)
            naive, ours, verdict = usable.get("v0"), usable.get(best), f"hand-written {best}" if best else "–"
            speedup = f"{naive / ours:.2f}×" if naive and ours else "–"
        else:
            best = row["loop"].get("best") or {}
            naive, ours = row["loop"].get("baseline_us"), best.get("time_us")
            verdict = best.get("verdict", row["loop"].get("error", row["loop"].get("message", "–")))
            low, high = best.get("interval", [0, 0])
            speedup = f"{best['speedup']:.2f}× [{low:.2f}, {high:.2f}]" if best.get("speedup") else "–"
        vendor, ratio = vendor_cells(row, ours)
        part = f"{100 * roof / ours:.0f} %" if ours else "–"
        print(f"| {name} | {microseconds(naive)} | {microseconds(ours)} | {speedup} | {verdict} | {vendor} | {ratio} |"
              f" {roof:.1f} | {part} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernelskill", default="kernelskill", help="the program")
    parser.add_argument("--evaluator", default="cuda")
    parser.add_argument("--mode", default="strict")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--device", default="h200", help="file in resources/gpus for the roofline")
    parser.add_argument("--tasks", default="", help="names, separated by commas; all when empty")
    parser.add_argument("--vendor-of", nargs="*", type=pathlib.Path, help="families of simulator_ladders instead of the loop")
    parser.add_argument("--limit", type=int, default=900, help="seconds a command may take")
    parser.add_argument("--unconfined", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    gpu = json.loads((RESOURCES / "gpus" / f"{arguments.device}.json").read_text())
    program = Program(arguments)
    rows = json.loads(arguments.out.read_text()) if arguments.out and arguments.out.exists() else {}
    if arguments.vendor_of is not None:
        folders = arguments.vendor_of or sorted(file.parent for file in LADDERS.glob("*/vendor.cu"))
    else:
        folders = sorted(file.parent for place in (RESOURCES / "tasks", HERE / "tasks") for file in place.glob("*/task.json"))
    wanted = [name for name in arguments.tasks.split(",") if name]
    for folder in folders:
        if folder.name in rows or (wanted and folder.name not in wanted):
            continue
        rows[folder.name] = (measure if arguments.vendor_of is None else measure_ladder)(program, folder, gpu)
        row = rows[folder.name]
        print(f"{folder.name}: {row.get('wall_s', '–')} s", file=sys.stderr)
        if arguments.out:
            arguments.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
