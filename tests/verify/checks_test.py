#!/usr/bin/env python3
"""Tests of what decides which files clang-tidy and the check of headers look at."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import compile_commands
import verify_headers
import verify_tidy
from changes import Changes
from includes import Includes

def paths(*names):
    return [pathlib.Path(name) for name in names]


class Repository:
    """A Git repository in a folder of its own."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words):
        # Neither the user's settings nor a surrounding repository count.
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1"}
        run = subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words],
                             cwd=self.root, env=environment, check=True, capture_output=True, text=True)
        return run.stdout.strip()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, name, text):
        self.write(name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", name)
        return self.git("rev-parse", "HEAD")

    def changes(self, base=None):
        with mock.patch.dict(os.environ):
            os.environ.pop("COX_BASE", None)
            if base:
                os.environ["COX_BASE"] = base
            return Changes(self.root)


class Bases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = Repository(folder.name)

    def test_without_history_every_file_counts(self):
        self.repository.write("a.cc", "a")
        changes = self.repository.changes()
        self.assertIn("no Git history", changes.base)
        self.assertEqual(changes.files, [pathlib.Path("a.cc")])

    def test_a_short_history_counts_from_its_first_commit(self):
        self.repository.commit("a.cc", "a")
        self.repository.commit("b.cc", "b")
        changes = self.repository.changes()
        self.assertIn("first commit", changes.base)
        self.assertEqual(changes.files, [pathlib.Path("b.cc")])

    def test_a_long_history_counts_from_twenty_commits_ago(self):
        for number in range(23):
            self.repository.commit(f"{number:02}.cc", str(number))
        changes = self.repository.changes()
        self.assertIn("HEAD~20", changes.base)
        self.assertEqual([path.stem for path in changes.files], [f"{n:02}" for n in range(3, 23)])

    def test_the_last_tag_before_head_comes_next(self):
        self.repository.commit("a.cc", "a")
        self.repository.git("tag", "v1")
        self.repository.commit("b.cc", "b")
        self.repository.git("tag", "v2")
        changes = self.repository.changes()
        self.assertIn("v1", changes.base)
        self.assertEqual(changes.files, [pathlib.Path("b.cc")])

    def test_the_merge_base_comes_before_a_tag_unless_it_is_head(self):
        first = self.repository.commit("a.cc", "a")
        self.repository.git("tag", "v1")
        merge_base = self.repository.commit("b.cc", "b")
        self.repository.git("update-ref", "refs/remotes/origin/main", merge_base)
        self.repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        self.assertIn(first[:10], self.repository.changes().base)
        self.repository.commit("c.cc", "c")
        changes = self.repository.changes()
        self.assertIn("origin/HEAD", changes.base)
        self.assertEqual(changes.files, [pathlib.Path("c.cc")])

    def test_the_environment_decides_first(self):
        self.repository.commit("a.cc", "a")
        self.repository.commit("b.cc", "b")
        self.repository.commit("c.cc", "c")
        self.assertEqual(self.repository.changes("HEAD~1").files, [pathlib.Path("c.cc")])
        with self.assertRaisesRegex(SystemExit, "'nothing' is not a commit"):
            self.repository.changes("nothing")

    def test_what_is_not_committed_counts_and_a_moved_file_does_not(self):
        self.repository.commit("moved.cc", "m")
        self.repository.commit("edited.cc", "e")
        self.repository.commit("gone.cc", "g")
        (self.repository.root / "new").mkdir()
        (self.repository.root / "moved.cc").rename(self.repository.root / "new" / "moved.cc")
        (self.repository.root / "gone.cc").unlink()
        self.repository.write("edited.cc", "other")
        self.repository.write("untracked.cc", "u")
        self.assertEqual(self.repository.changes("HEAD").files,
                         [pathlib.Path("edited.cc"), pathlib.Path("untracked.cc")])


class Commands(unittest.TestCase):
    def test_what_only_the_build_needs_is_left_out(self):
        command = compile_commands.parse({
            "file": "/s/a.cc", "directory": "/b",
            "command": "/usr/bin/ccache /usr/bin/c++ -DX=1 -I/s -O2 -Winvalid-pch -include "
                       "/b/CMakeFiles/x.dir/cmake_pch.hxx -fpch-preprocess -fpch-deps -include /s/kept.h "
                       "-MD -MT a.o -MF a.d -o a.o -c /s/a.cc"})
        self.assertEqual(command.compiler, "/usr/bin/c++")
        self.assertEqual(command.arguments, ["-DX=1", "-I/s", "-O2", "-include", "/s/kept.h"])
        self.assertEqual(command.directory, "/b")

    def test_sources_of_a_batch_have_its_command(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            batch = build / "unity_0_cxx.cxx"
            sources = [compile_commands.ROOT / "server" / name for name in ("a.cc", "b.cc")]
            batch.write_text("".join(f'/* NOLINTNEXTLINE */\n#include "{source}"\n' for source in sources))
            entry = {"file": str(batch), "directory": folder, "command": f"c++ -DX=1 -o a.o -c {batch}"}
            (build / "compile_commands.json").write_text(json.dumps([entry]))
            commands = compile_commands.compile_commands(build)
        self.assertEqual(sorted(map(str, commands)), ["server/a.cc", "server/b.cc"])
        self.assertEqual(commands[pathlib.Path("server/a.cc")].arguments, ["-DX=1"])


USES = {
    "server/model/cost.h": ["domain/level.h"],
    "server/model/cost.cc": ["model/cost.h"],
    "server/model/models/bsp.h": [],
    "server/model/models/bsp.cc": ["model/models/bsp.h", "model/cost.h"],
    "server/model/unused.h": [],
    "server/domain/level.h": [],
    "server/service/answer.cc": ["model/cost.h", "service/limits.h"],
    "server/service/limits.h": [],
    "clients/slurm/question.h": [],
    "clients/slurm/question.c": ["question.h"],
}
TREE = Includes({pathlib.Path(name): "".join(f'#include "{used}"\n' for used in uses)
                 for name, uses in USES.items()})
COMPILED = {path: None for path in TREE.files if path.suffix == ".cc"}


class Tidied(unittest.TestCase):
    def changed(self, *names):
        wanted, unchecked = verify_tidy.changed_sources(paths(*names), COMPILED, TREE)
        return sorted(map(str, wanted)), list(map(str, unchecked))

    def test_a_changed_source_is_checked(self):
        self.assertEqual(self.changed("server/model/cost.cc", "docs/x.md"), (["server/model/cost.cc"], []))

    def test_a_changed_header_is_checked_by_one_source_its_own_first(self):
        self.assertEqual(self.changed("server/model/cost.h"), (["server/model/cost.cc"], []))
        self.assertEqual(self.changed("server/service/limits.h"), (["server/service/answer.cc"], []))
        self.assertEqual(len(self.changed("server/domain/level.h")[0]), 1)

    def test_a_header_that_a_changed_source_includes_needs_no_other(self):
        changed = self.changed("server/domain/level.h", "server/model/cost.h", "server/service/answer.cc")
        self.assertEqual(changed, (["server/service/answer.cc"], []))

    def test_what_nothing_compiled_covers_is_named(self):
        self.assertEqual(self.changed("server/model/unused.h", "clients/slurm/question.c"),
                         ([], ["server/model/unused.h", "clients/slurm/question.c"]))


class Headers(unittest.TestCase):
    def flags_of(self, name):
        return str(verify_headers.model_of(pathlib.Path(name), COMPILED, TREE))

    def test_a_header_gets_the_flags_of_its_layer(self):
        self.assertEqual(self.flags_of("server/model/cost.h"), "server/model/cost.cc")
        self.assertEqual(self.flags_of("server/model/models/bsp.h"), "server/model/models/bsp.cc")
        self.assertEqual(self.flags_of("server/model/unused.h"), "server/model/cost.cc")

    def test_a_layer_of_headers_gets_the_flags_of_a_user(self):
        self.assertIn(self.flags_of("server/domain/level.h"),
                      ("server/model/cost.cc", "server/service/answer.cc"))

    def test_a_header_of_a_client_that_is_not_compiled_has_none(self):
        self.assertEqual(self.flags_of("clients/slurm/question.h"), "None")


if __name__ == "__main__":
    unittest.main()
