#!/usr/bin/env python3
"""Rules of the repository that a person could forget."""

import collections
import os
import re
import subprocess
import sys

from sources import ROOT, own_files, report

MAX_LINES = 800
MAX_LINES_OF_TEST = 1200
MAX_FILES = 30
MAX_IMAGE_BYTES = 200_000
CODE = {".h", ".cc", ".c", ".f90", ".f", ".py", ".sh", ".proto", ".sql", ".js", ".cmake"}
LICENSES = {"LICENSE"}
VENDORED = ("proto/google/",)
BYTES = ("tests/fuzz/corpus/",)  # Inputs of fuzzers: any bytes.

# Pattern, and the fault of a line that matches it.
FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "unfinished work is an issue, not a comment"),
    (re.compile(r"(?<![\w.$}])/(work|home|root|Users)/\w"), "path of one machine"),
    (re.compile(r"/tmp/(bash_|brief|tmp\.|cox\.)"), "path of one machine"),
    (re.compile(r"\b(pypi|npmjs|rubygems|crates|conda|snapshot\.debian|proxy\.golang)\.(org|com|io)\b"),
     "host of a package registry"),
    (re.compile(r"^(<{7}|>{7}) "), "conflict marker"),
]


def line_problems(name, lines):
    for number, line in enumerate(lines, 1):
        for pattern, why in FORBIDDEN:
            if pattern.search(line):
                yield f"{name}:{number}: {why}: {line.strip()[:80]}"
        if line != line.rstrip() and not name.endswith(".md"):
            yield f"{name}:{number}: blanks at the end of the line"


def page_problems(name, lines):
    """A reader copies a block as it is: where a script has its #! elsewhere, the system cannot start it."""
    for number in range(1, len(lines)):
        if lines[number].startswith("    #!/") and lines[number - 1].strip():
            yield f"{name}:{number + 1}: #! is not the first line of its block"


def script_problems(name, lines, executable):
    shebang = lines[0] if lines and lines[0].startswith("#!") else ""
    if bool(shebang) != executable:
        yield f"{name}: {'has #! but is' if shebang else 'has no #! but is marked'} " + (
            "not executable" if shebang else "executable"
        )
    if shebang.endswith(("bash", "/sh")):
        strict = "set -euo pipefail" if shebang.endswith("bash") else "set -eu"
        if strict not in lines:
            yield f"{name}: needs a line '{strict}'"
        if shebang.endswith("bash"):
            parsed = subprocess.run(["bash", "-n", ROOT / name], capture_output=True, text=True)
            if parsed.returncode != 0:
                yield f"{name}: {parsed.stderr.strip()}"


def length_problems(name, suffix, lines):
    limit = MAX_LINES_OF_TEST if name.startswith("tests/") else MAX_LINES
    if suffix in CODE and len(lines) > limit:
        yield f"{name}: {len(lines)} lines, more than {limit}: split it by idea"


def folder_problems(files):
    product = [path for path in files if path.parts[0] in ("server", "clients")]
    folders = collections.Counter(path.parent for path in product)
    for folder, count in sorted(folders.items()):
        if count > MAX_FILES:
            yield f"{folder}: {count} files, more than {MAX_FILES}: divide the folder by idea"
    server = ROOT / "server"
    for folder in sorted(p for p in server.iterdir() if p.is_dir()):
        lists = folder / "CMakeLists.txt"
        if not lists.is_file() or f"cox_layer({folder.name}" not in lists.read_text():
            yield f"server/{folder.name}: needs a target of its own: cox_layer({folder.name} ...)"


def main():
    this = os.path.relpath(__file__, ROOT)
    files = [p for p in own_files() if str(p) not in LICENSES and not str(p).startswith(VENDORED + BYTES)]
    problems = list(folder_problems(files))
    for path in files:
        name = str(path)
        if path.suffix == ".png":
            if (ROOT / path).stat().st_size > MAX_IMAGE_BYTES:
                problems.append(f"{name}: larger than {MAX_IMAGE_BYTES} bytes")
            continue
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            problems.append(f"{name}: not a text file in UTF-8")
            continue
        lines = text.splitlines()
        if text and not text.endswith("\n"):
            problems.append(f"{name}: no newline at the end")
        if "\r" in text and path.suffix != ".csv":
            problems.append(f"{name}: carriage returns")
        problems += script_problems(name, lines, os.access(ROOT / path, os.X_OK))
        problems += length_problems(name, path.suffix, lines)
        if path.suffix == ".md":
            problems += page_problems(name, lines)
        if name != this:
            problems += line_problems(name, lines)
    return report("repository", problems, len(files))


if __name__ == "__main__":
    sys.exit(main())
