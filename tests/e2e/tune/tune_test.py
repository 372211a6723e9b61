#!/usr/bin/env python3
"""What `cox tune` writes is what Open MPI runs: observations go in, a rules file comes out, and a preloaded
shim sees which algorithms run under it, on both sides of each boundary.

    tune_test.py --coxd C --cox C --launcher "mpirun ..." --shim LIBRARY --probe PROGRAM [unittest options]
"""

import argparse
import re
import sys
import unittest

import daemon
import rules_check

RANKS = 4
# Collective -> the algorithms that are fastest from a size on. One for all sizes where the library cannot tell
# them apart.
FASTEST = {
    "alltoall": [(1, "modified_bruck"), (1 << 10, "linear"), (1 << 15, "pairwise")],
    "allgather": [(1, "recursive_doubling"), (1 << 12, "neighbor"), (1 << 16, "ring")],
    "allgatherv": [(1, "ring"), (1 << 11, "bruck"), (1 << 15, "neighbor")],
    "bcast": [(1, "binomial"), (1 << 13, "pipeline")],
    "allreduce": [(1, "recursive_doubling"), (1 << 14, "ring")],
    "reduce": [(1, "binomial"), (1 << 12, "rabenseifner")],
    "reduce_scatter": [(1, "butterfly"), (1 << 10, "recursive_halving")],
    "reduce_scatter_block": [(1, "recursive_doubling"), (1 << 14, "butterfly")],
    "alltoallv": [(1, "pairwise")],
    "barrier": [(0, "tree")],
    "exscan": [(1, "recursive_doubling")],
    "gather": [(1, "linear_sync")],
    "scan": [(1, "recursive_doubling")],
    "scatter": [(1, "linear_nb")],
}
# Measured, too, so that nothing is guessed about them: a single doubtful size would leave these without a rule.
SLOWER = {"gather": ["basic_linear", "binomial"], "scatter": ["basic_linear", "binomial"]}
SIZES = [1 << exponent for exponent in range(21)]
arguments = None


def observations(machine):
    """As if measured: the fastest algorithm of each size takes half the time of all others."""
    rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
    for collective, steps in FASTEST.items():
        names = ["default"] + [name for _, name in steps] + SLOWER.get(collective, [])
        for block_bytes in SIZES if steps[0][0] > 0 else [0]:
            fastest = [name for first, name in steps if first <= block_bytes][-1]
            for name in names:
                time_s = (2e-5 + 1e-9 * block_bytes) / (2 if name == fastest else 1)
                rows.append(f"{machine},openmpi-4.1,{collective},{name},1,{RANKS},{RANKS},{block_bytes},"
                            f"{time_s},100,1")
    return "\n".join(rows) + "\n"


class Tune(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cox = daemon.Daemon(arguments.coxd, arguments.cox)
        cls.cox.start()
        cls.addClassCleanup(cls.cox.__exit__)
        imported = cls.cox("observations", "import", cls.cox.write("rows.csv", observations("m")))
        assert imported.code == 0, imported
        cls.job = rules_check.Job(arguments.launcher, arguments.shim, arguments.probe)

    def tune(self, *words):
        outcome = self.cox("tune", "-m", "m", "--nodes", "1", "--ppn", str(RANKS),
                           "--library", "openmpi-4.1", *words)
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def test_the_rules_file_makes_the_recommended_algorithms_run(self):
        path = self.cox.path("rules.conf")
        self.tune("--format", "file", "-o", path, "--assume", "commutative,same-counts")
        count, functions = rules_check.check_rules_file(path, self.job, RANKS)
        self.assertGreater(count, 60)
        # Where the library takes the fastest by itself there may be no rule.
        for function in ("alltoall_intra_bruck", "alltoall_intra_basic_linear", "alltoall_intra_pairwise",
                         "allgather_intra_recursivedoubling", "allgather_intra_ring",
                         "allgatherv_intra_bruck", "allgatherv_intra_neighborexchange",
                         "bcast_intra_binomial", "bcast_intra_pipeline",
                         "allreduce_intra_recursivedoubling", "allreduce_intra_ring",
                         "reduce_intra_binomial", "reduce_intra_redscat_gather",
                         "reduce_scatter_intra_butterfly",
                         "reduce_scatter_intra_basic_recursivehalving",
                         "reduce_scatter_block_intra_recursivedoubling",
                         "reduce_scatter_block_intra_butterfly",
                         "alltoallv_intra_pairwise", "barrier_intra_tree",
                         "exscan_intra_recursivedoubling", "gather_intra_linear_sync",
                         "scan_intra_recursivedoubling", "scatter_intra_linear_nb"):
            self.assertIn(function, functions)

    def test_without_a_promise_nothing_runs_that_needs_commutative_operations(self):
        path = self.cox.path("careful.conf")
        self.tune("--format", "file", "-o", path)
        _, functions = rules_check.check_rules_file(path, self.job, RANKS)
        for function in ("allreduce_intra_ring", "reduce_intra_binomial",
                         "reduce_scatter_intra_basic_recursivehalving"):
            self.assertNotIn(function, functions)
        self.assertIn("alltoall_intra_pairwise", functions)

    def test_communicators_of_other_sizes_keep_the_librarys_choice(self):
        path = self.cox.path("rules.conf")
        self.tune("--format", "file", "-o", path, "--assume", "commutative,same-counts")
        _, functions = rules_check.check_rules_file(path, self.job, (2, 3, 5))
        self.assertEqual(functions, set())

    def test_the_environment_forces_what_can_be_forced(self):
        header, *rows = observations("one").splitlines()
        # Only bcast, and binomial is the fastest at every size.
        kept = [row.split(",") for row in rows if ",bcast," in row and ",pipeline," not in row]
        for row in kept:
            row[8] = "1e-6" if row[3] == "binomial" else "9e-6"
        text = "\n".join([header] + [",".join(row) for row in kept]) + "\n"
        imported = self.cox("observations", "import", self.cox.write("one.csv", text))
        self.assertEqual(imported.code, 0, imported)
        outcome = self.cox("tune", "-m", "one", "--nodes", "1", "--ppn", str(RANKS),
                           "--library", "openmpi-4.1", "--format", "env")
        self.assertEqual(outcome.code, 0, outcome)
        settings = dict(re.findall(r"^export (\w+)=['\"]?([^'\"\n]*)", outcome.out, re.MULTILINE))
        self.assertTrue(any("bcast" in name for name in settings), outcome)
        ran = self.job.traces(RANKS, [("bcast", 64), ("bcast", 1 << 18)], settings)
        for trace in ran.values():
            self.assertEqual(trace.split(">")[0], "bcast_intra_binomial")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--coxd", "--cox", "--launcher", "--shim", "--probe"):
        parser.add_argument(option, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
