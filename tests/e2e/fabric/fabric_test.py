#!/usr/bin/env python3
"""The fabric itself: it comes up, jobs of each MPI run on it at its rate and report to a coxd that they reach
through it, its rate can be changed, and nothing of it is left, whoever is killed.

    fabric_test.py --cox C --coxd C --shim LIBRARY --programs FOLDER --mpi M [--mpi M] [unittest options]
"""

import argparse
import csv
import io
import os
import signal
import subprocess
import sys
import unittest

import daemon
import fabric

NODES = 4
MBIT = 20
PORT = 7077
BLOCK_BYTES = 16384
TIMEOUT_S = 120
LIBRARIES = {"openmpi": "openmpi-4.1", "mpich": "mpich-4.0"}
arguments = None


def least_alltoall_s(mbit):
    """Seconds for a rank's bytes to the others over its wire: the least that this rate allows."""
    return (NODES - 1) * BLOCK_BYTES * 8 / (mbit * 1e6)


class OnAFabric(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fabric = fabric.Fabric.of_this_process(NODES, f"{MBIT}mbit", arguments.shim)
        cls.enter(cls.fabric)
        cls.cox = daemon.Daemon(arguments.coxd, arguments.cox)
        cls.enter(cls.cox)
        relay = subprocess.Popen(
            cls.fabric.on("switch", [sys.executable, fabric.HERE / "relay.py", fabric.SWITCH_ADDRESS, PORT,
                                     cls.cox.address.removeprefix("unix:")]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(relay.communicate)
        assert relay.stdout.readline() == "listening\n"

    @classmethod
    def enter(cls, context):
        context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def start(self, mpi, machine):
        """A job under `cox run`, which asks coxd through the fabric; agents report through it, too."""
        # Enough calls for many windows, because the last one may come too late.
        job = self.fabric.job(
            mpi, NODES, [f"{arguments.programs}/coxapp.{mpi}", "--kernels", "transpose", "--bytes", BLOCK_BYTES,
                         "--barrier", "--calls", 80],
            before=[arguments.cox, "run", "--mode", "observe", "--limit", 10000, "--machine", machine, "--nodes",
                    NODES, "--ppn", 1, "--library", LIBRARIES[mpi], "--"])
        environment = self.fabric.environment(COX_SERVER=f"{fabric.SWITCH_ADDRESS}:{PORT}", COX_INTERVAL="100ms",
                                              COX_JOB=f"job-{machine}", COX_SPOOL="/dev/null")
        done = subprocess.run(job, env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def alltoalls(self, machine):
        exported = self.cox("observations", "export", "--machine", machine)
        self.assertEqual(exported.code, 0, exported)
        return [row for row in csv.DictReader(io.StringIO(exported.out)) if row["collective"] == "alltoall"
                and int(row["block_bytes"]) == BLOCK_BYTES]

    def check_job(self, mpi):
        self.start(mpi, mpi)
        rows = self.alltoalls(mpi)
        self.assertTrue(rows, "no timing arrived")
        # Each node's agent uses the settings of `cox run` and the launcher.
        jobs = {row["job"] for row in self.cox.json("observations", "list", "--machine", mpi, "--limit", "0")["observations"]}
        self.assertEqual(jobs, {f"job-{mpi}@{self.fabric.node(number)}" for number in range(NODES)})
        for row in rows:
            self.assertEqual((row["nodes"], row["ppn"], row["ranks"]), (str(NODES), "1", str(NODES)))
            self.assertGreater(float(row["time_s"]), 0.8 * least_alltoall_s(MBIT), row)
        self.assertEqual(self.fabric.counters()["dropped"], 0)

    def test_jobs_of_open_mpi_report_through_the_fabric(self):
        self.if_built("openmpi")
        self.check_job("openmpi")

    def test_jobs_of_mpich_report_through_the_fabric(self):
        self.if_built("mpich")
        self.check_job("mpich")

    def test_a_changed_rate_is_the_rate_of_jobs(self):
        mpi = arguments.mpi[0]
        self.fabric.set_rate("5mbit")
        self.addCleanup(self.fabric.set_rate, f"{MBIT}mbit")
        self.start(mpi, "slow")
        rows = self.alltoalls("slow")
        self.assertTrue(rows, "no timing arrived")
        self.assertGreater(min(float(row["time_s"]) for row in rows), 0.8 * least_alltoall_s(5))

    def if_built(self, mpi):
        if mpi not in arguments.mpi:
            self.skipTest(f"not built for {mpi}")


class Removal(unittest.TestCase):
    def test_the_fabric_of_a_killed_process_goes_with_the_next_one(self):
        code = ("import fabric, signal\n"
                "fabric.Fabric.of_this_process(2, '20mbit').up()\n"
                "print('up', flush=True)\n"
                "signal.pause()\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": str(fabric.HERE)})
        self.assertEqual(child.stdout.readline(), "up\n")
        left = fabric.Fabric(f"p{child.pid}")
        # A process runs in it, which must end, too.
        sleeper = subprocess.Popen(left.on(1, ["sleep", "600"]))
        child.kill()
        child.communicate()
        self.assertEqual(len(left.mine()), 3)
        with fabric.Fabric.of_this_process(1, "20mbit") as own:
            self.assertEqual(left.mine(), [])
            self.assertEqual(len(own.mine()), 2)
        self.assertIn(sleeper.wait(TIMEOUT_S), (-signal.SIGTERM, -signal.SIGKILL))
        self.assertEqual(own.mine(), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--cox", "--coxd", "--shim", "--programs"):
        parser.add_argument(option, required=True)
    parser.add_argument("--mpi", action="append", required=True)
    arguments, rest = parser.parse_known_args()
    fabric.skip_if_unavailable()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
