#!/usr/bin/env python3
"""What the test programs of MPI libraries look at, in every mode of the agent: errors, attributes, communicators,
threads, worlds and languages are as without it.

    conformance_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR --coxd PROGRAM
                        --cox PROGRAM [unittest options]
"""

import concurrent.futures
import re

import apply_test
import job
import replace_test
from apply_test import PAIR, RANKS, STEERED, program
from replace_test import OURS

MODES = {"observed": {}, "sampled": {"COX_SYNC": "always"}, "steered": STEERED, "libcoxcoll": OURS,
         "sampled and steered": {**STEERED, "COX_SYNC": "always"},
         "sampled with libcoxcoll": {**OURS, "COX_SYNC": "always"}}
INTERFACES = ("mpif", "mpi", "f08")
AT_ONCE = 3  # jobs


def taught_rows():
    """Both libraries', of which libcoxcoll is the faster."""
    rows = replace_test.taught_rows().replace(",1e-06,", ",1e-07,").splitlines()[1:]
    return apply_test.taught_rows() + "\n".join(row for row in rows if ",coxcoll," in row) + "\n"


class Conformance(apply_test.Apply):
    taught_rows = staticmethod(taught_rows)

    @classmethod
    def while_the_daemon_is_there(cls, first, daemon):
        for ranks in (PAIR, RANKS):
            first.run_job(ranks, program("say"), **OURS)

    def same_in_all_modes(self, ranks, *words, modes=MODES):
        def run(mode):
            spool = self.folder / f"spool-{mode}.csv"
            done = self.run_ok(ranks, *words, **MODES[mode], COX_SPOOL=spool)
            return done, self.told(spool)

        plain = self.run_ok(ranks, *words, agent=False)
        self.assertNotEqual(plain.stdout, "")
        # Most of the time these jobs wait: for their launcher, and for the ends of samples.
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for mode, (done, told) in zip(modes, pool.map(run, modes)):
                with self.subTest(program=str(words[0].name), mode=mode):
                    self.assertEqual(done.stdout.splitlines(), plain.stdout.splitlines(), done.stderr)
                    self.assertEqual(told != set(), "COX_APPLY" in MODES[mode], f"{told}\n{done.stderr}")
        return plain

    def test_wrong_arguments(self):
        for handling in ("return", "handler", "other"):
            plain = self.same_in_all_modes(RANKS, program("misused"), handling)
            self.assertNotIn("/1 ", plain.stdout.replace("\n", " "))
            self.same_in_all_modes(RANKS, program("refused"), handling)

    def test_wrong_arguments_in_fortran(self):
        for interface in INTERFACES:
            name = program(f"misused_{interface}")
            if name.exists():
                plain = self.same_in_all_modes(PAIR, name)
                self.assertNotIn(": F", plain.stdout)

    def test_calls_that_transfer_nothing(self):
        if job.arguments.mpi != "mpich":
            self.skipTest("Open MPI refuses MPI_DATATYPE_NULL")
        self.run_ok(PAIR, program("empty"), agent=False)
        for mode in MODES:
            with self.subTest(mode=mode):
                done = self.run_ok(PAIR, program("empty"), **{**MODES[mode], "COX_LOG": 1})
                self.assertEqual(done.stdout, "0 errors, 0 handled\n")
                self.assertRegex(done.stderr, "total: messages 6 calls 0 bytes")

    def test_attributes_and_communicators(self):
        plain = self.same_in_all_modes(RANKS, program("lifetimes"))
        self.assertEqual(len(re.findall("end of the", plain.stdout)), 2)

    def test_threads_that_take_turns(self):
        self.same_in_all_modes(PAIR, program("behaviour"), "turns", 300,
                               modes=("observed", "sampled", "steered", "sampled and steered"))

    def sizes(self, size):
        """{(ranks, algorithm): timings} of the broadcasts of that size."""
        found = {}
        for row in self.spooled():
            if (row["collective"], int(row["block_bytes"])) == ("bcast", size):
                key = int(row["ranks"]), row["algorithm"]
                found[key] = found.get(key, 0) + int(row["count"])
        return found

    def test_sessions(self):
        if job.arguments.mpi != "mpich":
            self.skipTest("Open MPI 4.1 has none")
        for mode in ("observed", "sampled", "steered"):
            with self.subTest(mode=mode):
                self.spool.unlink(missing_ok=True)
                plain = self.run_ok(PAIR, program("worlds"), "session", agent=False)
                self.assertEqual(self.run_ok(PAIR, program("worlds"), "session", **MODES[mode]).stdout, plain.stdout)
                self.assertEqual(self.spooled(), [])
                plain = self.run_ok(PAIR, program("worlds"), "beside", agent=False)
                done = self.run_ok(PAIR, program("worlds"), "beside", **MODES[mode])
                self.assertEqual(done.stdout, plain.stdout)
                steered = mode == "steered"
                for size in (20, 24):
                    self.assertEqual({(ranks, name != "default") for ranks, name in self.sizes(size)},
                                     {(PAIR, steered)})

    def test_spawned_processes(self):
        if job.arguments.mpi != "openmpi":
            self.skipTest("MPICH's launcher does not spawn in every installation")
        # The launcher does not set the agent for children: a shell does, as for parents.
        child = self.command(1, program("worlds"), "child")[-6:]
        plain = self.run_ok(PAIR, program("worlds"), "spawn", *child, agent=False)
        self.assertEqual(len(re.findall(r"(?:parents|children): 2 ranks, 0 wrong", plain.stdout)), 2, plain.stdout)
        for mode in ("observed", "sampled", "steered"):
            with self.subTest(mode=mode):
                self.spool.unlink(missing_ok=True)
                done = self.run_ok(PAIR, program("worlds"), "spawn", *child, **MODES[mode])
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(plain.stdout.splitlines()), done.stderr)
                # Parents and children report as jobs of their own, and nothing of what they do together.
                for size in (24, 36):
                    self.assertEqual({(ranks, name != "default") for ranks, name in self.sizes(size)},
                                     {(PAIR, mode == "steered")})
                self.assertEqual(self.sizes(28), {})


if __name__ == "__main__":
    job.main()
