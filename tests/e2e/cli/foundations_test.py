#!/usr/bin/env python3
"""What cox says of the foundations of an answer: prices beside timings, jobs larger than the machine, canaries that
are not compared, suggestions, replaced parameters, timings from the future.

usage: foundations_test.py COX COXD [unittest arguments]
"""

import csv
import os
import sys
import unittest

from daemon import Asking, Daemon

COX = COXD = ""

HEADER = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s"
MACHINE = '[machine]\nname = "here"\nnodes = 1\ncores_per_node = 2\n'
# What cox-bench times.
BENCHMARKED = {"allgather", "allreduce", "alltoall", "bcast", "gather", "reduce", "reduce_scatter_block", "scatter"}


def pairs(start_s=5e-7):
    """Ping-pongs within the one node of the machine."""
    rows = ["machine,kind,level,pattern,pairs,block_bytes,time_s"]
    rows += [f"here,pingpong,node,pairwise,1,{2**exponent},{start_s + 2**exponent / 5e9}" for exponent in range(23)]
    return "\n".join(rows) + "\n"


class FoundationsTest(Asking, unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE))
        self.calibrate(pairs())

    def calibrate(self, rows):
        outcome = self.daemon("calibrate", "here", "--from", self.daemon.write("p.csv", rows))
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def load(self, rows, columns=""):
        outcome = self.daemon("observations", "import",
                              self.daemon.write("o.csv", "\n".join([HEADER + columns, *rows]) + "\n"))
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def load_bcast(self):
        return self.load([f"here,openmpi-4.1,bcast,{name},1,2,2,{size},{factor * (1e-6 + size / 1e10)}"
                          for name, factor in (("default", 1.0), ("binomial", 1.2), ("chain", 1.4))
                          for size in (64, 4096, 65536)])

    def test_a_price_beside_timings(self):
        self.load_bcast()
        for verb in ("predict", "explain"):
            ask = [verb, "-m", "here", "-p", "2", "-b", "64k"]
            text = self.ok(*ask, "-c", "bcast")
            self.assertIn("times are a model's prices; machine here has timings of bcast, which `cox recommend` uses", text)
            self.assertNotIn("has timings", self.ok(*ask, "-c", "alltoall"))
            self.assertNotIn("has timings", self.ok(*ask, "-c", "bcast", "--what-if", "alpha*2"))
        self.assertIn("has timings of bcast", self.daemon.answer("predict", *ask[1:], "-c", "bcast")["caveats"][0])
        self.assertNotIn("has timings", self.ok("recommend", *ask[1:], "-c", "bcast", "--library", "openmpi-4.1"))

    def test_a_job_beyond_the_machine(self):
        beyond = ("the job has more nodes (32) than machine here (1)", "nobody measured level network")
        pattern = ["pattern", "-m", "here", "--pattern", "transpose", "-b", "1k", "-p"]
        kernel = ["kernel", "-m", "here", "--kernel", "bitonic-sort", "-n", "64k", "-p"]
        # A kernel takes no ranks per node: all its messages have the price of the network.
        of_kernel = (beyond[0].replace("32", "64"), beyond[1], "kernels are priced with one rank on each node")
        for ask, caveats in ((pattern, beyond), (kernel, of_kernel)):
            text = self.ok(*ask, "64")
            answer = self.daemon.answer(*ask, "64")
            self.assertEqual(len(answer["caveats"]), len(caveats), answer)
            for caveat, said in zip(caveats, answer["caveats"]):
                self.assertIn(caveat, said)
                self.assertIn("note: " + said, text)
        self.assertEqual(self.daemon.answer("pattern", "-m", "here", "--pattern", "shift?by=1", "-b", "1k", "-p",
                                            "2").get("caveats", []), [])
        self.assertEqual(len(self.daemon.answer(*kernel, "2")["caveats"]), len(of_kernel))
        run = ["run", "--print", "--machine", "here", "--library", "openmpi-4.1", "--nodes"]
        for mode in ("tune", "apply"):
            outcome = self.daemon(*run, "32", "--ppn", "2", "--mode", mode, "--limit", "5000",
                                  env={**os.environ, "XDG_CACHE_HOME": self.daemon.path("cache")})
            self.assertEqual(outcome.code, 0, outcome)
            for caveat in beyond:
                self.assertIn("note: " + caveat, outcome.err)
        self.assertNotIn("note: ", self.daemon(*run, "1", "--ppn", "2", "--limit", "5000").err)

    def test_canaries_that_are_not_compared(self):
        def calls(job, number, algorithm, run, time_s):
            return f"here,openmpi-4.1,allreduce,{algorithm},1,2,2,64,{time_s},{run},4000,2026-01-01T0{number}:00:05Z,job,{job}"
        columns = ",run,count,at,kind,job"
        self.load([calls("first", 0, "ring", "peer", 1e-5), calls("first", 0, "default", "canary", 1.5e-5)], columns)
        outcome = self.daemon("savings", "here")
        self.assertIn("2000 canary calls are stored, but none is compared yet", outcome.err)
        self.assertNotIn("start jobs with --canary", outcome.err)
        self.assertIn("0 of 2000", outcome.out)
        row = self.daemon.json("savings", "here")["rows"][0]
        self.assertEqual((row.get("canary_call_count", 0), row["stored_canary_call_count"]), (0, 2000))
        self.load([calls(f"more-{number}", number, "default", "canary", 1.5e-5) for number in (1, 2, 3)], columns)
        outcome = self.daemon("savings", "here")
        self.assertIn("4000 of 8000", outcome.out)
        self.assertNotIn("none is compared", outcome.err)

    def test_suggestions_can_be_measured(self):
        self.load_bcast()
        outcome = self.daemon("suggest", "-m", "here", "--library", "openmpi-4.1", "-n", "200")
        rows = list(csv.DictReader(outcome.out.splitlines()))
        self.assertGreater(len(rows), 20)
        self.assertLessEqual({row["collective"] for row in rows}, BENCHMARKED)
        self.assertNotIn("cannot time", outcome.err)
        # Rows of one call follow each other, and calls that were begun come first.
        calls = []
        for row in rows:
            call = (row["collective"], row["ranks"], row["block_bytes"], row["ppn"])
            if call not in calls[-1:]:
                self.assertNotIn(call, calls, "a call comes twice")
                calls.append(call)
        begun = [call[0] == "bcast" and call[2] in ("4096",) for call in calls]
        if any(begun):
            self.assertTrue(begun[0], calls[:5])
        help_text = self.ok("suggest", "--help")
        self.assertIn("cox calibrate cluster --budget", help_text)
        self.assertIn("timed already", help_text)
        file = self.daemon.write("c.csv", HEADER.rsplit(",", 1)[0] + "\nhere,openmpi-4.1,scan,linear,1,2,2,64\n"
                                 "here,openmpi-4.1,scan,default,1,2,2,64\n")
        outcome = self.daemon("suggest", "-m", "here", "--library", "openmpi-4.1", "--from", file)
        self.assertIn("cox-bench cannot time scan: measure these rows with a benchmark of your own", outcome.err)

    def test_replaced_parameters(self):
        outcome = self.calibrate(pairs(9e-7))
        self.assertIn("note: revision 2 replaces the parameters of revision 1 for all MPI libraries", outcome.err)
        self.assertIn("cox profile rollback here@1", outcome.err)
        self.assertIn("cox profile pin here@1", outcome.err)
        self.ok("profile", "pin", "here@1")
        self.assertNotIn("replaces the parameters", self.calibrate(pairs(5e-7)).err)

    def test_timings_from_the_future(self):
        rows = [f"here,openmpi-4.1,bcast,default,1,2,2,{size},1e-5,{at}"
                for size, at in ((64, "2026-01-01T00:00:00Z"), (128, "2999-01-01T00:00:00Z"))]
        self.assertNotIn("from the future", self.load(rows[:1], ",at").err)
        outcome = self.load(rows, ",at")
        self.assertIn("1 row(s), the first in line 3, from the future", outcome.err)
        self.assertIn("2999-01-01", outcome.err)
        # It counts as measured when it came.
        listed = self.ok("observations", "list", "--machine", "here")
        self.assertEqual((listed.count("2999"), listed.count("2026-01-01")), (0, 2))


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
