#!/usr/bin/env python3
"""Runs deploy/fleet/try and looks at what it says and what it leaves behind.

    fleet_test.py --build DIR [TEST...]
"""

import argparse
import collections
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLEET = ROOT / "deploy" / "fleet"
sys.path[:0] = [str(ROOT / "deploy" / "loop"), str(FLEET)]
import account  # noqa: E402
import members  # noqa: E402

PATIENCE_S = 600
build = None


def run(*options):
    return subprocess.run([FLEET / "try", *options], capture_output=True, text=True, timeout=PATIENCE_S,
                          stdin=subprocess.DEVNULL)


def processes_naming(text):
    """Process ids and command lines of live processes that have `text` in their command line."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if text in command and int(folder.name) != os.getpid():
            found[int(folder.name)] = command
    return found


class Arguments(unittest.TestCase):
    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--build", "--dir", "--keep", "--json", "exit status"):
            self.assertIn(option, done.stdout)

    def test_a_missing_program_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--build", folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{folder}/bin/coxd is missing", done.stderr)


class Accounts(unittest.TestCase):
    """40 timings of 8 B, 8 of 64 B."""

    def setUp(self):
        table = "kernel,collective,block_bytes,calls,elapsed_s\nhalo,allgather,8,10,1.5\nhalo,allgather,64,2,1.5\n"
        self.made = account.timings_made(io.StringIO(table), 4)
        self.first, self.second = ("allgather", 8, 30, 1e-6), ("allgather", 8, 10, 2e-6)
        self.large = ("allgather", 64, 8, 3e-6)
        self.whole = collections.Counter([self.first, self.second, self.large])

    def judge(self, stored, *spooled):
        rows = "".join(f"{time_s:.17g},{collective},{size},{count}\n" for collective, size, count, time_s in spooled)
        spool = account.spooled_rows(io.StringIO("time_s,collective,block_bytes,count\n" + rows))
        return account.lost_and_doubled(self.made, stored + account.unsent_rows(stored, spool))

    def test_each_timing_once(self):
        self.assertEqual(self.judge(self.whole), (0, 0))

    def test_other_calls_do_not_count(self):
        self.assertEqual(self.judge(self.whole + collections.Counter([("allreduce", 32, 4, 1e-6)])), (0, 0))

    def test_what_one_cell_has_too_often_does_not_replace_what_another_lacks(self):
        self.assertEqual(self.judge(self.whole + collections.Counter([self.second])), (0, 10))
        self.assertEqual(self.judge(collections.Counter([self.first, self.large])), (10, 0))
        self.assertEqual(self.judge(collections.Counter([self.first, self.second, self.second])), (8, 10))

    def test_a_spool(self):
        self.assertEqual(self.judge(collections.Counter([self.first]), self.second, self.large), (0, 0))
        self.assertEqual(self.judge(collections.Counter([self.first]), self.large), (10, 0))
        self.assertEqual(self.judge(self.whole, ("allgather", 8, 10, 2.5e-6)), (0, 10))
        # A batch to which no answer came is in both, and counts once.
        self.assertEqual(self.judge(self.whole, self.second), (0, 0))
        # What is in the spool does not hide what the database has twice.
        self.assertEqual(self.judge(collections.Counter([self.first, self.first]), self.second, self.large), (0, 30))

    def test_each_fault_has_a_sentence(self):
        well = {"lost_timings": 0, "doubled_timings": 0, "missing_batches": 0, "stored_rows": 9, "counted_rows": 9,
                "batches": 5, "batches_at_kill": 3}
        self.assertEqual(account.faults(well), [])
        for change, words in ({"lost_timings": 7}, "7 timings"), ({"doubled_timings": 6}, "6 timings"), (
                {"missing_batches": 2}, "2 batches"), ({"counted_rows": 8}, "count 8 rows"), ({"batches": 3}, "not moved"):
            (sentence,) = account.faults(well | change)
            self.assertIn(words, sentence)


class Composition(unittest.TestCase):
    def test_coxd_accepts_the_commands_of_the_containers(self):
        # docker compose is not run here. But coxd checks the settings of each command.
        text = (FLEET / "compose.yaml").read_text(encoding="utf-8")
        commands = [json.loads(command) for command in re.findall(r"^ +command: (\[.*\"--store\".*\])$", text, re.M)]
        self.assertEqual(len(commands), 3)
        for command in commands:
            done = subprocess.run([pathlib.Path(build, "bin", "coxd"), *command, "--check-config"], capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


class WholeFleet(unittest.TestCase):
    def setUp(self):
        if why := members.Postgres.why_missing():
            self.skipTest(why)
        # As user postgres, PostgreSQL must reach its folder.
        folder = tempfile.TemporaryDirectory(prefix="cox-fleet-test-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o711)
        self.folder = os.path.join(folder.name, "fleet")
        self.options = ("--build", build, "--dir", self.folder)
        self.addCleanup(self.end_what_is_left)

    def end_what_is_left(self):
        for pid in processes_naming(self.folder):
            os.kill(pid, signal.SIGKILL)

    def test_a_kill_loses_nothing_and_a_kept_fleet_answers(self):
        done = run(*self.options, "--keep", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        result = json.loads(done.stdout)
        self.assertEqual(result["faults"], [])
        self.assertEqual((result["lost_timings"], result["doubled_timings"], result["missing_batches"]), (0, 0, 0))
        self.assertGreater(result["timings"], 0)
        self.assertGreater(result["batches"], result["batches_at_kill"])
        # The remaining two answer, and the killed one does not.
        self.assertEqual(sorted([*result["recommendations"], result["killed"]]), ["coxd1", "coxd2", "coxd3"])
        for algorithms in result["recommendations"].values():
            self.assertEqual(len(algorithms), 2)
            self.assertTrue(all(algorithms))
        # The fleet is whole again. Each daemon knows the job, also the one that started after it.
        self.assertEqual(len(result["servers"]), 3)
        for server in result["servers"]:
            listed = subprocess.run([pathlib.Path(build, "bin", "cox"), "--server", server, "--json", "observations", "list",
                                     "--count", "--machine", "fleet"], capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual(int(json.loads(listed.stdout)["observation_count"]), result["stored_rows"])

    def test_ctrl_c_leaves_nothing_running(self):
        with subprocess.Popen([FLEET / "try", *self.options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL) as process:
            while "It was killed" not in (line := process.stdout.readline()):
                self.assertNotEqual(line, "", process.stderr.read() if not line else "")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        self.assertEqual(processes_naming(self.folder), {})


def main():
    global build
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build
    unittest.main(argv=[sys.argv[0], *arguments.tests], verbosity=2)


if __name__ == "__main__":
    main()
