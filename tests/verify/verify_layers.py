#!/usr/bin/env python3
"""Holds includes to the arrows of the design: what may use what.

Tries, for every pair of layers, to preprocess one #include with the using layer's own include path:
along an arrow it must work, against the arrows it must not. Then looks for headers of libraries
that only some folders may see.

usage: verify_layers.py DIR, where DIR has <layer>.includes, a folder per line
"""

import pathlib
import re
import subprocess
import sys

from sources import ROOT, code_files, report

# Layer -> layers whose headers it may include.
ARROWS = {
    "model": set(),
    "strategy": {"model"},
    "library": {"model", "strategy"},
    "learn": {"model", "strategy", "library"},
    "advise": {"model", "strategy", "library", "learn"},
    "store": set(),
    "service": {"model", "strategy", "library", "learn", "advise", "store"},
}
PURE = ("model", "strategy", "library", "learn", "advise")

# What is included -> folders that may.
VISIBLE = [
    (r"sqlite3\.h", ("server/store", "tests/unit/store", "tests/bench")),
    (r"mpi\.h", ("clients/agent", "clients/bench", "clients/collectives", "tests/e2e", "tests/bench")),
    (r".*\.pb\.h", ("server/service", "clients/cli", "clients/agent", "tests")),
    (r"grpc.*/.*", ("server/main.cc", "server/service", "clients/cli", "clients/agent", "tests")),
]
# What no pure layer includes: I/O, clocks, protocols.
IMPURE = re.compile(
    r"fstream|iostream|filesystem|chrono|ctime|time\.h|unistd\.h|fcntl\.h|sys/.*|sqlite3\.h|mpi\.h"
    r"|grpc.*|google/.*|.*\.pb\.h|absl/time/clock\.h|spdlog/.*"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def preprocesses(header, folders):
    run = subprocess.run(
        ["c++", "-std=c++20", "-x", "c++", "-E", "-o", "/dev/null", *(f"-I{f}" for f in folders), "-"],
        input=f'#include "{header}"\n', capture_output=True, text=True,
    )
    return run.returncode == 0


def arrow_problems(includes_dir):
    layers = sorted(p.name for p in (ROOT / "server").iterdir() if p.is_dir())
    for layer in layers:
        if layer not in ARROWS:
            yield f"server/{layer}: not in the table of arrows in {pathlib.Path(__file__).name}"
            continue
        folders = (includes_dir / f"{layer}.includes").read_text().split()
        for used in layers:
            headers = sorted((ROOT / "server" / used).glob("*.h"))
            if headers:
                header = f"{used}/{headers[0].name}"
                allowed = used == layer or used in ARROWS[layer]
                if preprocesses(header, folders) != allowed:
                    yield f"server/{layer}: #include \"{header}\" " + (
                        "must work" if allowed else "must not compile: it is against the arrows"
                    )


def include_problems():
    for path in code_files(".h", ".cc", ".c"):
        name = str(path)
        pure = len(path.parts) > 2 and path.parts[0] == "server" and path.parts[1] in PURE
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            for pattern, folders in VISIBLE:
                if re.fullmatch(pattern, match[1]) and not name.startswith(folders):
                    yield f"{name}:{number}: only {', '.join(folders)} may include {match[1]}"
            if pure and IMPURE.fullmatch(match[1]):
                yield f"{name}:{number}: {path.parts[1]} is pure and may not include {match[1]}"


def main():
    problems = [*arrow_problems(pathlib.Path(sys.argv[1])), *include_problems()]
    return report("layers", problems, len(ARROWS))


if __name__ == "__main__":
    sys.exit(main())
