#!/usr/bin/env python3
"""Runs the operations of libcoxcoll under the address sanitizer, in real MPI jobs.

    sanitized_test.py --launcher "mpirun ..." --personalised PROGRAM --rooted PROGRAM --patterns PROGRAM
                      [unittest options]
"""

import unittest

import job
from patterns_test import run_patterns

CASES = 60  # of each kind and group of ranks: 2,040 with both kinds
# Leaks are not checked: MPI libraries keep memory at their end. Nor that the sanitizer's library comes first: MPICH's
# launcher preloads one.
ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", "UBSAN_OPTIONS": "print_stacktrace=1"}


class Sanitized(unittest.TestCase):
    def test_random_personalised_operations_touch_no_memory_of_others(self):
        job.run_cases(self, job.arguments.personalised, CASES, environment=ENVIRONMENT)

    def test_random_rooted_operations_touch_no_memory_of_others(self):
        job.run_cases(self, job.arguments.rooted, CASES, environment=ENVIRONMENT)

    def test_patterns_touch_no_memory_of_others(self):
        run_patterns(self, ENVIRONMENT)


if __name__ == "__main__":
    job.main("personalised", "rooted", "patterns")
