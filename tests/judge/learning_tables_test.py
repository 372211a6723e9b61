#!/usr/bin/env python3
"""Tests learning_tables.py on tables that were not measured."""

import sys
import unittest

sys.dont_write_bytecode = True
import learning_tables as tables  # noqa: E402

PAGE = """above
<!-- choices -->
Made by hand.

| data | chosen/best mean, p90 | worse |
|---|---|---|
| `Peak` interp | 1.060 -> 1.050, 1.17 (<= 1.10) | 3.8 % |
| lumi interp | 1.300, 1.40: missed | 4 % |
<!-- end of choices -->
below
"""
TITLES = ["data", "chosen/best mean, p90", "worse"]


class LearningTablesTest(unittest.TestCase):
    def beside_old(self, *rows, titles=TITLES):
        return tables.beside_old(titles, [list(row) for row in rows], tables.block_of("choices").search(PAGE)[0])

    def test_a_figure_that_changed_stands_behind_the_old_one(self):
        self.assertEqual(self.beside_old(("peak interp", "1.040, 1.17 (<= 1.10)", "3.8 %")),
                         [["peak interp", "1.050 -> 1.040, 1.17 (<= 1.10)", "3.8 %"]])

    def test_a_new_goal_or_verdict_is_no_other_figure(self):
        self.assertEqual(self.beside_old(("lumi interp", "1.300 (<= 1.05), 1.40", "4 %: more is worse")),
                         [["lumi interp", "1.300 (<= 1.05), 1.40", "4 %: more is worse"]])

    def test_a_new_row_and_a_table_with_other_columns_have_no_old_figures(self):
        row = ["torus interp", "1.2, 1.4", "7 %"]
        self.assertEqual(self.beside_old(row), [row])
        other = ["peak interp", "1.9, 1.9", "9 %"]
        self.assertEqual(self.beside_old(other, titles=["data", "mean", "worse"]), [other])

    def test_each_table_has_its_place_on_the_page(self):
        page = tables.PAGE.read_text(encoding="utf-8")
        for name in tables.TABLES:
            self.assertEqual(len(tables.block_of(name).findall(page)), 1, name)
            titles = tables.rows_of(tables.block_of(name).search(page)[0])[1]
            self.assertGreater(len(titles), 3, name)


if __name__ == "__main__":
    unittest.main()
