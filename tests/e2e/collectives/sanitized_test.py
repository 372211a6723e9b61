#!/usr/bin/env python3
"""Runs the personalised operations of libcoxcoll under the address sanitizer, in one MPICH job.

    sanitized_test.py --launcher "mpirun ..." --personalised PROGRAM [unittest options]
"""

import unittest

import job


class Sanitized(unittest.TestCase):
    def test_random_cases_touch_no_memory_of_others(self):
        # What MPICH keeps at its end is not ours to look for.
        environment = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
        job.run_cases(self, job.arguments.personalised, 30, environment=environment)


if __name__ == "__main__":
    job.main("personalised")
