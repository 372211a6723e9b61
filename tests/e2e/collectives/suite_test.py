#!/usr/bin/env python3
"""cox-bench suite with real jobs and a real coxd that knows a machine.

usage: suite_test.py COX COXD COX_BENCH [unittest arguments]

Whether predictions are good is not looked at: this computer is busy with other tests.
"""

import csv
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from daemon import Daemon, run  # noqa: E402

COX = COXD = BENCH = ""
KERNELS = {"matmul-3d", "matmul-3d?variant=words", "matmul-cannon", "bitonic-sort", "bitonic-sort?variant=words",
           "sample-sort?variant=words", "sample-sort?variant=32-bytes", "sample-sort?variant=ssdr", "sample-sort?variant=ssbr", "apsp-1",
           "apsp-1?variant=tree", "apsp-2", "apsp-2?variant=tree", "multigrid"}


class SuiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX, published=True)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)

    def suite(self, *words):
        return run([BENCH, "suite", "--server", self.daemon.address, *words], timeout=600)

    def test_quick(self):
        path = self.daemon.path("suite.csv")
        outcome = self.suite("-m", "cm5-64", "-p", "8", "--quick", "--repeats", "1", "-o", path)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("matmul", outcome.err, "progress")
        for heading in ("KERNEL ", "PROGRAM ", "The largest error"):
            self.assertIn(heading, outcome.out)
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["kernel"] for row in rows if row["kernel"]}, KERNELS)
        self.assertEqual({row["program"] for row in rows if not row["kernel"]},
                         {"neighbours", "radix-sort", "fft3d", "pme"})
        for row in rows:
            if row["model"]:
                self.check_row(row)
        self.assertTrue({"bsp", "bpram"} <= {row["model"] for row in rows if row["kernel"]})

    def check_row(self, row):
        measured, predicted = float(row["compared_s"]), float(row["predicted_s"])
        self.assertGreater(measured, 0)
        self.assertAlmostEqual(float(row["error"]),
                               abs(measured - predicted) / min(measured, predicted), places=6)
        if not row["kernel"]:
            return
        request = ["kernel", "-m", "cm5-64", "--kernel", row["kernel"], "-n", row["size"], "-p",
                   row["ranks"], "--word-bytes", "4" if row["program"] == "apsp" else "8",
                   "--model", row["model"]]
        answer = self.daemon.answer(*request)["predictions"][0]
        work = 0 if row["program"] == "apsp" else float(row["work_s"])
        compute = sum(t["time_s"] for t in answer["terms"] if t["name"] == "compute")
        self.assertAlmostEqual(predicted / (answer["time_s"] - compute + work), 1, places=6)

    def test_what_cannot_be(self):
        outcome = self.suite("-p", "8")
        self.assertEqual(outcome.code, 2, outcome)
        self.assertIn("--machine", outcome.err)
        outcome = self.suite("-m", "cm5-64", "--programs", "no-such")
        self.assertEqual(outcome.code, 2, outcome)
        self.assertIn("matmul, bitonic-sort", outcome.err)
        outcome = self.suite("-m", "no-such", "--quick", "--programs", "matmul", "--repeats", "1")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no-such", outcome.err)
        outcome = self.suite("-m", "cm5-64", "--launcher", "no-such-program", "--quick", "--programs",
                             "matmul")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no-such-program: there is no such program", outcome.err)
        outcome = self.suite("-m", "cm5-64", "--examples", self.daemon.path("nowhere"))
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("--examples", outcome.err)

    def test_an_interrupt_ends_the_job(self):
        process = subprocess.Popen(
            [BENCH, "suite", "--server", self.daemon.address, "-m", "cm5-64", "--quick", "--launcher",
             "sh -c 'echo $$ > " + self.daemon.path("pid") + "; exec sleep 1000'"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        pid = ""
        while not pid:
            self.assertIsNone(process.poll())
            pid = self.daemon.read("pid").strip() if os.path.exists(self.daemon.path("pid")) else ""
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted", err)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid), 0)


if __name__ == "__main__":
    COX, COXD, BENCH = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
