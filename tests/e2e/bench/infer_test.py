#!/usr/bin/env python3
"""cox-bench times the patterns of a network in a real job, and `cox infer` reads the file.

    infer_test.py --cox COX --coxd COXD --bench PROGRAM --launcher "mpirun ..." [unittest options]

What the blocks of this machine are nobody knows; tests/e2e/calibration/blocks_test.py compares with a simulated one.
"""

import argparse
import csv
import os
import subprocess
import sys
import unittest

from daemon import Asking, Daemon

arguments = None


class Infer(Asking, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(arguments.coxd, arguments.cox)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)

    def measure(self, ranks, *words, environment=None):
        path = self.daemon.path("times.csv")
        done = subprocess.run(
            [*arguments.launcher.split(), "-np", str(ranks), arguments.bench, "blocks", *words, "--budget-s", "3",
             "-o", path],
            capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            times = {(row["kind"], int(row["n"]), int(row["block_bytes"])): float(row["time_s"])
                     for row in csv.DictReader(file)}
        return path, times

    def infer(self, path, *words):
        outcome = self.daemon("--json", "infer", "--file", path, *words)
        self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)
        return {p["name"]: (p["value"], p["relation"]) for p in self.daemon.json("infer", "--file", path,
                                                                                *words)["parameters"]}

    def test_a_row(self):
        path, times = self.measure(4, "--network", "mesh-row")
        found = self.infer(path)
        # Eqs. (13) and (14) of what the job measured.
        self.assertAlmostEqual(found["b_p"][0] / (times["pairs", 1, 1048576] / 1048576), 1, places=4)
        self.assertAlmostEqual(found["b_c"][0] / (times["pairs", 2, 1048576] / 2097152), 1, places=4)
        if "a_c" in found:
            start_up_s = found["a_p"][0] + found["a_c"][0]
        else:
            start_up_s = found["a_p + a_c"][0]
        self.assertAlmostEqual(start_up_s / (times["pairs", 1, 1] / 2), 1, places=4)

    def test_one_frame(self):
        path, times = self.measure(4, "--network", "multistage")
        found = self.infer(path)
        inside = max(times["pairs", n, 1048576] for n in (1, 2)) / 1048576
        self.assertAlmostEqual(found["b_p"][0] / inside, 1, places=4)
        self.assertEqual(found["b_p"][1], "upper bound")

    def test_two_frames(self):
        if "mpich" not in arguments.bench:
            self.skipTest("only MPICH can play several nodes on one machine")
        path, times = self.measure(4, "--network", "multistage", environment={"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"})
        self.assertEqual({key[:2] for key in times},
                         {("pingpong", 2), ("pairs", 1), ("pairs_across", 1), ("pairs_across", 2)})
        found = self.infer(path, "--channels", "2")
        inside, across = times["pairs", 1, 1048576], times["pairs_across", 2, 1048576]
        if across > inside:
            self.assertAlmostEqual(found["b_l across frames"][0] / (across / 1048576), 1, places=4)
        else:
            self.assertNotIn("b_l across frames", found)

    def test_a_wire(self):
        """Memory is no wire: with ranks that share a processor, a start-up of the wire may leave nothing of half a
        round trip, and cox says so."""
        path, times = self.measure(3, "--network", "shared-medium")
        trip, wire = times["pingpong", 2, 1], times["alltoall", 3, 1] / 6
        if wire > trip:
            self.refused(5, "leaves nothing of half a round trip", "infer", "--file", path)
            return
        found = self.infer(path)
        self.assertAlmostEqual(found["b_c"][0] / (times["alltoall", 3, 1048576] / 6 / 1048576), 1, places=4)
        if found["a_c"][1] == "equal":
            self.assertAlmostEqual((2 * found["a_w"][0] + found["a_c"][0]) / trip, 1, places=4)
        else:  # three ranks have not settled the paper's estimate
            self.assertEqual((found["a_c"][1], found["2 a_w + a_c"][1]), ("upper bound", "sum"))
            self.assertAlmostEqual(found["2 a_w + a_c"][0] / trip, 1, places=4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("cox", "coxd", "bench", "launcher"):
        parser.add_argument(f"--{name}", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
