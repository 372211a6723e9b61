#!/usr/bin/env python3
"""The messages that a kernel's program sends are those that `cox kernel` prices.

usage: kernels_test.py FOLDER MPI LAUNCHER COUNTER COX COXD [unittest arguments]

FOLDER has the programs of clients/collectives/examples, LAUNCHER is "mpirun ...", without the number of ranks. COUNTER
is preloaded: it counts what the busiest rank of each superstep sends or receives. A price of 1 s for each message, or
for each byte, is the number that the daemon prices.
"""

import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from daemon import Daemon  # noqa: E402

FOLDER = MPI = LAUNCHER = COUNTER = COX = COXD = ""

# Program, variant, ranks, size, bytes of a word, kernel; the share of the priced messages that is sent, and whether the
# bytes are the same share. The kernels of cubes and squares price a rank's own block as the paper counts it: of q parts
# q - 1 are sent. Table V counts four trees of APSP 2 where the program has three. Bytes of buckets depend on the keys.
CASES = [
    ("matmul", "blocks", 8, 32, 8, "matmul-3d", 1 / 2, True),
    ("matmul", "words", 8, 16, 8, "matmul-3d?variant=words", 1 / 2, True),
    ("matmul", "cannon", 4, 32, 8, "matmul-cannon", 1, True),
    ("bitonic-sort", "blocks", 4, 1024, 8, "bitonic-sort", 1, True),
    ("bitonic-sort", "words", 4, 256, 8, "bitonic-sort?variant=words", 1, True),
    ("sample-sort", "ssdr", 4, 4096, 8, "sample-sort?variant=ssdr", 1, False),
    ("sample-sort", "ssbr", 4, 4096, 8, "sample-sort?variant=ssbr", 1, False),
    ("apsp", "rows", 4, 32, 4, "apsp-1", 1 / 2, True),
    ("apsp", "rows-tree", 4, 32, 4, "apsp-1?variant=tree", 1, True),
    ("apsp", "blocks", 4, 32, 4, "apsp-2", 1 / 2, True),
    ("apsp", "blocks-tree", 4, 32, 4, "apsp-2?variant=tree", 3 / 4, True),
]


class KernelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        for name, alpha, beta in (("messages", 1, 0), ("bytes", 0, 1)):
            text = f'[machine]\nname = "{name}"\nnodes = 64\ncores_per_node = 1\n' + "".join(
                f'[[profile.parameter]]\nmodel = "hockney"\nlevel = "{level}"\nname = "{parameter}"\nvalue = {value}.0\n'
                for level in ("node", "network") for parameter, value in (("alpha", alpha), ("beta", beta)))
            outcome = cls.daemon("machine", "import", cls.daemon.write(f"{name}.toml", text))
            if outcome.code != 0:
                raise RuntimeError(str(outcome))

    def priced(self, machine, kernel, ranks, size, word_bytes):
        return self.daemon.answer("kernel", "-m", machine, "--kernel", kernel, "-n", str(size), "-p", str(ranks),
                                  "--word-bytes", str(word_bytes), "--model", "hockney")["predictions"][0]["time_s"]

    def counted(self, program, variant, ranks, size):
        done = subprocess.run(
            [*LAUNCHER.split(), "-n", str(ranks), "env", f"LD_PRELOAD={COUNTER}",
             os.path.join(FOLDER, f"{program}.{MPI}"), "--variant", variant, "--size", str(size), "--repeats", "1"],
            capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("right=yes", done.stdout)
        [(messages, sent_bytes)] = re.findall(r"counted messages=(\d+) bytes=(\d+)", done.stdout)
        return int(messages), int(sent_bytes)

    def test_what_is_sent_is_what_is_priced(self):
        for program, variant, ranks, size, word_bytes, kernel, share, has_bytes in CASES:
            with self.subTest(kernel=kernel):
                messages, sent_bytes = self.counted(program, variant, ranks, size)
                self.assertGreater(messages, 0)
                priced = self.priced("messages", kernel, ranks, size, word_bytes)
                self.assertAlmostEqual(messages, share * priced, places=6)
                if has_bytes:
                    priced = self.priced("bytes", kernel, ranks, size, word_bytes)
                    self.assertAlmostEqual(sent_bytes, share * priced, places=3)


if __name__ == "__main__":
    FOLDER, MPI, LAUNCHER, COUNTER, COX, COXD = sys.argv[1:7]
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
