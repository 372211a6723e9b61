#!/usr/bin/env python3
"""Holds every program and library that is installed to its hardening, as `readelf` shows it.

usage: verify_hardening.py BUILD_DIR CMAKE
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from sources import report

MAGIC = b"\x7fELF"
# Functions that read or write memory whose size the compiler may know, and that our code calls. A
# fortified build calls the checked one wherever it knows the size and cannot prove the call right.
CHECKED = re.compile(r"\b__\w+_chk\b")


def readelf(path, *options):
    done = subprocess.run(["readelf", "--wide", *options, path], capture_output=True, text=True,
                          check=True)
    return done.stdout


def defects(path):
    """What the file lacks, in words."""
    header, segments = readelf(path, "--file-header"), readelf(path, "--segments")
    dynamic, symbols = readelf(path, "--dynamic"), readelf(path, "--dyn-syms")
    lacks = []
    if not re.search(r"Type:\s+DYN\b", header):
        lacks.append("a position-independent address (PIE)")
    if "GNU_RELRO" not in segments:
        lacks.append("read-only relocations (-z relro)")
    if not re.search(r"BIND_NOW|FLAGS.*\bNOW\b", dynamic):
        lacks.append("binding at the start (-z now)")
    stack = re.search(r"GNU_STACK.*", segments)
    if stack is None or "E" in stack.group(0).split()[-2]:
        lacks.append("a stack that is not executable (-z noexecstack)")
    if "__stack_chk_fail" not in symbols:
        lacks.append("the stack protector")
    return lacks, bool(CHECKED.search(symbols))


def main():
    build, cmake = sys.argv[1:]
    problems, fortified, count = [], [], 0
    with tempfile.TemporaryDirectory() as root:
        subprocess.run([cmake, "--install", build, "--prefix", root], check=True,
                       stdout=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(root).rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as file:
                if file.read(4) != MAGIC:
                    continue
            count += 1
            lacks, is_fortified = defects(path)
            name = path.relative_to(root)
            problems += [f"{name}: lacks {what}: see deploy/cmake/CoxToolchain.cmake" for what in lacks]
            fortified += [str(name)] if is_fortified else []
    # A small library may call no such function; the daemon and the client do.
    for name in ("bin/cox", "sbin/coxd"):
        if name not in fortified:
            problems.append(f"{name}: lacks fortified functions (_FORTIFY_SOURCE)")
    if count < 2:
        problems.append("no program was installed")
    return report("hardening", problems, count)


if __name__ == "__main__":
    sys.exit(main())
