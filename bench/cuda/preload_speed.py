#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""What programs gain from the interposer: preload_speed.py LIBSPK_CUSPARSE_PRELOAD_SO --commit C --json FILE.

torch.sparse.mm (CSR; COO, which multiplies by columns) and CuPy's csr @ dense, in a plain and a preloaded process that take
turns at every call on one core, since cores of a shared host differ, and may be half as fast for seconds. "calls": the time
of the whole Python call, between two events around 10 calls (3, where one takes over 0.3 ms); where Python is slower than
the GPU it is Python that is measured, as in a program. "replays": the same calls, captured into a CUDA graph, where the host
takes no time; the interposer is told that (SPK_CUSPARSE_MIN_PRODUCTS=0). A turn is the least of 20 times (5), the speedup
the median of the turns; the JSON keeps them all. Matrices have entries at random places."""
import argparse
import itertools
import json
import math
import os
import re
import statistics
import subprocess
import sys
import warnings


def least(time_of):
    time_of(2)
    calls, samples = (3, 5) if time_of(1) > 300 else (10, 20)
    return min(time_of(calls) for _ in range(samples))


def torch_time(call, replayed):
    import torch

    def many(calls):
        for _ in range(calls):
            call()

    def captured(calls):
        many(1)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            many(calls)
        graph.replay()
        return graph.replay

    def time_of(calls):
        work = captured(calls) if replayed else lambda: many(calls)
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        work()
        last.record()
        torch.cuda.synchronize()
        return first.elapsed_time(last) * 1000 / calls

    return least(time_of)


def torch_calls(replayed):
    import torch

    torch.manual_seed(1)
    for rows, cols in ((512, 512), (2048, 512), (2048, 2048)):
        for density in (0.05, 0.1, 0.2, 0.5):
            a = torch.randn(rows, cols, device="cuda") * (torch.rand(rows, cols, device="cuda") < density)
            for dtype in (torch.float32, torch.float16):
                csr = a.to(dtype).to_sparse_csr()
                csr = torch.sparse_csr_tensor(csr.crow_indices().int(), csr.col_indices().int(), csr.values(), csr.shape)
                coo = a.to_sparse_coo().coalesce()
                for n in (8, 32, 128, 512, 2048):
                    b = torch.randn(cols, n, device="cuda").to(dtype)
                    turned = b.t().contiguous().t()
                    contenders = {"torch csr @ rows": (csr, b), "torch csr @ columns": (csr, turned)}
                    if dtype == torch.float32 and not replayed:  # PyTorch cannot capture products of COO
                        contenders |= {"torch coo @ rows": (coo, b), "torch coo @ columns": (coo, turned)}
                    for name, operands in contenders.items():
                        key = f"{name} {str(dtype)[6:]} {rows}x{n}x{cols} density {density}"
                        yield key, lambda: torch_time(lambda: torch.sparse.mm(*operands), replayed)


def cupy_calls():
    try:
        import cupy
        from cupyx.scipy import sparse
    except ImportError:
        return

    def time_of(calls):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        for _ in range(calls):
            a @ b
        last.record()
        last.synchronize()
        return cupy.cuda.get_elapsed_time(first, last) * 1000 / calls

    for rows, cols in ((2048, 512), (2048, 2048)):
        for density in (0.1, 0.5):
            a = cupy.random.RandomState(1).randn(rows, cols).astype("float32")
            a = sparse.csr_matrix(a * (cupy.random.RandomState(2).rand(rows, cols) < density))
            for n in (32, 512, 2048):
                b = cupy.asfortranarray(cupy.random.randn(cols, n).astype("float32"))
                yield f"cupy csr @ columns float32 {rows}x{n}x{cols} density {density}", lambda: least(time_of)


def child(what, pattern):
    """Times the next call, or the same again, whenever a line of standard input says so."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    warnings.filterwarnings("ignore")
    calls = itertools.chain(torch_calls(what == "replays"), cupy_calls() if what == "calls" else ())
    for line in sys.stdin:
        if line == "next\n":
            key, measure = next((call for call in calls if re.search(pattern, call[0])), ("", None))
        print(json.dumps((key, round(measure(), 2) if measure else None)), flush=True)


class Child:
    def __init__(self, what, pattern, environment):
        environment = os.environ | environment | {"SPK_CUSPARSE": "on,count"}
        if what == "replays":
            environment["SPK_CUSPARSE_MIN_PRODUCTS"] = "0"
        self.process = subprocess.Popen([sys.executable, __file__, "--child", what, pattern], env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, line):
        try:
            print(line, file=self.process.stdin, flush=True)
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            sys.exit(f"a process ended: {self.process.communicate()[1]}")

    def end(self):
        return self.process.communicate()[1]


def race(what, library, turns, pattern):
    """Every call with the times of both processes, and what the interposer counted."""
    plain, preloaded = (Child(what, pattern, env) for env in ({}, {"LD_PRELOAD": os.path.abspath(library)}))
    calls = []
    while True:
        times = {plain: [], preloaded: []}
        for turn in range(turns):
            for who in ((plain, preloaded), (preloaded, plain))[turn % 2]:
                key, time = who.ask("again" if turn else "next")
                times[who].append(time)
        if not key:
            break
        calls.append({"call": key, "plain_us": times[plain], "preloaded_us": times[preloaded],
                      "speedup": round(statistics.median(times[plain]) / statistics.median(times[preloaded]), 3)})
    plain.end()
    return calls, next(iter(re.findall("SpMM handled.*", preloaded.end())), "")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--turns", type=int, default=4, help="of each process at every call")
    parser.add_argument("--match", default="", help="only calls whose names match this expression")
    args = parser.parse_args()
    calls, summary, sums = {}, {}, {}
    for what in ("calls", "replays"):
        calls[what], sums[what] = race(what, args.library, args.turns, args.match)
        groups = {}
        for row in calls[what]:
            groups.setdefault(re.match(r".*? float\d+", row["call"]).group(0), []).append(row["speedup"])
        summary[what] = {name: {"calls": len(ratios), "geometric_mean": round(geometric_mean(ratios), 3),
                                "least": min(ratios), "most": max(ratios)} for name, ratios in groups.items()}
    import torch
    report = {"benchmark": "preload_speed", "commit": args.commit, "device": torch.cuda.get_device_name(0),
              "torch": torch.__version__, "turns": args.turns, "interposer": sums, "summary": summary, **calls}
    with open(args.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    for what, lines in summary.items():
        for name, line in lines.items():
            print(what, name, line)
        print(sums[what])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main()
