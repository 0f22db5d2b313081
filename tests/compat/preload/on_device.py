#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Sparse products of PyTorch and CuPy, unmodified, with the interposer: on_device.py LIBSPK_CUSPARSE_PRELOAD_SO.

Every result is held against the error bound of spk_ops.h with a product in double. Runs itself once for every mode of
SPK_CUSPARSE and checks the sums that the interposer prints. Exit code 77: no PyTorch, or no GPU."""
import os
import re
import subprocess
import sys
import threading
import warnings

FLOAT, DOUBLE = 2.0**-24, 2.0**-53
OUTPUT = {"float32": 0, "float64": 0, "float16": 2.0**-11, "bfloat16": 2.0**-8}
failures = 0


def judge(name, worst):
    global failures
    good = worst <= 1
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name}: error / bound {worst:.3f}")


def judge_torch(name, got, want, absolute, terms):
    # The reference is a sum in double, so for doubles the bound holds for both together.
    unit = DOUBLE * 2 if str(got.dtype) == "torch.float64" else FLOAT
    # cuSPARSE, to which products may go, rounds 16-bit results twice.
    rounded = OUTPUT[str(got.dtype)[6:]] * (1 if "force" in os.environ["SPK_CUSPARSE"] else 2)
    bound = absolute * (unit * (terms + 2) + rounded) + 1e-300
    judge(name, ((got.double() - want).abs() / bound).max().item())


def pattern(torch, rows, cols, density, dtype=None):
    dense = torch.randn(rows, cols, device="cuda") * (torch.rand(rows, cols, device="cuda") < density)
    return dense.to(dtype or torch.float32)


def products(torch):
    for layout in ("csr", "coo"):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            if layout == "coo" and dtype.itemsize == 2:
                continue  # PyTorch has none
            for n in (1, 8, 32, 100, 512):
                for by_columns in (False, True):
                    a = pattern(torch, 512, 384, 0.1, dtype)
                    b = torch.randn(384, n, device="cuda").to(dtype)
                    b = b.t().contiguous().t() if by_columns else b
                    sparse = a.to_sparse_csr() if layout == "csr" else a.to_sparse_coo().coalesce()
                    judge_torch(f"torch.sparse.mm {layout} {dtype} n {n}{' columns' if by_columns else ''}",
                                torch.sparse.mm(sparse, b), a.double() @ b.double(),
                                a.double().abs() @ b.double().abs(), int((a != 0).sum(1).max()))


def variants(torch):
    a, b, c = pattern(torch, 256, 320, 0.1), torch.randn(320, 32, device="cuda"), torch.randn(256, 32, device="cuda")
    want = 0.5 * c.double() - 2 * (a.double() @ b.double())
    absolute = 0.5 * c.double().abs() + 2 * (a.double().abs() @ b.double().abs())
    judge_torch("addmm csr", torch.addmm(c, a.to_sparse_csr(), b, beta=0.5, alpha=-2.0), want, absolute, 320)
    judge_torch("addmm coo", torch.sparse.addmm(c, a.to_sparse_coo(), b, beta=0.5, alpha=-2.0), want, absolute, 320)
    left, right = torch.randn(256, 128, device="cuda"), torch.randn(128, 320, device="cuda")
    for name, second in (("rows", right), ("columns", right.t().contiguous().t())):
        got = torch.sparse.sampled_addmm(a.to_sparse_csr(), left, second, beta=0.5, alpha=1.5).to_dense()
        want = (1.5 * (left.double() @ right.double()) + 0.5 * a.double()) * (a != 0)
        absolute = 1.5 * (left.double().abs() @ right.double().abs()) + 0.5 * a.double().abs()
        judge_torch(f"sampled_addmm {name}", got, want, absolute, 128)


def captured(torch):
    a = pattern(torch, 256, 320, 0.1)
    sparse = a.to_sparse_csr()
    for name, b in (("rows", torch.randn(320, 32, device="cuda")), ("columns", torch.randn(32, 320, device="cuda").t())):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                torch.sparse.mm(sparse, b)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            got = torch.sparse.mm(sparse, b)
        b.copy_(torch.randn_like(b))
        graph.replay()
        judge_torch(f"CUDA graph {name}", got, a.double() @ b.double(), a.double().abs() @ b.double().abs(), 320)


def threads(torch):
    a = [pattern(torch, 512, 512, 0.1) for _ in range(2)]
    b = [torch.randn(512, 32, device="cuda") for _ in range(2)]
    sparse = [matrix.to_sparse_csr() for matrix in a]
    got = [None, None]
    torch.cuda.synchronize()

    def multiply(i):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(200):
                got[i] = torch.sparse.mm(sparse[i], b[i])
        stream.synchronize()

    running = [threading.Thread(target=multiply, args=(i,)) for i in range(2)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for i in range(2):
        judge_torch(f"thread {i} on a stream of its own", got[i], a[i].double() @ b[i].double(),
                    a[i].double().abs() @ b[i].double().abs(), 512)


def with_cupy():
    try:
        import cupy
        from cupyx.scipy import sparse
    except ImportError:
        print("CuPy is not here")
        return
    for dtype, unit in (("float32", FLOAT), ("float64", 2 * DOUBLE)):
        for n in (8, 32, 512):
            x = cupy.random.randn(512, 384).astype(dtype) * (cupy.random.rand(512, 384) < 0.1)
            y = cupy.random.randn(384, n).astype(dtype)
            want, absolute = x.astype("float64") @ y.astype("float64"), cupy.abs(x) @ cupy.abs(y)
            for order in "CF":
                for kind in (sparse.csr_matrix, sparse.coo_matrix):
                    error = cupy.abs(kind(x) @ cupy.array(y, order=order) - want) / (absolute * (384 + 2) * unit + 1e-300)
                    judge(f"cupyx {kind.__name__} {dtype} n {n} order {order}", float(error.max()))


def child():
    import torch
    warnings.filterwarnings("ignore")
    torch.manual_seed(1)
    products(torch)
    variants(torch)
    captured(torch)
    threads(torch)
    with_cupy()
    return 1 if failures else 0


def main(library):
    try:
        import torch
    except ImportError:
        print("PyTorch is not here")
        return 77
    if not torch.cuda.is_available():
        print("no GPU")
        return 77
    bad = 0
    for mode in ("force", "on", "off"):
        environment = dict(os.environ, LD_PRELOAD=library, SPK_CUSPARSE=f"{mode},count",
                           SPK_CUSPARSE_MIN_PRODUCTS="0")
        run = subprocess.run([sys.executable, __file__, "--child"], env=environment, capture_output=True, text=True)
        sums = re.search(r"SpMM handled (\d+) forwarded (\d+), SDDMM handled (\d+) forwarded (\d+), failed (\d+)", run.stderr)
        handled, forwarded, sampled, _, failed = map(int, sums.groups()) if sums else (0, 0, 0, 0, 1)
        # On a model that was not measured everything is forwarded.
        measured = torch.cuda.get_device_name(0) == "NVIDIA H200"
        good = run.returncode == 0 and failed == 0 and {
            "force": handled > 0 and sampled > 0,
            "on": forwarded > 0 and (handled > 0) == measured,
            "off": handled == 0 and forwarded > 0,
        }[mode]
        bad += not good
        print(f"{mode}: {'good' if good else 'BAD'}: {sums.group(0) if sums else run.stderr[-2000:]}")
        print("\n".join(line for line in run.stdout.splitlines() if not line.startswith("ok ")))
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: on_device.py LIBSPK_CUSPARSE_PRELOAD_SO")
    sys.exit(child() if sys.argv[1] == "--child" else main(sys.argv[1]))
