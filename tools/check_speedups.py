#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Holds the interposer's table against the measurements that it names: check_speedups.py ROOT.

Every row of compat/preload/speedups.inc must cover problems at both ends of its widths, and promise no more than the
slowest of them gave, whatever algorithm of the row was asked for."""
import json
import re
import sys
from pathlib import Path

ROW = re.compile(r"^SPK_SPEEDUP\((.*)\)$", re.M)
TYPES = {"F32": {"f32"}, "HALF": {"f16", "bf16"}}


def measured(root, files):
    for name in files:
        for race in json.loads((root / name).read_text(encoding="utf-8"))["races"]:
            ours = [result["us"] for result in race["results"] if result["kind"] == "spk"]
            for result in race["results"] if race["operation"] == "spmm" and ours else []:
                if result["kind"] in ("cusparse", "cusparse_default"):
                    alg = result["name"].split()[1]
                    density = race["nnz"] / race["m"] / race["k"]
                    ratio = result["us"] / ours[0]
                    yield race["type"], race["order"], race["opB"], race["n"], alg, density, ratio, race["m"], race["k"]


def main(root):
    text = (root / "compat/preload/speedups.inc").read_text(encoding="utf-8")
    files = re.findall(r"bench/results/[\w.-]+\.json|cuda-[\w-]+\.json", text)
    times = list(measured(root, [name if "/" in name else f"bench/results/{name}" for name in files]))
    rows = [[field.strip() for field in row.split(",")] for row in ROW.findall(text)]
    bad = 0
    for row in rows:
        values, order, op_b, algs, least, most, first, last, thinnest, densest, promised = row
        inside = [time for time in times
                  if time[0] in TYPES[values] and time[1] == order.lower() and time[2] == op_b
                  and int(least) <= min(time[7:]) and max(time[7:]) <= int(most)
                  and int(first) <= time[3] <= int(last) and float(thinnest) <= time[5] <= float(densest)]
        for alg in algs.split(" | "):
            ratios = {n: [time[6] for time in inside if time[3] == n and time[4] == alg] for n in (int(first), int(last))}
            every = [time[6] for time in inside if time[4] == alg]
            if not all(ratios.values()) or min(every) < float(promised) - 0.01:
                bad += 1
                print(f"{', '.join(row)}: {alg}: {len(every)} problems, slowest {min(every, default=0):.3f}")
    print(f"{len(rows)} rows, {len(times)} times, {bad} not backed")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_speedups.py ROOT")
    sys.exit(main(Path(sys.argv[1])))
