#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spk authors
"""Checks the project's own text: check_text.py ROOT.

Licence lines, white space, places of one machine in what is meant for all, files that documents name, excerpts of
examples in documents, and the two parts of the README that are copies: the table of environment variables
(src/core/env.inc) and the first C example (examples/readme.c)."""
import re
import subprocess
import sys
import textwrap
from pathlib import Path

SOURCE = re.compile(r"\.(c|h|cpp|hpp|inc|cu|cuh|py|jl|f90|cmake|sh|map)$|(^|/)(CMakeLists\.txt|run)$")
DATA = re.compile(r"\.(gz|smtx|mtx|json|svg|png|txt)$|(^|/)(LICENSE|seeds/.*)$")
# Letters in brackets keep the expressions from finding themselves.
FORBIDDEN = [
    (re.compile(r"(?<![\w.}])/(w[o]rk|r[o]ot|t[m]p|h[o]me)/"), "a path of one machine"),
    (re.compile(r"https?://[^ ]*(d[e]bian|p[y]pi|pythonh[o]sted|n[p]m)", re.I), "a package host"),
    (re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b|(?i:\bnot i[m]plemented\b)"), "unfinished work"),
]


def tracked(root):
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        return sorted(set(filter(None, git.stdout.split("\0"))))
    files = (file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    return sorted(name for name in files if not re.match(r"build|\.git/|\.cache", name))


def file_faults(name, text):
    lines = text.splitlines()
    if SOURCE.search(name):
        head = "\n".join(lines[:5])
        if "SPDX-License-Identifier: Apache-2.0" not in head or "SPDX-FileCopyrightText: The spk authors" not in head:
            yield 1, "the two SPDX lines are missing"
    if text and not text.endswith("\n"):
        yield len(lines), "no line end at the end of the file"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and not name.endswith(".md"):
            yield number, "white space at the end of the line"
        if "\t" in line:
            yield number, "a tab"
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield number, f"{what}: {line.strip()[:80]}"


def environment_faults(root, readme):
    text = (root / "src/core/env.inc").read_text(encoding="utf-8")
    rows = re.findall(r'^SPK_ENV\((\w+),\s*"(.*?)",\s*"(.*?)"\)', text, re.M)
    want = ["| `{}` | {} | {} |".format(name, values.replace("|", r"\|"), meaning) for name, values, meaning in rows]
    got = [line for line in readme.splitlines() if line.startswith("| `SPK_")]
    if not want:
        yield "src/core/env.inc: no SPK_ENV row found"
    if got != want:
        yield "README.md: the table of environment variables must read, as src/core/env.inc does:\n" + "\n".join(want)


def example_faults(root, readme):
    block = re.search(r"^```c\n(.*?)^```", readme, re.M | re.S)
    code = re.sub(r"\A/\* SPDX.*?\*/\n", "", (root / "examples/readme.c").read_text(encoding="utf-8"), flags=re.S)
    if not block or block.group(1) != code:
        yield "README.md: the first C example differs from examples/readme.c"


def excerpt_faults(root, names):
    """A block of code below a comment with a file's name is a piece of that file, but for its indentation."""
    for name in (name for name in names if name.endswith(".md")):
        text = (root / name).read_text(encoding="utf-8")
        for path, code in re.findall(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```", text, re.M | re.S):
            whole = (root / path).read_text(encoding="utf-8") if (root / path).is_file() else ""
            if textwrap.indent(code, "  ") not in whole:
                yield f"{name}: the excerpt of {path} does not stand there"


def document_faults(root, names):
    """Files that the documents name must exist; a path is written from the root or, as in an #include, from src/."""
    for name in (name for name in names if name.endswith(".md") and not name.startswith("docs/adr/")):
        text = (root / name).read_text(encoding="utf-8")
        for path in sorted(set(re.findall(r"`([\w./-]+/[\w.-]+\.(?:c|h|cpp|hpp|inc|py|cmake|map))`", text))):
            if not (root / path).is_file() and not (root / "src" / path).is_file():
                yield f"{name}: names {path}, which does not exist"


def main(root):
    root = Path(root).resolve()
    faults, names = [], tracked(root)
    for name in names:
        path = root / name
        if DATA.search(name) or path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        faults += [f"{name}:{number}: {what}" for number, what in file_faults(name, text)]
    readme = (root / "README.md").read_text(encoding="utf-8")
    faults += environment_faults(root, readme)
    faults += example_faults(root, readme)
    faults += document_faults(root, names)
    faults += excerpt_faults(root, names)
    print("\n".join(faults))
    print(f"{len(names)} files, {len(faults)} faults")
    return 1 if faults or not names else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_text.py ROOT")
    sys.exit(main(sys.argv[1]))
