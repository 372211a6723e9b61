#!/usr/bin/env python3
"""Holds `cmake --install` to building what it installs.

deploy/quickstart builds only what it runs, and `cmake --install` must work afterwards. So the first
thing that installing does is to build the target `coxswain`, without DESTDIR. That target must build
every file in the build folder that an install script names, except those that the scripts or
CMake write themselves.

usage: verify_installed_files.py BUILD_DIR
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

from sources import report

INSTALL = re.compile(r"file\(INSTALL\b(.*?)\)", re.DOTALL)
WRITTEN = re.compile(r'configure_file\("[^"]*"\s*"([^"]*)"')
BUILDS = re.compile(r"execute_process\(COMMAND .*?--unset=DESTDIR.*?--build .*?--target coxswain\b"
                    r".*?COMMAND_ERROR_IS_FATAL ANY\)", re.DOTALL)
COPIES = re.compile(r"file\(INSTALL\b|include\(")
VARIABLE = re.compile(r"\$\{\w+\}")
QUOTED = re.compile(r'"([^"]*)"')
LABEL = re.compile(r'\[label="([^"]*)"')


def built_by(target, build):
    """Every file that Ninja makes or reads for the target."""
    # `ninja -t inputs` would leave out the inputs of phony targets.
    graph = subprocess.run(["ninja", "-C", build, "-t", "graph", target], capture_output=True,
                           text=True)
    if graph.returncode != 0:
        sys.exit(f"ninja -t graph {target}: {graph.stderr.strip()}")
    return {(build / name).resolve() for name in LABEL.findall(graph.stdout)}


def made_by_rules(build):
    """Every file that Ninja has a rule for. CMake wrote the others when it configured."""
    targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    return {(build / line.rsplit(": ", 1)[0]).resolve() for line in targets.stdout.splitlines()}


def builds_first(script):
    """Whether the install script builds everything before it copies the first file."""
    build, copy = BUILDS.search(script), COPIES.search(script)
    return build is not None and (copy is None or build.end() <= copy.start())


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    named, written = set(), []
    for script in build.rglob("cmake_install.cmake"):
        text = script.read_text()
        written += [VARIABLE.sub("*", path) for path in WRITTEN.findall(text)]
        for arguments in INSTALL.findall(text):
            named.update(path for path in QUOTED.findall(arguments)
                         if pathlib.Path(path).is_relative_to(build))
    rules = made_by_rules(build)
    configured = {path for path in named if pathlib.Path(path).exists() and pathlib.Path(path).resolve() not in rules}
    made = {path for path in named - configured if not any(fnmatch.fnmatch(path, name) for name in written)}
    built = built_by("coxswain", build)
    problems = [
        f"{pathlib.Path(path).relative_to(build)}: is installed, but the target 'coxswain' does not "
        "build it: name its target in deploy/CMakeLists.txt"
        for path in sorted(made) if pathlib.Path(path).resolve() not in built
    ]
    if not builds_first((build / "cmake_install.cmake").read_text()):
        problems.append("cmake_install.cmake: does not build the target 'coxswain' before it copies "
                        "files: see install(CODE) in CMakeLists.txt")
    if not made:
        problems.append("no install script names a file that is built")
    return report("installed files", problems, len(made))


if __name__ == "__main__":
    sys.exit(main())
