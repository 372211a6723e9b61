#!/usr/bin/env python3
"""cox calibrate --budget: rounds of what is worth most, on a cluster of six nodes that play_cluster.py plays.

usage: budget_test.py COX COXD MPI [unittest arguments]
"""

import csv
import json
import os
import pathlib
import re
import sys
import unittest

import play_cluster
from daemon import Daemon

COX = ""
COXD = ""
MPI = ""
PLAYER = pathlib.Path(__file__).resolve().parent / "play_cluster.py"
HOSTS = [f"n{number}" for number in range(1, 7)]
RANKS = (6, 4, 3, 2)
LINE = re.compile(r"today's decisions should waste (\S+) % of the time in the \d+ calls of this run; another minute should save (\S+) %")


class BudgetTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def calibrate(self, *words, hosts="{hosts}", job_s=0):
        log = self.daemon.path("jobs")
        launcher = f"{sys.executable} {PLAYER} {log} {hosts} {{ranks}}"
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", launcher, *words,
                              env={**os.environ, "PLAY_JOB_S": str(job_s)})
        self.assertEqual(outcome.code, 0, outcome)
        with open(log, encoding="utf-8") as file:
            return outcome, [json.loads(line) for line in file]

    def measured(self):
        return list(csv.DictReader(self.daemon("observations", "export").out.splitlines()))

    def regret(self, of_ranks=RANKS):
        """Mean of the chosen over the best time, and of the default over the best one."""
        asked = [(c, p, m) for c in play_cluster.DEFAULTS for p in of_ranks for m in play_cluster.SIZES]
        batch = self.daemon.write("batch.csv", "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n" +
                                  "".join(f"here,openmpi-4.1,{c},{p},1,{p},{m},\n" for c, p, m in asked))
        answers = [json.loads(line) for line in self.daemon("--json", "recommend", "--batch", batch).out.splitlines()]
        self.assertEqual(len(answers), len(asked))
        chosen = default = 0
        for (collective, ranks, size), answer in zip(asked, answers):
            times = {name: play_cluster.time_s(collective, name, ranks, size)
                     for of, name in play_cluster.TIMES if of == collective}
            best = min(times.values())
            chosen += play_cluster.time_s(collective, answer["algorithm"], ranks, size) / best
            default += play_cluster.time_s(collective, "default", ranks, size) / best
        return chosen / len(asked), default / len(asked)

    def test_rounds_until_a_minute_is_not_worth_it(self):
        outcome, jobs = self.calibrate("--budget", "10m", "--hosts", ",".join(HOSTS))
        self.assertIn("registered here with 6 nodes", outcome.err)
        lines = [(float(lost), float(saved)) for lost, saved in LINE.findall(outcome.err)]
        self.assertGreaterEqual(len(lines), 2, outcome.err)
        self.assertLess(lines[-1][0], lines[0][0], "the estimate of what is lost falls")
        self.assertGreaterEqual(min(saved for _, saved in lines[:-1]), 1)
        self.assertRegex(outcome.err, r"stopped after \d+ of 600 s: (another minute is not worth it|every)")
        # Nothing twice, and less than the grid.
        rows = self.measured()
        keys = [(row["collective"], row["algorithm"], row["ranks"], row["block_bytes"]) for row in rows]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(len({row["run"] for row in rows}), 1, "all jobs are one run")
        chosen, default = self.regret()
        self.assertGreater(default, 1.5)
        self.assertLess(chosen, 1.1, outcome.err)
        # Each job has as many hosts as nodes; jobs at once have no host in common; small jobs are anywhere.
        for job in jobs:
            self.assertEqual(len(job["hosts"]), job["ranks"])
            for other in jobs:
                if other is not job and job["start"] < other["end"] and other["start"] < job["end"]:
                    self.assertFalse(set(job["hosts"]) & set(other["hosts"]), (job, other))
        self.assertEqual({job["ranks"] for job in jobs}, set(RANKS), "also ranks that are no powers of two")
        self.assertTrue(any(HOSTS[0] not in job["hosts"] for job in jobs), "some jobs run beside others")

    def test_ranks_of_ones_own_and_a_short_time(self):
        outcome, jobs = self.calibrate("--budget", "1s", "--ranks", "4", hosts="any", job_s=0.5)
        self.assertIn("of 1 s: the time is spent", outcome.err)
        self.assertEqual([job["mode"] for job in jobs], ["p2p", "collectives"])
        self.assertEqual({row["algorithm"] for row in self.measured()}, {"default"})
        outcome, jobs = self.calibrate("--budget", "10m", "--ranks", "4", hosts="any")
        self.assertEqual({job["ranks"] for job in jobs}, {4})
        self.assertLess(self.regret((4,))[0], 1.1, outcome.err)

    def interrupted(self, after):
        """cox, its stderr and the folder of its files, if Ctrl-C comes with the start of the job number `after`."""
        log = self.daemon.path("jobs")
        launcher = self.daemon.write(
            "launcher", "#!/bin/sh\n"
            f"if [ -e {log} ] && [ $(wc -l <{log}) = {after} ]; then kill -INT $PPID; exec sleep 1000; fi\n"
            f"exec {sys.executable} {PLAYER} {log} any $*\n")
        os.chmod(launcher, 0o755)
        outcome = self.daemon("calibrate", "here", "--mpi", MPI, "--launcher", launcher + " {ranks}", "--ranks", "4",
                              "--budget", "10m", env={**os.environ, "TMPDIR": self.daemon.folder.name})
        self.assertEqual(outcome.code, 130, outcome)
        return outcome.err

    def run_printed_commands(self, err):
        for command in re.findall("later `cox ([^`]+)`(?:, then `cox ([^`]+)`)?", err):
            for words in filter(None, command):
                outcome = self.daemon(*words.split())
                self.assertEqual(outcome.code, 0, outcome)

    def test_an_interrupt_keeps_messages(self):
        err = self.interrupted(after=1)
        self.assertIn("interrupted; the measurements are in " + self.daemon.folder.name, err)
        self.assertIn("`cox calibrate here --from ", err)

    def test_an_interrupt_keeps_the_unfinished_round(self):
        first = sum(1 for _ in play_cluster.DEFAULTS for _ in play_cluster.SIZES)
        err = self.interrupted(after=3)
        self.assertIn("coxd has stored " + str(first) + " timings", err)
        before = len(self.measured())
        self.assertEqual(before, first)
        with open(self.daemon.path("jobs"), encoding="utf-8") as file:
            third = json.loads(file.readlines()[2])
        self.run_printed_commands(err)
        self.assertEqual(len(self.measured()) - before, len(third["options"]["--cells"]))

    def test_an_interrupt_says_what_the_calibration_replaced(self):
        self.calibrate("--budget", "1s", "--ranks", "4", hosts="any", job_s=0.5)
        os.remove(self.daemon.path("jobs"))
        revision = self.daemon.json("profile", "show", "here")["revision"]
        self.assertIn(f"replaces the parameters of revision {revision}", self.interrupted(after=2))

    def test_wrong_words(self):
        for words, said in (
            (["--hosts", "a,b"], "--hosts"),  # without a budget
            (["--budget", "1m", "--hosts", "a"], "--hosts: name at least two nodes"),
            (["--budget", "1m", "--hosts", "a,b,a"], "--hosts: a node is named twice"),
            (["--budget", "1m", "--hosts", "a,b"], "--hosts: the launcher needs {hosts} for their names"),
            (["--budget", "1m", "--hosts", "a,b", "--launcher", "x {hosts}", "--ours"], "cannot be used with --ours"),
            (["--budget", "1m", "--launcher", "x {hosts}"], "--launcher: {hosts} needs --hosts"),
            (["--launcher", "x -N {nodes} -n {ranks}"], "--launcher: {nodes} needs --hosts"),
            (["--launcher", "x -n {ranks} --ntasks-per-node {ppn}"], "--launcher: {ppn} needs --hosts"),
            (["--launcher", "x -n 4", "--ranks", "2,4"], "--ranks: of several numbers, the launcher needs {ranks}"),
        ):
            outcome = self.daemon("calibrate", "here", *words)
            self.assertEqual(outcome.code, 2, outcome)
            self.assertIn(said, outcome.err)


if __name__ == "__main__":
    COX, COXD, MPI = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
