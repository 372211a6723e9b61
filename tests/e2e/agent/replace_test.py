#!/usr/bin/env python3
"""libcoxcoll in place of the MPI library's collectives (COX_APPLY=ours) in real MPI jobs.

The table comes from a daemon that was taught it, once; all other jobs have it from the cache.

    replace_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR --coxd PROGRAM
                    --cox PROGRAM --own LIBRARY [unittest options]
"""

import collections
import json
import re
import shutil
import subprocess
import unittest

import apply_test
import job
from apply_test import LIBRARY, PAIR, RANKS, STEERED, SWITCH, program

OURS = {**STEERED, "COX_APPLY": "ours"}
# Collective -> the fastest algorithms below and above SWITCH, as if measured. RANKS is a square.
FASTEST = {"alltoall": ("mesh2d", "windowed?window=2"), "bcast": ("postal?latency=2", "binomial"),
           "gather": ("2-lev-rec", "windowed?window=1"), "scatter": ("binomial", "linear")}


def taught_rows():
    rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
    for collective, best in FASTEST.items():
        for exponent in range(23):
            size = 1 << exponent
            times = {("coxcoll", name): 5e-6 for name in best}
            times["coxcoll", best[size >= SWITCH]] = 1e-6
            times[LIBRARY[job.arguments.mpi], "default"] = 9e-6
            rows += [f"m1,{library},{collective},{name},1,{ranks},{ranks},{size},{time_s},100,1"
                     for ranks in (RANKS, PAIR) for (library, name), time_s in times.items()]
    return "\n".join(rows) + "\n"


class Replace(apply_test.Apply):
    taught_rows = staticmethod(taught_rows)
    settings = OURS

    @classmethod
    def while_the_daemon_is_there(cls, first, daemon):
        cls.reported = first.run_job(RANKS, program("replaced"), **OURS, COX_INTERVAL="50ms")
        # What the job had no time to send is in its spool.
        daemon.cox("observations", "import", str(first.spool), check=False)
        cls.observed = daemon.observations()

    def ours(self):
        return {(row["collective"], row["algorithm"]) for row in self.spooled() if row["library"] == "coxcoll"}

    def test_results_stay_whatever_mpi_allows(self):
        for name in ("replaced", "apply"):
            with self.subTest(program=name):
                self.spool.unlink(missing_ok=True)
                plain = self.run_ok(RANKS, program(name), agent=False)
                done = self.run_ok(RANKS, program(name), **OURS)
                self.assertEqual(done.stdout, plain.stdout)
                self.assertNotIn("own library", done.stderr)
                self.assertNotEqual(self.ours(), set())

    def test_the_labels_say_which_library_ran_what(self):
        self.run_ok(RANKS, program("replaced"), **OURS)
        wanted = {(collective, name) for collective, best in FASTEST.items() for name in best}
        self.assertEqual(self.ours(), wanted)
        # Where it may be in place, and where counts differ from rank to rank, the MPI library runs.
        self.assertEqual(self.labels("allreduce"), {"default"})

    def test_a_window_is_one(self):
        # Below SWITCH a tree, above it one sender after the other.
        for size, waits in ((64, False), (2048, True)):
            with self.subTest(size=size):
                says = "waited for rank 1" if waits else "left without rank 1"
                self.assertIn("left without rank 1", self.run_ok(RANKS, program("turns"), size, agent=False).stdout)
                self.assertIn(says, self.run_ok(RANKS, program("turns"), size, **OURS).stdout)
                self.assertLessEqual({("gather", FASTEST["gather"][waits])}, self.ours())

    def test_the_daemon_learns_of_it_under_its_own_name(self):
        self.assertEqual(self.reported.returncode, 0, self.reported.stderr)
        jobs = [row for row in self.observed if row["library"] == "coxcoll" and row["collective"] == "alltoall"
                and int(row["block_bytes"]) == 68]
        self.assertEqual({row["algorithm"] for row in jobs}, {"mesh2d"})

    def test_fortran_means_the_same(self):
        def check():
            self.assertEqual({collective for collective, _ in self.ours()}, set(FASTEST))
        self.in_each_language(RANKS, check, **OURS)

    def test_with_samples(self):
        plain = self.run_ok(RANKS, program("replaced"), agent=False)
        done = self.run_ok(RANKS, program("replaced"), **OURS, COX_SYNC="always")
        self.assertEqual(done.stdout, plain.stdout)
        self.assertTrue([row for row in self.spooled() if (row["run"], row["library"]) == ("synchronised", "coxcoll")])

    def test_only_where_it_is_allowed(self):
        self.run_ok(RANKS, program("replaced"), **STEERED)
        self.assertEqual(self.ours(), set())

    def test_what_the_user_has_set_for_a_collective_stays(self):
        name = {"openmpi": "OMPI_MCA_coll_tuned_bcast_algorithm",
                "mpich": "MPIR_CVAR_BCAST_INTRA_ALGORITHM"}[job.arguments.mpi]
        self.run_ok(RANKS, program("replaced"), **{**OURS, name: "binomial"})
        self.assertEqual({collective for collective, _ in self.ours()}, set(FASTEST) - {"bcast"})

    def test_the_librarys_errors_stay(self):
        for handling in ("return", "handler", "other"):
            with self.subTest(handling=handling):
                plain = self.run_ok(RANKS, program("refused"), handling, agent=False)
                done = self.run_ok(RANKS, program("refused"), handling, **OURS)
                self.assertEqual(done.stdout.splitlines(), plain.stdout.splitlines())
                self.assertNotIn("/1\n", plain.stdout)
                # The right calls after them run in libcoxcoll.
                self.assertEqual({collective for collective, _ in self.ours()}, set(FASTEST))
        plain = self.run_job(RANKS, program("refused"), "fatal", agent=False)
        done = self.run_job(RANKS, program("refused"), "fatal", **OURS)
        self.assertNotEqual(plain.returncode, 0)
        self.assert_same_end(done, plain)

    def test_communicators_that_come_and_go(self):
        plain = self.run_ok(RANKS, program("behaviour"), "communicators", 200, agent=False)
        done = self.run_ok(RANKS, program("behaviour"), "communicators", 200, **OURS)
        self.assertEqual(done.stdout, plain.stdout)


class WithoutIt(Replace):
    """One rank has the agent from a folder without libcoxcoll."""

    def command(self, ranks, *words):
        command = super().command(ranks, *words)
        script = ('me=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; '
                  'test -z "$PRELOAD" || test "$me" != "$WITHOUT" || PRELOAD="$ELSEWHERE"; ')
        return [script + word if word.startswith("test -z") else word for word in command]

    def test_one_rank_without_it_turns_it_off_on_all(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for file in (job.arguments.agent, job.arguments.agent.with_name("libcoxagent-stream.so")):
            shutil.copy(file, elsewhere)
        for rank in (0, 2):
            with self.subTest(rank=rank):
                self.spool.unlink(missing_ok=True)
                done = self.run_ok(RANKS, program("replaced"), **OURS, WITHOUT=rank,
                                   ELSEWHERE=elsewhere / job.arguments.agent.name)
                self.assertIn("libcoxcoll cannot be used on some ranks; disabled for this job", done.stderr)
                self.assertEqual(self.ours(), set())


class Explore(job.JobTest):
    """cox run --mode apply --ours, from a daemon that does not know libcoxcoll."""

    SIZE = 68  # bytes; of some of the program's calls

    def setUp(self):
        super().setUp()
        self.daemon = job.Daemon(self)
        self.library = LIBRARY[job.arguments.mpi]
        known = json.loads(self.daemon.cox("strategies", "--library", self.library, "-c", "alltoall").stdout)
        # All that the MPI library has is known to be slow.
        rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
        rows += [f"m1,{self.library},alltoall,{name},1,{RANKS},{RANKS},{self.SIZE},0.5,100,4"
                 for name in ("default", *(row["native_name"] for row in known["strategies"]))]
        taught = self.folder / "taught.csv"
        taught.write_text("\n".join(rows) + "\n")
        self.daemon.cox("observations", "import", "--from-jobs", str(taught))

    def run_through_cox(self, *options):
        done = subprocess.run(
            [str(job.arguments.cox), "--server", self.daemon.address, "run", "--mode", "apply", "--ours", "--limit",
             "20000", "--machine", "m1", "--nodes", "1", "--ppn", str(RANKS), "--library", self.library, *options, "--",
             *job.arguments.launcher.split(), "-np", str(RANKS), str(program("replaced"))],
            env=self.environment(agent=False), capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=job.JOB_TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # What the job had no time to send is in its spool.
        if self.spool.exists():
            self.daemon.cox("observations", "import", "--from-jobs", str(self.spool))
            self.spool.unlink()
        return done

    def of_ours(self):
        """Algorithm -> timings at SIZE."""
        counts = collections.Counter()
        for row in self.daemon.observations():
            if (row["library"], row["collective"], row["block_bytes"]) == ("coxcoll", "alltoall", str(self.SIZE)):
                counts[row["algorithm"]] += int(row["count"])
        return counts

    def test_a_trial_of_ours_runs_and_is_reported(self):
        done = self.run_through_cox("--explore", "50%")
        tried = re.search(r"trial: alltoall from 64 bytes, coxcoll/(\S+?);", done.stderr)
        self.assertIsNotNone(tried, done.stderr)
        counts = self.of_ours()
        self.assertEqual(set(counts), {tried[1]})
        self.assertGreaterEqual(counts[tried[1]], RANKS)


def load_tests(loader, _tests, _pattern):
    """Leaves out the tests that WithoutIt inherits."""
    return unittest.TestSuite([loader.loadTestsFromTestCase(Replace), loader.loadTestsFromTestCase(Explore),
                               WithoutIt("test_one_rank_without_it_turns_it_off_on_all")])


if __name__ == "__main__":
    job.main("--own")
