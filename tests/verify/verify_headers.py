#!/usr/bin/env python3
"""Compiles each header of server/ and clients/ alone: it includes what it needs, and only once.

A header gets the flags of a source that lies near it, without the precompiled header. Without
--all: the headers that changed since the base (see changes.py). A header that passed is compiled
again only when it, a header that it includes or its flags change.

usage: verify_headers.py BUILD_DIR [--all] [--jobs N]
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


def model_of(header, compiled, includes):
    """The compiled source whose flags the header gets, or None.

    A source that includes the header comes first, the nearest folder first; then any source of the
    same layer or client, because its include path is the smallest one that must do. Only a header of a
    layer without sources looks in the rest of server/.
    """
    users = [path for path in includes.users_of(header) if path in compiled]
    above = [header.parent, *header.parent.parents]
    own = [folder for folder in above if len(folder.parts) >= 2]
    for folders in (own, [folder for folder in above if folder.name == "server"]):
        for candidates in (users, sorted(compiled)):
            for folder in folders:
                near = [path for path in candidates if path.is_relative_to(folder)]
                if near:
                    return min(near, key=lambda path: (path.parent != header.parent,
                                                       path.stem != header.stem, len(path.parts)))
    return None


@functools.cache
def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout


def compile_words(source, command):
    kept = [w for w in command.arguments
            if not w.startswith(("-O", "-g", "-D_FORTIFY_SOURCE", "-fsanitize"))]
    language = "c" if source.suffix == ".c" else "c++"
    return [command.compiler, *kept, "-fsyntax-only", "-O0", "-x", language, "-"]


def compile_alone(header, words, directory):
    """What the compiler says about the header included twice, or None if it has no objection."""
    run = subprocess.run(
        words, input=f'#include "{ROOT / header}"\n' * 2, cwd=directory, capture_output=True, text=True
    )
    return None if run.returncode == 0 else passes.relative(run.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--all", action="store_true", help="check every header")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    includes = read_includes()
    commands = compile_commands(options.build)
    compiled = {path: commands[path] for path in includes.files if path in commands}
    wanted = [path for path in includes.files if path.suffix == ".h"]
    if not options.all:
        changes = Changes()
        print(f"headers: compared with {changes.base}", flush=True)
        wanted = sorted(set(wanted) & set(changes.files))

    tasks = []
    for header in wanted:
        source = model_of(header, compiled, includes)
        if source is None:
            print(f"headers: not checked, because nothing near it is compiled here: {header}")
            continue
        command = compiled[source]
        words = compile_words(source, command)
        setting = version(command.compiler) + command.text(options.build).encode()
        tasks.append(passes.Task(
            header, passes.fingerprint(setting, [header, *includes.used_by(header)]),
            functools.partial(compile_alone, header, words, command.directory)))
    return passes.run("headers", tasks, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
