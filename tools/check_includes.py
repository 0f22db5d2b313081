#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Checks who includes whom: check_includes.py ROOT. The arrows are RULES below; docs/architecture.md explains them."""
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

# Folder or file (the longest match counts): project files it may include (a folder, a file or a pattern), system headers
# it may include (None: any).
# A place may always include its own folder.
RULES = {
    "include/spk": ([], {"stddef.h", "stdint.h"}),
    # Programs that use cuSPARSE have these CUDA headers, or stand-ins for them.
    "include/spk/compat": (
        ["include/"],
        {"stddef.h", "stdint.h", "stdio.h", "cuda_runtime_api.h", "library_types.h", "cuComplex.h", "cuda_fp16.h"},
    ),
    "src/core": (["include/"], None),
    "src/cpu": (["include/", "src/core/"], None),
    # The oracle shares no code with what it judges, only the interface of a backend in host memory.
    "src/cpu/reference": (["include/", "src/core/", "src/cpu/backend.hpp", "src/cpu/host_memory.hpp"], None),
    # Built once per instruction set: an inline function of the standard library that is compiled here for AVX-512 could
    # replace the baseline copy of the same function when the library is linked.
    "src/cpu/kernels": (
        ["src/core/problems.hpp", "src/core/views.hpp", "src/cpu/*_kernels.inc"],
        {"cstdint", "cstddef", "type_traits", "immintrin.h", "arm_neon.h", "xsimd/xsimd.hpp"},
    ),
    "src/cuda": (["include/", "src/core/"], None),
    "src/io": (["include/", "src/core/half.hpp"], None),
    "src/host_runtime": (["include/"], None),
    "capi": (["include/", "src/core/"], None),
    "capi/backends.cpp": (["include/", "src/core/", "src/cpu/backend.hpp", "capi/"], None),
    # cuSPARSE's interface is a caller of spk like any other.
    "compat": (["include/"], None),
    "compat": (["include/"], None),
    "compat/preload": (["include/"], None),
    "bindings": (["include/"], None),
    "examples": (["include/"], None),
    "tools": (["include/"], None),
    "tests": (["include/", "tests/", "tools/cases/"], None),
    "tests/kernels": (["include/", "tests/", "src/"], None),
    "tests/reference": (["include/", "tests/", "src/"], None),
    "tests/core": (["include/", "tests/", "src/"], None),
    "tests/plugin": (["include/", "tests/", "src/core/"], None),
    "tests/plugin/device_plugin.cpp": (["include/", "tests/", "src/core/", "src/cpu/backend.hpp"], None),
    "tests/tools": (["include/", "tests/", "tools/"], None),
    "tests/fuzz": (["include/", "src/"], None),
    # Reading matrices, timing and tables are written once, for the tool and the benchmarks.
    "bench": (["include/", "tools/"], None),
    "bench/kernels": (["include/", "src/", "bench/"], None),
}
SEARCH = ["src", ".", "compat", "tests", "tools", "bench"]
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inc"}
THREADING_FILES = re.compile(r"src/cpu/parallel(_\w+)?\.[ch]pp|(tests|tools|bench|examples)/.*")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^">]+)[">]')


def rule_of(path):
    best = max((key for key in RULES if path == key or path.startswith(key + "/")), key=len, default=None)
    return (best, *RULES[best]) if best else (None, [], None)


def resolve(root, file, name):
    for folder in [file.parent, *(root / place for place in SEARCH)]:
        if (folder / name).is_file():
            return (folder / name).resolve().relative_to(root).as_posix()
    return None


def complaint(root, file, path, bracket, name):
    home, allowed, system = rule_of(path)
    if "../" in name:
        return "write the path from include/ or src/, without ../"
    if bracket == "<" and not name.startswith("spk/"):
        if re.match(r"(omp\.h|tbb/|oneapi/)", name) and not THREADING_FILES.fullmatch(path):
            return "threading runtimes are named in src/cpu/parallel.hpp only"
        if system is not None and name not in system:
            return f"system headers allowed in {home}: {' '.join(sorted(system))}"
        return None
    target = f"include/{name}" if name.startswith("spk/") else resolve(root, file, name)
    if target is None or not (root / target).is_file():
        return "no such file in the project"
    own = home if (root / home).is_dir() else str(Path(home).parent)
    if target.startswith(own + "/") and not (own == "src/cpu" and target.startswith("src/cpu/reference/")):
        # A folder with a stricter rule of its own may still be entered from above: cpu includes cpu/kernels.
        return None
    if any(fnmatch(target, entry + "*" if entry.endswith("/") else entry) for entry in allowed):
        return None
    return f"{home} may include: itself, {', '.join(allowed) or 'nothing else'}"


def main(root):
    root = Path(root).resolve()
    faults, files = [], 0
    for top in ["include", "src", "capi", "compat", "bindings", "examples", "tools", "tests", "bench"]:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            if rule_of(path)[0] is None or path.startswith("tests/install/"):
                continue
            files += 1
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if "SPK_CUDA_BUILTIN" in line and path != "capi/backends.cpp":
                    faults.append(f"{path}:{number}: SPK_CUDA_BUILTIN belongs in capi/backends.cpp")
                match = INCLUDE.match(line)
                if match and (why := complaint(root, file, path, *match.groups())):
                    faults.append(f"{path}:{number}: {match.group(2)}: {why}")
    print("\n".join(faults))
    print(f"{files} files, {len(faults)} includes against the rules")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_includes.py ROOT")
    sys.exit(main(sys.argv[1]))
