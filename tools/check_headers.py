#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Compiles each public header alone, as strict C99 and as C++20: check_headers.py INCLUDE_FOLDER CC CXX.

The stand-ins for CUDA's headers in spk/compat/host_runtime are compiled as C99 and C++17, those of cuSPARSE's interface
as C99, C11 and C++17 with them."""
import subprocess
import sys
from pathlib import Path

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]


def compile_alone(place, include, languages):
    """Compiles every *.h in `place`, found as `include`/NAME in the languages' own folders; counts tries and failures."""
    bad = count = 0
    for header in sorted(place.glob("*.h")):
        # Twice, so that a missing include guard shows; the type makes the unit non-empty for -pedantic.
        text = f"#include <{include}{header.name}>\n" * 2 + "typedef int not_empty;\n"
        for language in languages:
            count += 1
            run = subprocess.run([*language, *WARNINGS, "-"], input=text, text=True, capture_output=True)
            if run.returncode:
                bad += 1
                print(f"{header.name}: {' '.join(language)}\n{run.stderr}")
    return count, bad


def main(folder, cc, cxx):
    spk = f"-I{folder}"
    count, bad = compile_alone(Path(folder, "spk"), "spk/", [
        [cc, "-x", "c", "-std=c99", "-Wstrict-prototypes", spk],
        [cc, "-x", "c", "-std=c99", "-DSPK_STATIC", spk],
        [cxx, "-x", "c++", "-std=c++20", "-Wold-style-cast", spk],
    ])
    host_runtime = Path(folder, "spk/compat/host_runtime")
    more, worse = compile_alone(host_runtime, "", [
        [cc, "-x", "c", "-std=c99", "-Wstrict-prototypes", f"-I{host_runtime}"],
        [cxx, "-x", "c++", "-std=c++17", "-Wold-style-cast", f"-I{host_runtime}"],
    ])
    count, bad = count + more, bad + worse
    with_runtime = [f"-I{host_runtime}", spk]
    for include in ["spk/compat/", "spk/compat/cusparse/"]:
        more, worse = compile_alone(Path(folder, include), include, [
            [cc, "-x", "c", "-std=c99", "-Wstrict-prototypes", *with_runtime],
            [cc, "-x", "c", "-std=c11", *with_runtime],
            [cxx, "-x", "c++", "-std=c++17", "-Wold-style-cast", *with_runtime],
        ])
        count, bad = count + more, bad + worse
    print(f"{count} compilations, {bad} failed")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: check_headers.py INCLUDE_FOLDER CC CXX")
    sys.exit(main(*sys.argv[1:]))
