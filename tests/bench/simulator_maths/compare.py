#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what calls of the maths library cost on the simulator and on the GPU (h200.json).

    compare.py PROGRAM      PROGRAM is the path of `kernelskill`
Exit: 0 compared, 2 wrong usage, 3 the program did not run.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WARPS = 512
NEAR = 0.20
FEW = 3


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        run = subprocess.run([sys.argv[1], "simulate", str(HERE / "maths.cu"), "--arch", "sm_90", "--profile", "--json"],
                             capture_output=True, text=True)
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}; expected the path of kernelskill", file=sys.stderr)
        return 3
    try:
        kernels = {kernel["name"].split("(")[0]: kernel["metrics"] for kernel in json.loads(run.stdout)["profile"]["kernels"]}
    except (json.JSONDecodeError, KeyError):
        print(f"no profile; exit {run.returncode}: {run.stderr[-2000:]}{run.stdout[-2000:]}", file=sys.stderr)
        return 3
    measured = json.loads((HERE / "h200.json").read_text())["functions"]
    here = kernels["none_f"]["instructions"] / WARPS
    near = 0
    print(f"{'function':18} {'H200':>6} {'here':>6} {'ratio':>6}  registers")
    for name, counted in measured.items():
        gpu = counted["all"] - measured["none_f"]["all"]
        ours = kernels[name]["instructions"] / WARPS - here
        within = abs(ours - gpu) <= max(NEAR * gpu, FEW)
        near += within
        print(f"{name:18} {gpu:6.0f} {ours:6.0f} {ours / max(gpu, 1):6.2f}  {counted['registers']:3} "
              f"{kernels[name]['registers_per_thread']:3}{'' if within else '  <'}")
    print(f"{near} of {len(measured)} within {NEAR:.0%} or {FEW} instructions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
