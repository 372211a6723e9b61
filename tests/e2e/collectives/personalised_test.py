#!/usr/bin/env python3
"""Runs the personalised operations of libcoxcoll in real MPI jobs.

    personalised_test.py --launcher "mpirun ..." --personalised PROGRAM [unittest options]
"""

import argparse
import os
import random
import subprocess
import sys
import unittest

arguments = None
RANKS = 17


def run(program, *options, ranks=RANKS, environment=None, timeout_s=300):
    command = arguments.launcher.split() + ["-np", str(ranks), program, *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})


class Personalised(unittest.TestCase):
    def test_random_cases_are_as_mpi_has_them(self):
        seed = random.SystemRandom().randrange(1, 2**32)
        print(f"seed {seed}", flush=True)
        done = run(arguments.personalised, 60, seed)
        self.assertEqual(done.returncode, 0, f"seed {seed}: {done.stdout}{done.stderr}")
        self.assertIn(f"{60 * RANKS} cases right", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--personalised", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
