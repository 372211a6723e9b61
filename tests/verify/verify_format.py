#!/usr/bin/env python3
"""Holds C and C++ files to .clang-format. Mend with: clang-format -i FILE."""

import subprocess
import sys

from sources import ROOT, code_files, report


def main():
    files = code_files(".h", ".cc", ".c")
    run = subprocess.run(
        ["clang-format", "--dry-run", "--Werror", *files], cwd=ROOT, capture_output=True, text=True
    )
    wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line})
    if run.returncode != 0 and not wrong:
        wrong = [run.stderr.strip()]
    return report("format", [f"{name}: not as clang-format writes it" for name in wrong], len(files))


if __name__ == "__main__":
    sys.exit(main())
