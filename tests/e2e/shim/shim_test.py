#!/usr/bin/env python3
"""Runs a rules file in real Open MPI jobs and checks which algorithms ran; then that the check itself can fail.

    shim_test.py --launcher "mpirun ..." --shim LIBRARY --probe PROGRAM [unittest options]
"""

import argparse
import pathlib
import sys
import tempfile
import unittest

import rules_check

RULES = pathlib.Path(__file__).with_name("rules.conf")
job = None


class RulesFile(unittest.TestCase):
    def test_every_algorithm_of_the_file_runs_where_it_says(self):
        count, functions = rules_check.check_rules_file(RULES, job, ranks=4)
        self.assertGreater(count, 50)
        # All rows with an opinion, each another algorithm.
        self.assertEqual(len(functions), 3 + 5 + 9 + 5)

    def test_fenced_sizes_keep_the_librarys_choice(self):
        for ranks in (2, 3):
            _, functions = rules_check.check_rules_file(RULES, job, ranks)
            self.assertEqual(functions, set())

    def test_silent_fallbacks_are_seen(self):
        _, functions = rules_check.check_rules_file(RULES, job, ranks=5)
        self.assertIn("allgather_intra_neighborexchange", functions)


class Check(unittest.TestCase):
    """A file that the library drops, silently and whole, or reads otherwise than meant."""

    def refused(self, text, ranks=2):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(text)
            file.flush()
            with self.assertRaises(AssertionError) as raised:
                rules_check.check_rules_file(file.name, job, ranks)
            return str(raised.exception)

    def test_a_file_whose_first_size_is_not_0(self):
        self.assertIn("alltoall of", self.refused("1 3 1 2 1 1 3 0 0"))

    def test_numbers_that_nothing_counts(self):
        self.assertIn("more numbers", self.refused("1 3 1 2 1 0 3 0 0 7"))

    def test_rows_out_of_order(self):
        self.assertIn("bcast of", self.refused("1 7 1 2 3 0 6 0 0 1024 3 0 0 512 1 0 0"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--probe", required=True)
    arguments, rest = parser.parse_known_args()
    job = rules_check.Job(arguments.launcher, arguments.shim, arguments.probe)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
