#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Looks for instructions that a processor without them could be made to run.

  check_isa.py --kernels OBJECT...    a weak symbol is kept once per library, by chance from the widest instruction set,
                                      so each one must carry an xsimd architecture in its name
  check_isa.py --baseline OBJECT...   nothing built for every machine uses 256- or 512-bit registers

An argument @FILE names a file with one object a line."""
import argparse
import re
import subprocess
import sys

ARCHITECTURE = re.compile(r"xsimd::(sse\w*|avx\w*|fma3<[^>]*>|fma4|neon\w*|generic)\b")
WIDE = re.compile(r"%[yz]mm\d")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def leaks(path):
    for line in output("nm", "-C", "--defined-only", path).splitlines():
        kind, name = re.match(r"[0-9a-f]*\s*(\w) (.*)", line).groups()
        if kind in "wWvVu" and not ARCHITECTURE.search(name):
            yield f"weak symbol {name}"


def wide_instructions(path):
    place = "?"
    for line in output("objdump", "-d", "-C", "--no-show-raw-insn", path).splitlines():
        if line.endswith(">:"):
            place = line.split("<", 1)[1][:-2]
        elif WIDE.search(line):
            yield f"{place}: {line.split(':', 1)[1].strip()}"


def expand(arguments):
    for argument in arguments:
        if not argument.startswith("@"):
            yield argument
            continue
        with open(argument[1:], encoding="utf-8") as lines:
            yield from filter(None, (line.strip() for line in lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", nargs="*", default=[])
    parser.add_argument("--baseline", nargs="*", default=[])
    args = parser.parse_args()
    faults = files = 0
    for find, group in ((leaks, args.kernels), (wide_instructions, args.baseline)):
        for path in expand(group):
            files += 1
            found = list(find(path))
            faults += len(found)
            print("".join(f"{path}: {fault}\n" for fault in found[:5]), end="")
            if len(found) > 5:
                print(f"{path}: and {len(found) - 5} more")
    print(f"{files} objects, {faults} faults")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
