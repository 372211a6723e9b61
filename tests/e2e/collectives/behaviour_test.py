#!/usr/bin/env python3
"""What libcoxcoll promises besides results, in real MPI jobs.

    behaviour_test.py --launcher "mpirun ..." --behaviour PROGRAM [unittest options]
"""

import pathlib
import tempfile
import unittest

import job


class Behaviour(unittest.TestCase):
    def check(self, *names, ranks=4, environment=None):
        done = job.run(job.arguments.behaviour, *names, ranks=ranks, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(names)} checks passed", done.stdout)
        return done.stdout

    def test_errors_are_told_before_anything_is_sent(self):
        self.check("errors", "cost", "attributes")

    def test_too_little_room_on_one_rank_harms_no_other(self):
        self.check("truncation")

    def test_a_type_may_be_freed_after_the_start(self):
        self.check("freed_types", ranks=5)

    def test_communicators_are_given_back(self):
        self.check("communicators", ranks=2)

    def test_operations_proceed_in_the_background(self):
        self.check("progress", ranks=5)

    def test_threads_on_communicators_of_their_own(self):
        self.check("threads", ranks=3)

    def test_a_many_to_many_is_chosen_by_what_the_last_one_told(self):
        self.check("many")

    def test_a_progress_thread_needs_thread_multiple(self):
        self.check("single", ranks=2)


class Choice(unittest.TestCase):
    def choose(self, text, ranks=4):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "costs")
            path.write_text(text)
            done = job.run(job.arguments.behaviour, "choice", ranks=ranks,
                           environment={"COX_COLL_PROFILE": str(path)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [line for line in done.stdout.splitlines() if not line.endswith("passed")]

    def test_follows_the_file_of_costs(self):
        self.assertEqual(self.choose("alpha_s 1\nbeta_s_per_byte 1e-12\n"),
                         ["chosen 4 bruck", "chosen 1048576 bruck"])
        self.assertEqual(self.choose("alpha_s 0\nbeta_s_per_byte 1e-6\n"),
                         ["chosen 4 direct", "chosen 1048576 direct"])
        self.assertEqual(self.choose("alpha_s 1e-5\nbeta_s_per_byte 1e-9\n"),
                         ["chosen 4 bruck", "chosen 1048576 direct"])

    def test_follows_what_was_decided_by_measuring_as_many_ranks(self):
        decided = "decided_ranks {}\ndecide alltoall 0 mesh2d\ndecide alltoall 5 windowed?window=2\n" \
                  "decide alltoall 1000000000 default\nalpha_s 1\nbeta_s_per_byte 1e-12\n"
        self.assertEqual(self.choose(decided.format(4)), ["chosen 4 mesh2d", "chosen 1048576 windowed?window=2"])
        self.assertEqual(self.choose(decided.format(5)), ["chosen 4 bruck", "chosen 1048576 bruck"])
        self.assertEqual(self.choose(decided.format(4).replace("decide alltoall 1000000000", "decide alltoall 4096")),
                         ["chosen 4 mesh2d", "chosen 1048576 bruck"])

    def test_what_is_decided_and_is_no_algorithm_is_told_to_all_ranks(self):
        said = self.choose("decided_ranks 3\ndecide alltoall 0 rings\n", ranks=3)
        self.assertEqual(len(said), 6, said)
        for line in said:
            self.assertRegex(line, r'^rank \d error COX_COLL_PROFILE: "rings" is not one of direct')

    def test_a_wrong_file_is_told_to_all_ranks(self):
        said = self.choose("alpha_s 1e-6\nbeta_s_per_byte fast\n", ranks=3)
        self.assertEqual(len(said), 6, said)
        for line in said:
            self.assertRegex(line, r"^rank \d error COX_COLL_PROFILE: .*: line 2: beta_s_per_byte")


if __name__ == "__main__":
    job.main("behaviour")
