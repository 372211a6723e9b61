#!/usr/bin/env python3
"""Holds includes to the arrows of the design: which folder may use which.

For every pair of layers it looks for the used layer's headers on the using layer's include path:
along an arrow they must be there, against the arrows they must not. Then it looks for headers of
libraries that only some folders may include.

usage: verify_layers.py DIR, where DIR has <layer>.includes: an include path, a folder per line
"""

import pathlib
import re
import sys

from sources import ROOT, code_files, report

# Layer -> the layers directly below it. It may include these and everything below them.
BELOW = {
    "accounts": (),
    "domain": (),
    "topology": ("domain",),
    "model": ("topology",),
    "strategy": ("model",),
    "library": ("strategy",),
    "learn": ("library",),
    "advise": ("learn",),
    "store": ("domain",),
    "daemon": ("advise", "store"),
    "access": ("accounts", "domain"),
    "service": ("daemon", "access"),
    "gateway": ("service",),
    "relay": ("service",),
}
PURE = ("domain", "model", "topology", "strategy", "library", "learn", "advise")

# What is included -> folders and files that may include it.
API = ("server/main.cc", "server/service/", "server/gateway/", "server/relay/", "clients/cli/", "clients/agent/",
       "clients/servers/", "tests/")
VISIBLE = [
    (r"sqlite3\.h", ("server/store/sqlite/", "tests/")),
    (r"libpq-fe\.h", ("server/store/postgres/connection/", "tests/")),
    (r"mpi\.h",
     ("clients/agent/", "clients/bench/", "clients/collectives/", "tests/e2e/", "tests/bench/")),
    (r".*\.pb\.h|google/(protobuf|rpc)/.*", API),
    (r"grpc.*/.*", API),
    (r"openssl/.*", ("server/access/", "tests/")),
    (r"munge\.h", ("server/access/", "clients/munge/", "tests/")),
    (r"httplib\.h", ("server/gateway/transport/", "tests/")),
    (r"prometheus/.*", ("server/gateway/",)),
]
# What no pure layer includes: I/O, clocks, protocols.
IMPURE = re.compile(
    r"fstream|iostream|filesystem|chrono|ctime|time\.h|unistd\.h|fcntl\.h|sys/.*|sqlite3\.h|libpq-fe\.h|mpi\.h"
    r"|grpc.*|google/.*|.*\.pb\.h|absl/time/clock\.h|spdlog/.*"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def all_below(layer):
    """Every layer that `layer` may include, itself too."""
    return {layer}.union(*(all_below(below) for below in BELOW[layer]))


def arrow_problems(layers, includes_dir):
    headers = {}
    for layer in layers:
        found = sorted((ROOT / "server" / layer).rglob("*.h"))
        if found:
            headers[layer] = found[0].relative_to(ROOT / "server")
    for layer in layers:
        if layer not in BELOW:
            yield f"server/{layer}: not in the table of layers in {pathlib.Path(__file__).name}"
            continue
        include_path = includes_dir / f"{layer}.includes"
        if not include_path.is_file():
            yield f"server/{layer}: has no include path: its CMakeLists.txt needs cox_layer({layer} ...)"
            continue
        allowed = all_below(layer)
        folders = [pathlib.Path(name) for name in include_path.read_text().split()]
        for used, header in headers.items():
            if any((folder / header).is_file() for folder in folders) != (used in allowed):
                yield f"server/{layer}: #include \"{header}\" " + (
                    "must work" if used in allowed else "must not compile: it is against the arrows"
                )


def include_problems():
    for path in code_files(".h", ".cc", ".c"):
        name = str(path)
        pure = len(path.parts) > 2 and path.parts[0] == "server" and path.parts[1] in PURE
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            for pattern, places in VISIBLE:
                if re.fullmatch(pattern, match[1]) and not name.startswith(places):
                    yield f"{name}:{number}: only {', '.join(places)} may include {match[1]}"
            if pure and IMPURE.fullmatch(match[1]):
                yield f"{name}:{number}: {path.parts[1]} is pure and may not include {match[1]}"


def main():
    layers = sorted(p.name for p in (ROOT / "server").iterdir() if p.is_dir())
    problems = [*arrow_problems(layers, pathlib.Path(sys.argv[1])), *include_problems()]
    return report("layers", problems, len(layers))


if __name__ == "__main__":
    sys.exit(main())
