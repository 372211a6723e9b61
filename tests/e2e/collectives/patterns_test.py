#!/usr/bin/env python3
"""Runs the persistent patterns of libcoxcoll in real MPI jobs.

    patterns_test.py --launcher "mpirun ..." --patterns PROGRAM [unittest options]
"""

import pathlib
import random
import tempfile
import unittest

import job

# Profiles with prices below and above any time.
CHEAP = "alpha_s 1e-9\nbeta_s_per_byte 1e-12\n"
DEAR = "alpha_s 1000\nbeta_s_per_byte 10\n"


def run_patterns(test, environment=None):
    """Runs the program once and prints its seed."""
    seed = random.SystemRandom().randrange(1, 2**32)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cheap = pathlib.Path(folder, "cheap")
        cheap.write_text(CHEAP)
        dear = pathlib.Path(folder, "dear")
        dear.write_text(DEAR)
        done = job.run(job.arguments.patterns, cheap, dear, seed,
                       environment={"COX_COLL_PROFILE": "", **(environment or {})})
    test.assertEqual(done.returncode, 0, f"seed {seed}: {done.stdout}{done.stderr}")
    test.assertIn("patterns right", done.stdout)


class Patterns(unittest.TestCase):
    def test_they_agree_try_and_follow(self):
        run_patterns(self)


if __name__ == "__main__":
    job.main("patterns")
