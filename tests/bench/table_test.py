#!/usr/bin/env python3
"""Tests of the table of the benches: what is read, written, and counts as fallen."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import table

LOG = ("-- build/bin/bench_x\n"
       "noise\n"
       "BENCH\tcalls per second\t80\t100\t0.8\t>= 0.5\tok\n"
       "BENCH\tprice a, worst: m p=8\t90 ns, 0 allocations\t-\t-\t<= 200 ns\tok\n"
       "BENCH\tmemory\t6 MiB\t40 MiB\t0.150\t<= 1\tMISSED\n"
       "-- tests/bench/bench_judge\n"
       "BENCH\tjudge, m interp, p90 at most\t1.1\t-\t-\t<= 1\tMISSED\n"
       "BENCH\tjudge, m interp, worse at most\t0.04\t-\t-\t<= 0.04\tok\n"
       "BENCH\tjudge, m interp, in interval at least\t0.9\t-\t-\t>= 0.88\tok\n")
PAGE = ("# How fast\n\n## Figures\n\nAn old machine; 2020-01-01, abc, `./tests/run --bench`;\nnothing else running.\n\n"
        + table.HEADER +
        "| calls per second | 90 | 100 | 0.9 | >= 0.5 | met |\n"
        "| price a, worst: n p=2 | 40 ns, 0 allocations | - | - | <= 200 ns | met |\n"
        "\n## Why\n\n| other | table |\n|---|---|\n")


def changed(**cells):
    return [row._replace(**{name: text[row.key] for name, text in cells.items() if row.key in text})
            for row in table.rows_of_log(LOG)]


class TableTest(unittest.TestCase):
    def test_reads_what_benches_print_and_leaves_out_those_with_a_page_of_their_own(self):
        rows = table.rows_of_log(LOG)
        self.assertEqual([row.key for row in rows], ["calls per second", "price a", "memory"])
        self.assertEqual([row.verdict for row in rows], ["met", "met", "**missed**"])

    def test_a_ratio_may_be_worse_by_fifteen_percent(self):
        old = table.rows_of_log(LOG)
        self.assertEqual(table.fallen(old, old, False), [])
        # At least: 0.8 may become 0.68. At most: 0.15 may become 0.176.
        self.assertEqual(table.fallen(old, changed(ratio={"calls per second": "0.69", "memory": "0.17"}), False), [])
        self.assertEqual(table.fallen(old, changed(ratio={"calls per second": "0.67"}), False),
                         ["calls per second: 0.8 -> 0.67 (target >= 0.5)"])
        self.assertEqual(table.fallen(old, changed(ratio={"memory": "0.18"}), False),
                         ["memory: 0.15 -> 0.18 (target <= 1)"])
        self.assertEqual(table.fallen(old, changed(ratio={"calls per second": "8", "memory": "0.01"}), False), [])

    def test_values_count_only_side_by_side(self):
        old, new = table.rows_of_log(LOG), changed(value={"price a": "120 ns, 0 allocations"})
        self.assertEqual(table.fallen(old, new, False), [])
        self.assertEqual(table.fallen(old, new, True), ["price a: 90 -> 120 (target <= 200 ns)"])

    def test_the_judges_figures_are_compared_in_each_run(self):
        with tempfile.TemporaryDirectory() as folder:
            log, page, judged = (pathlib.Path(folder, name) for name in ("log", "page.md", "figures.csv"))
            page.write_text(PAGE)

            def run(text, *more):
                log.write_text(text)
                return subprocess.run([sys.executable, "-B", table.__file__, str(log), "--page", str(page), "--judged",
                                       str(judged), *more], capture_output=True, text=True)
            self.assertEqual(run(LOG).returncode, 0)
            kept = judged.read_text()
            self.assertEqual([row.value for row in table.read_judged(judged)], ["1.1", "0.04", "0.9"])
            # One cell more of fifty is worse: none fell. A third more is.
            for was, now, fell in (("\t0.04\t", "\t0.059\t", []), ("\t0.04\t", "\t0.061\t", ["worse at most: 0.04 -> 0.061"]),
                                   ("\t1.1\t", "\t1.28\t", []), ("\t1.1\t", "\t1.3\t", ["p90 at most: 1.1 -> 1.3"]),
                                   ("\t0.9\t", "\t0.76\t", ["in interval at least: 0.9 -> 0.76"])):
                done = run(LOG.replace(was, now), "--dry-run")
                self.assertEqual([line for line in done.stdout.splitlines() if "fell: " in line],
                                 [f"  fell: judge, m interp, {line} (target {'>= 0.88' if 'least' in line else '<= 1' if 'p90' in line else '<= 0.04'})"
                                  for line in fell], done.stdout)
                self.assertEqual(done.returncode, 1 if fell else 0)
            self.assertEqual(judged.read_text(), kept)
            # A run without a machine's data leaves its rows, and a page without rows stays.
            only = "-- tests/bench/bench_judge\nBENCH\tjudge, n interp, p90 at most\t2\t-\t-\t<= 1\tMISSED\n"
            before = page.read_text()
            self.assertEqual(run(only).returncode, 0)
            self.assertEqual(judged.read_text(), kept + "\"judge, n interp, p90 at most\",2,<= 1,**missed**\n")
            self.assertEqual(page.read_text(), before)

    def test_a_bench_that_failed_fell(self):
        new = changed(verdict={"memory": table.VERDICTS["FAILED"]}, ratio={"memory": "-"})
        self.assertEqual(table.fallen(table.rows_of_log(LOG), new, False), ["memory: failed"])

    def test_writes_the_table_and_leaves_the_rest_of_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            log, page = pathlib.Path(folder, "log"), pathlib.Path(folder, "page.md")
            log.write_text(LOG)
            page.write_text(PAGE)
            command = [sys.executable, "-B", table.__file__, str(log), "--page", str(page), "--judged",
                       str(pathlib.Path(folder, "figures.csv"))]
            first = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(first.returncode, 0, first.stderr)  # 0.9 -> 0.8
            text = page.read_text()
            self.assertTrue(text.startswith("# How fast\n\n## Figures\n\n"), text)
            self.assertTrue(text.endswith("\n\n## Why\n\n| other | table |\n|---|---|\n"), text)
            self.assertIn("`./tests/run --bench`.\nNothing else running.\n", text)
            self.assertNotIn("2020-01-01", text)
            self.assertEqual(table.rows_of_page(text), table.rows_of_log(LOG))
            log.write_text(LOG.replace("0.8\t>=", "0.5\t>="))
            second = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(second.returncode, 1)
            self.assertIn("fell: calls per second: 0.8 -> 0.5", second.stdout)

    def test_the_page_has_the_table(self):
        self.assertGreater(len(table.rows_of_page(table.PAGE.read_text(encoding="utf-8"))), 50)


if __name__ == "__main__":
    unittest.main()
