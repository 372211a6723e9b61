#!/usr/bin/env python3
"""Steering (COX_APPLY=1) in real MPI jobs: what the table says runs, results stay, nothing waits for ever.

The table comes from a daemon that was taught it, once; all other jobs have it from the cache, so that what they
report does not change it.

    apply_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR --coxd PROGRAM
                  --cox PROGRAM [--shim LIBRARY] [--calls PROGRAM] [unittest options]
"""

import os
import pathlib
import re
import shutil
import tempfile
import time
import types

import job
from job import Daemon, JobTest, program, timings

RANKS = 4
PAIR = 2  # quick where much is called, on a machine with few processors
LIBRARY = {"openmpi": "openmpi-4.1", "mpich": "mpich-4.0"}
SWITCH = 1024  # bytes, between the sizes of SIZES: below and above, another algorithm
SIZES = (64, 16384)
# Collective -> the fastest algorithms below and above, as if measured.
FASTEST = {
    "openmpi": {"alltoall": ("linear_sync", "pairwise"), "allgather": ("ring", "bruck"),
                "bcast": ("binomial", "pipeline"), "allreduce": ("recursive_doubling", "ring"),
                "gather": ("linear_sync", "basic_linear"), "scatter": ("binomial", "basic_linear"),
                "reduce": ("binomial", "in-order_binary"), "barrier": ("tree", "tree"),
                "reduce_scatter_block": ("recursive_doubling", "butterfly"),
                "scan": ("recursive_doubling", "linear")},
    "mpich": {"alltoall": ("brucks", "pairwise"), "allgather": ("ring", "brucks"),
              "bcast": ("scatter_ring_allgather", "binomial"), "reduce": ("binomial", "reduce_scatter_gather"),
              "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
              "reduce_scatter_block": ("recursive_halving", "pairwise"),
              "scan": ("recursive_doubling", "recursive_doubling")},
}
# Of Open MPI's functions, as the shim calls them, where the names differ.
FUNCTIONS = {"modified_bruck": "bruck", "recursive_doubling": "recursivedoubling",
             "in-order_binary": "in_order_binary"}
# Faster than all of these above, but needs the promise of one count and type.
PROMISED = {"openmpi": {"bcast": "scatter_allgather_ring", "alltoall": "modified_bruck", "gather": "binomial"},
            "mpich": {}}
STEERED = {"COX_APPLY": 1, "COX_LOG": 1, "COX_LIMIT": "20s", "COX_PRIVATE": "always",
           "OMPI_MCA_coll_tuned_use_dynamic_rules": 1}


def taught_rows():
    rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
    for collective, best in FASTEST[job.arguments.mpi].items():
        for exponent in range(23):
            size = 0 if collective == "barrier" else 1 << exponent
            times = {name: 5e-6 for name in best}
            times[best[size >= SWITCH]] = 1e-6
            times["default"] = 9e-6
            if collective in PROMISED[job.arguments.mpi] and size >= SWITCH:
                times[PROMISED[job.arguments.mpi][collective]] = 5e-7
            rows += [f"m1,{LIBRARY[job.arguments.mpi]},{collective},{name},1,{ranks},{ranks},{size},{time_s},100,1"
                     for ranks in (RANKS, PAIR) for name, time_s in times.items()]
            if size == 0:
                break
    return "\n".join(rows) + "\n"


class Apply(JobTest):
    taught_rows = staticmethod(taught_rows)
    settings = STEERED  # of the job that fetches the table

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="cox-apply-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.server = f"unix:{cls.shared}/coxd.sock"
        daemon = Daemon(types.SimpleNamespace(folder=cls.shared, addCleanup=cls.addClassCleanup))
        rows = cls.shared / "rows.csv"
        rows.write_text(cls.taught_rows())
        daemon.cox("observations", "import", str(rows))
        first = cls("run_job")
        first.setUp()
        try:
            first.run_job(PAIR, program("say"), **cls.settings)
            cls.first = first.run_job(RANKS, program("say"), **cls.settings)
            cls.while_the_daemon_is_there(first, daemon)
        finally:
            first.doCleanups()
        daemon.kill()

    @classmethod
    def while_the_daemon_is_there(cls, first, daemon):
        """For those who have more to do then."""

    def environment(self, agent=True, **settings):
        return super().environment(agent, **{"COX_SERVER": self.server, "XDG_CACHE_HOME": self.shared / "cache",
                                             **settings})

    def labels(self, collective):
        return {row["algorithm"] for row in self.spooled() if row["collective"] == collective}

    def told(self, spool=None):
        """Labels that only steering gives."""
        return {row["algorithm"] for row in self.spooled(spool)} - {"default"}


class TheTable(Apply):
    def test_the_daemon_gives_it_and_the_cache_keeps_it(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        self.assertIn("decision table: profile revision", self.first.stderr)
        self.assertNotIn("from the cache", self.first.stderr)
        later = self.run_ok(RANKS, program("say"), **STEERED)
        self.assertIn("from the cache", later.stderr)

    def test_without_daemon_and_cache_the_job_runs_as_it_would(self):
        plain = self.run_ok(RANKS, program("collectives"), agent=False)
        with job.HangingServer() as hanging:
            for name, server in (("absent", f"unix:{self.folder}/nobody"), ("hanging", hanging)):
                with self.subTest(server=name):
                    self.spool.unlink(missing_ok=True)
                    start = time.monotonic()
                    done = self.run_ok(RANKS, program("collectives"), **{
                        **STEERED, "COX_LIMIT": "300ms", "COX_SERVER": server, "XDG_CACHE_HOME": self.folder})
                    self.assertLess(time.monotonic() - start, 60)
                    self.assertEqual(done.stdout, plain.stdout)
                    self.assertIn("no decision table", done.stderr)
                    self.assertEqual(self.told(), set())

    def test_a_slow_answer_stops_only_jobs_that_wait_no_longer(self):
        path = self.folder / "coxd.sock"
        patient = {**STEERED, "COX_SERVER": f"unix:{path}", "XDG_CACHE_HOME": self.folder}
        hasty = {**patient, "COX_LIMIT": "300ms"}
        with job.HangingServer(path):
            # On a busy machine a job may have too little time left to find the daemon slow.
            for _ in range(10):
                self.assertIn("no decision table", self.run_ok(PAIR, program("say"), **hasty).stderr)
                quiet = list(self.folder.rglob("*.quiet"))
                if quiet:
                    break
        path.unlink()
        Daemon(self)
        self.assertEqual(len(quiet), 1)
        os.utime(quiet[0])  # however long the daemon took to start
        said = "too slow a moment ago"
        self.assertIn(said, self.run_ok(PAIR, program("say"), **hasty).stderr)
        self.assertNotIn(said, self.run_ok(PAIR, program("say"), **patient).stderr)
        # Its question was answered, so the others ask again.
        self.assertNotIn(said, self.run_ok(PAIR, program("say"), **hasty).stderr)

    def test_the_log_counts_calls_once_per_job(self):
        done = self.run_ok(RANKS, program("collectives"), **STEERED)
        self.assertEqual(len(re.findall(r"calls of rank 0 steered: [1-9]\d*$", done.stderr, re.M)), 1, done.stderr)
        self.assertEqual(len(re.findall(r"calls of rank 0 by the default as the table says: [1-9]", done.stderr)), 1,
                         done.stderr)

    def test_for_other_ranks_there_is_none(self):
        self.run_ok(RANKS - 1, program("collectives"), **STEERED)
        self.assertEqual(self.told(), set())

    def test_one_rank_without_it_turns_it_off(self):
        for rank in (0, 2):
            with self.subTest(rank=rank):
                self.spool.unlink(missing_ok=True)
                done = self.run_ok(RANKS, program("collectives"), **STEERED, WITHOUT=rank)
                self.assertIn("COX_APPLY is not set on all ranks", done.stderr)
                self.assertEqual(done.stderr.count("not steered"), 1, done.stderr)
                self.assertEqual(self.told(), set())

    def test_what_the_user_has_set_for_a_collective_stays(self):
        name = {"openmpi": "OMPI_MCA_coll_tuned_bcast_algorithm",
                "mpich": "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}[job.arguments.mpi]
        self.run_ok(RANKS, program("collectives"), **{**STEERED, name: "binomial"})
        self.assertEqual(self.labels("bcast"), {"binomial"})
        self.assertNotEqual(self.labels("allgather"), {"default"})

    def test_threads_that_may_call_at_once_turn_it_off(self):
        plain = self.run_ok(RANKS, program("behaviour"), "threads", 100, agent=False)
        done = self.run_ok(RANKS, program("behaviour"), "threads", 100, **STEERED, COX_ASSUME="any-order")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn("MPI_THREAD_MULTIPLE", done.stderr)
        self.assertEqual(done.stderr.count("not steered"), 1, done.stderr)
        self.assertEqual(self.told(), set())

    def test_open_mpi_needs_its_master_switch(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("only Open MPI has one")
        done = self.run_ok(RANKS, program("collectives"),
                           **{**STEERED, "OMPI_MCA_coll_tuned_use_dynamic_rules": 0})
        self.assertIn("OMPI_MCA_coll_tuned_use_dynamic_rules=1", done.stderr)
        self.assertEqual(self.told(), set())

    def command(self, ranks, *words):
        """WITHOUT names a rank that is started without COX_APPLY."""
        command = super().command(ranks, *words)
        script = ('me=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; test "$me" != "$WITHOUT" || unset COX_APPLY; ')
        return [script + word if word.startswith("test -z") else word for word in command]


class TheCalls(Apply):
    def test_results_stay_and_the_labels_say_what_ran(self):
        def check():
            fastest = FASTEST[job.arguments.mpi]
            for collective in ("allgather", "bcast"):
                self.assertLessEqual(self.labels(collective), {*fastest[collective], "default"})
                self.assertTrue(self.labels(collective) & set(fastest[collective]), self.labels(collective))
            self.assertEqual(self.labels("allgatherv") | self.labels("alltoallw"), {"default"})
        self.in_each_language(RANKS, check, **STEERED)

    def test_with_samples(self):
        plain = self.run_ok(RANKS, program("collectives"), agent=False)
        done = self.run_ok(RANKS, program("collectives"), **STEERED, COX_SYNC="always")
        self.assertEqual(done.stdout, plain.stdout)
        samples = {(row["collective"], row["algorithm"]) for row in self.spooled() if row["run"] == "synchronised"}
        self.assertTrue({("bcast", name) for name in FASTEST[job.arguments.mpi]["bcast"]} & samples, samples)

    def test_one_steered_call_of_twenty_is_a_canary(self):
        # Too few pairs to show that an algorithm is slower.
        calls, canaries = 101, 5
        plain = self.run_ok(RANKS, program("behaviour"), "loop", calls, agent=False)
        done = self.run_ok(RANKS, program("behaviour"), "loop", calls, **STEERED, COX_ASSUME="any-order",
                           COX_CANARY="5%")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn(f"calls of rank 0 by the default as canaries: {canaries}\n", done.stderr)
        rows = self.spooled()
        best = "recursive_doubling"
        # All ranks draw alike: from the second call on, one in twenty, and a peer of each.
        for algorithm, run, count in (("default", "canary", canaries), (best, "peer", canaries),
                                      (best, "", calls - 2 * canaries)):
            self.assertEqual(timings(rows, collective="allreduce", algorithm=algorithm, run=run), count * RANKS)

    def test_what_has_to_be_left_alone(self):
        for assume in ("", "any-order"):
            plain = self.run_ok(RANKS, program("apply"), agent=False)
            done = self.run_ok(RANKS, program("apply"), **STEERED, COX_ASSUME=assume)
            self.assertEqual(done.stdout, plain.stdout)
            self.assertNotIn(" 1 wrong", done.stdout)
        self.assertNotEqual(self.told(), set())

    def test_types_for_which_an_algorithm_is_wrong(self):
        for what in ("transposition", "columns"):
            with self.subTest(what=what):
                self.assertEqual(self.run_ok(RANKS, program("types"), what, **STEERED).stdout, "0 wrong\n")

    def test_sums_of_narrow_integers(self):
        plain = self.run_ok(RANKS, program("types"), "sums", agent=False)
        self.assertEqual(self.run_ok(RANKS, program("types"), "sums", **STEERED).stdout, plain.stdout)

    def test_what_the_program_sets_through_mpi_t_stays(self):
        self.assertEqual(self.run_ok(RANKS, program("variable"), **STEERED).stdout, "stays 3\n")
        if job.arguments.mpi == "mpich":  # Open MPI's communicators keep what they were made with.
            self.assertEqual(self.labels("allreduce"), {"default"})

    def test_sums_of_floating_point_numbers_only_where_it_is_allowed(self):
        for assume, steered in (("", False), ("any-order", True)):
            with self.subTest(assume=assume):
                self.spool.unlink(missing_ok=True)
                # Allreduces of doubles.
                self.run_ok(RANKS, program("behaviour"), "loop", 20, **STEERED, COX_ASSUME=assume)
                self.assertEqual(self.labels("allreduce"), {"recursive_doubling" if steered else "default"})

    def test_an_alltoall_in_place_is_left_alone_in_fortran_too(self):
        for interface in ("mpif", "mpi", "f08"):
            with self.subTest(interface=interface):
                self.spool.unlink(missing_ok=True)
                done = self.run_ok(RANKS, program(f"in_place_{interface}"), **STEERED)
                self.assertEqual(done.stdout, "0 wrong\n")
                labels = {size: {row["algorithm"] for row in self.spooled()
                                 if (row["collective"], row["block_bytes"]) == ("alltoall", str(size))}
                          for size in (24, 28)}
                self.assertEqual(labels, {24: {"default"}, 28: {FASTEST[job.arguments.mpi]["alltoall"][0]}})

    def test_error_handlers_that_leave_a_call_on_one_rank(self):
        for way in ("jump", "throw"):
            with self.subTest(way=way):
                self.spool.unlink(missing_ok=True)
                plain = self.run_ok(PAIR, program("leave"), way, 30, agent=False)
                # The last rank, twice per round, and twice while a communicator is freed.
                self.assertIn("left 62 handlers 2", plain.stdout)
                done = self.run_ok(PAIR, program("leave"), way, 30, **STEERED)
                self.assertEqual(done.stdout, plain.stdout)
                # And both ranks go on to be steered and timed.
                best = FASTEST[job.arguments.mpi]["allgather"][1]
                self.assertGreaterEqual(
                    timings(self.spooled(), collective="allgather", algorithm=best, block_bytes=4096), 60)

    def test_tools_behind_the_agent_see_the_programs_calls_only(self):
        unsteered, without = self.seen_by_the_tool(RANKS, program("apply"))
        self.assertEqual(self.told(), set())
        steered, seen = self.seen_by_the_tool(RANKS, program("apply"), **STEERED)
        self.assertEqual(steered.stdout, unsteered.stdout)
        self.assertNotEqual(self.told(), set())
        makes = job.arguments.mpi == "openmpi"
        for now, before in zip(seen, without):
            self.assertEqual(now["MPI_Allreduce"], before["MPI_Allreduce"])
            self.assertEqual(now["MPI_Barrier"], before["MPI_Barrier"])
            # And the communicators that they are steered with.
            self.assertEqual(int(now["MPI_Comm_create"]) > int(before["MPI_Comm_create"]), makes)
            self.assertEqual(int(now["MPI_Comm_free"]) > int(before["MPI_Comm_free"]), makes)

    def test_where_no_private_communicator_can_be_had_nothing_is_steered(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("MPICH needs none")
        self.preloads = [job.arguments.programs / f"tool.{job.arguments.mpi}.so"]
        plain = self.run_ok(RANKS, program("apply"), agent=False)
        for rank in (0, 2):
            with self.subTest(rank=rank):
                self.spool.unlink(missing_ok=True)
                done = self.run_ok(RANKS, program("apply"), **STEERED, FAIL_MAKING=rank)
                self.assertEqual(done.stdout, plain.stdout)
                self.assertEqual(self.told(), set())

    def test_a_communicator_that_found_no_room_gets_one_when_others_are_freed(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("MPICH needs none")
        # 256 of a job; each of the communicators that come first has 18. The last one asks in its 101st, 202nd and
        # 403rd call.
        done = self.run_ok(PAIR, program("room"), 15, 320, **STEERED)
        self.assertEqual(done.stdout, "0 wrong\n")
        of_size = {size: {row["algorithm"] for row in self.spooled()
                          if (row["collective"], row["block_bytes"]) == ("bcast", str(size))} for size in (24, 28)}
        self.assertEqual(of_size[24], {"default"})
        self.assertIn(FASTEST["openmpi"]["bcast"][0], of_size[28])

    def test_communicators_that_come_and_go(self):
        # Those that live on are split off, and called often enough to be steered.
        calls = {"openmpi": 400, "mpich": 200}[job.arguments.mpi]
        plain = self.run_ok(RANKS, program("behaviour"), "communicators", calls, agent=False)
        done = self.run_ok(RANKS, program("behaviour"), "communicators", calls, **STEERED, COX_ASSUME="any-order")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertIn("recursive_doubling", self.labels("allreduce"))

    def test_memory_does_not_grow_with_the_communicators_that_were(self):
        # Long enough on each that it is steered. MPICH's own memory grows until a few hundred have been.
        calls, each = {"openmpi": (300, 110), "mpich": (3000, 1)}[job.arguments.mpi]

        def growth_kib(**settings):
            done = self.run_ok(PAIR, program("behaviour"), "churn", calls, each, **settings)
            return int(re.search(r"growth (-?\d+)", done.stderr)[1])
        plain = growth_kib(agent=False)
        self.assertLess(growth_kib(**STEERED, COX_ASSUME="any-order"), plain + 1024)
        self.assertGreater(timings(self.spooled(), collective="allreduce", algorithm="recursive_doubling"), 0)

    def test_a_child_an_abort_and_an_end_without_finalize(self):
        for what, ranks, status in (("fork", RANKS, 0), ("abort", RANKS, None), ("exit", PAIR, 0)):
            with self.subTest(what=what):
                plain = self.run_job(ranks, program("behaviour"), what, 100, agent=False)
                done = self.run_job(ranks, program("behaviour"), what, 100, **STEERED, COX_ASSUME="any-order")
                self.assert_same_end(done, plain, status)


class TheGuard(Apply):
    """Canaries of one job withdraw what is slower in this job, and nothing else."""

    settings_of_the_jobs = {**STEERED, "COX_ASSUME": "any-order", "COX_CANARY": "20%"}
    calls = 601  # 120 canaries, more than the guard compares
    algorithm = "recursive_doubling"  # the table's, for 8 bytes

    def run_slower(self, slower):
        """Runs allreduces, and prolongs those that `slower` names ("default", "steered"); returns the job."""
        plain = self.run_ok(PAIR, program("behaviour"), "loop", self.calls, agent=False)
        self.preloads = [job.arguments.programs / f"slower.{job.arguments.mpi}.so"]
        done = self.run_ok(PAIR, program("behaviour"), "loop", self.calls, **self.settings_of_the_jobs, SLOWER=slower)
        self.assertEqual(done.stdout, plain.stdout)
        return done

    def timed(self, **wanted):
        """How many calls these were, of all ranks."""
        return timings(self.spooled(), collective="allreduce", **wanted) / PAIR

    def test_an_algorithm_that_is_twice_as_slow_in_the_job_is_withdrawn_within_200_calls(self):
        done = self.run_slower("steered")
        said = re.findall(r"withdrawn: (\w+) from (\d+) bytes, slower than the default in (\d+) of (\d+) comparisons",
                          done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        collective, from_bytes, slower, compared = said[0][0], *map(int, said[0][1:])
        self.assertEqual(collective, "allreduce")
        self.assertLessEqual(from_bytes, 8)
        self.assertGreaterEqual(slower, 6)
        self.assertLessEqual(compared, 40)
        # All ranks leave the size to the library from the same call on, to the end.
        steered = self.timed(algorithm=self.algorithm)
        left = self.timed(algorithm="default", run="")
        self.assertLessEqual(steered, 160)
        self.assertGreaterEqual(left, self.calls - 200)
        self.assertEqual(steered + left + self.timed(algorithm="default", run="canary"), self.calls)

    def test_an_algorithm_that_is_faster_than_the_default_stays(self):
        done = self.run_slower("default")
        self.assertNotIn("withdrawn", done.stderr)
        self.assertEqual(self.timed(algorithm="default", run=""), 0)
        self.assertEqual(self.timed(algorithm="default", run="canary"), self.calls // 5)

    def test_results_stay(self):
        plain = self.run_ok(RANKS, program("collectives"), agent=False)
        self.assertEqual(self.run_ok(RANKS, program("collectives"), **self.settings_of_the_jobs).stdout, plain.stdout)


class WhatRan(Apply):
    promise = {"COX_ASSUME": "elements>=ranks,same-counts"}

    @classmethod
    def while_the_daemon_is_there(cls, first, daemon):
        first.run_job(RANKS, program("say"), **STEERED, **cls.promise)

    def functions(self, calls, **settings):
        """[(collective, bytes, what a rank's call ran last)]"""
        self.preloads = [job.arguments.shim]
        words = [str(word) for collective, size in calls for word in (collective, size, 0)]
        done = self.run_ok(RANKS, job.arguments.calls, *words, **STEERED, **settings)
        lines = re.findall(r"^\d+ (\w+) (\d+) \d+ \w+ (.*)$", done.stdout, re.M)
        self.assertEqual(len(lines), RANKS * len(calls), done.stdout)
        # The calls that made a communicator come first.
        return [(collective, int(size), trace.split(" ")[-1].split(">")[0]) for collective, size, trace in lines]

    def test_open_mpi_runs_what_needs_one_count_and_type_only_where_promised(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("Open MPI's algorithms")
        large = SIZES[1]
        for collective, promised in PROMISED["openmpi"].items():
            for settings, name in (({}, FASTEST["openmpi"][collective][1]), (self.promise, promised)):
                for _, _, ran in self.functions([(collective, large)], **settings):
                    self.assertEqual(ran, f"{collective}_intra_{FUNCTIONS.get(name, name)}")

    def test_open_mpi_keeps_an_alltoall_of_two_types_under_the_promise(self):
        self.assertEqual(self.run_ok(RANKS, program("types"), "transposition", **STEERED, **self.promise).stdout,
                         "0 wrong\n")
        if job.arguments.mpi == "openmpi":
            self.assertEqual(self.labels("alltoall"), {"default"})

    def test_open_mpi_runs_the_functions_that_the_table_names(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("Open MPI's way to see it")
        fastest = FASTEST["openmpi"]
        # The reductions sum bytes.
        for collective, size, ran in self.functions([(name, size) for name in fastest for size in SIZES],
                                                    COX_ASSUME="any-order"):
            name = fastest[collective][size >= SWITCH]
            self.assertEqual(ran, f"{collective}_intra_{FUNCTIONS.get(name, name)}")

    def test_mpich_sends_the_messages_of_the_algorithms_that_the_table_names(self):
        if job.arguments.mpi != "mpich" or job.arguments.calls is None:
            self.skipTest("MPICH's way to see it")
        fastest = {name: best for name, best in FASTEST["mpich"].items() if name != "scan"}
        asked = [(collective, size) for collective in fastest for size in SIZES]
        listed = self.folder / "calls.txt"
        listed.write_text("".join(f"{collective} {size} byte\n" for collective, size in asked))

        def messages(**settings):
            out = self.folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            self.run_ok(RANKS, job.arguments.calls, listed, out, RANKS, **settings)
            # Rank -> call -> messages without their tags.
            return {rank: {int(line.split(" ", 3)[1]): [re.sub(r"[0-9a-f]{8}$", "", word)
                                                        for word in line.split(" ", 3)[3].split()]
                           for line in (out / str(rank)).read_text().splitlines()} for rank in range(RANKS)}

        steered = messages(**STEERED)
        plain = messages(agent=False)
        forced = {}
        for above in (False, True):
            settings = {f"MPIR_CVAR_{name.upper()}_INTRA_ALGORITHM": best[above] for name, best in fastest.items()}
            forced[above] = messages(agent=False, **settings)
        differ = 0
        for number, (collective, size) in enumerate(asked):
            for rank in range(RANKS):
                wanted = forced[size >= SWITCH][rank][number]
                self.assertEqual(sorted(steered[rank][number]), sorted(wanted), (collective, size, rank))
                differ += sorted(wanted) != sorted(plain[rank][number])
        self.assertGreater(differ, 0)


if __name__ == "__main__":
    job.main("--shim", "--calls")
