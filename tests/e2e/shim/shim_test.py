#!/usr/bin/env python3
"""Runs rules files in real Open MPI jobs and checks which algorithms ran; then that the check itself can fail.

    shim_test.py --launcher "mpirun ..." --shim LIBRARY --probe PROGRAM --write-rules PROGRAM --effective PROGRAM
                 [unittest options]
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import rules_check

RULES = pathlib.Path(__file__).with_name("rules.conf")
RANKS = 4
MOST_SINGLE_CHOICES = 5  # of a collective that can have one row: barrier's
arguments = None
job = None


def written(form, ranks, number):
    """A text that the product's own writer makes: see write_rules.cc."""
    return subprocess.run([arguments.write_rules, form, str(ranks), str(number)], check=True,
                          capture_output=True, text=True, timeout=60).stdout


class WrittenRules(unittest.TestCase):
    """Every algorithm that a rule can name, at, below and above the sizes and communicators of its rule."""

    def check(self, ranks, number):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(written("rules", ranks, number))
            file.flush()
            return rules_check.check_rules_file(file.name, job, range(max(2, ranks - 1), ranks + 2))

    def test_every_algorithm_of_every_collective_runs_where_it_says(self):
        count, functions = 0, set()
        for number in range(MOST_SINGLE_CHOICES):
            calls, ran = self.check(RANKS, number)
            count += calls
            functions |= ran
        print(f"{count} calls checked, {len(functions)} algorithms ran", file=sys.stderr)
        possible = {name for name in rules_check.FUNCTIONS.values() if not name.endswith("two_procs")}
        self.assertEqual(functions, possible)

    def test_what_is_for_two_ranks_only(self):
        two_proc = 4  # the number with which barrier has its fifth
        _, functions = self.check(2, two_proc)
        possible = {name for name in rules_check.FUNCTIONS.values() if name.endswith("two_procs")}
        self.assertLessEqual(possible, functions)


class Fallbacks(unittest.TestCase):
    """What server/library says runs instead of an algorithm that cannot: asked for every algorithm."""

    # A tree of less than two elements is a chain of one: the table calls it by its own name.
    SAME = {"bcast_intra_pipeline": "bcast_intra_chain"}

    def forced(self, number, of_ranks):
        """Collective -> its number-th algorithm that does not need two ranks, if it exists."""
        settings = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
        forced = {}
        for collective in rules_check.COLLECTIVES:
            numbers = [n for (c, n), name in rules_check.FUNCTIONS.items()
                       if c == collective and not name.endswith("two_procs")]
            if number < len(numbers):
                forced[collective] = numbers[number]
                settings[f"OMPI_MCA_coll_tuned_{collective}_algorithm"] = str(numbers[number])
        calls = [rules_check.Call(collective + suffix, size, ranks)
                 for collective in forced
                 for suffix, sizes in (("", (1, 3, 4, 64)), ("/double", (8, 24, 40, 512)))
                 for size in sizes for ranks in of_ranks]
        return forced, calls, settings

    def effective(self, questions):
        text = "".join(" ".join(str(word) for word in question) + "\n" for question in questions)
        done = subprocess.run([arguments.effective], input=text, check=True, capture_output=True,
                              text=True, timeout=60)
        return [int(line) for line in done.stdout.split()]

    def test_what_runs_is_what_the_table_says(self):
        compared = fallbacks = 0
        most = max(number for _, number in rules_check.FUNCTIONS)
        for number in range(most):
            forced, calls, settings = self.forced(number, (3, 4, 5))
            ran = job.run(calls, settings)
            questions = [(call.collective.split("/")[0], forced[call.collective.split("/")[0]], call.ranks,
                          call.block_bytes, rules_check.type_bytes(call)) for call in calls]
            for call, question, answer in zip(calls, questions, self.effective(questions)):
                collective, asked = question[:2]
                chain = rules_check.own_part(ran[call].trace, collective)
                names = [rules_check.FUNCTIONS[collective, n] for n in (asked, answer) if n > 0]
                self.assertEqual(chain[0], names[0], (call, ran[call]))
                # Without a segment size the segmented ring hands everything to the ring.
                if chain[:2] == ["allreduce_intra_ring_segmented", "allreduce_intra_ring"]:
                    chain = chain[1:]
                    names = [chain[0] if name.endswith("ring_segmented") else name for name in names]
                expected = self.SAME.get(names[-1], names[-1]) if asked != answer else names[-1]
                self.assertEqual(chain[-1], expected, (call, ran[call], question, answer))
                compared += 1
                fallbacks += len(chain) > 1
        print(f"{compared} calls compared, {fallbacks} of them run something else", file=sys.stderr)
        self.assertGreater(fallbacks, 100)


class Environment(unittest.TestCase):
    def test_a_forced_algorithm_of_each_collective_runs_at_any_size(self):
        settings = dict(re.findall(r"^export (\w+)=(\S*)", written("env", RANKS, 1), re.MULTILINE))
        forced = {}
        for collective in rules_check.COLLECTIVES:
            number = settings.get(f"OMPI_MCA_coll_tuned_{collective}_algorithm")
            self.assertIsNotNone(number, (collective, settings))
            forced[collective] = int(number)
        sizes = (1, 24, 4096)
        calls = [rules_check.Call(collective, size, ranks)
                 for collective in forced for size in sizes for ranks in (3, 4, 5)]
        ran, without = job.run(calls, settings), job.without_rules(calls)
        differ = set()
        for call in calls:
            segment = settings.get(f"OMPI_MCA_coll_tuned_{call.collective}_algorithm_segmentsize", "0")
            rule = (0, forced[call.collective], 0, int(segment))
            rules_check.check_call(call, rule, ran[call], without[call], (call, ran[call]))
            if ran[call].trace != without[call].trace:
                differ.add(call.collective)
        self.assertEqual(differ, set(forced))


class RulesFile(unittest.TestCase):
    def test_every_algorithm_of_the_file_runs_where_it_says(self):
        count, functions = rules_check.check_rules_file(RULES, job, ranks=RANKS)
        self.assertGreater(count, 50)
        # All rows with an opinion, each another algorithm.
        self.assertEqual(len(functions), 3 + 5 + 9 + 5)

    def test_fenced_sizes_keep_the_librarys_choice(self):
        _, functions = rules_check.check_rules_file(RULES, job, (2, 3))
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
    parser.add_argument("--write-rules", required=True)
    parser.add_argument("--effective", required=True)
    arguments, rest = parser.parse_known_args()
    job = rules_check.Job(arguments.launcher, arguments.shim, arguments.probe)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
