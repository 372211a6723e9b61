#!/usr/bin/env python3
"""A gather through a port with a small buffer: linear overruns it, a window of one sender and the windows that coxd
computes lose nothing.

    gather_port_test.py --shim LIBRARY --race PROGRAM --cox COX --coxd COXD [unittest options]
"""

import argparse
import os
import subprocess
import sys
import unittest

import fabric

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from daemon import Daemon  # noqa: E402

NODES = 9
MBIT = 20
FRAME_BYTES = 1514
PORT_PACKETS = 10
BLOCK_BYTES = 16384
# Two of these exceed the port's buffer, and MPI has sent their parts before they arrive.
LONG_BLOCK_BYTES = 131072
# What the machine is said to hold: less than the port, because acknowledgements and late timers take places, too.
STATED_PACKETS = 6
PACKET_BYTES = 1448  # of a message in a frame
# Packets of a block, and the window of Eqs. (5) to (7) for 8 senders whose gaps are as long as the receiver's.
WINDOWS = {2: 4, 3: 3, 6: 2}
TIMEOUT_S = 200
arguments = None


def block_of(packets):
    """A block that fills `packets` packets together with the headers of the library."""
    return packets * PACKET_BYTES - 200


class Gathers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fabric = fabric.Fabric.of_this_process(NODES, f"{MBIT}mbit", arguments.shim, PORT_PACKETS * FRAME_BYTES)
        cls.fabric.__enter__()
        cls.addClassCleanup(cls.fabric.__exit__, None, None, None)

    def lost_by(self, algorithm, block_bytes, repeats=3):
        before = self.fabric.counters()["dropped"]
        job = self.fabric.job("openmpi", NODES, [arguments.race, "gather", block_bytes, repeats, 1, f"cox:{algorithm}"])
        done = subprocess.run(job, env=self.fabric.environment(), text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.fabric.counters()["dropped"] - before

    def computed_windows(self):
        """Packets of a block -> the strategy that coxd prices for gather/windowed."""
        gap_s = FRAME_BYTES * 8 / (MBIT * 1e6)
        parameters = {"g_s": gap_s, "g_r": gap_s, "L": 1e-4, "O_s": 1e-6, "O_r": 1e-6, "U_r": 1e-6,
                      "B_L": STATED_PACKETS, "packet": PACKET_BYTES}
        with Daemon(arguments.coxd, arguments.cox) as daemon:
            text = f'[machine]\nname = "port"\nnodes = {NODES}\ncores_per_node = 1\n' + "".join(
                f'[[profile.parameter]]\nmodel = "cluster"\nlevel = "network"\nname = "{name}"\nvalue = {value!r}\n'
                for name, value in parameters.items())
            imported = daemon("machine", "import", daemon.write("port.toml", text))
            self.assertEqual(imported.code, 0, imported)
            for packets in WINDOWS:
                answer = daemon.answer("predict", "-m", "port", "-c", "gather", "--strategy", "gather/windowed", "-p",
                                       str(NODES), "--ppn", "1", "-b", str(block_of(packets)), "--model", "cluster")
                yield packets, answer["predictions"][0]["strategy"]

    def test_linear_overruns_the_port(self):
        self.assertGreater(self.lost_by("linear", BLOCK_BYTES), 0)

    def test_a_window_of_one_loses_nothing(self):
        for block_bytes in (BLOCK_BYTES, LONG_BLOCK_BYTES):
            with self.subTest(block_bytes=block_bytes):
                self.assertEqual(self.lost_by("windowed?window=1", block_bytes), 0)

    def test_computed_windows_above_one_lose_nothing(self):
        for packets, strategy in self.computed_windows():
            with self.subTest(packets=packets):
                self.assertEqual(strategy, f"gather/windowed?window={WINDOWS[packets]}")
                self.assertEqual(self.lost_by(strategy.removeprefix("gather/"), block_of(packets), repeats=10), 0)
        self.assertGreater(self.lost_by("linear", block_of(max(WINDOWS)), repeats=10), 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--shim", "--race", "--cox", "--coxd"):
        parser.add_argument(option, required=True)
    arguments, rest = parser.parse_known_args()
    fabric.skip_if_unavailable()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
