#!/usr/bin/env python3
"""In direct, windowed, pairwise and bruck, ranks send what the catalogue's strategies enumerate.

    schedule_test.py --launcher "mpirun ..." --schedule PROGRAM [unittest options]
"""

import unittest

import job


class Schedule(unittest.TestCase):
    def test_ranks_send_what_the_strategies_say(self):
        done = job.run(job.arguments.schedule)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("schedules right", done.stdout)


if __name__ == "__main__":
    job.main("schedule")
