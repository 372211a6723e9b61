#!/usr/bin/env python3
"""cox validate against a coxd that has the published machines.

usage: validate_test.py COX COXD PAGE [unittest arguments]

PAGE is docs/validation.md: it begins with what cox validate says.
"""

import re
import sys
import unittest

from daemon import Daemon

COX = COXD = PAGE = ""


class ValidateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX, published=True)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.answer = cls.daemon.json("--timeout", "60", "validate")

    def test_the_page_is_what_the_product_says(self):
        outcome = self.daemon("--timeout", "60", "validate", "--markdown")
        self.assertEqual(outcome.code, 0, outcome)
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(page.partition("\n## Arithmetic\n")[0] + "\n", outcome.out + "\n",
                         "run cox validate --markdown | bin/validation_report")

    def test_the_headline_counts_the_rows(self):
        numbers = self.answer["numbers"]
        rankings = self.answer["rankings"]
        self.assertEqual(self.answer["headline"],
                         f"printed and asked of the product: {sum(n['within'] for n in numbers)} of "
                         f"{len(numbers)} within tolerance; best algorithm: "
                         f"{sum(r['hit'] for r in rankings)} of {len(rankings)} rankings, "
                         f"{sum(r['hit_by_machine'] for r in rankings)} of {len(rankings)} "
                         "with the machine's parameters alone")
        table = self.daemon("--timeout", "60", "validate")
        self.assertEqual(table.code, 0, table)
        self.assertTrue(table.out.startswith(self.answer["headline"] + "\n"), table)
        for number in numbers:
            error = abs(number["printed"] - number["asked"]) / min(number["printed"], number["asked"])
            self.assertAlmostEqual(number["error"], error, places=9)
            self.assertEqual(number["within"], error <= number["tolerance"], number)

    def test_a_row_can_be_asked_by_hand(self):
        [row] = [n for n in self.answer["numbers"] if n["answer"] == "direct, 1000 ranks, 100 B"]
        by_hand = self.daemon.json(
            "predict", "-m", "psc-lemieux", "-c", "alltoall", "--strategy", "alltoall/linear", "-p",
            "1000", "--ppn", "1", "-b", "100", "--model", "hockney", "--what-if",
            "hockney.network.alpha=5us", "--what-if", "hockney.network.beta=3.33ns/B")
        self.assertAlmostEqual(row["asked"], 1e3 * by_hand["responses"][0]["predictions"][0]["time_s"], places=9)

    def test_a_fitted_ranking_is_also_asked_with_the_alpha_of_the_machine(self):
        [ranking] = [r for r in self.answer["rankings"] if r["ranking"] == "radix sort, 1024 ranks, 1k keys each"]
        for answer in ranking["answers"]:
            question = dict(word.split("=", 1) for word in answer["ask"].split()[1:])
            self.assertEqual(answer["fitted"], "hockney.network.alpha=1.93e-3")
            for key, what_if in [("asked", ["--what-if", "hockney.network.alpha=1930us"]), ("asked_by_machine", [])]:
                by_hand = self.daemon.json(
                    "predict", "-m", "psc-lemieux", "-c", "alltoall", "--strategy", question["s"], "-p",
                    "1024", "--ppn", "4", "-b", question["b"], "--model", "hockney", *what_if)
                time_s = by_hand["responses"][0]["predictions"][0]["time_s"]
                self.assertAlmostEqual(answer[key], 4 * time_s, places=9)
            self.assertGreater(answer["asked"], 2 * answer["asked_by_machine"])

    def test_every_best_answer_is_the_cheapest(self):
        for ranking in self.answer["rankings"]:
            asked = {answer["answer"]: answer["asked"] for answer in ranking["answers"]}
            self.assertAlmostEqual(asked[ranking["best"]] / min(asked.values()), 1, places=6)
            self.assertTrue(-1 <= ranking["tau"] <= 1, ranking)

    def test_without_published_machines_it_says_what_is_missing(self):
        with Daemon(COXD, COX) as empty:
            outcome = empty("validate")
        self.assertEqual(outcome.code, 3, outcome)
        self.assertRegex(outcome.err, re.compile("intel-delta"))


if __name__ == "__main__":
    COX, COXD, PAGE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
