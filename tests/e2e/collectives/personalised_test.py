#!/usr/bin/env python3
"""Runs the personalised operations of libcoxcoll in real MPI jobs.

    personalised_test.py --launcher "mpirun ..." --personalised PROGRAM [unittest options]
"""

import unittest

import job


class Personalised(unittest.TestCase):
    def test_random_cases_are_as_mpi_has_them(self):
        job.run_cases(self, job.arguments.personalised, 120)


if __name__ == "__main__":
    job.main("personalised")
