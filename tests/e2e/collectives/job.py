"""Shared code of libcoxcoll's tests: starts its programs under an MPI's launcher."""

import argparse
import os
import random
import subprocess
import sys
import unittest

RANKS = 17

arguments = None


def run(program, *options, ranks=RANKS, environment=None, timeout_s=300):
    command = arguments.launcher.split() + ["-np", str(ranks), program, *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})


def run_cases(test, program, cases_per_group, environment=None):
    """Runs random cases and prints their seed; fails at the first mismatch."""
    seed = random.SystemRandom().randrange(1, 2**32)
    print(f"seed {seed}", flush=True)
    done = run(program, cases_per_group, seed, environment=environment)
    test.assertEqual(done.returncode, 0, f"seed {seed}: {done.stdout}{done.stderr}")
    test.assertIn(f"{cases_per_group * RANKS} cases right", done.stdout)


def main(*programs):
    """unittest.main() with --launcher, and an option for each program."""
    global arguments
    parser = argparse.ArgumentParser()
    for name in ("launcher", *programs):
        parser.add_argument(f"--{name}", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
