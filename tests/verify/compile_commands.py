"""How each source of the project is compiled, without what only that one compilation needs."""

import dataclasses
import json
import os
import pathlib
import re
import shlex

from sources import ROOT

COMPILER = re.compile(r"(.*-)?(c\+\+|g\+\+|cc|gcc|clang|clang\+\+)(-\d+)?")
BATCH = re.compile(r"unity_\d+_cxx\.cxx")
INCLUDED = re.compile(r'^#include "(.+\.cc)"$', re.MULTILINE)
# Left out alone, and together with the word that follows.
ALONE = {"-c", "-MD", "-MMD", "-MP", "-Winvalid-pch", "-fpch-deps", "-fpch-preprocess"}
WITH_NEXT = {"-o", "-MF", "-MT", "-MQ"}


@dataclasses.dataclass
class Command:
    compiler: str
    arguments: list  # Without the source, the output, and a precompiled header.
    directory: str

    def text(self, build):
        """The same for the same command in another checkout or build folder."""
        words = shlex.join([self.compiler, *self.arguments])
        return words.replace(str(build), "BUILD").replace(str(ROOT), "ROOT")


def parse(entry):
    words = shlex.split(entry["command"])
    # A launcher such as ccache may come first.
    compiler = next(i for i, word in enumerate(words) if COMPILER.fullmatch(os.path.basename(word)))
    kept = []
    rest = iter(words[compiler + 1 :])
    for word in rest:
        if word in ALONE or word == entry["file"]:
            continue
        if word in WITH_NEXT:
            next(rest)
        elif word == "-include":
            forced = next(rest)
            if not os.path.basename(forced).startswith("cmake_pch."):
                kept += [word, forced]
        else:
            kept.append(word)
    return Command(words[compiler], kept, entry["directory"])


def sources_of(compiled):
    """The compiled file itself, or the sources of a batch: CMake writes a file that includes them."""
    if not BATCH.fullmatch(compiled.name):
        return [compiled]
    return [pathlib.Path(name).resolve() for name in INCLUDED.findall(compiled.read_text())]


def compile_commands(build):
    """Source, relative to the root -> Command.

    A source that is compiled for several MPI libraries has its first command. A source that is compiled
    in a batch has the batch's command. Generated sources and precompiled headers lie in the build folder
    and are left out.
    """
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for path in sources_of(pathlib.Path(entry["file"]).resolve()):
            if path.is_relative_to(ROOT) and not path.is_relative_to(build):
                commands.setdefault(path.relative_to(ROOT), parse(entry))
    return commands
