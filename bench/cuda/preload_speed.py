#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""What programs gain from the interposer: preload_speed.py LIBSPK_CUSPARSE_PRELOAD_SO --commit C --json FILE.

torch.sparse.mm (CSR; COO, which multiplies by columns) and CuPy's csr @ dense, plain and preloaded, in processes that take
turns. A time is that of the whole Python call, between two events around 10 calls, least of 7 and of the rounds: where
Python is slower than the GPU it is Python that is measured, as in a program. Matrices have entries at random places."""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings


def least(event, synchronize, call):
    for _ in range(3):
        call()
    synchronize()
    times = []
    for _ in range(7):
        first, last = event(), event()
        first.record()
        for _ in range(10):
            call()
        last.record()
        synchronize()
        times.append((first, last))
    return times


def torch_times(seconds):
    import torch

    def measure(call):
        pairs = least(lambda: torch.cuda.Event(enable_timing=True), torch.cuda.synchronize, call)
        return min(first.elapsed_time(last) for first, last in pairs) * 100

    torch.manual_seed(1)
    times, start = {}, time.time()
    for rows, cols in ((512, 512), (2048, 512), (2048, 2048)):
        for density in (0.05, 0.1, 0.2, 0.5):
            a = torch.randn(rows, cols, device="cuda") * (torch.rand(rows, cols, device="cuda") < density)
            for dtype in (torch.float32, torch.float16):
                csr = a.to(dtype).to_sparse_csr()
                csr = torch.sparse_csr_tensor(csr.crow_indices().int(), csr.col_indices().int(), csr.values(), csr.shape)
                coo = a.to_sparse_coo().coalesce()
                for n in (8, 32, 128, 512, 2048):
                    if time.time() - start > seconds:
                        return times
                    b = torch.randn(cols, n, device="cuda").to(dtype)
                    turned = b.t().contiguous().t()
                    contenders = {"torch csr @ rows": (csr, b), "torch csr @ columns": (csr, turned)}
                    if dtype == torch.float32:
                        contenders |= {"torch coo @ rows": (coo, b), "torch coo @ columns": (coo, turned)}
                    for name, operands in contenders.items():
                        key = f"{name} {str(dtype)[6:]} {rows}x{n}x{cols} density {density}"
                        times[key] = measure(lambda: torch.sparse.mm(*operands))
    return times


def cupy_times():
    try:
        import cupy
        from cupyx.scipy import sparse
    except ImportError:
        return {}
    times = {}
    for rows, cols in ((2048, 512), (2048, 2048)):
        for density in (0.1, 0.5):
            a = cupy.random.randn(rows, cols).astype("float32") * (cupy.random.rand(rows, cols) < density)
            a = sparse.csr_matrix(a)
            for n in (32, 512, 2048):
                b = cupy.asfortranarray(cupy.random.randn(cols, n).astype("float32"))
                pairs = least(cupy.cuda.Event, cupy.cuda.runtime.deviceSynchronize, lambda: a @ b)
                key = f"cupy csr @ columns float32 {rows}x{n}x{cols} density {density}"
                times[key] = min(cupy.cuda.get_elapsed_time(first, last) for first, last in pairs) * 100
    return times


def child(seconds, has_cupy):
    warnings.filterwarnings("ignore")
    print(json.dumps(torch_times(seconds) | (cupy_times() if has_cupy else {})))


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="of torch in one process")
    parser.add_argument("--no-cupy", action="store_true")
    args = parser.parse_args()
    best, sums = {"plain": {}, "preloaded": {}}, ""
    for _ in range(args.rounds):
        for who, times in best.items():
            environment = dict(os.environ)
            if who == "preloaded":
                environment |= {"LD_PRELOAD": os.path.abspath(args.library), "SPK_CUSPARSE": "on,count"}
            command = [sys.executable, __file__, "--child", str(args.seconds), "" if args.no_cupy else "cupy"]
            run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            sums = next(iter(re.findall("SpMM handled.*", run.stderr)), sums)
            for key, value in json.loads(run.stdout.splitlines()[-1]).items():
                times[key] = min(value, times.get(key, math.inf))
    import torch
    keys = [key for key in best["plain"] if key in best["preloaded"]]
    rows = [{"call": key, "plain_us": round(best["plain"][key], 2), "preloaded_us": round(best["preloaded"][key], 2),
             "speedup": round(best["plain"][key] / best["preloaded"][key], 3)} for key in keys]
    groups = {}
    for row in rows:
        groups.setdefault(re.match(r".*? float\d+", row["call"]).group(0), []).append(row["speedup"])
    summary = {name: {"calls": len(ratios), "geometric_mean": round(geometric_mean(ratios), 3), "least": min(ratios),
                      "most": max(ratios)} for name, ratios in groups.items()}
    report = {"benchmark": "preload_speed", "commit": args.commit, "device": torch.cuda.get_device_name(0),
              "torch": torch.__version__, "rounds": args.rounds, "interposer": sums, "summary": summary, "calls": rows}
    with open(args.json, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    for name, line in summary.items():
        print(name, line)
    print(sums)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(float(sys.argv[2]), sys.argv[3] == "cupy")
    else:
        main()
