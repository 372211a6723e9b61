#!/usr/bin/env python3
"""cox calibrate with real MPI jobs.

usage: calibrate_test.py COX COXD MPI [unittest arguments]
"""

import csv
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from daemon import Daemon

COX = ""
COXD = ""
MPI = ""


class CalibrateTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def test_quick(self):
        outcome = self.daemon("calibrate", "here", "--quick", "--mpi", MPI, "--ranks", "2")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("registered here with 1 node(s)", outcome.err)
        self.assertIn("hockney", outcome.out)
        machine = self.daemon.json("machine", "show", "here")
        self.assertEqual(machine["cores_per_node"], len(os.sched_getaffinity(0)))
        profile = self.daemon.json("profile", "show", "here@1")
        self.assertEqual(profile["provenance"], "PROVENANCE_CALIBRATED")
        found = {(p["model"], p["level"], p["name"]): p for p in profile["parameters"]}
        # How long a message takes depends on who else computes here; that cli_test finds parameters of
        # times that are known says whether the fit is right.
        alpha = found["hockney", "node", "alpha"]
        self.assertGreater(alpha["value"], 0)
        self.assertGreater(alpha["stderr"], 0)
        self.assertIn("calibrated", alpha["source"])

        rows = list(csv.DictReader(self.daemon("observations", "export").out.splitlines()))
        self.assertEqual(len({row["run"] for row in rows}), 1, "all jobs are one run")
        library = rows[0]["library"]
        strategies = self.daemon.json("strategies", "--library", library)["strategies"]
        measured = {(row["collective"], row["algorithm"]) for row in rows}
        collectives = {collective for collective, _ in measured}
        self.assertEqual(collectives, {"allgather", "allreduce", "alltoall", "bcast"})
        known = {(s["collective"], s["native_name"])
                 for s in strategies if s["collective"] in collectives}
        self.assertEqual({c for c, a in measured if a == "default"}, collectives)
        # With two ranks every algorithm of the library runs as itself.
        self.assertEqual({m for m in measured if m[1] != "default"}, known)

    def test_a_launcher_that_fails(self):
        outcome = self.daemon("calibrate", "here", "--quick", "--mpi", MPI, "--launcher",
                              "sh -c 'echo no such queue >&2; exit 9'")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no such queue", outcome.err)
        self.assertIn("exit code 9", outcome.err)
        self.assertEqual(self.daemon.json("machine", "list")["machines"], [])
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", "no-such-program")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no-such-program: there is no such program", outcome.err)
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", "mpirun 'x")
        self.assertEqual(outcome.code, 5, outcome)

    def test_an_interrupt_ends_the_job(self):
        process = subprocess.Popen(
            [COX, "--server", self.daemon.address, "calibrate", "here", "--quick", "--mpi", MPI,
             "--launcher", "sh -c 'echo started >&2; echo $$ > " + self.daemon.path("pid") +
             "; exec sleep 1000'"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        while not os.path.exists(self.daemon.path("pid")) or not self.daemon.read("pid").strip():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted", err)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(self.daemon.read("pid")), 0)

    def test_the_measurement_is_kept_when_the_daemon_goes(self):
        """A launcher that ends the daemon and plays rows back."""
        pairs = self.daemon.write("pairs.csv", "machine,kind,level,pattern,pairs,block_bytes,time_s\n" +
                                  "".join(f"here,pingpong,node,x,1,{2**i},{1e-6 + 1e-9 * 2**i}\n"
                                          for i in range(12)))
        times = self.daemon.write("times.csv",
                                  "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,"
                                  "time_s\nhere,other-1.0,bcast,default,1,2,2,8,1e-6\n")
        launcher = self.daemon.write("launcher", "#!/bin/sh\n"
                                     f"if [ $2 = p2p ]; then cat {pairs}; exit; fi\n"
                                     f"cat {times}\nkill -KILL {self.daemon.process.pid}\n")
        os.chmod(launcher, 0o755)
        with tempfile.TemporaryDirectory() as folder:
            outcome = self.daemon("--timeout", "20", "calibrate", "here", "--mpi", MPI, "--launcher",
                                  launcher, env=dict(os.environ, TMPDIR=folder))
            self.assertEqual(outcome.code, 4, outcome)
            self.assertIn("what was measured is in " + folder, outcome.err)
            kept = os.path.join(folder, os.listdir(folder)[0])
            self.daemon.process.wait(60)
            self.daemon.start()
            self.assertEqual(self.daemon("observations", "import", kept + "/observations.csv").code, 0)
            self.assertEqual(self.daemon("calibrate", "here", "--from", kept + "/p2p.csv").code, 0)


if __name__ == "__main__":
    COX, COXD, MPI = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
