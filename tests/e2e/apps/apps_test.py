#!/usr/bin/env python3
"""Runs coxapp in all its versions as real MPI jobs.

    apps_test.py --launcher "mpirun ..." --corrupt LIBRARY C_PROGRAM [FORTRAN_PROGRAM...]
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERNELS = {"transpose": "alltoall", "cg": "allreduce", "halo": "allgather", "table": "bcast"}
arguments = None


def run(ranks, program, *options, environment=None):
    return execute([*arguments.launcher.split(), "-np", str(ranks), program, *options], environment)


def execute(command, environment=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})


class Results(unittest.TestCase):
    def test_every_version_prints_the_same_checksums(self):
        for ranks in (1, 2, 3):
            said = {}
            for program in arguments.programs:
                done = run(ranks, program, "--bytes", "8,1000,20000", "--calls", "4")
                self.assertEqual(done.returncode, 0, (program, done.stdout, done.stderr))
                said[os.path.basename(program)] = done.stdout
            self.assertEqual(len(set(said.values())), 1, said)
            lines = next(iter(said.values())).splitlines()
            self.assertEqual(len(lines), 3 * len(KERNELS) + 1)
            self.assertRegex(lines[-1], r"^checksum \d+$")

    def test_barriers_change_nothing_but_the_time(self):
        options = ("--bytes", "1024", "--calls", "4")
        for program in arguments.programs:
            plain = run(2, program, *options)
            together = run(2, program, *options, "--barrier")
            self.assertEqual((plain.returncode, plain.stdout),
                             (together.returncode, together.stdout), program)

    def test_checksums_tell_one_job_from_another(self):
        said = {run(2, arguments.programs[0], "--bytes", size, "--calls", calls).stdout
                for size, calls in (("1024", "4"), ("1024", "60"), ("2048", "4"))}
        self.assertEqual(len(said), 3, said)

    def test_wrong_results_are_noticed(self):
        for kernel, collective in KERNELS.items():
            done = run(2, arguments.programs[0], "--bytes", "1024", "--calls", "4", environment={
                "LD_PRELOAD": arguments.corrupt, "CORRUPT": collective})
            self.assertNotEqual(done.returncode, 0, collective)
            wrong = [line for line in done.stdout.splitlines() if line.endswith(" WRONG")]
            self.assertEqual([line.split()[0] for line in wrong], [kernel], done.stdout)


class Options(unittest.TestCase):
    def test_times_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for program in arguments.programs:
                path = os.path.join(folder, "times.csv")
                done = run(2, program, "--kernels", "halo,table", "--bytes", "1024,4096", "--calls",
                           "50", "--volume", "81920", "--times", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = list(csv.DictReader(pathlib.Path(path).read_text().splitlines()))
                self.assertEqual(
                    [(row["kernel"], row["collective"], row["block_bytes"], row["calls"])
                     for row in rows],
                    [("halo", "allgather", "1024", "50"), ("halo", "allgather", "4096", "20"),
                     ("table", "bcast", "1024", "50"), ("table", "bcast", "4096", "20")], program)
                for row in rows:
                    self.assertGreaterEqual(float(row["elapsed_s"]), 0)

    def test_times_file_that_cannot_be_written(self):
        for program in arguments.programs:
            done = run(2, program, "--calls", "1", "--times", "/nonexistent/times.csv")
            self.assertNotEqual(done.returncode, 0, program)
            self.assertIn("coxapp: /nonexistent/times.csv: ", done.stderr)

    def test_wrong_arguments(self):
        wrong = [("--calls", "0"), ("--calls", "x"), ("--calls", "7x"), ("--calls",),
                 ("--bytes", "1024,"), ("--bytes", "7"), ("--bytes", "99999999999999999999"),
                 ("--bytes", ",".join(["8"] * 17)), ("--bytes", ""), ("--kernels", "halo,nothing"),
                 ("--kernels", ""), ("--volume", "-1"), ("--nothing",), ("nothing",)]
        for program in arguments.programs:
            for options in wrong:
                done = execute([program, *options])  # Open MPI's launcher takes failures slowly
                self.assertEqual(done.returncode, 2, (program, options, done.stderr))
                self.assertIn(f"coxapp: wrong argument {options[0]} (see --help)", done.stderr)
                self.assertEqual(done.stdout.strip(), "")

    def test_help_needs_no_launcher(self):
        for program in arguments.programs:
            done = execute([program, "--help"])
            self.assertEqual(done.returncode, 0)
            self.assertIn("usage: coxapp [--kernels", done.stdout)


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--corrupt", required=True)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    unittest.main(argv=[sys.argv[0]], verbosity=2)


if __name__ == "__main__":
    main()
