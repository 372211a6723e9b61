#!/usr/bin/env python3
"""Runs the rooted operations of libcoxcoll in real MPI jobs.

    rooted_test.py --launcher "mpirun ..." --rooted PROGRAM [unittest options]
"""

import unittest

import job


class Rooted(unittest.TestCase):
    def test_random_cases_are_as_mpi_has_them(self):
        job.run_cases(self, job.arguments.rooted, 60)


if __name__ == "__main__":
    job.main("rooted")
