#!/usr/bin/env python3
"""The simulation of a fleet against what can be said without it."""

import unittest

import simulate_fleet
from simulate_fleet import Costs, simulate

EXACT = Costs(daemon_s=1e-3, relay_s=2e-3, commit_s=5e-3, network_s=1e-3, daemon_processors=1, relay_processors=1)


class Simulation(unittest.TestCase):
    def test_a_single_report_takes_the_sum_of_its_parts(self):
        direct = simulate(nodes=1, nodes_per_relay=0, daemons=1, seconds=1, costs=EXACT)
        self.assertAlmostEqual(direct.ages_s[0], 1e-3 + 1e-3 + 5e-3)
        relayed = simulate(nodes=1, nodes_per_relay=1, daemons=1, seconds=1, costs=EXACT)
        self.assertAlmostEqual(relayed.ages_s[0], (1e-3 + 2e-3 + 5e-3) + (1e-3 + 1e-3 + 5e-3))

    def test_every_report_becomes_durable_once(self):
        for nodes_per_relay in (0, 7, 50):
            outcome = simulate(nodes=50, nodes_per_relay=nodes_per_relay, daemons=3, seconds=4, costs=EXACT)
            self.assertEqual(len(outcome.ages_s), 50 * 4)
            self.assertGreater(min(outcome.ages_s), 0)

    def test_the_load_is_the_work_by_the_time(self):
        outcome = simulate(nodes=300, nodes_per_relay=0, daemons=1, seconds=10, costs=EXACT)
        self.assertAlmostEqual(outcome.daemon_load, 0.3, places=2)
        self.assertAlmostEqual(outcome.daemon_bytes_per_s, 300 * EXACT.batch_bytes, delta=1e4)

    def test_beyond_its_capacity_reports_grow_old(self):
        # A thousand a second is what one processor can do.
        fine = simulate(nodes=500, nodes_per_relay=0, daemons=1, seconds=8, costs=EXACT)
        over = simulate(nodes=2000, nodes_per_relay=0, daemons=1, seconds=8, costs=EXACT)
        self.assertLess(fine.age_s(0.99), 0.1)
        self.assertGreater(over.age_s(0.99), 4)
        self.assertGreater(over.daemon_load, 0.99)
        self.assertAlmostEqual(over.elapsed_s, 16, delta=0.5)
        shared = simulate(nodes=2000, nodes_per_relay=0, daemons=4, seconds=8, costs=EXACT)
        self.assertLess(shared.age_s(0.99), 0.1)

    def test_a_relay_sends_a_bounded_number_at_once(self):
        # Each call takes 2 x network + work + commit; its batches are at most BATCHES_PER_CALL.
        slow = Costs(daemon_s=0, relay_s=0, commit_s=1, network_s=0, daemon_processors=1)
        outcome = simulate(nodes=600, nodes_per_relay=600, daemons=1, seconds=1, costs=slow)
        calls = -(-600 // simulate_fleet.BATCHES_PER_CALL)
        self.assertGreaterEqual(outcome.elapsed_s, calls)


if __name__ == "__main__":
    unittest.main()
