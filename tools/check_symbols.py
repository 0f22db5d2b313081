#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Keeps headers, version script and shared library of one ABI in step.

  check_symbols.py --map capi/spk.map --headers FILE...             the script lists what the headers declare
  check_symbols.py --map capi/spk.map --headers FILE... --write     rewrites the script's list
  check_symbols.py --map capi/spk.map --library libspk.so           the library exports what the script lists, needs
                                                                    system libraries, libspk and one threading runtime
                                                                    only
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

DECLARATION = re.compile(r"SPK_API[^;(]*?\b((?:spk_|cusparse)\w+)\s*\(")
# Headers of another library's interface declare its names and rename them by macro.
RENAME = re.compile(r"^#define (cusparse\w+) (spk_\w+)$", re.M)
GLOBALS = re.compile(r"(global:\n)(.*?)(  local:)", re.S)
RUNTIMES = re.compile(r"lib(gomp|omp|iomp5|tbb|tbb_debug)\.so")
SYSTEM = re.compile(r"lib(spk|c|m|dl|pthread|stdc\+\+|gcc_s|z)\.so|ld-linux")


def declared(headers):
    text = "\n".join(re.sub(r"/\*.*?\*/", "", Path(name).read_text(encoding="utf-8"), flags=re.S) for name in headers)
    names = set(DECLARATION.findall(text))
    foreign = {name for name in names if not name.startswith("spk_")}
    renamed = dict(RENAME.findall(text))
    if not compare("names that are renamed", set(renamed), foreign):
        sys.exit(1)
    return names - foreign | set(renamed.values())


def listed(path):
    match = GLOBALS.search(Path(path).read_text(encoding="utf-8"))
    if not match:
        sys.exit(f"{path}: no 'global:' ... 'local:' part")
    return set(re.findall(r"([\w*]+);", match.group(2)))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compare(what, got, want):
    for name in sorted(got - want):
        print(f"{what}: {name} is too much")
    for name in sorted(want - got):
        print(f"{what}: {name} is missing")
    return got == want


def library_is_clean(library, names):
    symbols = (line.split() for line in output("nm", "-D", "--defined-only", library).splitlines())
    # The node of the version script is itself an absolute symbol.
    exported = {fields[-1].split("@")[0] for fields in symbols if fields[-2] != "A"}
    good = compare(library, exported, names)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", library))
    runtimes = [name for name in needed if RUNTIMES.match(name)]
    strange = [name for name in needed if not RUNTIMES.match(name) and not SYSTEM.match(name)]
    if len(runtimes) > 1:
        print(f"{library}: needs {len(runtimes)} threading runtimes: {' '.join(runtimes)}")
    if strange:
        print(f"{library}: needs {' '.join(strange)}")
    print(f"{library}: {len(exported)} functions; needs {' '.join(needed)}")
    return good and len(runtimes) <= 1 and not strange


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--map", required=True)
    parser.add_argument("--headers", nargs="+", default=[])
    parser.add_argument("--library")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    good = True
    if args.headers:
        names = declared(args.headers)
        if not names:
            sys.exit("no SPK_API function found in the headers")
        if args.write:
            path = Path(args.map)
            rows = "".join(f"    {name};\n" for name in sorted(names))
            path.write_text(GLOBALS.sub(lambda m: m[1] + rows + m[3], path.read_text(encoding="utf-8")), "utf-8")
        good = compare(args.map, listed(args.map), names)
    if args.library:
        good = library_is_clean(args.library, listed(args.map)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
