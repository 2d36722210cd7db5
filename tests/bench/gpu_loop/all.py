#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that only a GPU can show, in one go and in parts that run side by side.

    all.py BUNDLE|PROGRAM OUT [--evaluator cuda] [--parts PART,…] [--rounds N] [--shares N] [--limit SECONDS] [--repeats N]

BUNDLE is what packaging/bundle makes, PROGRAM a `kernelskill` that is there already. OUT gets doctor.json and of each part:
  profile  profile.json: counters, hot lines and timelines of kernels, of a library's too, by each profiler
  cheats   cheats.json: verdict of each cheat beside the one its README promises
  loop     loop-K.json, loop-K.txt: run.py over the K-th share of the tasks
  faults   faults.json: status of each fault, and what is on the GPU after all of them
  pairs    pairs.json: kernels against themselves, --repeats times, and the pair in known_pair/ whose ratio is known
Exit: 0 all parts ran, 1 a cheat passed or something was left on the GPU, 3 the bundle does not run here.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]
CHEATS = TREE / "tests/fixtures/cheats"
BUNDLED = TREE / "resources/tasks"

FAULTS = {
    "illegal access": "__global__ void f(float *y) { y[1ull << 40] = 1; }\n{solve} { f<<<1, 32, 0, stream>>>(y); }",
    "misaligned": "__global__ void f(float *y) { *(double *)((char *)y + 4) = 1; }\n{solve} { f<<<1, 32, 0, stream>>>(y); }",
    "device assert": "#include <cassert>\n__global__ void f() { assert(false); }\n{solve} { f<<<1, 32, 0, stream>>>(); }",
    "infinite kernel": "__global__ void f(float *y) { while (*(volatile float *)y != 12345.f) ; }\n"
                       "{solve} { f<<<1, 1, 0, stream>>>(y); }",
    "100 GB": "__global__ void f(float *y) { y[0] = 1; }\n{solve} { float *p; if (cudaMalloc(&p, 100ull << 30)) return; "
              "cudaMemsetAsync(p, 1, 100ull << 30, stream); f<<<1, 1, 0, stream>>>(y); }",
    "all of the memory": "#include <vector>\n__global__ void f(float *y) { y[0] = 1; }\n{solve} { float *p; "
                         "while (cudaMalloc(&p, 1ull << 30) == cudaSuccess) ; f<<<1, 1, 0, stream>>>(y); }",
    "forks": "#include <unistd.h>\n{solve} { fork(); }",
    "kills itself": "#include <csignal>\n{solve} { raise(SIGKILL); }",
    "host computes": "#include <vector>\n#include <cmath>\n{solve} { std::vector<float> h(size_t(rows) * cols); cudaMemcpy(h.data(), x, "
                     "h.size() * 4, cudaMemcpyDeviceToHost); for (int r = 0; r < rows; ++r) { float *p = &h[size_t(r) * cols]; float m = p[0], "
                     "s = 0; for (int c = 0; c < cols; ++c) m = fmaxf(m, p[c]); for (int c = 0; c < cols; ++c) s += p[c] = expf(p[c] - m); for "
                     "(int c = 0; c < cols; ++c) p[c] /= s; } cudaMemcpy(y, h.data(), h.size() * 4, cudaMemcpyHostToDevice); }",
}
SOLVE = 'extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)'


class Bundle:
    def __init__(self, given, options):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kernelskill-"))
        self.program = given.resolve()
        self.evaluator, self.limit_s = options.evaluator, options.limit
        if tarfile.is_tarfile(given):
            with tarfile.open(given) as tar:
                tar.extractall(self.folder)
            self.program = next(self.folder.rglob("bin/kernelskill"))

    def ask(self, *arguments, profiler=None):
        """The command's JSON document with its exit status; a sentence where there is none."""
        environment = dict(os.environ)
        if profiler:
            settings = self.folder / f"settings-{profiler}" / "kernelskill"
            settings.mkdir(parents=True, exist_ok=True)
            (settings / "plugins.ini").write_text(f"[evaluator-cuda]\nprofiler = {profiler}\n")
            environment["XDG_CONFIG_HOME"] = str(settings.parent)
        begin = time.monotonic()
        try:
            end = subprocess.run([str(self.program), *map(str, arguments), "--json"], capture_output=True, text=True,
                                 timeout=self.limit_s, env=environment)
        except subprocess.TimeoutExpired:
            return {"error": f"took longer than {self.limit_s} s"}
        try:
            document = json.loads(end.stdout)
        except json.JSONDecodeError:
            document = {"error": (end.stderr or end.stdout).strip()[-600:]}
        document["exit"] = end.returncode
        document["seconds"] = round(time.monotonic() - begin, 1)
        return document

    def evaluate(self, task, candidate, *more):
        return self.ask("evaluate", task, candidate, "--evaluator", self.evaluator, *more)


def short(evaluation):
    """What a table needs of an evaluation."""
    failed = [f"{c['name']}: {c['detail']}" for c in evaluation.get("checks", []) if c.get("outcome") == "failed"]
    return {key: value for key, value in {
        "status": evaluation.get("status"), "verdict": evaluation.get("verdict"), "time_us": evaluation.get("time_us"),
        "interval": evaluation.get("interval"), "failed": failed[:3], "error": evaluation.get("error"),
        "findings": [f.get("message") for f in evaluation.get("findings", [])][:2],
        "seconds": evaluation.get("seconds")}.items() if value not in (None, [])}


def promised():
    """Cheat -> (task, verdicts that the README's last column allows)."""
    table = {}
    for line in (CHEATS / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 5:
            name = cells[0].strip("`")
            table[name] = ("matmul" if name == "lowers_precision_tf32" else "row_softmax",
                           re.findall(r"verified|suspect|wrong|failed|unproven", cells[4]))
    return table


def cheats(bundle, out):
    result, passed = {}, []

    def one(entry):
        name, (task, allowed) = entry
        evaluation = bundle.evaluate(BUNDLED / task, CHEATS / f"{name}.cu")
        result[name] = {**short(evaluation), "promised": allowed}
        if evaluation.get("verdict") not in allowed:
            passed.append(name)
        out.write_text(json.dumps({"otherwise than promised": passed, "cheats": result}, indent=1, sort_keys=True))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # one builds while the other measures
        list(pool.map(one, sorted(promised().items())))
    return not any(result[name].get("verdict") == "verified" for name in passed)


def faults(bundle, out):
    result = {}
    folder = bundle.folder / "faults"
    folder.mkdir()
    honest = BUNDLED / "row_softmax" / "baseline.cu"
    for name, text in FAULTS.items():
        candidate = folder / (name.replace(" ", "_") + ".cu")
        candidate.write_text("#include <cuda_runtime.h>\n" + text.replace("{solve}", SOLVE) + "\n")
        result[name] = short(bundle.evaluate(BUNDLED / "row_softmax", candidate))
        result[name]["next"] = bundle.evaluate(BUNDLED / "row_softmax", honest).get("verdict")
        out.write_text(json.dumps(result, indent=1))
    try:
        left = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,name,used_memory", "--format=csv,noheader"],
                              capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        left = ""  # no GPU, nothing left on it
    result["left on the GPU"] = left
    out.write_text(json.dumps(result, indent=1))
    return not left and all(one["next"] == "verified" for name, one in result.items() if isinstance(one, dict))


def profile(bundle, out):
    result = {}
    asked = [(task, "baseline.cu", None) for task in ("row_softmax", "matmul", "layer_norm")]
    asked += [("matmul", "vendor.cu", None)] + [("matmul", "baseline.cu", by) for by in ("cupti", "ncu", "ncu-full")]
    for task, candidate, profiler in asked:
        evaluation = bundle.ask("profile", BUNDLED / task, BUNDLED / task / candidate, "--evaluator", bundle.evaluator,
                                profiler=profiler)
        evaluation.pop("artefacts", None)
        result[" ".join(filter(None, (task, candidate, profiler)))] = evaluation
        out.write_text(json.dumps(result, indent=1))
    return all(one.get("status") == "ok" for one in result.values())


def compare(bundle, task, candidate):
    """The baseline's time over the candidate's with its interval, as timed in turn; or what went wrong."""
    evaluation = bundle.evaluate(task, candidate)
    timing = (evaluation.get("timings") or [{}])[0]
    return {**short(evaluation), "ratio": timing.get("over_baseline"), "interval": timing.get("over_baseline_interval")}


def pairs(bundle, out, options):
    """An interval that says 95 % has to hold the truth in 95 of 100 runs."""
    tasks = ("row_softmax", "layer_norm", "transpose")
    known = [(HERE / "known_pair", "tenth_less.cu", 1.1)] * max(1, options.repeats // 10)
    same = [(BUNDLED / tasks[k % len(tasks)], "baseline.cu", 1.0) for k in range(options.repeats)]
    result = []

    def one(order):
        task, candidate, truth = order
        found = {"task": task.name, "truth": truth, **compare(bundle, task, task / candidate)}
        low, high = found["interval"] or (0, 0)
        result.append({**found, "holds": low <= truth <= high})
        out.write_text(json.dumps(result, indent=1))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, known + same))
    held = sum(one["holds"] for one in result if one["truth"] == 1)
    worst = max((abs((one["ratio"] or 0) / 1.1 - 1) for one in result if one["truth"] != 1))
    print(f"a kernel against itself: the interval holds 1 in {held} of {len(same)}; the known pair: at worst "
          f"{100 * worst:.2f} % off 1.10")
    return held >= 0.95 * len(same) and worst <= 0.02


def loop(bundle, out, options):
    tasks = sorted(p.name for p in BUNDLED.iterdir() if (p / "task.json").exists())
    tasks += sorted(p.name for p in (HERE / "tasks").iterdir() if (p / "task.json").exists())
    shares = [tasks[k::options.shares] for k in range(options.shares)]

    def run(k):
        with open(out / f"loop-{k}.txt", "w") as log:
            return subprocess.run([sys.executable, str(HERE / "run.py"), "--kernelskill", str(bundle.program), "--rounds",
                                   str(options.rounds), "--evaluator", bundle.evaluator, "--tasks", ",".join(shares[k]), "--out", str(out / f"loop-{k}.json")],
                                  stdout=log, stderr=subprocess.STDOUT).returncode

    with concurrent.futures.ThreadPoolExecutor(options.shares) as pool:
        return all(code == 0 for code in pool.map(run, range(len(shares))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--parts", default="profile,cheats,loop,faults,pairs")
    parser.add_argument("--evaluator", default="cuda")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--shares", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--limit", type=float, default=240, help="seconds for one command")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bundle = Bundle(options.bundle, options)
    doctor = bundle.ask("doctor")
    (options.out / "doctor.json").write_text(json.dumps(doctor, indent=1))
    if "checks" not in doctor:
        print(f"the bundle does not run here: {doctor.get('error')}", file=sys.stderr)
        return 3
    fine = True
    for part in options.parts.split(","):
        begin = time.monotonic()
        done = (cheats(bundle, options.out / "cheats.json") if part == "cheats"
                else faults(bundle, options.out / "faults.json") if part == "faults"
                else profile(bundle, options.out / "profile.json") if part == "profile"
                else pairs(bundle, options.out / "pairs.json", options) if part == "pairs"
                else loop(bundle, options.out, options))
        print(f"{part}: {'fine' if done else 'NOT FINE'}, {time.monotonic() - begin:.0f} s", flush=True)
        fine = fine and done
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
