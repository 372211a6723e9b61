#!/usr/bin/env python3
"""cox calibrate with real MPI jobs.

usage: calibrate_test.py COX COXD MPI [unittest arguments]
"""

import csv
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

from daemon import Daemon

COX = ""
COXD = ""
MPI = ""
OURS = ("alltoall", "bcast", "gather", "scatter")
PAIR_ROWS = "machine,kind,level,pattern,pairs,block_bytes,time_s\n" + "".join(
    f"here,pingpong,node,x,1,{2**i},{1e-6 + 1e-9 * 2**i}\n" for i in range(12))


class CalibrateTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def test_quick_with_ours(self):
        outcome = self.daemon("calibrate", "here", "--quick", "--ours", "--mpi", MPI, "--ranks", "2")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("registered here with 1 node", outcome.err)
        self.assertIn("hockney", outcome.out)
        machine = self.daemon.json("machine", "show", "here")
        self.assertEqual(machine["cores_per_node"], len(os.sched_getaffinity(0)))
        profile = self.daemon.json("profile", "show", "here@1")
        self.assertEqual(profile["provenance"], "PROVENANCE_CALIBRATED")
        # Of small messages: a line through large ones may go through the origin.
        found = {(p["model"], p["level"], p["name"]): p for p in profile["parameters"] if not p.get("above")}
        # How long a message takes depends on who else computes here; that cli_test finds parameters of
        # times that are known says whether the fit is right.
        alpha, beta = (found["hockney", "node", name] for name in ("alpha", "beta"))
        self.assertGreater(alpha["value"], 0)
        self.assertGreater(alpha["value"] + beta["value"] * 2**20, 0)
        self.assertGreater(alpha["stderr"], 0)
        self.assertIn("calibrated", alpha["source"])

        # A message's overheads are small beside its way, but a processor always takes some time for it.
        ends = [found["hockney", "node", name]["value"] for name in ("alpha_cpu", "beta_cpu")]
        self.assertGreater(ends[0] + ends[1] * 2**20, 0)
        prediction, = self.daemon.answer("predict", "-m", "here", "-c", "alltoall", "-p", "2", "--ppn", "2", "-b", "1M",
                                       "--strategy", "alltoall/linear", "--model", "hockney")["predictions"]
        self.assertGreater(prediction["cpu_time_s"], 0)

        rows = list(csv.DictReader(self.daemon("observations", "export").out.splitlines()))
        self.assertEqual(len({row["run"] for row in rows}), 1, "all jobs are one run")
        library, = {row["library"] for row in rows} - {"coxcoll"}
        strategies = self.daemon.json("strategies", "--library", library)["strategies"]
        measured = {(row["collective"], row["algorithm"]) for row in rows if row["library"] == library}
        collectives = {collective for collective, _ in measured}
        self.assertEqual(collectives, {"allgather", "allreduce", *OURS})
        known = {(s["collective"], s["native_name"])
                 for s in strategies if s["collective"] in collectives}
        self.assertEqual({c for c, a in measured if a == "default"}, collectives)
        # With two ranks every algorithm of the library runs as itself.
        self.assertEqual({m for m in measured if m[1] != "default"}, known)
        self.check_ours([row for row in rows if row["library"] == "coxcoll"],
                        {row["block_bytes"] for row in rows if row["library"] == library})

    def check_ours(self, rows, sizes):
        strategies = self.daemon.json("strategies", "--library", "coxcoll")["strategies"]
        # Two ranks are neither a square nor a fourth power.
        runs = {(s["collective"], s["native_name"]) for s in strategies
                if s["collective"] in OURS and s["needs"] in ("", "ranks a power of two")}
        self.assertEqual({(row["collective"], row["algorithm"]) for row in rows}, runs)
        self.assertEqual({row["block_bytes"] for row in rows}, sizes)
        # The postal tree has no price: what is said of its time is what was measured.
        answer = self.daemon.answer("recommend", "-m", "here", "--library", "coxcoll", "-c", "bcast", "-p", "2",
                                  "--ppn", "2", "-b", "2048", "--alternatives")
        self.assertEqual({("bcast", row["algorithm"]) for row in answer["alternatives"]},
                         {run for run in runs if run[0] == "bcast"})

    def test_processor_time_comes_from_overheads(self):
        """1 us and 0.1 ns/byte to send, 2 us and 0.2 ns/byte to receive: a rank of 16 has 15 of both."""
        sizes = [2**i for i in range(0, 17, 2)]
        kinds = {"pingpong": (5e-6, 1e-9), "overhead_send": (1e-6, 1e-10), "overhead_recv": (2e-6, 2e-10)}
        ask = ["predict", "-m", "lab", "-c", "alltoall", "-p", "16", "--ppn", "1", "-b", "1024", "--strategy",
               "alltoall/linear", "--model", "hockney"]
        shape = self.daemon.write("lab.toml", '[machine]\nname = "lab"\nnodes = 16\ncores_per_node = 1\n')
        self.assertEqual(self.daemon("machine", "import", shape).code, 0)

        def cpu_time_s(*measured):
            rows = "".join(f"lab,{kind},network,x,1,{size},{kinds[kind][0] + kinds[kind][1] * size}\n"
                           for kind in measured for size in sizes)
            samples = self.daemon.write("s.csv", "machine,kind,level,pattern,pairs,block_bytes,time_s\n" + rows)
            outcome = self.daemon("calibrate", "lab", "--from", samples)
            self.assertEqual(outcome.code, 0, outcome)
            prediction, = self.daemon.answer(*ask)["predictions"]
            return prediction.get("cpu_time_s", 0)

        self.assertEqual(cpu_time_s("pingpong"), 0)
        expected_s = 15 * (3e-6 + 3e-10 * 1024)
        self.assertAlmostEqual(cpu_time_s(*kinds) / expected_s, 1, delta=0.02)

    def test_libcoxcoll_only_if_wished(self):
        """A launcher that records the command that it should start, and prints recorded rows."""
        pairs = self.daemon.write("pairs.csv", PAIR_ROWS)
        words = self.daemon.path("words")
        launcher = self.daemon.write(
            "launcher", "#!/bin/sh\n"
            f"echo \"$*\" >>{words}\n"
            f"if [ $2 = p2p ]; then cat {pairs}; exit; fi\n"
            "library=mpich-4.0\ncase \"$*\" in *'--library coxcoll'*) library=coxcoll;; esac\n"
            "echo machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
            "echo here,$library,bcast,binomial,1,64,64,8,1e-6\n")
        os.chmod(launcher, 0o755)

        def jobs(*options):
            outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", launcher, *options)
            self.assertEqual(outcome.code, 0, outcome)
            started = self.daemon.read("words").splitlines()
            os.remove(words)
            return started, [line for line in started if "--library coxcoll" in line]

        plain, ours = jobs()
        self.assertEqual(ours, [])
        self.assertNotIn("--collectives", plain[1])
        all_jobs, ours = jobs("--ours")
        self.assertEqual(len(all_jobs), len(plain) + len(ours))
        self.assertIn("--collectives allgather,allreduce,alltoall,bcast,gather,scatter", all_jobs[1])
        # The bcasts alone: the first job had rows of no other collective.
        strategies = self.daemon.json("strategies", "--library", "coxcoll", "-c", "bcast")["strategies"]
        self.assertEqual([line.split("--label ")[1] for line in ours],
                         ["bcast=" + s["native_name"] for s in strategies])
        self.assertEqual(all_jobs[-len(ours):], ours, "after the library's own algorithms")
        self.assertEqual(len({line.split("--run ")[1].split()[0] for line in all_jobs[1:]}), 1)

    def test_what_hooks_have_set_does_not_reach_the_jobs(self):
        pairs = self.daemon.write("pairs.csv", PAIR_ROWS)
        seen = self.daemon.path("seen")
        # The second job fails: the first one is enough.
        launcher = self.daemon.write(
            "launcher", f"#!/bin/sh\nif [ $2 != p2p ]; then exit 9; fi\nenv >{seen}\ncat {pairs}\n")
        os.chmod(launcher, 0o755)
        hooks = {"COX_SET": "COX_CANARY,OMPI_MCA_coll_tuned_use_dynamic_rules", "COX_CANARY": "job",
                 "OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "LD_PRELOAD": "/none/libcoxagent-openmpi.so",
                 "COX_MODE": "tune", "SLURM_SPANK__SLURM_SPANK_OPTION_cox_cox": "tune"}
        self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", launcher,
                    env={**os.environ, **hooks, "MINE": "1", "TMPDIR": self.daemon.folder.name})
        lines = self.daemon.read(seen).splitlines()
        self.assertIn("MINE=1", lines)
        self.assertEqual([line for line in lines if line.split("=")[0] in hooks], ["COX_MODE=off"])

    def test_tuning_by_hand_is_refused(self):
        variable, value = {"openmpi": ("OMPI_MCA_coll_tuned_bcast_algorithm", "2"),
                           "mpich": ("MPICH_BCAST_INTRA_ALGORITHM", "binomial")}[MPI]
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, env={**os.environ, variable: value})
        self.assertEqual(outcome.code, 5, outcome)
        self.assertIn(f"variable {variable} tunes the jobs that measure", outcome.err)
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", "srun --cox=tune")
        self.assertEqual(outcome.code, 5, outcome)
        self.assertIn("--cox=tune", outcome.err)
        self.assertEqual(self.daemon.json("machine", "list")["machines"], [])

    def test_a_launcher_that_fails(self):
        outcome = self.daemon("calibrate", "here", "--quick", "--mpi", MPI, "--launcher",
                              "sh -c 'echo no such queue >&2; exit 9'")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no such queue", outcome.err)
        self.assertIn("exit code 9", outcome.err)
        self.assertEqual(self.daemon.json("machine", "list")["machines"], [])
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", "no-such-program")
        self.assertEqual(outcome.code, 1, outcome)
        self.assertIn("no-such-program: there is no such program", outcome.err)
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", "mpirun 'x")
        self.assertEqual(outcome.code, 5, outcome)

    def test_an_interrupt_ends_the_job(self):
        process = subprocess.Popen(
            [COX, "--server", self.daemon.address, "calibrate", "here", "--quick", "--mpi", MPI,
             "--launcher", "sh -c 'echo started >&2; echo $$ > " + self.daemon.path("pid") +
             "; exec sleep 1000'"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        while not os.path.exists(self.daemon.path("pid")) or not self.daemon.read("pid").strip():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", err)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(self.daemon.read("pid")), 0)

    def launcher(self, collectives):
        """A launcher that plays back messages, and runs shell commands for the collectives of $1 ranks."""
        pairs = self.daemon.write("pairs.csv", PAIR_ROWS)
        launcher = self.daemon.write("launcher", "#!/bin/sh\n"
                                     f"if [ $3 = p2p ]; then cat {pairs}; exit; fi\n"
                                     "timings() {\n"
                                     "  echo machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
                                     "  echo here,other-1.0,bcast,default,1,$1,$1,8,1e-6\n"
                                     "}\n" + collectives)
        os.chmod(launcher, 0o755)
        return launcher + " {ranks}"

    def run_printed_commands(self, err):
        """Runs the commands of cox that a failed calibration prints, in their order."""
        commands = [shlex.split(command) for command in re.findall("`cox ([^`]+)`", err)]
        self.assertEqual([words[0] for words in commands], ["observations", "calibrate"], err)
        for words in commands:
            outcome = self.daemon(*words)
            self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(self.daemon.json("profile", "show", "here@1")["provenance"], "PROVENANCE_CALIBRATED")

    def ranks_stored(self):
        return [row["ranks"] for row in csv.DictReader(self.daemon("observations", "export").out.splitlines())]

    def test_the_measurement_is_kept_when_the_daemon_goes(self):
        launcher = self.launcher(f"timings $1\nkill -KILL {self.daemon.process.pid}\n")
        with tempfile.TemporaryDirectory() as folder:
            outcome = self.daemon("--timeout", "20", "calibrate", "here", "--mpi", MPI, "--launcher",
                                  launcher, env=dict(os.environ, TMPDIR=folder))
            self.assertEqual(outcome.code, 4, outcome)
            self.assertIn("the measurements are in " + folder, outcome.err)
            self.daemon.process.wait(60)
            self.daemon.start()
            self.run_printed_commands(outcome.err)

    def test_numbers_of_ranks_that_fail_later_lose_nothing(self):
        launcher = self.launcher("if [ $1 = 2 ]; then echo queue closed >&2; exit 9; fi\ntimings $1\n")
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", launcher, "--ranks", "3,2,4")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("queue closed", outcome.err)
        self.assertIn("warning: no timings with 2 ranks: measuring library's own choice failed", outcome.err)
        self.assertEqual(self.ranks_stored(), ["3", "4"])
        self.assertIn("hockney", outcome.out)

    def test_times_of_a_busy_machine(self):
        launcher = self.launcher("timings $1 | sed s/1e-6/1/\n")
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--ranks", "3", "--launcher", launcher)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("warning: 1 of 1 timing is far too long: is the machine busy?", outcome.err)
        self.assertNotIn("observations.csv", outcome.err)

    def test_another_calibration_meanwhile_is_named(self):
        words = ["calibrate", "here", "--mpi", MPI, "--ranks", "3", "--launcher"]
        outcome = self.daemon(*words, self.launcher("timings $1\n"))
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn("another calibration", outcome.err)
        other = f"{COX} --server {self.daemon.address} calibrate here --from {self.daemon.path('pairs.csv')} >/dev/null\n"
        outcome = self.daemon(*words, self.launcher(other + "timings $1\n"))
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(outcome.err, r"warning: another calibration of here made revision \d+ while this one measured")

    def test_an_interrupt_keeps_what_was_measured(self):
        started = self.daemon.path("started")
        launcher = self.launcher(f"if [ $1 = 2 ]; then echo >{started}; exec sleep 1000; fi\ntimings $1\n")
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [COX, "--server", self.daemon.address, "calibrate", "here", "--mpi", MPI, "--launcher", launcher,
                 "--ranks", "3,2"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, env=dict(os.environ, TMPDIR=folder))
            while not os.path.exists(started):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, err)
            self.assertIn("interrupted; the measurements are in " + folder, err)
            self.run_printed_commands(err)
            self.assertEqual(self.ranks_stored(), ["3"])


if __name__ == "__main__":
    COX, COXD, MPI = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
