#!/usr/bin/env python3
"""A gather through a port with a small buffer: linear overruns it, a window of one sender loses nothing.

    gather_port_test.py --shim LIBRARY --race PROGRAM [unittest options]
"""

import argparse
import subprocess
import sys
import unittest

import fabric

NODES = 9
PORT_BYTES = 10 * 1514
BLOCK_BYTES = 16384
# Two of these exceed the port's buffer, and MPI has sent their parts before they arrive.
LONG_BLOCK_BYTES = 131072
TIMEOUT_S = 200
arguments = None


class Gathers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fabric = fabric.Fabric.of_this_process(NODES, "20mbit", arguments.shim, PORT_BYTES)
        cls.fabric.__enter__()
        cls.addClassCleanup(cls.fabric.__exit__, None, None, None)

    def lost_by(self, algorithm, block_bytes):
        before = self.fabric.counters()["dropped"]
        job = self.fabric.job("openmpi", NODES, [arguments.race, "gather", block_bytes, 3, 1, f"cox:{algorithm}"])
        done = subprocess.run(job, env=self.fabric.environment(), text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.fabric.counters()["dropped"] - before

    def test_linear_overruns_the_port(self):
        self.assertGreater(self.lost_by("linear", BLOCK_BYTES), 0)

    def test_a_window_of_one_loses_nothing(self):
        for block_bytes in (BLOCK_BYTES, LONG_BLOCK_BYTES):
            with self.subTest(block_bytes=block_bytes):
                self.assertEqual(self.lost_by("windowed?window=1", block_bytes), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--shim", "--race"):
        parser.add_argument(option, required=True)
    arguments, rest = parser.parse_known_args()
    fabric.skip_if_unavailable()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
