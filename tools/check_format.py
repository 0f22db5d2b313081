#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Says which C and C++ files clang-format would change: check_format.py ROOT CLANG_FORMAT. Exit code 77: no version 14.

Other versions format the same file differently, so only that one counts."""
import re
import subprocess
import sys
from pathlib import Path

FOLDERS = ["include", "src", "capi", "compat", "bindings", "examples", "tools", "tests", "bench"]


def main(root, clang_format):
    try:
        version = subprocess.run([clang_format, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        version = ""
    if " 14." not in version:
        print(f"clang-format 14 is not here (found: {version.strip() or clang_format or 'none'})")
        return 77
    files = [file for folder in FOLDERS for file in sorted(Path(root, folder).rglob("*"))
             if file.suffix in {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}]
    run = subprocess.run([clang_format, "--dry-run", *files], capture_output=True, text=True, check=True)
    marked = sorted(set(re.findall(r"^(.*?):\d+:\d+: warning: ", run.stderr, re.M)))
    changed = [Path(name).relative_to(root) for name in marked]
    print("".join(f"{name}: not formatted\n" for name in changed), end="")
    print(f"{len(files)} files, {len(changed)} not formatted")
    return 1 if changed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: check_format.py ROOT CLANG_FORMAT")
    sys.exit(main(*sys.argv[1:]))
