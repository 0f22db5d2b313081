#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""The interposer's table and the measurements that it names: check_speedups.py ROOT [--make].

Every row of compat/preload/speedups.inc must cover problems at both ends of its widths, and promise no more than the
slowest of them gave, whatever algorithm of the row was asked for. --make prints the rows that the measurements allow."""
import itertools
import json
import re
import sys
from pathlib import Path

ROW = re.compile(r"^SPK_SPEEDUP\((.*)\)$", re.M)
TYPES = {"F32": {"f32"}, "HALF": {"f16", "bf16"}}
ALGS = ("DEFAULT", "ALG1", "ALG2", "ALG3")
SIZES = ((64, 2304), (2048, 8192))  # least and most rows and columns
DENSITIES = (0.015, 0.03, 0.06, 0.099, 0.12, 0.22, 0.32, 0.51, 0.65)
LEAST_GAIN = 1.02
LEAST_RACES = 3  # of a row that --make prints


class Time:
    """One race of spk with an algorithm of cuSPARSE."""

    def __init__(self, race, alg, ratio):
        self.values = next(key for key, types in TYPES.items() if race["type"] in types)
        self.order, self.op_b, self.n = race["order"].upper(), race["opB"], race["n"]
        self.least, self.most = sorted((race["m"], race["k"]))
        self.density = race["nnz"] / race["m"] / race["k"]
        self.alg, self.ratio = alg, ratio


def measured(root, files):
    for name in files:
        for race in json.loads((root / name).read_text(encoding="utf-8"))["races"]:
            ours = [result["us"] for result in race["results"] if result["kind"] == "spk"]
            for result in race["results"] if race["operation"] == "spmm" and ours else []:
                if result["kind"] in ("cusparse", "cusparse_default"):
                    yield Time(race, result["name"].split()[1], result["us"] / ours[0])


def within(times, least, most, first, last, thinnest, densest):
    return [time for time in times if least <= time.least and time.most <= most and first <= time.n <= last
            and thinnest <= time.density <= densest]


def lowest(times, first, last):
    """The least gain of all, or 0 where one end of the widths was not measured."""
    if not {first, last} <= {time.n for time in times}:
        return 0
    return min(time.ratio for time in times)


def check(rows, times):
    bad = 0
    for row in rows:
        values, order, op_b, algs, *rest = row
        least, most, first, last, thinnest, densest, promised = (float(field) for field in rest)
        inside = [time for time in within(times, least, most, first, last, thinnest, densest)
                  if (time.values, time.order, time.op_b) == (values, order, op_b)]
        for alg in algs.split(" | "):
            found = lowest([time for time in inside if time.alg == alg], first, last)
            if found < promised - 0.01:
                bad += 1
                print(f"{', '.join(row)}: {alg}: slowest {found:.3f}")
    print(f"{len(rows)} rows, {len(times)} times, {bad} not backed")
    return 1 if bad or not rows else 0


def make(times):
    """Greedily the range of widths and densities that holds most of the races not yet covered."""
    rows = {}
    for key in sorted({(time.values, time.order, time.op_b, size, time.alg) for time in times for size in SIZES}):
        values, order, op_b, size, alg = key
        here = [time for time in within(times, *size, 0, 1 << 30, 0, 1)
                if (time.values, time.order, time.op_b, time.alg) == (values, order, op_b, alg)]
        widths = sorted({time.n for time in here})
        boxes = []
        spans = itertools.product(itertools.combinations_with_replacement(widths, 2), itertools.combinations(DENSITIES, 2))
        for (first, last), (thinnest, densest) in spans:
            inside = within(here, *size, first, last, thinnest, densest)
            gain = lowest(inside, first, last)
            if gain >= LEAST_GAIN and len(inside) >= LEAST_RACES:
                boxes.append((first, last, thinnest, densest, gain, {id(time) for time in inside}))
        covered = set()
        while boxes:
            best = max(boxes, key=lambda box: (len(box[5] - covered), -box[1] / box[0], -box[3] / box[2]))
            if not best[5] - covered:
                break
            covered |= best[5]
            box = (values, order, op_b, *size, *best[:4])
            rows.setdefault(box, []).append((alg, best[4]))
    for (values, order, op_b, *rest), found in rows.items():
        algs = " | ".join(alg for alg in ALGS if alg in dict(found))
        gain = min(gain for _, gain in found)
        print(f"SPK_SPEEDUP({values}, {order}, {op_b}, {algs}, {', '.join(map(str, rest))}, {int(gain * 100) / 100})")
    return 0


def main(root, wants_rows):
    text = (root / "compat/preload/speedups.inc").read_text(encoding="utf-8")
    files = re.findall(r"bench/results/[\w.-]+\.json|cuda-[\w-]+\.json", text)
    times = list(measured(root, [name if "/" in name else f"bench/results/{name}" for name in files]))
    if wants_rows:
        return make(times)
    return check([[field.strip() for field in row.split(",")] for row in ROW.findall(text)], times)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--make"]):
        sys.exit("usage: check_speedups.py ROOT [--make]")
    sys.exit(main(Path(sys.argv[1]), len(sys.argv) == 3))
