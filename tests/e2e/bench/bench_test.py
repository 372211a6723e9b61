#!/usr/bin/env python3
"""Runs cox-bench as real MPI jobs and checks what it writes.

    bench_test.py --bench PROGRAM --launcher "mpirun ..." --library openmpi-4.1 [unittest options]

Checks form and sense of the rows, never how fast anything is.
"""

import argparse
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

P2P_HEADER = ["machine", "kind", "level", "pattern", "pairs", "block_bytes", "time_s",
              "ranks", "messages", "senders"]
COLLECTIVE_HEADER = ["machine", "library", "collective", "algorithm", "nodes", "ppn", "ranks",
                     "block_bytes", "time_s", "run", "count", "statistic", "stddev_s", "at",
                     "type_bytes"]
BLOCK_HEADER = ["machine", "library", "network", "kind", "n", "block_bytes", "time_s"]
ALL_COLLECTIVES = ["allgather", "allreduce", "alltoall", "bcast", "gather", "reduce",
                   "reduce_scatter_block", "scatter"]
arguments = None


def run(ranks, *options, environment=None, timeout_s=120):
    command = arguments.launcher.split() + ["-np", str(ranks), arguments.bench, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s,
                          stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})


def run_with_late_rank_0(ranks, *options):
    late = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 || sleep 0.5; exec "$0" "$@"'
    command = arguments.launcher.split() + ["-np", str(ranks), "sh", "-c", late, arguments.bench, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def rows_of(text, header):
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0].split(",") == header, text
    return rows


class PointToPoint(unittest.TestCase):
    def test_one_row_per_number_of_pairs_and_size(self):
        done = run(4, "p2p", "--sizes", "0,8,64k", "--machine", "m1", "--budget-s", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(done.stdout, P2P_HEADER)
        cells = sorted((row["pairs"], int(row["block_bytes"])) for row in rows)
        self.assertEqual(cells, [(k, size) for k in ("1", "2") for size in (0, 8, 65536)])
        for row in rows:
            self.assertEqual((row["machine"], row["kind"], row["level"]), ("m1", "pingpong", "node"))
            self.assertIn(arguments.library, row["pattern"])
            self.assertTrue(1e-9 < float(row["time_s"]) < 1, row)

    def test_levels_of_a_job_on_two_nodes(self):
        if not arguments.library.startswith("mpich"):
            self.skipTest("only MPICH can play several nodes on one machine")
        done = run(4, "p2p", "--sizes", "8", "--budget-s", "1",
                   environment={"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        levels = sorted((row["level"], row["pairs"]) for row in rows_of(done.stdout, P2P_HEADER))
        self.assertEqual(levels, [("network", "1"), ("network", "2"), ("node", "1")])

    def test_raw_has_every_sample(self):
        done = run(2, "p2p", "--sizes", "8", "--pairs", "1", "--raw", "--budget-s", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(len(rows_of(done.stdout, P2P_HEADER)), 3)

    def test_refuses_more_pairs_than_ranks_allow(self):
        done = run(2, "p2p", "--pairs", "1,2")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cox-bench: --pairs: 2 pairs at once"), 1, done.stderr)
        self.assertNotIn("pingpong", done.stdout)

    def test_refuses_a_single_rank(self):
        done = run(1, "p2p")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cox-bench: p2p needs a pair of ranks", done.stderr)


class Patterns(unittest.TestCase):
    def rows(self, ranks, *options, environment=None):
        done = run(ranks, "p2p", "--machine", "m1", "--pattern-sizes", "8,1k", "--budget-s", "20",
                   *options, environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows_of(done.stdout, P2P_HEADER)

    def test_all_kinds_at_once(self):
        rows = self.rows(4, "--kinds", "all", "--sizes", "8")
        kinds = {row["kind"] for row in rows}
        # An arriving message may take too little from a computation to be measured.
        self.assertEqual(kinds - {"overhead_recv"},
                         {"pingpong", "gap", "overhead_send", "notice", "converge", "flood",
                          "h_relation", "scatter", "permutation", "block_permutation", "barrier",
                          "copy", "reduce"})
        for row in rows:
            self.assertTrue(0 < float(row["time_s"]) < 10, row)
            self.assertEqual(row["level"], "self" if row["kind"] in ("copy", "reduce") else "node")
            self.assertLessEqual(int(row["senders"]), int(row["ranks"]), row)

    def test_trains_of_several_lengths(self):
        rows = self.rows(2, "--kinds", "gap")
        cells = sorted((int(row["block_bytes"]), int(row["messages"])) for row in rows)
        self.assertEqual(cells, [(b, n) for b in (8, 1024) for n in (2, 8, 32)])

    def test_one_rank_of_each_node_at_level_network(self):
        if not arguments.library.startswith("mpich"):
            self.skipTest("only MPICH can play several nodes on one machine")
        rows = self.rows(6, "--kinds", "h_relation,barrier",
                         environment={"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"})
        shapes = {(row["kind"], row["level"], int(row["ranks"])) for row in rows}
        self.assertEqual(shapes, {("h_relation", "node", 3), ("h_relation", "network", 2),
                                  ("barrier", "node", 2), ("barrier", "node", 3),
                                  ("barrier", "network", 2)})

    def test_refuses_an_unknown_kind(self):
        done = run(2, "p2p", "--kinds", "gap,floods")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cox-bench: --kinds: 'floods' is not one of"), 1,
                         done.stderr)


class Blocks(unittest.TestCase):
    def points(self, ranks, network, *options, environment=None):
        """(kind, n) of all rows; each must have a time for either size."""
        done = run(ranks, "blocks", "--network", network, "--machine", "m1", "--sizes", "1,256k", "--budget-s", "2",
                   *options, environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        times = {}
        for row in rows_of(done.stdout, BLOCK_HEADER):
            self.assertEqual((row["machine"], row["library"], row["network"]), ("m1", arguments.library, network))
            self.assertTrue(1e-9 < float(row["time_s"]) < 10, row)
            times[row["kind"], int(row["n"]), int(row["block_bytes"])] = float(row["time_s"])
        points = {key[:2] for key in times}
        self.assertEqual(set(times), {(*point, size) for point in points for size in (1, 262144)})
        return points

    def test_a_wire(self):
        alltoalls = {("alltoall", 2), ("alltoall", 3), ("alltoall", 4)}
        self.assertEqual(self.points(4, "shared-medium"), {("pingpong", 2), *alltoalls})
        self.assertEqual(self.points(4, "shared-medium", "--n", "3", "--mean"), {("pingpong", 2), ("alltoall", 3)})

    def test_a_row(self):
        self.assertEqual(self.points(5, "mesh-row"), {("pairs", 1), ("pairs", 2)})

    def test_one_frame(self):
        self.assertEqual(self.points(4, "multistage"), {("pingpong", 2), ("pairs", 1), ("pairs", 2)})

    def test_two_frames(self):
        if not arguments.library.startswith("mpich"):
            self.skipTest("only MPICH can play several nodes on one machine")
        self.assertEqual(self.points(6, "multistage", environment={"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"}),
                         {("pingpong", 2), ("pairs", 1), ("pairs_across", 1), ("pairs_across", 2),
                          ("pairs_across", 3)})

    def test_refuses_what_the_job_cannot_have(self):
        for words, reason in ((["shared-medium"], "needs 3 ranks"), (["mesh-row", "--n", "2"], "--n: 2 is not between"),
                              (["mesh-row", "--frame-nodes", "2"], "needs --network multistage")):
            with self.subTest(words=words):
                done = run(2, "blocks", "--network", *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count(reason), 1, done.stderr)
                self.assertNotIn("pairs,", done.stdout)


class Collectives(unittest.TestCase):
    def check_job(self, ranks):
        done = run(ranks, "collectives", "--collectives", ",".join(ALL_COLLECTIVES), "--sizes",
                   "4,1k", "--machine", "m1", "--run", "r1", "--label", "bcast=chain",
                   "--budget-s", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(done.stdout, COLLECTIVE_HEADER)
        cells = sorted((row["collective"], int(row["block_bytes"])) for row in rows)
        self.assertEqual(cells, [(name, size) for name in ALL_COLLECTIVES for size in (4, 1024)])
        for row in rows:
            reduces = row["collective"] in ("allreduce", "reduce", "reduce_scatter_block")
            label = "chain" if row["collective"] == "bcast" else "default"
            expected = {"machine": "m1", "library": arguments.library, "algorithm": label,
                        "nodes": "1", "ppn": str(ranks), "ranks": str(ranks), "run": "r1",
                        "statistic": "median", "type_bytes": "4" if reduces else "1"}
            self.assertEqual({key: row[key] for key in expected}, expected)
            self.assertGreaterEqual(int(row["count"]), 3)
            self.assertTrue(1e-9 < float(row["time_s"]) < 1, row)
            self.assertGreaterEqual(float(row["stddev_s"]), 0)
            self.assertRegex(row["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_two_ranks(self):
        self.check_job(2)

    def test_four_ranks(self):
        self.check_job(4)

    def test_three_ranks_and_odd_sizes(self):
        done = run(3, "collectives", "--collectives", "alltoall,allreduce", "--sizes", "3,12",
                   "--budget-s", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        cells = sorted((row["collective"], row["block_bytes"])
                       for row in rows_of(done.stdout, COLLECTIVE_HEADER))
        self.assertEqual(cells, [("allreduce", "12"), ("alltoall", "12"), ("alltoall", "3")])
        self.assertIn("1 reductions left out", done.stderr)

    def test_raw_numbers_the_samples(self):
        done = run(2, "collectives", "--collectives", "bcast", "--sizes", "8", "--raw", "--run",
                   "r1", "--budget-s", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(done.stdout, COLLECTIVE_HEADER)
        self.assertEqual([row["run"] for row in rows], [f"r1/{i}" for i in range(len(rows))])
        self.assertEqual({row["statistic"] for row in rows}, {"sample"})
        self.assertGreaterEqual(len(rows), 3)

    def test_file_and_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.csv")
            done = run(2, "collectives", "--collectives", "bcast,alltoall", "--sizes", "8,64",
                       "--budget-s", "1", "--progress", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(os.listdir(folder), ["out.csv"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(len(rows_of(file.read(), COLLECTIVE_HEADER)), 4)
        lines = re.findall(r"^progress (\d)/4 \d+ s left: (?:bcast|alltoall) \(default\) \d+ B$",
                           done.stderr, re.MULTILINE)
        self.assertEqual(lines, ["0", "1", "2", "3"])

    def test_the_seed_fixes_the_order(self):
        def order(seed):
            done = run(2, "collectives", "--collectives", "bcast", "--sizes", "1..4k", "--seed",
                       seed, "--budget-s", "0.1")
            return [row["block_bytes"] for row in rows_of(done.stdout, COLLECTIVE_HEADER)]
        self.assertEqual(order("7"), order("7"))
        self.assertNotEqual(order("7"), order("8"))

    def test_refuses_sizes_beyond_the_memory(self):
        done = run(4, "collectives", "--collectives", "alltoall", "--sizes", "2147483647")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cox-bench: --sizes: alltoall of 2.0 GiB"), 1,
                         done.stderr)
        self.assertIn("free MiB", done.stderr)

    def test_refuses_a_folder_that_is_not_there(self):
        done = run(2, "collectives", "-o", "/nonexistent/out.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cox-bench: --output: cannot write"), 1, done.stderr)

    def test_refuses_wrong_arguments_once_per_job(self):
        done = run(2, "collectives", "--collectives", "bcst")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("cox-bench: --collectives: 'bcst'"), 1, done.stderr)

    def test_forced_algorithms_run(self):
        if arguments.library.startswith("openmpi"):
            environment = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                           "OMPI_MCA_coll_tuned_alltoall_algorithm": "3",
                           "OMPI_MCA_coll_tuned_bcast_algorithm": "3"}
        else:
            environment = {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks",
                           "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}
        done = run(2, "collectives", "--collectives", "alltoall,bcast", "--sizes", "64",
                   "--algorithm", "forced", "--budget-s", "1", environment=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(done.stdout, COLLECTIVE_HEADER)
        self.assertEqual([row["algorithm"] for row in rows], ["forced", "forced"])


class Libcoxcoll(unittest.TestCase):
    """Times collectives of libcoxcoll instead of the MPI library's."""

    def check_job(self, ranks, algorithms, sizes=(4, 1024)):
        labels = [word for pair in algorithms.items() for word in ("--label", "=".join(pair))]
        done = run(ranks, "collectives", "--library", "coxcoll", *labels, "--sizes",
                   ",".join(map(str, sizes)), "--machine", "m1", "--budget-s", "2", "--progress")
        # Every result is compared to the last byte: a wrong one causes exit code 1.
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(done.stdout, COLLECTIVE_HEADER)
        self.assertEqual({row["library"] for row in rows}, {"coxcoll"})
        self.assertEqual(sorted((row["collective"], row["algorithm"], int(row["block_bytes"])) for row in rows),
                         sorted((*pair, size) for pair in algorithms.items() for size in sizes))
        for row in rows:
            self.assertTrue(1e-9 < float(row["time_s"]) < 10, row)
        for collective, algorithm in algorithms.items():
            self.assertIn(f": {collective} (coxcoll/{algorithm}) ", done.stderr)

    def test_two_ranks(self):
        self.check_job(2, {"alltoall": "windowed?window=1", "bcast": "postal?latency=2",
                           "gather": "windowed?window=1", "scatter": "linear"})

    def test_four_ranks(self):
        self.check_job(4, {"alltoall": "mesh2d", "bcast": "binomial", "gather": "2-lev-rec",
                           "scatter": "logp-lev-sq"})

    def test_three_ranks_and_one_collective(self):
        self.check_job(3, {"alltoall": "hypercube"}, (3, 65536))

    def test_it_is_our_own_that_runs(self):
        """Settings of the MPI library have no effect: here one that would end the job."""
        if not arguments.library.startswith("openmpi"):
            self.skipTest("only Open MPI has an algorithm that ends a job of three ranks")
        two_proc = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                    "OMPI_MCA_coll_tuned_alltoall_algorithm": "5"}
        words = ["collectives", "--collectives", "alltoall", "--sizes", "64", "--budget-s", "1"]
        self.assertNotEqual(run(3, *words, environment=two_proc).returncode, 0)
        done = run(3, *words, "--library", "coxcoll", "--label", "alltoall=bruck", environment=two_proc)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_refuses_what_it_has_not_once_per_job(self):
        for label, reason in (("alltoall=mash", '"mash" is not one of'), ("gather=2-lev-rec", "square"),
                              ("bcast=binomial?window=1", "no knob"), ("allreduce=ring", "coxcoll has no allreduce")):
            with self.subTest(label=label):
                done = run(3, "collectives", "--library", "coxcoll", "--label", label, "--sizes", "8")
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("cox-bench: --label: "), 1, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertNotIn("coxcoll,", done.stdout)


    def test_says_why_also_if_the_other_ranks_end_first(self):
        done = run_with_late_rank_0(3, "collectives", "--library", "coxcoll", "--label", "allreduce=ring")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("coxcoll has no allreduce", done.stderr)


class WithoutLauncher(unittest.TestCase):
    def test_help_needs_no_job(self):
        done = subprocess.run([arguments.bench, "--help"], capture_output=True, text=True,
                              timeout=30, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("mpirun", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_wrong_arguments_need_no_job(self):
        done = subprocess.run([arguments.bench, "p2p", "--sizes", "4..1"], capture_output=True,
                              text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("--sizes: '4..1' goes down", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--library", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
