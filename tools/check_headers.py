#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Compiles each public header alone, as strict C99 and as C++20: check_headers.py INCLUDE_FOLDER CC CXX."""
import subprocess
import sys
from pathlib import Path

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]


def main(folder, cc, cxx):
    languages = [
        [cc, "-x", "c", "-std=c99", "-Wstrict-prototypes"],
        [cc, "-x", "c", "-std=c99", "-DSPK_STATIC"],
        [cxx, "-x", "c++", "-std=c++20", "-Wold-style-cast"],
    ]
    bad = count = 0
    for header in sorted(Path(folder, "spk").glob("*.h")):
        # Twice, so that a missing include guard shows; the type makes the unit non-empty for -pedantic.
        text = f"#include <spk/{header.name}>\n#include <spk/{header.name}>\ntypedef spk_status_t not_empty;\n"
        for language in languages:
            count += 1
            run = subprocess.run([*language, *WARNINGS, f"-I{folder}", "-"], input=text, text=True, capture_output=True)
            if run.returncode:
                bad += 1
                print(f"{header.name}: {' '.join(language)}\n{run.stderr}")
    print(f"{count} compilations, {bad} failed")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: check_headers.py INCLUDE_FOLDER CC CXX")
    sys.exit(main(*sys.argv[1:]))
