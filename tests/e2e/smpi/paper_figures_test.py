#!/usr/bin/env python3
"""What Juurlink and Wijshoff say of their figures holds on simulated machines, and what their models do not see, ours do
not see either.

usage: paper_figures_test.py COX COXD [unittest arguments]

Simulated times repeat to the last bit."""

import sys
import unittest

import paper_figures

COX = COXD = ""


class FiguresTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = list(paper_figures.compare(COX, COXD, True))

    def found(self, figure, what="", machine=None):
        rows = [row for row in self.rows
                if row["figure"] == figure and what in row["what"] and machine in (None, row["machine"])]
        self.assertTrue(rows, (figure, what, machine))
        return rows

    def test_endpoint_contention_is_measured_and_not_predicted(self):
        [row] = self.found("13", machine="fat-tree")
        self.assertGreater(row["ratio"], 1.15)
        self.assertEqual(row["predicted"], {"bpram": 1, "loggp": 1})

    def test_ranks_in_order_are_nearer_than_a_random_mapping(self):
        [row] = self.found("19")
        self.assertLess(row["ratio"], 0.95)

    def test_blocks_beat_words(self):
        """As loggp, to which a message costs overhead, predicts. bpram forbids words to overlap."""
        for figure in ("27", "28"):
            for row in self.found(figure):
                self.assertGreater(row["ratio"], 1.3, row)
                self.assertLess(abs(row["predicted"]["loggp"] / row["ratio"] - 1), 0.3, row)
                self.assertGreater(row["predicted"]["bpram"], 3 * row["ratio"], row)

    def test_messages_of_32_bytes_are_most_of_the_gain(self):
        [words] = self.found("29")
        [packed] = self.found("30")
        self.assertLess(packed["ratio"], 0.75 * words["ratio"])
        self.assertLess(packed["predicted"]["loggp"], words["predicted"]["loggp"])

    def test_cannon_wins_by_its_neighbours_although_models_prefer_the_cube(self):
        [row] = self.found("31")
        self.assertGreater(row["ratio"], 1)
        for model in ("bpram", "loggp"):
            self.assertLess(row["predicted"][model], 1)

    def test_machine_specific_sorts_are_faster(self):
        self.assertGreater(self.found("32", "hypercube")[0]["ratio"], 1.3)
        for row in self.found("32", "barriers"):
            self.assertGreater(row["ratio"], 1.3, row)


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
