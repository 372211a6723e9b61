#!/usr/bin/env python3
"""What jobs send reaches coxd as sketches, and coxd names a route for it.

    patterns_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR
                     --coxd PROGRAM --cox PROGRAM [unittest options]
"""

import json
import unittest

import job
from job import Daemon, JobTest, program

RANKS, CALLS = 4, 60
SENT = {1000: 1, 3000: 1}
MACHINE = """
[machine]
name = "m1"
nodes = 1
cores_per_node = 4
[machine.topology]
kind = "crossbar"
""" + "".join(f"""
[[profile.parameter]]
model = "hockney"
level = "{level}"
name = "{name}"
value = {value}
""" for level in ("node", "network")
    for name, value in (("alpha", 1e-4), ("beta", 1e-9), ("alpha_cpu", 5e-5), ("beta_cpu", 1e-10)))


class Patterns(JobTest):
    def setUp(self):
        super().setUp()
        self.daemon = Daemon(self)
        machine = self.folder / "m1.toml"
        machine.write_text(MACHINE)
        self.daemon.cox("machine", "import", str(machine))
        # The jobs' timings would soon make a better profile of this host than the stated one.
        self.daemon.cox("profile", "pin", "m1@1")

    def run_patterns(self, *kinds, **settings):
        plain = self.run_ok(RANKS, program("patterns"), CALLS, 0, *kinds, agent=False)
        # The agent sends sketches every ten intervals.
        done = self.run_ok(RANKS, program("patterns"), CALLS, 1500, *kinds, COX_SERVER=self.daemon.address,
                           COX_INTERVAL="50ms", **settings)
        self.assertEqual(done.stdout, plain.stdout)

    def patterns(self, *words, application=None):
        answer = self.daemon.cox("pattern", "-m", "m1", "--application", application or program("patterns").name,
                                 *words)
        return {pattern["kind"]: pattern for pattern in json.loads(answer.stdout)["patterns"]}

    def check_sent(self, pattern, phases=CALLS):
        """Two messages of each rank to two ranks, the same in each phase."""
        self.assertEqual((pattern["ranks"], pattern["nodes"], pattern["ppn"]), (RANKS, 1, RANKS))
        self.assertAlmostEqual(pattern["phase_count"], phases, delta=1)
        self.assertEqual(pattern["mean_destination_count"], 2)
        self.assertEqual(pattern["mean_message_count"], 2)
        self.assertEqual(pattern["mean_bytes"], sum(SENT))
        self.assertGreater(pattern["repeat_ratio"], 0.7)

    def test_each_kind_of_phase_is_sketched(self):
        for kind, phase in (("alltoallv", "alltoallv"), ("neighbour", "neighbour"), ("graph", "neighbour"),
                            ("messages", "messages"), ("sendrecv", "messages")):
            with self.subTest(kind=kind):
                self.run_patterns(kind, COX_APPLICATION=kind)
                found = self.patterns(application=kind)
                self.assertEqual(set(found), {phase})
                self.check_sent(found[phase])

    def test_calls_of_too_many_neighbours_are_counted_but_not_sampled(self):
        self.run_patterns("crowd", "neighbour")
        self.check_sent(self.patterns()["neighbour"], 2 * CALLS)

    def test_a_rank_with_one_destination_ends_its_phase_after_65536_messages(self):
        self.run_patterns("one")
        pattern = self.patterns()["messages"]
        # Of four ranks one has two phases.
        self.assertEqual(pattern["phase_count"], 2 / RANKS)
        self.assertEqual(pattern["mean_message_count"], 1200 * CALLS / 2)

    def test_messages_end_before_a_neighbour_collective(self):
        self.run_patterns("alternate")
        self.assertAlmostEqual(self.patterns()["messages"]["phase_count"], CALLS, delta=1)

    def test_messages_end_before_their_communicator_is_freed(self):
        self.run_patterns("reused")
        answer = self.daemon.cox("pattern", "-m", "m1", "--application", program("patterns").name)
        sent = {pattern["ranks"]: pattern for pattern in json.loads(answer.stdout)["patterns"]}
        self.assertEqual({ranks: pattern["mean_destination_count"] for ranks, pattern in sent.items()},
                         {2: 1, RANKS: RANKS - 1})
        # There are two pairs.
        self.assertAlmostEqual(sent[2]["phase_count"], 2 * CALLS, delta=1)
        self.assertAlmostEqual(sent[RANKS]["phase_count"], CALLS, delta=1)

    def test_the_work_between_phases_is_known(self):
        self.run_patterns("alltoallv", "neighbour", "messages")
        found = self.patterns()
        self.assertEqual(set(found), {"alltoallv", "neighbour", "messages"})
        for kind, pattern in found.items():
            with self.subTest(kind=kind):
                # The program rests 2 ms before each phase.
                self.assertGreater(pattern["work_time_s"], 0.002)
                self.assertGreater(pattern["phase_time_s"], 0)
                blocks = pattern["blocks"]
                self.assertEqual([one["block_count"] for one in blocks], [1, 2, 4, 8, 16, 32])
                self.assertEqual(blocks[0]["hidden_ratio"], 0)
                self.assertGreater(blocks[1]["hidden_ratio"], 0)

    def test_jobs_of_an_application_add_up_and_can_be_forgotten(self):
        for name in ("first", "second"):
            self.run_patterns("alltoallv", COX_JOB=name)
        pattern = self.patterns()["alltoallv"]
        self.assertEqual(int(pattern["job_count"]), 2)
        self.check_sent(pattern, 2 * CALLS)
        self.daemon.cox("observations", "forget", "--job", "first")
        pattern = self.patterns()["alltoallv"]
        self.assertEqual(int(pattern["job_count"]), 1)
        self.check_sent(pattern)

    def test_a_route_is_named_for_either_objective(self):
        self.run_patterns("alltoallv")
        for objective in ("completion-time", "processor-time"):
            with self.subTest(objective=objective):
                pattern = self.patterns("--objective", objective)["alltoallv"]
                routes = {one["strategy"]: one for one in pattern["predictions"]}
                self.assertIn("direct", routes)
                self.assertIn("mesh2d", routes)
                self.assertIn(pattern["route"], routes)
                # Two start-ups and 4000 bytes.
                self.assertAlmostEqual(routes["direct"]["time_s"], 2 * 1e-4 + 4000e-9, delta=5e-6)
                self.assertAlmostEqual(routes["direct"]["cpu_time_s"], 2 * 5e-5, delta=2e-6)
        unknown = self.daemon.cox("pattern", "-m", "m1", "--application", "nobody", check=False)
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("nobody", unknown.stderr)


if __name__ == "__main__":
    job.main()
