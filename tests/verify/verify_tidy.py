#!/usr/bin/env python3
"""Runs clang-tidy over the sources of server/ and clients/ as they are compiled.

Without --all: the sources that changed since the base (see changes.py), and one source for each
changed header that none of them includes. A file that passed is checked again only when it, a
header that it includes, its compile command or .clang-tidy changes.

usage: verify_tidy.py BUILD_DIR [--all] [--jobs N]
"""

import argparse
import functools
import os
import pathlib
import subprocess
import sys

import passes
from changes import Changes
from compile_commands import compile_commands
from includes import read_includes
from sources import ROOT

# What GCC understands and Clang does not.
GCC_ONLY = ("-fno-canonical-system-headers", "-fcx-fortran-rules", "-fno-semantic-interposition")


def source_of(header, compiled, includes):
    """A compiled source that includes the header: its own .cc, or else the nearest one."""
    users = [path for path in includes.users_of(header) if path in compiled]
    for path in users:
        if path.parent == header.parent and path.stem == header.stem:
            return path
    return users[0] if users else None


def changed_sources(changed, compiled, includes):
    """The sources to check, and the changed files that no compiled source covers."""
    changed = [path for path in changed if path in includes.files]
    wanted = {path for path in changed if path in compiled}
    covered = wanted.union(*(includes.used_by(path) for path in wanted))
    unchecked = []
    for path in changed:
        if path in covered:
            continue
        source = None if path.suffix in (".cc", ".c") else source_of(path, compiled, includes)
        if source is None:
            unchecked.append(path)
        else:
            wanted.add(source)
            covered.update(includes.used_by(source))
    return wanted, unchecked


def tidy(source, command):
    """What clang-tidy says about one source, or None if it has no objection."""
    arguments = [word for word in command.arguments if word not in GCC_ONLY]
    run = subprocess.run(
        ["clang-tidy", "--quiet", ROOT / source, "--", "-Qunused-arguments", *arguments],
        cwd=command.directory, capture_output=True, text=True,
    )
    if run.returncode == 0:
        return None
    return passes.relative(run.stdout) or f"{source}: {passes.relative(run.stderr)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--all", action="store_true", help="check every source")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    includes = read_includes()
    compiled = compile_commands(options.build)
    own = {path for path in includes.files if path in compiled}
    if options.all:
        wanted = own
        unchecked = [p for p in includes.files if p.suffix in (".cc", ".c") and p not in own]
    else:
        changes = Changes()
        print(f"tidy: compared with {changes.base}", flush=True)
        wanted, unchecked = changed_sources(changes.files, own, includes)
        if pathlib.Path(".clang-tidy") in changes.files:
            print("tidy: .clang-tidy changed; 'tests/run --tidy' checks every file against it")
    for path in unchecked:
        print(f"tidy: not checked, because no source that is compiled here covers it: {path}")

    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    setting = version + (ROOT / ".clang-tidy").read_bytes()
    tasks = [
        passes.Task(
            source,
            passes.fingerprint(setting + compiled[source].text(options.build).encode(),
                               [source, *includes.used_by(source)]),
            functools.partial(tidy, source, compiled[source]),
        )
        for source in sorted(wanted)
    ]
    return passes.run("tidy", tasks, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
