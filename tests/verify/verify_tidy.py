#!/usr/bin/env python3
"""Runs clang-tidy over the sources of server/ and clients/ as they are compiled.

A file that passed is not looked at again until it, a header it includes, its compile command or
.clang-tidy changes: what passed is remembered in the user's cache folder, for every checkout.

usage: verify_tidy.py BUILD_DIR [JOBS]
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

from sources import ROOT, code_files, report

# What GCC says and Clang does not understand.
GCC_ONLY = ("-fno-canonical-system-headers", "-fcx-fortran-rules", "-fno-semantic-interposition")


def dependencies(build):
    """Source -> the project's own headers that it included when it was last compiled."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True)
    found = {}
    for block in listed.stdout.split("\n\n"):
        paths = [(build / line.strip()).resolve() for line in block.splitlines()[1:]]
        own = [p for p in paths if p.is_relative_to(ROOT) and not p.is_relative_to(build)]
        if own:
            found.setdefault(own[0], set()).update(own[1:])
    return found


def fingerprint(entry, headers, configuration, build):
    """The same for the same content in another checkout or build folder."""
    digest = hashlib.sha256(configuration)
    command = entry["command"].replace(str(build), "BUILD").replace(str(ROOT), "ROOT")
    digest.update(command.encode())
    for path in [pathlib.Path(entry["file"]), *sorted(headers)]:
        name = str(path.relative_to(ROOT)).encode()
        digest.update(name + (path.read_bytes() if path.is_file() else b"gone"))
    return digest.hexdigest()


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(base) / "coxswain" / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tidy(entry):
    """What clang-tidy says about one file, or None if it is content."""
    words = [w for w in shlex.split(entry["command"]) if w not in GCC_ONLY]
    compiler = next(i for i, w in enumerate(words) if os.path.basename(w) in ("c++", "cc", "g++", "gcc"))
    run = subprocess.run(
        ["clang-tidy", "--quiet", entry["file"], "--", *words[compiler + 1 :]],
        cwd=entry["directory"], capture_output=True, text=True,
    )
    return None if run.returncode == 0 else run.stdout + run.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    own = {ROOT / p for p in code_files(".cc", ".c", under=("server", "clients"))}
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        # A file that is compiled for several MPI libraries is looked at once.
        if pathlib.Path(entry["file"]) in own:
            entries.setdefault(entry["file"], entry)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    configuration = version + (ROOT / ".clang-tidy").read_bytes()
    passed = cache_folder()
    headers = dependencies(build)
    wanted = {}
    for name, entry in entries.items():
        mark = passed / fingerprint(entry, headers.get(pathlib.Path(name), ()), configuration,
                                    build)
        if not mark.exists():
            wanted[name] = mark
    print(f"tidy: {len(entries)} files, {len(wanted)} of them new or changed", flush=True)
    problems = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(tidy, entries[name]): name for name in sorted(wanted)}
        for done in concurrent.futures.as_completed(waiting):
            said = done.result()
            if said is None:
                wanted[waiting[done]].touch()
            else:
                problems.append(said.strip())
    return report("tidy", problems, len(entries))


if __name__ == "__main__":
    sys.exit(main())
