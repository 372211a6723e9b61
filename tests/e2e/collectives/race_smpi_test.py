#!/usr/bin/env python3
"""The races of bench_collectives run in a simulation of 8 nodes at a switch.

    race_smpi_test.py BENCH_COLLECTIVES RACE_SMPI [unittest options]
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

RANKS = 8
BYTES = [8, 8192]
# libcoxcoll's algorithm, and the same algorithm of SimGrid.
TWINS = {"direct": "basic_linear", "bruck": "bruck"}


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("bench_collectives", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Race(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = bench.SimulatedBed(None, bench.simulation.MACHINES[0])
        cls.bed.ranks, cls.bed.program = RANKS, program

    def race(self, pattern, variants, forced=None):
        times = self.bed.race(pattern, BYTES, variants, forced)
        self.assertEqual(set(times), {(size, variant) for size in BYTES for variant in variants})
        self.assertGreater(min(times.values()), 0)
        return times

    def test_an_alltoall_is_as_fast_as_the_same_one_of_theirs(self):
        for ours, theirs in TWINS.items():
            times = self.race("alltoall", ["mpi", f"cox:{ours}"], [f"--cfg=smpi/alltoall:{theirs}"])
            for size in BYTES:
                with self.subTest(algorithm=ours, size=size):
                    self.assertAlmostEqual(times[size, f"cox:{ours}"] / times[size, "mpi"], 1, delta=0.1)

    def test_all_ways_run_and_times_repeat(self):
        variants = ["mpi", *bench.OURS]
        times = self.race("alltoall", variants)
        self.assertGreater(len(set(times.values())), len(BYTES) * 3)
        self.assertEqual(times, self.race("alltoall", variants))

    def test_many_to_many(self):
        self.race("many:2", ["mpi", *bench.OURS_OF_MANY])


if __name__ == "__main__":
    bench = loaded(sys.argv[1])
    program = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
