#!/usr/bin/env python3
"""Synchronised samples (COX_SYNC=1) in real MPI jobs: the times are right, nothing waits for ever, whichever
ranks take part and whatever communicators come and go.

    sync_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR
                 --coxd PROGRAM --cox PROGRAM [unittest options]
"""

import concurrent.futures
import csv
import re
import statistics

import job
from job import JobTest, program, timings


class Sync(JobTest):
    @staticmethod
    def at_once(cases, run):
        """What `run` returns for each case. Most of the time these jobs wait for a sample's end."""
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            return list(pool.map(run, cases))

    def samples(self):
        return [row for row in self.spooled() if row["run"] == "synchronised"]

    def test_every_collective_is_sampled_and_the_results_stay(self):
        def check():
            # Each was called three times on MPI_COMM_WORLD, and the second time is a sample.
            sampled = {row["collective"] for row in self.samples()}
            self.assertEqual(len(sampled), 17, sampled)
            self.assertEqual({row["collective"] for row in self.spooled()}, sampled)
            for row in self.samples():
                self.assertEqual(row["statistic"], "mean")
                self.assertEqual((row["count"], row["ranks"]), ("1", "3"))
        self.in_each_language(3, check, COX_SYNC="always")

    def test_a_late_rank_is_not_in_the_time(self):
        calls = self.folder / "calls.csv"
        self.run_ok(2, program("uneven"), calls, 15, 64, 60000, "allreduce", COX_SYNC="always")
        late = [(int(leave) - int(enter)) * 1e-9 for _, _, pattern, _, rank, enter, leave
                in csv.reader(calls.read_text().splitlines()) if pattern == "skewed" and rank == "0"]
        # Rank 0 arrives 60 ms before rank 1 there.
        self.assertGreater(statistics.median(late), 0.03)
        found = [float(row["time_s"]) for row in self.samples()]
        self.assertGreater(len(found), 0)
        self.assertLess(statistics.median(found), statistics.median(late) / 2)

    def test_costs_stay_within_the_share_in_a_mix_of_collectives(self):
        # On a machine that is busy with other things a job has to last until it can afford a sample.
        for seconds in (4, 16, 64):
            done = self.run_ok(2, program("behaviour"), "mix", seconds, COX_SYNC=1, COX_LOG=1)
            found = re.search(r"samples: (\d+) taken, (\d+) put off, (\S+) s of (\S+) s, the dearest (\S+) s", done.stderr)
            self.assertIsNotNone(found, done.stderr)
            taken, put_off, spent_s, elapsed_s, dearest_s = map(float, found.groups())
            self.assertGreaterEqual(elapsed_s, seconds)
            # Ranks ask no more often than they take one, but again after 100,000 calls, which may be 20 times a second
            # on each communicator.
            self.assertLess(put_off, taken + 50 * elapsed_s, done.stderr)
            # The ranks ask two questions before the budget allows a sample. One sample may cost more than its
            # forecast, which is the most expensive sample before.
            self.assertLess(spent_s, 0.005 * elapsed_s + 3 * dearest_s, done.stderr)
            if taken > 0:
                return
        self.skipTest("this machine was too busy for a sample")

    def test_threads_that_call_at_once(self):
        plain = self.run_ok(2, program("behaviour"), "threads", 500, agent=False)
        done = self.run_ok(2, program("behaviour"), "threads", 500, COX_SYNC="always")
        self.assertEqual(done.stdout, plain.stdout)
        # Each thread has a communicator of its own.
        self.assertGreaterEqual(timings(self.samples(), collective="allreduce"), 4)

    def test_error_handlers_that_leave_a_call_on_one_rank(self):
        for way in ("jump", "throw"):
            with self.subTest(way=way):
                plain = self.run_ok(2, program("leave"), way, 30, agent=False)
                done = self.run_ok(2, program("leave"), way, 30, COX_SYNC="always")
                self.assertEqual(done.stdout, plain.stdout)
                self.assertNotEqual(self.samples(), [])

    def test_tools_behind_the_agent_do_not_see_its_own_calls(self):
        _, without = self.seen_by_the_tool(2, program("apply"))
        self.assertEqual(self.samples(), [])
        _, seen = self.seen_by_the_tool(2, program("apply"), COX_SYNC="always")
        self.assertEqual(seen, without)
        self.assertGreater(int(seen[0]["MPI_Allreduce"]), 100)
        # Each of them took a barrier and reductions.
        self.assertNotEqual(self.samples(), [])

    def test_where_no_private_communicator_can_be_had_nothing_is_sampled(self):
        self.preloads = [job.arguments.programs / f"tool.{job.arguments.mpi}.so"]
        plain = self.run_ok(2, program("apply"), agent=False)
        done = self.run_ok(2, program("apply"), COX_SYNC="always", FAIL_MAKING=1)
        self.assertEqual(done.stdout, plain.stdout)
        self.assertEqual(self.samples(), [])

    def test_communicators_that_come_and_go(self):
        plain = self.run_ok(2, program("behaviour"), "communicators", 1400, agent=False)
        done = self.run_ok(2, program("behaviour"), "communicators", 1400, COX_SYNC="always")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertGreaterEqual(timings(self.samples(), collective="allreduce"), 1)

    def test_memory_does_not_grow_with_the_communicators_that_were(self):
        # On one rank they are quickly made; on two each is used long enough to be sampled.
        # MPICH's own memory grows until some 200 communicators have been.
        # A job of one rank may be through a half before the agent's plugin is loaded: that takes some 5 MiB.
        for ranks, calls, each, most_kib in ((1, 100000, 1, 8192), (2, 400, 401, 512)):
            def growth_kib(**settings):
                return int(re.search(r"growth (-?\d+)", self.run_ok(ranks, program("behaviour"), "churn", calls, each,
                                                                    **settings).stderr)[1])
            with self.subTest(ranks=ranks):
                plain = growth_kib(agent=False)
                self.assertLess(growth_kib(COX_SYNC="always"), plain + most_kib)
                self.assertLess(growth_kib(), plain + most_kib)

    def test_a_child_an_abort_and_an_end_without_finalize(self):
        for what, ranks in (("fork", 2), ("abort", 2), ("exit", 1)):
            with self.subTest(what=what):
                plain = self.run_job(ranks, program("behaviour"), what, 100, agent=False)
                done = self.run_job(ranks, program("behaviour"), what, 100, COX_SYNC="always")
                self.assert_same_end(done, plain)

    def test_a_wrong_program_that_ends_still_ends(self):
        # With three ranks Open MPI's broadcasts of these two hang without the agent, too.
        ranks = {"skip": (2,), "handler": (2,)}
        cases = [(what, count) for what in ("lengths", "extra", "skip", "root", "alias", "handler", "other")
                 for count in ranks.get(what, (2, 3))]

        # UCX writes to stdout about messages that nobody received.
        def ends(what, count, **settings):
            done = self.run_job(count, program("wrong"), what, **settings)
            return done.returncode, sorted(re.findall(r"\w+: rank \d+ of \d+ ends.*", done.stdout))

        def both(case):
            return ends(*case, agent=False), ends(*case, COX_SYNC="always")

        for (what, count), (plain, done) in zip(cases, self.at_once(cases, both)):
            with self.subTest(what=what, ranks=count):
                self.assertEqual((plain[0], len(plain[1])), (0, count))
                self.assertEqual(done, plain)

    def test_a_rank_that_comes_late_to_a_sample_goes_on_at_once(self):
        # Later than the others wait: they leave, and it learns that.
        for what in ("late", "late_other"):
            with self.subTest(what=what):
                done = self.run_ok(3, program("behaviour"), what, 7, COX_SYNC="always", COX_LOG=1)
                self.assertLess(float(re.search(r"waited (\S+) s", done.stdout)[1]), 4, done.stdout)

    def test_one_rank_without_it_turns_it_off(self):
        ranks = (0, 2)
        runs = self.at_once(ranks, lambda rank: self.run_ok(3, program("say"), "not", "here", rank, COX_SYNC=1,
                                                            COX_LOG=1, WITHOUT=rank))
        for rank, done in zip(ranks, runs):
            with self.subTest(rank=rank):
                self.assertEqual(done.stderr.count("COX_SYNC is not set on all ranks"), 1, done.stderr)

    def command(self, ranks, *words):
        """WITHOUT names a rank that is started without COX_SYNC."""
        command = super().command(ranks, *words)
        script = ('me=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; test "$me" != "$WITHOUT" || unset COX_SYNC; ')
        return [script + word if word.startswith("test -z") else word for word in command]


if __name__ == "__main__":
    job.main()
