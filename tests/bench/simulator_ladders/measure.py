#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds, checks, times and profiles every version of every family on this machine's GPU.

    measure.py OUT_FOLDER [--build-only] [--families a,b | --only l1_rows|joined_loads] [--merge FILE] [--limit SECONDS]

Needs nvcc, and ncu for the counters. Writes OUT_FOLDER/h200.json after each step and OUT_FOLDER/measure.log.
With --merge the result is FILE, an earlier result of the same kind of GPU, with the chosen families measured anew or
added; its ceilings stay as they are, and every family measured now has a "device" of its own. --only measures no family but
what L1 keeps (l1_rows.cu) or which loads go to L2 as one (joined_loads.cu).
"""
import argparse
import concurrent.futures
import csv
import datetime
import hashlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
BUNDLED = HERE.parents[2] / "resources" / "tasks"
POINTERS = {"float32": "float", "float16": "__half", "int32": "int", "uint8": "unsigned char"}

STALLS = ["long_scoreboard", "short_scoreboard", "barrier", "mio_throttle", "lg_throttle", "math_pipe_throttle", "wait",
          "not_selected", "selected", "membar", "drain", "no_instruction", "branch_resolve", "dispatch_stall",
          "imc_miss", "tex_throttle", "sleeping"]
METRICS = [
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "lts__t_sectors_op_red.sum",
    "lts__t_sectors_op_atom.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_pipe_alu.sum",
    "smsp__inst_executed_pipe_fma.sum",
    "smsp__inst_executed_pipe_xu.sum",
    "smsp__inst_executed_pipe_lsu.sum",
    "smsp__inst_executed_pipe_fp64.sum",
    "smsp__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_tensor.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "launch__registers_per_thread",
    "launch__shared_mem_config_size",
    "launch__occupancy_limit_registers",
    "launch__waves_per_multiprocessor",
] + [f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS]


class Log:
    def __init__(self, path):
        self.file = open(path, "w")
        self.begin = time.monotonic()

    def __call__(self, *words):
        line = f"[{time.monotonic() - self.begin:6.1f}] " + " ".join(str(word) for word in words)
        print(line, flush=True)
        self.file.write(line + "\n")
        self.file.flush()


def seconds(log):
    return time.monotonic() - log.begin


def families():
    return sorted(folder.name for folder in HERE.iterdir() if (folder / "v1.cu").exists())


def task_folder(family):
    own = HERE / family
    return own if (own / "task.json").exists() else BUNDLED / family


def evaluate(expression, sizes):
    if not isinstance(expression, str):
        return expression
    if not re.fullmatch(r"[\w\s+\-*/%().,]+", expression):
        raise ValueError(expression)
    return eval(expression, {"__builtins__": {}}, dict(sizes, min=min, max=max))  # our own task files only


def kinds(reference):
    """The C types of tensors; the reference gets float16 as float."""
    return dict(POINTERS, float16="float") if reference else POINTERS


def declaration(task, reference=False):
    words = []
    for parameter in task["parameters"]:
        kind = kinds(reference)[parameter["dtype"]]
        if parameter["kind"] == "scalar":
            words.append(f"{kind} {parameter['name']}")
        else:
            words.append(f"{'const ' if parameter['role'] == 'in' else ''}{kind} *{parameter['name']}")
    return ", ".join(words)


def arguments_of(task, reference=False):
    arguments, tensors, scalars = [], 0, 0
    for parameter in task["parameters"]:
        kind = kinds(reference)[parameter["dtype"]]
        if parameter["kind"] == "scalar":
            arguments.append(f"({kind})scalars[{scalars}]")
            scalars += 1
        else:
            constant = "const " if parameter["role"] == "in" else ""
            arguments.append(f"({constant}{kind} *)tensors[{tensors}]")
            tensors += 1
    return ", ".join(arguments)


def adapter(task):
    return f"""#include <cuda_fp16.h>
#include <cuda_runtime.h>
extern "C" void solve({declaration(task)}, cudaStream_t stream);
extern "C" void reference({declaration(task, True)});
extern "C" void call_solve(void **tensors, const double *scalars, cudaStream_t stream)
{{
    solve({arguments_of(task)}, stream);
}}
extern "C" void call_reference(void **tensors, const double *scalars) {{ reference({arguments_of(task, True)}); }}
"""


def plan(task, libraries):
    lines = [f"lib {version} {path}" for version, path in libraries]
    tolerance = task["tolerance"]
    lines.append(f"tolerance {tolerance['absolute']} {tolerance['relative']}")
    cases = [("check", task["sizes"]["check"])]
    cases += [(f"edge{i}", sizes) for i, sizes in enumerate(task["sizes"]["edge"])]
    cases.append(("time", task["sizes"]["time"]))
    for name, sizes in cases:
        lines.append(f"case {name}")
        for parameter in task["parameters"]:
            if parameter["kind"] == "scalar":
                lines.append(f"scalar {evaluate(parameter['value'], sizes)}")
                continue
            elements = 1
            for extent in parameter["shape"]:
                elements *= int(evaluate(extent, sizes))
            if parameter["role"] == "out":
                lines.append(f"tensor out {parameter['dtype']} {elements}")
                continue
            values = parameter["values"]
            kind = values["distribution"]
            if kind == "constant":
                kind, values = "uniform", {"low": values["value"], "high": values["value"]}
            first, second = (values["mean"], values["std"]) if kind == "normal" else (values["low"], values["high"])
            lines.append(f"tensor in {parameter['dtype']} {elements} {kind} {first} {second}")
    return "\n".join(lines) + "\n"


def demangle(names):
    tool = shutil.which("c++filt") or shutil.which("cu++filt")
    if not tool or not names:
        return dict(zip(names, names))
    result = subprocess.run([tool, *names], capture_output=True, text=True)
    return dict(zip(names, result.stdout.splitlines()))


def resources(text):
    """Registers, shared memory and spills of each kernel from what ptxas -v printed."""
    kernels, current = [], None
    for line in text.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            current = {"name": found[1]}
            kernels.append(current)
        elif current is not None and (found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                                                         r"(\d+) bytes spill loads", line)):
            current.update(stack_bytes=int(found[1]), spill_store_bytes=int(found[2]), spill_load_bytes=int(found[3]))
        elif current is not None and (found := re.search(r"Used (\d+) registers", line)):
            current["registers"] = int(found[1])
            shared = re.search(r"(\d+) bytes smem", line)
            current["static_shared_bytes"] = int(shared[1]) if shared else 0
    names = demangle([kernel["name"] for kernel in kernels])
    for kernel in kernels:
        kernel["name"] = names.get(kernel["name"], kernel["name"])
    return kernels


def build(out, chosen, log):
    """Compiles everything; returns {family: {version: {"library", "resources"} }}."""
    work = out / "build"
    work.mkdir(parents=True, exist_ok=True)
    jobs = {}
    for program in ("measure", "ceilings", "l1_rows", "joined_loads"):
        jobs[(program, "")] = ["nvcc", "-std=c++17", "-O3", "-arch=sm_90", "-o", str(work / program),
                               str(HERE / f"{program}.cu"), "-ldl"]
    for family in chosen:
        folder = task_folder(family)
        task = json.loads((folder / "task.json").read_text())
        (work / f"{family}_adapter.cu").write_text(adapter(task))
        for source in sorted((HERE / family).glob("v*.cu")):
            library = work / f"{family}_{source.stem}.so"
            jobs[(family, source.stem)] = ["nvcc", "-std=c++17", "-O3", "-arch=sm_90", "-lineinfo", "-shared",
                                           "-Xcompiler", "-fPIC", "-Xptxas", "-v", "-o", str(library), str(source),
                                           str(work / f"{family}_adapter.cu"), str(folder / "reference.cpp")]
    built, failed = {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: subprocess.run(job, capture_output=True, text=True), jobs.values())
        for (family, version), result in zip(jobs, results):
            if result.returncode != 0 or "warning" in result.stderr:
                log(f"nvcc on {family} {version}: exit {result.returncode}\n{result.stderr[-3000:]}")
            if result.returncode != 0:
                failed.append((family, version))
                continue
            if version:
                built.setdefault(family, {})[version] = {"library": str(work / f"{family}_{version}.so"),
                                                         "resources": resources(result.stderr)}
    log(f"built {len(jobs) - len(failed)} of {len(jobs)}", failed or "")
    return built


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def interval(values, rounds=2000):
    """95 % bootstrap interval of the median."""
    generator = random.Random(1)
    medians = sorted(median(generator.choices(values, k=len(values))) for _ in range(rounds))
    return [medians[int(rounds * 0.025)], medians[int(rounds * 0.975) - 1]]


def run(command, limit):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=max(limit, 1))
    except subprocess.TimeoutExpired as expired:
        text = expired.stdout.decode() if isinstance(expired.stdout, bytes) else expired.stdout or ""
        return subprocess.CompletedProcess(command, 124, text, "timed out")


def time_family(work, family, versions, log, limit):
    """Checks and times; returns {version: {...}}. After a crash each version runs on its own, next to v0."""
    task = json.loads((task_folder(family) / "task.json").read_text())
    path = work / f"{family}.plan"
    groups = [list(versions)]
    for attempt in range(2):
        found, wrong = {}, False
        for group in groups:
            path.write_text(plan(task, [(version, versions[version]["library"]) for version in group]))
            result = run([str(work / "measure"), str(path)], limit)
            if result.returncode != 0:
                wrong = True
                log(f"{family} {group}: exit {result.returncode} {result.stderr[-500:]}")
            for line in result.stdout.splitlines():
                record = json.loads(line)
                entry = found.setdefault(record["version"], {"checks": {}})
                if "check" in record:
                    entry["checks"][record["check"]] = {key: record[key]
                                                        for key in ("relative_norm", "largest", "outside")}
                else:
                    samples = record["device_us"]
                    entry.update(time_us=round(median(samples), 3),
                                 interval_us=[round(value, 3) for value in interval(samples)],
                                 host_us=round(median(record["host_us"]), 3),
                                 samples_us=[round(value, 2) for value in samples])
        if not wrong or attempt == 1:
            return found
        groups = [["v0", version] if version != "v0" else ["v0"] for version in versions]
    return found


def number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def known_metrics(log):
    result = run(["ncu", "--query-metrics", "--chips", "gh100"], 60)
    names = {line.split()[0] for line in result.stdout.splitlines() if line.split()}
    if len(names) < 100:
        log("ncu lists no metrics:", result.stdout[-300:], result.stderr[-300:])
        return METRICS
    kept = [metric for metric in METRICS if metric.startswith("launch__") or metric.split(".")[0] in names]
    log("metrics this ncu does not know:", [metric for metric in METRICS if metric not in kept])
    return kept


def kernel_rows(text):
    """The rows of what ncu printed as CSV, without that of the units; none if it printed something else."""
    start = text.find('"ID"')
    return [row for row in csv.DictReader(io.StringIO(text[start:])) if row.get("ID")] if start >= 0 else []


def measure_l1_rows(work, log, limit):
    """Hit rate of L1, in percent, of each case of l1_rows.cu."""
    hits, all_of_them = (f"l1tex__t_sectors_pipe_lsu_mem_global_op_ld{end}.sum" for end in ("_lookup_hit", ""))
    cases = run([str(work / "l1_rows")], 60).stdout.splitlines()
    result = run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                  "--cache-control", "all", "--metrics", f"{hits},{all_of_them},launch__shared_mem_config_size",
                  str(work / "l1_rows")], limit)
    rows = kernel_rows(result.stdout)
    if len(rows) != len(cases):
        log(f"ncu on l1_rows: exit {result.returncode}, {len(rows)} of {len(cases)} kernels", result.stderr[-600:])
        return {}
    found = {}
    for case, row in zip(cases, rows):
        blocks, kib, waves, writes = case.split()
        name = f"{blocks}_blocks_{kib}kib_{waves}_waves" + ("_writing" if writes == "1" else "")
        found[name] = {"hit_pct": round(100 * number(row[hits]) / number(row[all_of_them]), 2),
                       "shared_config_bytes": number(row["launch__shared_mem_config_size"])}
    return found


def measure_joined_loads(work, log, limit):
    """Share of the sectors of each case of joined_loads.cu that do not reach L2; the GPC of each SM; where blocks go."""
    reached = "lts__t_sectors_srcunit_tex.sum"
    lines = [line.split() for line in run([str(work / "joined_loads")], 60).stdout.splitlines()]
    cases = [line for line in lines if line[0] not in ("gpcs", "order")]
    result = run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control",
                  "none", "-k", "readSame", "--metrics", reached, str(work / "joined_loads")], limit)
    rows = kernel_rows(result.stdout)
    if len(rows) != len(cases):
        log(f"ncu on joined_loads: exit {result.returncode}, {len(rows)} of {len(cases)} kernels", result.stderr[-600:])
        return {}
    found = {line[0]: [int(sm) for sm in line[1:]] for line in lines if line[0] in ("gpcs", "order")}
    aside = number(rows[0][reached])  # what beginning together takes
    for (name, readers), row in zip(cases, rows):
        asked = int(readers) * 2**20 / 32
        if asked:
            found[name] = round(1 - (number(row[reached]) - aside) / asked, 4)
    return found


def profile_family(work, family, versions, metrics, log, limit):
    """Counters of each kernel; returns {version: [kernel, ...]}."""
    task = json.loads((task_folder(family) / "task.json").read_text())
    path = work / f"{family}.plan"
    path.write_text(plan(task, [(version, versions[version]["library"]) for version in versions]))
    result = run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                  "--cache-control", "all", "--profile-from-start", "off", "--metrics", ",".join(metrics),
                  str(work / "measure"), str(path), "--profile"], limit)
    rows = kernel_rows(result.stdout)
    if not rows:
        log(f"ncu on {family}: exit {result.returncode}", result.stdout[-600:], result.stderr[-600:])
        return {}
    order, kernels, place = list(versions), {}, -1
    for row in rows:
        if "ladderMarker" in row["Kernel Name"]:
            place += 1
            continue
        counters = {metric: number(row[metric]) for metric in metrics if row.get(metric)}
        kernels.setdefault(order[place], []).append(
            {"name": row["Kernel Name"], "grid": extent(row.get("Grid Size")),
             "block": extent(row.get("Block Size")),
             "counters": {name: value for name, value in counters.items() if value is not None}})
    return kernels


def extent(text):
    """"(64, 1, 1)" as a list."""
    return [int(word) for word in re.findall(r"\d+", text or "")]


def totals(kernels):
    """Sums over the kernels of one solve() of what adds up."""
    result = {}
    for kernel in kernels:
        for name, value in kernel["counters"].items():
            if name.endswith(".sum"):
                result[name] = result.get(name, 0) + value
    return result


def pretty(value, depth=0, deepest=5):
    """JSON with a line for every member down to a version's fields, compact below."""
    if isinstance(value, dict) and value and depth < deepest:
        lines = [f"{' ' * (depth + 1)}{json.dumps(key)}: {pretty(member, depth + 1)}" for key, member in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"
    return json.dumps(value)


def device_facts():
    result = run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem,"
                  "power.limit,temperature.gpu,memory.total", "--format=csv,noheader,nounits"], 30)
    words = [word.strip() for word in result.stdout.strip().split(",")]
    keys = ["name", "driver", "max_sm_clock_mhz", "max_memory_clock_mhz", "sm_clock_mhz_at_start",
            "memory_clock_mhz_at_start", "power_limit_w", "temperature_c_at_start", "memory_mib"]
    facts = dict(zip(keys, [number(word) if number(word) is not None else word for word in words]))
    version = run(["nvcc", "--version"], 30).stdout
    found = re.search(r"release [\d.]+, V([\d.]+)", version)
    facts["nvcc"] = found[1] if found else version.strip()
    found = re.search(r"Version ([\d.]+)", run(["ncu", "--version"], 30).stdout)
    facts["ncu"] = found[1] if found else None
    facts["date"] = datetime.date.today().isoformat()
    return facts


def new_record(facts, earlier):
    """What results are added to: nothing yet, or an earlier result of the same kind of GPU."""
    if earlier is None:
        return {"schema": 1, "device": facts, "ceilings": {}, "families": {}}
    if earlier["device"]["name"] != facts["name"]:
        raise ValueError(f"the earlier result is of {earlier['device']['name']}, this is {facts['name']}")
    return earlier


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--families", default="", help="only these; all of them if left out")
    parser.add_argument("--only", choices=["l1_rows", "joined_loads"], help="none of them but this")
    parser.add_argument("--merge", type=pathlib.Path, help="an earlier h200.json to add the chosen families to")
    parser.add_argument("--limit", type=float, default=560)
    options = parser.parse_args()
    chosen = options.families.split(",") if options.families else [] if options.only else families()
    if unknown := [family for family in chosen if family not in families()]:
        parser.error(f"there is no family {', '.join(unknown)}")
    earlier = json.loads(options.merge.read_text()) if options.merge else None
    options.out.mkdir(parents=True, exist_ok=True)
    log = Log(options.out / "measure.log")
    work_folder = pathlib.Path(os.environ.get("LADDER_BUILD", options.out))
    built = build(work_folder, chosen, log)
    if options.build_only:
        for family, versions in built.items():
            for version, entry in versions.items():
                for kernel in entry["resources"]:
                    log(family, version, json.dumps(kernel))
        return 0
    work = work_folder / "build"
    facts = device_facts()
    try:
        record = new_record(facts, earlier)
    except ValueError as error:
        log(error)
        return 1

    def save():
        (options.out / "h200.json").write_text(pretty(record) + "\n")

    log(json.dumps(facts))
    if not earlier:
        result = run([str(work / "ceilings")], 90)
        try:
            record["ceilings"] = json.loads(result.stdout)
        except json.JSONDecodeError:
            log("ceilings:", result.returncode, result.stdout[-1500:], result.stderr[-500:])
            (options.out / "ceilings.txt").write_text(result.stdout)
        log("ceilings", json.dumps(record["ceilings"]))
    for name, measured in (("l1_rows", measure_l1_rows), ("joined_loads", measure_joined_loads)):
        if options.only == name or not earlier:
            record[name] = {"device": facts, **measured(work, log, 120)}
            log(name, json.dumps(record[name]))
    save()
    for family, versions in built.items():
        found = time_family(work, family, versions, log, options.limit - seconds(log))
        folder = task_folder(family)
        entry = {"task": os.path.relpath(folder, HERE),
                 "sizes": json.loads((folder / "task.json").read_text())["sizes"]["time"], "versions": {}}
        if earlier:
            entry["device"] = facts
        for version, values in found.items():
            source = (HERE / family / f"{version}.cu").read_bytes()
            entry["versions"][version] = {"sha256": hashlib.sha256(source).hexdigest(),
                                          "compiled": versions[version]["resources"], **values}
            bad = {name: check for name, check in values["checks"].items() if check["outside"]}
            log(family, version, values.get("time_us"), values.get("interval_us"), "host", values.get("host_us"),
                f"WRONG {bad}" if bad else "")
        record["families"][family] = entry
        save()
    metrics = known_metrics(log)
    for family, versions in built.items():
        if seconds(log) > options.limit - 15:
            log("no time left to profile", family)
            continue
        kernels = profile_family(work, family, versions, metrics, log, options.limit - seconds(log))
        for version, found in kernels.items():
            entry = record["families"][family]["versions"].setdefault(version, {})
            entry["kernels"] = found
            entry["counters"] = totals(found)
        log("profiled", family, {version: len(found) for version, found in kernels.items()})
        save()
    log(run(["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw", "--format=csv"], 30).stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
