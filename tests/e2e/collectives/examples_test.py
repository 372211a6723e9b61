#!/usr/bin/env python3
"""Runs each example as a real job of one rank and of several; it must find its own result right.

usage: examples_test.py FOLDER MPI LAUNCHER [unittest arguments]

FOLDER has the examples of both MPIs, LAUNCHER is "mpirun ...", without the number of ranks. How fast
anything is does not matter here.
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = MPI = LAUNCHER = ""

WAYS = "auto,direct,mesh2d,grid3d,hypercube"

# Program, numbers of ranks, small arguments.
CASES = [
    ("neighbours", (1, 2, 3, 4, 5), ["--size", "76", "--degree", "{degree}", "--algorithm",
                                     "mpi,mpi-neighbor," + WAYS]),
    ("radix-sort", (1, 2, 3, 4, 5), ["--size", "1000", "--algorithm",
                                     "mpi,windowed?window=2,pairwise," + WAYS]),
    ("fft3d", (1, 2, 3, 4, 5), ["--size", "8", "--algorithm", "mpi,pairwise"]),
    ("pme", (1, 2, 3, 4, 5), ["--size", "8", "--degree", "{degree}", "--algorithm", "mpi,mesh2d"]),
    ("matmul", (1, 8), ["--size", "16", "--variant", "blocks"]),
    ("matmul", (8,), ["--size", "16", "--variant", "staggered"]),
    ("matmul", (8,), ["--size", "16", "--variant", "naive"]),
    ("matmul", (8,), ["--size", "16", "--variant", "words"]),
    ("matmul", (8,), ["--size", "16", "--variant", "words-naive"]),
    ("matmul", (1, 4), ["--size", "12", "--variant", "cannon"]),
    ("bitonic-sort", (1, 2, 4), ["--size", "4096"]),
    ("bitonic-sort", (4,), ["--size", "1024", "--variant", "words"]),
    ("sample-sort", (1, 2, 3, 4, 5), ["--size", "6000", "--variant", "ssdr"]),
    ("sample-sort", (1, 2, 4), ["--size", "4096", "--variant", "ssbr"]),
    ("sample-sort", (4,), ["--size", "4096", "--variant", "ssdr-steps"]),
    ("sample-sort", (3,), ["--size", "1500", "--variant", "words"]),
    ("sample-sort", (3,), ["--size", "1500", "--variant", "32-bytes"]),
    ("apsp", (1, 4), ["--size", "32", "--variant", "rows"]),
    ("apsp", (1, 4), ["--size", "32", "--variant", "rows-tree"]),
    ("apsp", (1, 4, 9), ["--size", "36", "--variant", "blocks"]),
    ("apsp", (1, 4, 9), ["--size", "36", "--variant", "blocks-tree"]),
    ("multigrid", (1, 2, 5), ["--size", "64"]),
]


def start(program, ranks, *arguments):
    return subprocess.run([*LAUNCHER.split(), "-n", str(ranks), os.path.join(FOLDER, f"{program}.{MPI}"),
                           *arguments], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)


def lines_of(done):
    return [dict(pair.split("=", 1) for pair in line.split())
            for line in done.stdout.splitlines() if line.startswith("program=")]


class ExamplesTest(unittest.TestCase):
    def test_results(self):
        for program, all_ranks, arguments in CASES:
            for ranks in all_ranks:
                filled = [word.format(degree=max(1, ranks - 2)) for word in arguments]
                with self.subTest(program=program, ranks=ranks, arguments=filled):
                    done = start(program, ranks, "--repeats", "1", *filled)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    lines = lines_of(done)
                    asked = (filled[filled.index("--algorithm") + 1].split(",")
                             if "--algorithm" in filled else ["mpi"])
                    self.assertEqual([line["algorithm"] for line in lines], asked)
                    for line in lines:
                        self.assertEqual((line["right"], line["ranks"]), ("yes", str(ranks)))
                        parts = float(line["work_s"]) + float(line["communication_s"])
                        self.assertGreater(float(line["time_s"]), 0)
                        self.assertAlmostEqual(float(line["time_s"]) / parts, 1, places=5)

    def test_kernels_send_what_is_priced(self):
        """A collective would send what the library chooses."""
        for program, collectives in [("apsp", {"MPI_Scatter", "MPI_Allgather"}),
                                     ("matmul", {"MPI_Allgather"}),
                                     ("sample-sort", {"MPI_Alltoall"})]:
            listed = subprocess.run(["nm", "-D", "--undefined-only",
                                     os.path.join(FOLDER, f"{program}.{MPI}")],
                                    capture_output=True, text=True, check=True).stdout
            called = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
            self.assertIn("MPI_Isend" if program != "sample-sort" else "MPI_Sendrecv", called)
            self.assertEqual(called & collectives, set(), program)

    def test_the_messages_of_an_exchange(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "messages.csv")
            done = start("neighbours", 4, "--size", "100", "--degree", "2", "--messages", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(path, encoding="utf-8") as file:
                rows = [tuple(map(int, row.values())) for row in csv.DictReader(file)]
        self.assertEqual(rows, sorted((i, (i + k) % 4, 100) for i in range(4) for k in (1, 2)))

    def test_what_cannot_be_is_refused(self):
        for program, ranks, arguments, said in [
                ("matmul", 2, [], "needs a cube of ranks"),
                ("matmul", 2, ["--variant", "cannon"], "needs a square of ranks"),
                ("apsp", 2, [], "needs a square of ranks"),
                ("bitonic-sort", 3, [], "needs a power of two of ranks"),
                ("fft3d", 1, ["--size", "12"], "needs a power of two"),
                ("multigrid", 1, ["--size", "12"], "needs a power of two"),
                ("pme", 1, ["--degree", "2"], "more destinations than ranks"),
                ("radix-sort", 1, ["--algorithm", "mpi,no-such"], "--algorithm: unknown"),
                ("radix-sort", 1, ["--size", "many"], "--size many: not understood")]:
            with self.subTest(program=program, arguments=arguments):
                done = start(program, ranks, *arguments)
                self.assertEqual(lines_of(done), [])
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count(said), 1, done.stderr)


if __name__ == "__main__":
    FOLDER, MPI, LAUNCHER = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
