#!/usr/bin/env python3
"""Every verb of cox against a real coxd: answers and refusals.

usage: cli_test.py COX COXD [unittest arguments]
"""

import csv
import datetime
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import unittest

from daemon import Asking, Daemon, run

COX = ""
COXD = ""

OBSERVATION_COLUMNS = (
    "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s".split(",")
)
ANSWER_KEYS = (
    "algorithm native_id strategy predicted_time_s interval_s default_time_s model reason evidence caveats".split()
)
MACHINE = """[machine]
name = "cluster"
nodes = 4
cores_per_node = 8
[machine.topology]
kind = "fat-tree"
[[profile.parameter]]
model = "hockney"
level = "network"
name = "alpha"
value = 2e-6
stderr = 1e-8
source = "a test"
"""


def pairs(machine="cluster"):
    """Point-to-point times of a machine that is exactly linear: 0.5 us and 5 GB/s within a node,
    2 us and 1 GB/s between nodes."""
    rows = ["machine,kind,level,pattern,pairs,block_bytes,time_s"]
    for level, start_s, rate_bps in (("node", 0.5e-6, 5e9), ("network", 2e-6, 1e9)):
        for count in (1, 2, 4):
            for exponent in range(0, 23):
                time_s = start_s + count * 2**exponent / rate_bps
                rows.append(f"{machine},pingpong,{level},pairwise,{count},{2**exponent},{time_s}")
    return "\n".join(rows) + "\n"


def observations(machine="cluster", algorithms=(("linear", 3.0), ("pairwise", 1.0), ("default", 2.0))):
    """Timings of alltoall where one algorithm is the best at every size."""
    rows = [",".join(OBSERVATION_COLUMNS) + ",run"]
    for ranks in (8, 16, 32):
        for exponent in range(2, 17, 2):
            for algorithm, factor in algorithms:
                time_s = factor * (20e-6 + ranks * 2**exponent * 1e-9)
                rows.append(
                    f"{machine},openmpi-4.1,alltoall,{algorithm},{ranks // 8},8,{ranks},"
                    f"{2**exponent},{time_s},r1"
                )
    return "\n".join(rows) + "\n"


def questions(rows):
    return "\n".join(["machine,library,collective,nodes,ppn,ranks,block_bytes,candidates", *rows]) + "\n"


class CliTest(Asking, unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def add_machine(self):
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE))

    def calibrate(self):
        self.add_machine()
        return self.daemon.json("calibrate", "cluster", "--from", self.daemon.write("p.csv", pairs()))

    # Machines and profiles.

    def test_machine_verbs(self):
        self.assertIn("no machines yet", self.daemon("machine", "list").err)
        out = self.ok("machine", "import", self.daemon.write("m.toml", MACHINE))
        self.assertIn("cluster: 4 nodes of 8 cores, profile @1 with 1 parameter", out)
        self.assertIn("fat-tree", self.ok("machine", "list"))
        self.assertEqual(self.daemon.json("machine", "list")["machines"][0]["name"], "machines/cluster")
        self.assertIn("profile     @1, imported", self.ok("machine", "show", "cluster"))
        exported = self.ok("machine", "export", "cluster")
        self.ok("machine", "export", "cluster", "-o", self.daemon.path("out.toml"))
        self.assertEqual(self.daemon.read("out.toml"), exported)
        self.assertEqual(self.daemon.json("machine", "export", "cluster")["machine"]["nodes"], 4)
        self.ok("machine", "delete", "cluster")
        back = self.daemon("--json", "machine", "undelete", "cluster")
        self.assertEqual(json.loads(back.out)["name"], "machines/cluster")
        self.assertIn("cluster is back with 0 observations; what was forgotten since", back.err)
        self.assertEqual(self.ok("machine", "export", "cluster"), exported)
        self.refused(5, "exists", "machine", "undelete", "cluster")
        self.ok("machine", "delete", "cluster")
        self.ok("machine", "import", self.daemon.path("out.toml"))
        again = self.daemon.json("profile", "show", "cluster")["parameters"]
        self.assertEqual([(p["name"], p["value"], p["stderr"]) for p in again], [("alpha", 2e-6, 1e-8)])

    def test_machine_refusals(self):
        self.refused(3, "cluster", "machine", "show", "cluster")
        self.refused(3, "cluster", "machine", "delete", "cluster")
        self.refused(3, "cluster", "machine", "export", "cluster")
        self.add_machine()
        other = self.daemon.write("other.toml", MACHINE.replace("nodes = 4", "nodes = 5"))
        self.refused(5, "4 nodes", "machine", "import", other)
        bad = self.daemon.write("bad.toml", MACHINE.replace("nodes = 4", "nodes = -4"))
        self.refused(5, "bad.toml:3: machine.nodes", "machine", "import", bad)
        unit = self.daemon.write("unit.toml", MACHINE + 'unit = "us"\n')
        self.refused(5, "unit: is 'us', the model takes 's'", "machine", "import", unit)
        unknown = self.daemon.write("unknown.toml", MACHINE.replace('"alpha"', '"omega"'))
        self.refused(5, "omega", "machine", "import", unknown)

    def test_profile_verbs(self):
        self.calibrate()
        listed = self.daemon.json("profile", "list", "cluster")["profiles"]
        self.assertEqual([p["revision"] for p in listed], [2, 1])
        self.assertTrue(listed[0]["active"])
        table = self.ok("profile", "show", "cluster")
        self.assertIn("hockney", table)
        self.assertIn("calibrated", table)
        self.assertIn("imported", self.ok("profile", "show", "cluster@1"))
        self.assertIn("@1", self.ok("profile", "pin", "cluster@1"))
        self.assertEqual(self.daemon.json("profile", "show", "cluster")["revision"], 1)
        self.assertIn("@2", self.ok("profile", "unpin", "cluster"))
        self.assertEqual(self.daemon.json("profile", "show", "cluster")["revision"], 2)
        self.assertIn("@3", self.ok("profile", "rollback", "cluster@1"))
        self.assertEqual(len(self.daemon.json("profile", "show", "cluster@3")["parameters"]), 1)
        self.refused(3, "9", "profile", "show", "cluster@9")
        self.refused(3, "9", "profile", "pin", "cluster@9")
        self.refused(3, "9", "profile", "rollback", "cluster@9")
        self.refused(3, "nowhere", "profile", "list", "nowhere")

    # Calibration from a file.

    def test_calibrate_finds_the_parameters(self):
        response = self.calibrate()
        found = {(p["model"], p["level"], p["name"]): p for p in response["profile"]["parameters"]}
        alpha = found["hockney", "network", "alpha"]
        self.assertAlmostEqual(alpha["value"] / 2e-6, 1, delta=0.05)
        self.assertEqual(alpha["unit"], "s")
        self.assertTrue(response["fits"])
        self.assertEqual(response["stored_count"], 0)

    def test_calibrate_refusals(self):
        good = self.daemon.write("p.csv", pairs())
        self.refused(3, "cluster", "calibrate", "cluster", "--from", good)
        self.add_machine()
        for column, value, rule in (
            ("machine", "other", "it is 'cluster' that is being calibrated"),
            ("level", "rack", "must be self, node, socket or network"),
            ("pairs", "0", "must be within 1.."),
            ("block_bytes", "-1", "must be within 0.."),
            ("time_s", "nan", "must be finite"),
        ):
            file = self.daemon.write("bad.csv", self.replaced(pairs(), 3, column, value))
            self.refused(5, f"bad.csv:4:{column}: ", "calibrate", "cluster", "--from", file)
            outcome = self.daemon("calibrate", "cluster", "--from", file, "--skip-bad")
            self.assertEqual(outcome.code, 0, outcome)
            self.assertIn(rule, outcome.err)
        empty = self.daemon.write("empty.csv", pairs().splitlines()[0] + "\n")
        self.refused(5, "has no rows", "calibrate", "cluster", "--from", empty)

    # The catalogue.

    def test_models_and_strategies(self):
        models = {m["id"]: m for m in self.daemon.json("models")["models"]}
        self.assertLessEqual({"hockney", "max-rate", "loggp", "hyperbolic"}, set(models))
        self.assertIn("alpha", self.ok("models"))
        strategies = self.daemon.json("strategies")["strategies"]
        self.assertIn("alltoall/bruck", [s["name"] for s in strategies])
        out = self.ok("strategies", "--library", "openmpi-4.1", "-c", "alltoall")
        self.assertIn("modified_bruck", out)
        self.assertNotIn("bcast", out)
        self.refused(3, "no-such", "strategies", "--library", "no-such")
        self.assertIn(self.daemon("strategies", "-c", "no-such").code, (3, 5))

    # Advice.

    def test_predict(self):
        self.calibrate()
        ask = ["predict", "-m", "cluster", "-c", "alltoall", "-p", "32", "-b", "1k"]
        one = self.daemon.answer(*ask)
        self.assertGreater(len(one["predictions"]), 2)
        for prediction in one["predictions"]:
            self.assertAlmostEqual(
                sum(t["time_s"] for t in prediction["terms"]) / prediction["time_s"], 1, places=6
            )
        self.assertIn("alltoall/pairwise", self.ok(*ask))
        sweep = self.daemon.json(*ask[:-1], "1k..4k:*2", "--model", "all")
        self.assertEqual([r["block_bytes"] for r in sweep["responses"]], [1024, 2048, 4096])
        only = self.daemon.answer(*ask, "--strategy", "alltoall/bruck", "--model", "hockney")
        self.assertEqual([p["strategy"] for p in only["predictions"]], ["alltoall/bruck"])
        self.refused(3, "nowhere", "predict", "-m", "nowhere", "-c", "bcast", "-p", "2", "-b", "1")
        for words, what in (
            ((*ask[:4], "no-such", *ask[5:]), "no-such"),
            ((*ask, "--strategy", "alltoall/no-such"), "no-such"),
            ((*ask, "--model", "no-such"), "no-such"),
        ):
            outcome = self.daemon(*words)
            self.assertIn(outcome.code, (3, 5), outcome)
            self.assertIn(what, outcome.err)

    def test_recommend(self):
        self.calibrate()
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        ask = ["recommend", "-m", "cluster", "-c", "alltoall", "-p", "16", "--ppn", "8"]
        one = self.daemon.answer(*ask, "-b", "1k")
        self.assertEqual(one["algorithm"], "pairwise", one)
        self.assertEqual(one["native_id"], 2)
        low, high = one["interval_s"]
        self.assertLessEqual(low, one["predicted_time_s"])
        self.assertGreaterEqual(high, one["predicted_time_s"])
        self.assertIn("pairwise", self.ok(*ask, "-b", "1k", "--alternatives"))
        sweep = self.daemon.json(*ask, "-b", "64..4k:*8")
        self.assertEqual([r["block_bytes"] for r in sweep["responses"]], [64, 512, 4096])
        limited = self.daemon.answer(*ask, "-b", "1k", "--candidates", "linear,default")
        self.assertIn(limited["algorithm"], ("linear", "default"))
        self.refused(5, "foo", *ask, "-b", "1k", "--candidates", "foo")
        guessed = self.daemon.answer(*ask, "-b", "1k", "--candidates", "pairwise,pairwis")
        self.assertIn("(did you mean pairwise?)", guessed["caveats"][0])
        self.refused(3, "no-such", *ask, "-b", "1k", "--library", "no-such")
        self.refused(3, "nowhere", "recommend", "-m", "nowhere", "-c", "bcast", "-p", "2", "-b", "1")

    def test_a_job_beyond_the_machine_keeps_the_default(self):
        """One node of two cores was measured, so nothing is known of a network."""
        self.ok("machine", "import", self.daemon.write(
            "m.toml", MACHINE.split("[machine.topology]")[0].replace("= 4", "= 1").replace("= 8", "= 2")))
        rows = pairs().splitlines()
        node = [row for row in rows if ",network," not in row]
        self.ok("calibrate", "cluster", "--from", self.daemon.write("p.csv", "\n".join(node) + "\n"))
        ask = ["tune", "-m", "cluster", "--nodes", "8", "--ppn", "8", "--library", "openmpi-4.1"]
        caveats = ("more nodes (8) than machine cluster (1)", "8 ranks on 2 cores", "nobody measured level network")
        answer = self.daemon.json(*ask)
        self.assertEqual({row["algorithm"] for row in answer["rows"]}, {"default"})
        text = self.daemon(*ask)
        for one, caveat in zip(answer["caveats"], caveats, strict=True):
            self.assertIn(caveat, one)
            self.assertIn(caveat, text.out)
            self.assertIn(caveat, text.err)
        asked = ["recommend", "-m", "cluster", "-c", "alltoall", "-p", "64", "--ppn", "8", "-b", "256k"]
        answer = self.daemon.answer(*asked)
        self.assertEqual(answer["algorithm"], "default")
        self.assertIn("nobody measured", answer["reason"])
        self.assertEqual(len(answer["caveats"]), 3)
        self.assertIn("note: nobody measured level network", self.ok(*asked))
        self.assertIn("note: nobody measured level network", self.ok("predict", *asked[1:]))
        # What the machine has was measured.
        inside = self.daemon.json("tune", "-m", "cluster", "--nodes", "1", "--ppn", "2", "--library", "openmpi-4.1")
        self.assertEqual(inside["caveats"], [])

    def test_far_learning_from_one_source_waits(self):
        self.calibrate()
        columns = ",".join(OBSERVATION_COLUMNS) + ",kind,job,source"
        slow = [columns]
        for size in (64, 512, 4096, 32768):
            for ranks in (8, 16, 32):
                for _ in range(4):
                    slow.append(f"cluster,openmpi-4.1,alltoall,pairwise,{ranks // 8},8,{ranks},{size},"
                                f"{(ranks - 1) * (40e-6 + size / 5e7)},job,42,ada@login")
        self.ok("observations", "import", self.daemon.write("slow.csv", "\n".join(slow) + "\n"))
        before = self.daemon.json("profile", "list", "cluster")
        self.assertEqual([p["revision"] for p in before["profiles"]], [2, 1])
        self.assertEqual(before["held"]["sources"], ["ada@login"])
        self.assertGreater(before["held"]["factor"], 2)
        self.assertRegex(self.ok("profile", "list", "cluster"),
                         r"held back: 48 observations would move .*; these agree with it: ada@login")
        self.assertIn("cox profile accept cluster", self.daemon("doctor").out)
        # A copy of the active revision drops it.
        self.ok("profile", "rollback", "cluster@2")
        self.assertIsNone(self.daemon.json("profile", "list", "cluster")["held"])
        self.refused(5, "nothing is held back", "profile", "accept", "cluster")
        # The same job's next report does not replace what was rolled back to.
        self.ok("observations", "import", self.daemon.path("slow.csv"))
        after = self.daemon.json("profile", "list", "cluster")
        self.assertEqual([p["revision"] for p in after["profiles"]], [3, 2, 1])
        self.assertIn("accepted; active is @4", self.ok("profile", "accept", "cluster"))
        after = self.daemon.json("profile", "list", "cluster")
        self.assertIn("accepted", after["profiles"][0]["note"])
        self.assertIsNone(after["held"])

    def import_twice(self, text, sources):
        """Under two file names: both times what they teach is held back."""
        for name in ("obs.csv", "obs2.csv"):
            self.ok("observations", "import", "--unknown-ok", self.daemon.write(name, text))
            listed = self.daemon.json("profile", "list", "cluster")
            self.assertEqual([p["revision"] for p in listed["profiles"]], [1])
            self.assertGreater(listed["held"]["factor"], 2)
            self.assertEqual(listed["held"]["sources"], sources)

    def import_profile(self):
        parameters = "".join(f'[[profile.parameter]]\nmodel = "hockney"\nlevel = "{level}"\nname = "{name}"\nvalue = {value}\n'
                             for level in ("node", "network") for name, value in (("alpha", 2e-6), ("beta", 1e-9)))
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE.split("[[")[0] + parameters))

    def test_impossible_times_never_free_what_they_teach(self):
        self.import_profile()
        self.import_twice(",".join(OBSERVATION_COLUMNS) + "\n" +
                          "cluster,openmpi-4.1,alltoall,pairwise,2,8,16,64,5.2\n" * 2, [])

    def test_another_file_of_an_operator_is_no_second_source(self):
        self.import_profile()
        slow = ",".join(OBSERVATION_COLUMNS) + ",kind\n" + "".join(
            f"cluster,openmpi-4.1,alltoall,pairwise,{ranks // 8},8,{ranks},{size},"
            f"{(ranks - 1) * (40e-6 + size / 5e7)},job\n" * 4
            for size in (64, 512, 4096, 32768) for ranks in (8, 16, 32))
        self.import_twice(slow, ["an operator's imports"])
        # What another has measured is a second source.
        self.ok("observations", "import", self.daemon.write(
            "jobs.csv", slow.replace(",kind\n", ",kind,job,source\n").replace(",job\n", ",job,42,ada@login\n")))
        self.assertIsNone(self.daemon.json("profile", "list", "cluster")["held"])

    def test_an_algorithm_that_no_table_knows_is_never_recommended(self):
        self.calibrate()
        rows = ",".join(OBSERVATION_COLUMNS) + "\n" + "".join(
            f"cluster,openmpi-4.1,bcast,{name},2,8,16,{size},{time_s}\n" * 4
            for size in (64, 4096) for name, time_s in (("default", 2e-3), ("quux", 1e-4)))
        self.ok("observations", "import", "--unknown-ok", self.daemon.write("quux.csv", rows))
        asked = ["recommend", "-m", "cluster", "-c", "bcast", "-p", "16", "--ppn", "8", "-b", "64"]
        self.assertNotIn("quux", self.ok(*asked, "--alternatives"))
        self.assertNotIn("quux", self.ok("tune", "-m", "cluster", "--nodes", "2", "--ppn", "8", "--library",
                                         "openmpi-4.1", "--format", "env"))
        self.assertEqual(self.daemon.answer(*asked, "--candidates", "default,quux")["algorithm"], "quux")

    def test_calibration_folds_its_warnings(self):
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE.split("[[")[0]))
        samples = "machine,kind,level,pattern,pairs,block_bytes,time_s\n" + "".join(
            f"cluster,pingpong,network,x,1,{size},{2e-6 + size * 1e-9}\n" for size in (8, 64, 512, 4096, 32768))
        file = self.daemon.write("samples.csv", samples)
        folded = self.daemon("calibrate", "cluster", "--from", file).err.splitlines()
        wide = self.daemon("--wide", "calibrate", "cluster", "--from", file).err.splitlines()
        every = [line for line in wide if line.startswith("cox: warning: ")]
        self.assertLessEqual(len(folded), 8, folded)
        self.assertGreater(len(every), 15, every)
        self.assertEqual(folded[-1], f"cox: note: --wide shows all {len(every)} warnings")

    def test_learning_after_a_rollback_starts_from_there(self):
        self.calibrate()
        rows = [",".join(OBSERVATION_COLUMNS) + ",kind,job,source"]
        for size in (64, 512, 4096, 32768):
            for ranks in (2, 4):
                time_s = (ranks - 1) * (2.6e-6 + size * 1.3e-9)
                rows += [f"cluster,openmpi-4.1,alltoall,pairwise,{ranks},1,{ranks},{size},{time_s},job,42,ada@login"] * 6
        mild = self.daemon.write("mild.csv", "\n".join(rows) + "\n")

        def newest():
            return self.daemon.json("profile", "list", "cluster")["profiles"][0]

        self.ok("observations", "import", mild)
        self.assertEqual(newest()["revision"], 3)
        self.ok("profile", "rollback", "cluster@2")
        self.assertEqual(newest()["note"], "rolled back to revision 2")
        # Only what is reported now counts, not what the rollback undid.
        self.ok("observations", "import", mild)
        self.assertEqual(newest()["revision"], 5)
        self.assertIn("learned from 48 observations (ids up to 96) since revision 4", newest()["note"])

    def test_recommend_without_data_is_default(self):
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE.split("[[")[0]))
        answer = self.daemon.answer("recommend", "-m", "cluster", "-c", "alltoall", "-p", "8", "-b", "8")
        self.assertEqual(answer["algorithm"], "default")
        self.assertIn("no data", answer["reason"])

    def test_a_collective_that_an_observed_library_was_not_seen_to_have(self):
        rows = "".join(f"cluster,somebodys-mpi,alltoall,{name},2,8,16,{size},{time_s}\n"
                       for size in (64, 4096) for name, time_s in (("default", 2e-5), ("direct", 1e-5)))
        header = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
        self.ok("observations", "import", self.daemon.write("o.csv", header + rows))
        place = ["-m", "cluster", "-p", "16", "--ppn", "8", "-b", "64", "--library", "somebodys-mpi"]
        self.assertIn("no data", self.ok("recommend", "-c", "neighbor_alltoall", *place))
        # A question about it does not spoil a batch.
        asked = [f"cluster,somebodys-mpi,{collective},2,8,16,64,default;direct"
                 for collective in ("neighbor_alltoall", "alltoall")]
        outcome = self.daemon("--json", "recommend", "--batch", self.daemon.write("ask.csv", questions(asked)))
        self.assertEqual(outcome.code, 0, outcome)
        answers = [json.loads(line) for line in outcome.out.splitlines()]
        self.assertEqual((answers[0]["algorithm"], answers[0]["reason"]), ("default", "no data"))
        self.assertIsNotNone(answers[1]["predicted_time_s"])

    def test_suggest(self):
        self.ok("machine", "import", self.daemon.write("m.toml", MACHINE.split("[[")[0]))
        header = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes\n"
        rows = [f"cluster,somebodys-mpi,alltoall,{name},2,8,16,{size}"
                for size in (64, 4096, 262144) for name in ("default", "direct")]
        ask = ["suggest", "-m", "cluster", "--library", "somebodys-mpi"]
        file = self.daemon.write("c.csv", header + "\n".join(rows))
        wanted = list(csv.DictReader(self.ok(*ask, "--from", file, "-n", "4").splitlines()))
        self.assertEqual(len(wanted), 4)
        columns = header.strip().split(",")
        self.assertEqual(len({",".join(row[name] for name in columns) for row in wanted} & set(rows)), 4)
        self.assertEqual(len({row["block_bytes"] for row in wanted}), 2)
        self.assertGreater(self.daemon.json(*ask, "--from", file)["expected_loss_ratio"], 0)
        # What is suggested can be measured and imported: it is not suggested again.
        timed = header.strip() + ",time_s\n" + "".join(
            ",".join(row[name] for name in columns) + f",{1e-5 * (1 + index)}\n" for index, row in enumerate(wanted))
        self.ok("observations", "import", self.daemon.write("o.csv", timed))
        usual = list(csv.DictReader(self.ok(*ask, "-n", "5").splitlines()))
        self.assertEqual({row["collective"] for row in usual}, {"alltoall"})
        bad = self.daemon.write("bad.csv", header + rows[0].replace("cluster", "other"))
        self.refused(5, "bad.csv:2:machine: ", *ask, "--from", bad)
        self.refused(3, "library: ", "suggest", "-m", "cluster", "--library", "nobodys")

    def test_recommend_batch(self):
        self.calibrate()
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        sizes = [4**(i % 8) for i in range(6000)]
        rows = [f"cluster,openmpi-4.1,alltoall,2,8,16,{size},default;linear;pairwise" for size in sizes]
        file = self.daemon.write("ask.csv", questions(rows))
        outcome = self.daemon("--json", "recommend", "--batch", file)
        self.assertEqual(outcome.code, 0, outcome.err)
        answers = [json.loads(line) for line in outcome.out.splitlines()]
        self.assertEqual(len(answers), len(rows))
        for answer in answers:
            self.assertEqual(list(answer), ANSWER_KEYS)
            self.assertIn(answer["algorithm"], ("default", "linear", "pairwise"))
        times = {}
        for size, answer in zip(sizes, answers):
            self.assertEqual(times.setdefault(size, answer["predicted_time_s"]), answer["predicted_time_s"])
        self.assertGreater(len(set(times.values())), 4, "answers come in the order of the questions")
        # A question that has no answer fails only itself.
        file = self.daemon.write("mixed.csv", questions([rows[0], rows[0].replace("cluster", "nowhere")]))
        outcome = self.daemon("--json", "recommend", "--batch", file)
        self.assertEqual(outcome.code, 5)
        answers = [json.loads(line) for line in outcome.out.splitlines()]
        self.assertIsNone(answers[1]["algorithm"])
        self.assertIn("nowhere", answers[1]["reason"])
        self.assertIn("1 of 2 questions has no answer", outcome.err)
        # A bad row is found before the first question is asked.
        file = self.daemon.write("bad.csv", questions([rows[0], rows[0].replace(",16,", ",17,")]))
        self.assertEqual(self.refused(5, "bad.csv:3:ranks: ", "recommend", "--batch", file).out, "")

    def test_tune(self):
        self.calibrate()
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        ask = ["tune", "-m", "cluster", "--nodes", "2", "--ppn", "8", "--library", "openmpi-4.1"]
        text = self.ok(*ask)
        self.assertIn("#", text)
        table = self.ok(*ask, "-o", self.daemon.path("rules"))
        self.assertIn("alltoall", table)
        # The header repeats the command that was typed, which differs by the -o.
        strip = lambda t: [line for line in t.splitlines() if not line.startswith("#")]
        self.assertEqual(strip(self.daemon.read("rules")), strip(text))
        self.assertIn("export ", self.ok(*ask, "--format", "env"))
        self.assertGreater(self.daemon.json(*ask)["text"].count("\n"), 3)
        self.assertNotIn("bcast", self.ok(*ask, "-c", "alltoall", "-o", self.daemon.path("rules2")))
        before = self.daemon.read("rules")
        self.refused(3, "nowhere", "tune", "-m", "nowhere", *ask[3:], "-o", self.daemon.path("rules"))
        self.assertEqual(self.daemon.read("rules"), before, "a failure leaves the file as it was")
        self.refused(3, "no-such", *ask[:-1], "no-such")
        self.refused(3, "no-such-folder", *ask, "-o", self.daemon.path("no-such-folder/rules"))

    # Observations.

    def test_observations(self):
        file = self.daemon.write("o.csv", observations())
        count = len(observations().splitlines()) - 1
        outcome = self.daemon("observations", "import", file)
        self.assertEqual(outcome.out, f"{count} observations stored\n", outcome)
        self.assertIn("registered cluster", outcome.err)
        shape = self.daemon.json("machine", "show", "cluster")
        self.assertEqual((shape["nodes"], shape["cores_per_node"]), (4, 8))
        self.assertEqual(self.ok("observations", "list", "--count"), f"{count}\n")
        self.assertEqual(self.ok("observations", "list", "--count", "--machine", "cluster"), f"{count}\n")
        listed = self.daemon.json("observations", "list", "--limit", "5")["observations"]
        self.assertEqual(len(listed), 5)
        self.assertIn("pairwise", self.ok("observations", "list", "--limit", "0"))
        exported = self.ok("observations", "export")
        rows = list(csv.DictReader(exported.splitlines()))
        before = list(csv.DictReader(observations().splitlines()))
        for old, new in zip(before, rows):
            self.assertEqual({c: old[c] for c in OBSERVATION_COLUMNS if c != "time_s"},
                             {c: new[c] for c in OBSERVATION_COLUMNS if c != "time_s"})
            self.assertEqual(float(old["time_s"]), float(new["time_s"]))
        self.ok("observations", "export", "-o", self.daemon.path("e.csv"))
        self.assertEqual(self.daemon.json("observations", "import", self.daemon.path("e.csv")),
                         {"stored_count": count, "skipped_count": 0, "refused_count": 0, "spooled_count": 0,
                          "created_machines": []})
        self.assertEqual(self.ok("observations", "list", "--count"), f"{2 * count}\n")
        self.refused(3, "no observations of job none", "observations", "forget", "--job", "none")

    def test_an_export_loses_nothing(self):
        yesterday = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
        at = yesterday.strftime("%Y-%m-%dT%H:%M:%S.465006Z")
        rows = [",".join(OBSERVATION_COLUMNS) + ",run,count,statistic,stddev_s,at,type_bytes,kind,job,source"]
        for job, source, kind, how in (
                ("7", "ada@n1", "job", f"40,min,5.747832201394245e-06,{at},8"),
                ("8", "bob@n2", "job", f"1,mean,,{at},1"),
                ("8", "bob@n2", "benchmark", f"9,median,1e-07,{at},4"),
                ("", "bench.csv", "benchmark", f"1,mean,,{at},16")):
            for size in (8, 64):
                rows.append("cluster,openmpi-4.1,bcast,binomial,2,8,16,"
                            f"{size},1.8782399999999998e-05,r,{how},{kind},{job},{source}")
        self.ok("observations", "import", self.daemon.write("o.csv", "\n".join(rows) + "\n"))

        def exported():
            return sorted(self.ok("observations", "export").splitlines())

        before = exported()
        self.assertEqual(before, sorted(rows))
        self.ok("observations", "export", "-o", self.daemon.path("e.csv"))
        self.ok("machine", "delete", "cluster")
        self.ok("observations", "import", self.daemon.path("e.csv"))
        self.assertEqual(exported(), before)

    def test_an_import_registers_the_shape_of_the_whole_file(self):
        """coxd sees the large job in the last batch, or in the first."""
        small = ",".join(["openmpi-4.1", "bcast", "binomial", "2,8,16", "64", "1e-5"])
        large = ",".join(["openmpi-4.1", "bcast", "binomial", "64,48,3072", "64", "1e-4"])
        for name, rows in (("ascending", [small] * 5000 + [large]), ("descending", [large] + [small] * 5000)):
            lines = [",".join(OBSERVATION_COLUMNS), *(f"{name},{row}" for row in rows)]
            outcome = self.daemon("observations", "import", self.daemon.write("shape.csv", "\n".join(lines) + "\n"))
            self.assertEqual(outcome.code, 0, outcome)
            machine = self.daemon.json("machine", "show", name)
            self.assertEqual((machine["nodes"], machine["cores_per_node"]), (64, 48))
            self.assertIn(f"registered {name} with the largest nodes and ppn seen", outcome.err)

    def test_imports_warn_of_what_nobody_knows(self):
        rows = [",".join(OBSERVATION_COLUMNS)]
        for library, collective, algorithm, time_s in (
                ("nompi-1", "bcast", "x", "1e-5"), ("openmpi-4.1", "nocoll", "x", "1e-5"),
                ("openmpi-4.1", "bcast", "noalgo", "1e-5"), ("openmpi-4.1", "bcast", "binomial", "5.2"),
                ("openmpi-4.1", "bcast", "binomial", "1e-9"), ("openmpi-4.1", "bcast", "binomial", "1e-5")):
            rows.append(f"cluster,{library},{collective},{algorithm},1,2,2,64,{time_s}")
        file = self.daemon.write("odd.csv", "\n".join(rows) + "\n")
        outcome = self.daemon("observations", "import", file)
        self.assertEqual(outcome.out, "6 observations stored\n", outcome)
        for text in ("line 2, with a library without a table, learned from data alone: nompi-1",
                     "line 3, with an unknown collective, learned from data alone: nocoll",
                     "line 4, with an unknown algorithm, learned from data alone: bcast/noalgo",
                     "line 5, with times that no machine needs", "line 6, with times that no machine reaches"):
            self.assertIn(text, outcome.err)
        quiet = self.daemon("observations", "import", file, "--unknown-ok")
        self.assertNotIn("warning", quiet.err)

    def test_observations_are_listed_newest_first(self):
        rows = [",".join(OBSERVATION_COLUMNS) + ",at,job"]
        for day, collective, algorithm in ((1, "bcast", "binomial"), (2, "bcast", "chain"),
                                           (3, "alltoall", "linear"), (4, "alltoall", "pairwise")):
            rows.append(f"cluster,openmpi-4.1,{collective},{algorithm},1,2,2,64,1e-5,2026-11-0{day}T00:00:00Z,j{day % 2}")
        self.ok("observations", "import", self.daemon.write("o.csv", "\n".join(rows) + "\n"))

        def days(*words):
            listed = self.daemon.json("observations", "list", *words)["observations"]
            return [int(row["at"][8:10]) for row in listed]

        self.assertEqual(sorted(days()), [1, 2, 3, 4])
        ids = [row["id"] for row in self.daemon.json("observations", "list")["observations"]]
        self.assertEqual(ids, sorted(ids, reverse=True))
        self.assertEqual(len(days("--limit", "2")), 2)
        self.assertEqual(set(days("--collective", "bcast")), {1, 2})
        self.assertEqual(days("--algorithm", "chain"), [2])
        self.assertEqual(set(days("--since", "2026-11-03")), {3, 4})
        self.assertEqual(days("--since", "2026-11-03", "--job", "j1"), [3])
        self.assertEqual(days("--library", "mpich-4.0"), [])
        self.refused(2, "must be a time", "observations", "list", "--since", "yesterday")
        self.refused(2, "--count goes with", "observations", "list", "--count", "--collective", "bcast")

    def test_tables_fit_eighty_columns(self):
        self.calibrate()
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        narrow = {**os.environ, "COLUMNS": "80"}
        for words in (("observations", "list"), ("profile", "list", "cluster"), ("profile", "show", "cluster"),
                      ("recommend", "-m", "cluster", "-c", "alltoall", "-p", "16", "-b", "64..4k:*8"),
                      ("predict", "-m", "cluster", "-c", "alltoall", "-p", "16", "-b", "1k", "--model", "all"),
                      ("predict", "-m", "cluster", "-c", "alltoall", "-p", "16", "-b", "1k"),
                      ("doctor",), ("models",), ("strategies",), ("strategies", "--library", "openmpi-4.1"),
                      ("kernel", "--list"), ("machine", "list"), ("accuracy", "cluster"),
                      ("tune", "-m", "cluster", "--nodes", "2", "--ppn", "8", "--library", "openmpi-4.1", "-o",
                       self.daemon.path("rules"))):
            lines = self.daemon(*words, env=narrow).out.splitlines()
            table = [line for line in lines if "  " in line.strip()]
            self.assertTrue(table, words)
            self.assertLessEqual(max(map(len, table)), 80, (words, max(table, key=len)))
            self.assertNotIn(" ? ", "\n".join(lines))
        self.assertGreater(max(map(len, self.daemon("--wide", "observations", "list", env=narrow).out.splitlines())), 80)

    def test_forget_a_source(self):
        rows = observations().splitlines()
        kept = self.daemon.write("kept.csv", "\n".join(rows[:4]) + "\n")
        wrong = self.daemon.write("wrong.csv", "\n".join([rows[0], *rows[4:]]) + "\n")
        self.ok("observations", "import", kept)
        self.ok("observations", "import", wrong)
        self.ok("observations", "import", wrong, "--source", "again")
        count = len(rows) - 4
        self.assertEqual(self.ok("observations", "list", "--count", "--source", "wrong.csv"), f"{count}\n")
        self.refused(3, "no observations of source none", "observations", "forget", "--source", "none")
        self.assertEqual(self.ok("observations", "forget", "--source", "wrong.csv"),
                         f"{count} observations forgotten\n")
        self.assertEqual(self.ok("observations", "list", "--count", "--source", "wrong.csv"), "0\n")
        self.assertEqual(self.daemon.json("observations", "forget", "--source", "again"),
                         {"removed_count": count, "removed_sketch_count": 0})
        self.assertEqual(self.ok("observations", "list", "--count"), "3\n")
        exported = list(csv.DictReader(self.ok("observations", "export", "--source", "kept.csv").splitlines()))
        self.assertEqual([row["algorithm"] for row in exported], [row.split(",")[3] for row in rows[1:4]])
        both = self.daemon("observations", "forget", "--source", "kept.csv", "--job", "none")
        neither = self.daemon("observations", "forget")
        self.assertEqual((both.code, neither.code), (2, 2), f"{both}{neither}")

    def accuracy(self, *words):
        """The rows of the table as dictionaries, and the notes below it."""
        lines = self.ok("accuracy", "cluster", *words).splitlines()
        titles = re.split(r" {2,}", lines[0].strip())
        cut = next(i for i, line in enumerate(lines) if line.startswith("selected model: "))
        rows = [dict(zip(titles, re.split(r" {2,}", line.strip()), strict=True)) for line in lines[1:cut]]
        return rows, lines[cut:]

    def test_accuracy(self):
        self.calibrate()
        self.assertIn("no observations yet", self.daemon("accuracy", "cluster").err)
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        rows, notes = self.accuracy()
        self.assertEqual([row["COLLECTIVE"] for row in rows], ["(all)", "alltoall"])
        models = [title for title in rows[0] if title not in ("COLLECTIVE", "CELLS", "LEFT OUT")]
        self.assertIn("hockney", models)
        best = [model for model in models if rows[0][model].startswith("*")]
        self.assertEqual(len(best), 1, rows)
        self.assertIn(notes[0].split()[-1], models)
        answer = self.daemon.json("accuracy", "cluster")
        self.assertEqual(answer["rows"][0]["best_model"], best[0])
        sizes, _ = self.accuracy("--by", "size")
        self.assertGreater(len({row["BLOCK"] for row in sizes if row["COLLECTIVE"] == "alltoall"}), 1, sizes)
        self.assertEqual(sum(int(row["CELLS"]) for row in sizes if row["COLLECTIVE"] == "alltoall"),
                         int(rows[1]["CELLS"]))
        largest, _ = self.accuracy("--statistic", "largest")
        number = lambda text: float(text.strip("*% "))  # noqa: E731
        for model in models:
            self.assertGreaterEqual(number(largest[1][model]), number(rows[1][model]), model)
        self.assertNotEqual([largest[1][model] for model in models], [rows[1][model] for model in models])
        title, *rest = self.ok("accuracy", "cluster", "--by", "size,library").splitlines()
        self.assertTrue({"BLOCK", "LIBRARY"} <= set(title.split()), title)
        self.assertTrue(any("openmpi-4.1" in line.split() for line in rest), rest)
        outcome = self.daemon("accuracy", "cluster", "--statistic", "mean")
        self.assertEqual(outcome.code, 2, outcome)
        self.refused(3, "nowhere", "accuracy", "nowhere")

    def replaced(self, text, row, column, value):
        lines = text.splitlines()
        fields = lines[row].split(",")
        fields[lines[0].split(",").index(column)] = value
        lines[row] = ",".join(fields)
        return "\n".join(lines) + "\n"

    def test_bad_rows(self):
        count = len(observations().splitlines()) - 1
        for column, value, rule in (
            ("machine", "No Name", "a machine's name is"),
            ("library", "", "is empty"),
            ("collective", "", "is empty"),
            ("algorithm", "", "is empty"),
            ("nodes", "0", "must be within 1.."),
            ("ppn", "x", "not an integer"),
            ("ranks", "1000", "but nodes x ppn is 32"),
            ("block_bytes", "9223372036854775808", "must be within 0.."),
            ("time_s", "inf", "must be finite"),
            ("time_s", "-1e-6", "must be > 0"),
            ("time_s", "1e-6,extra", "has 11 fields, the header has 10"),
            ("run", '"open', "a quote is opened and never closed"),
        ):
            # The last row, so that an open quote swallows nothing.
            file = self.daemon.write("bad.csv", self.replaced(observations(), count, column, value))
            outcome = self.daemon("observations", "import", file)
            self.assertEqual(outcome.code, 5, outcome)
            where = f"bad.csv:{count + 1}:" + (f"{column}: " if "extra" not in value and '"' not in value else " ")
            self.assertIn(where, outcome.err)
            self.assertIn(rule, outcome.err)
            self.assertIn(f"1 of {count} rows is bad and nothing was imported", outcome.err)
            self.assertEqual(self.ok("observations", "list", "--count"), "0\n")
        outcome = self.daemon("observations", "import", file, "--skip-bad")
        self.assertEqual(outcome.out, f"{count - 1} observations stored, 1 row skipped\n", outcome)

    def test_bad_files(self):
        self.refused(5, "is empty", "observations", "import", self.daemon.write("none.csv", ""))
        os.mkfifo(self.daemon.path("pipe"))
        self.refused(5, "save the rows into a file first", "observations", "import", self.daemon.path("pipe"), timeout=60)
        headless = self.daemon.write("headless.csv", observations().split("\n", 1)[1])
        self.refused(5, "the header lacks this column", "observations", "import", headless)
        with open(self.daemon.path("binary.csv"), "wb") as file:
            file.write(os.urandom(5000).replace(b"\n", b"\0"))
        self.assertEqual(self.daemon("observations", "import", self.daemon.path("binary.csv")).code, 5)
        extra = self.daemon.write("extra.csv", observations().replace("time_s", "color,time_s", 1))
        outcome = self.daemon("observations", "import", extra)
        self.assertIn("ignores the columns color", outcome.err)

    # Watching, and the installation.

    def test_watch(self):
        self.add_machine()
        first = threading.Event()
        lines = []
        process = subprocess.Popen(
            [COX, "--server", self.daemon.address, "--json", "watch", "cluster", "--limit", "2"],
            text=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )

        def read():
            for line in process.stdout:
                lines.append(json.loads(line))
                first.set()

        reader = threading.Thread(target=read)
        reader.start()
        self.assertTrue(first.wait(60))
        self.ok("profile", "rollback", "cluster@1")
        self.assertEqual(process.wait(60), 0)
        reader.join()
        process.stdout.close()
        self.assertEqual([p["revision"] for p in lines], [1, 2])
        self.refused(3, "nowhere", "watch", "nowhere")

    def test_watch_prints_what_changed(self):
        self.calibrate()
        process = subprocess.Popen([COX, "--server", self.daemon.address, "watch", "cluster", "--limit", "2"],
                                   text=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        first = process.stdout.readline()
        self.assertIn("cluster@2  calibrated", first)
        self.ok("observations", "import", self.daemon.write("o.csv", observations()))
        rest = process.stdout.read().splitlines()
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()
        self.assertIn("@2 -> @3", "\n".join(rest))
        self.assertLessEqual(len(rest), 20)

    def test_watch_survives_a_restart(self):
        self.add_machine()
        process = subprocess.Popen(
            [COX, "--server", self.daemon.address, "--json", "watch", "cluster", "--limit", "2"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        )
        self.assertEqual(json.loads(process.stdout.readline())["revision"], 1)
        self.daemon.stop()
        self.daemon.start()
        self.ok("profile", "rollback", "cluster@1")
        out, err = process.communicate(timeout=60)
        self.assertEqual(json.loads(out)["revision"], 2)
        self.assertIn("waiting until it is back", err)

    def test_doctor(self):
        outcome = self.daemon("--json", "doctor")
        checks = {c["check"]: c for c in json.loads(outcome.out)["checks"]}
        self.assertEqual(outcome.code, 0, outcome)
        for name in ("daemon", "version", "store", "observations", "time"):
            self.assertEqual(checks[name]["result"], "ok", checks[name])
        self.assertEqual(checks["machines"]["result"], "warn")
        self.assertIn("cox calibrate", checks["machines"]["advice"])
        self.calibrate()
        self.assertIn("each with a profile", self.ok("doctor"))

    def test_doctor_knows_of_drifts(self):
        def runs(name, slower):
            header = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
            return self.daemon.write(name, header + "".join(
                f"cluster,mpich-4.0,{collective},default,4,1,4,{size},{1e-8 * size * slower * (1 + 0.01 * (i % 5))}\n"
                for i in range(20) for collective in ("bcast", "allreduce") for size in (4096, 65536)))
        self.calibrate()
        self.ok("observations", "import", runs("usual.csv", 1))
        self.assertNotIn("drift", self.ok("doctor"))
        # Two sources say so.
        for name in ("slow-1.csv", "slow-2.csv"):
            self.ok("observations", "import", runs(name, 3))
        told = json.loads(self.ok("--json", "doctor"))["checks"]
        drifts = [check for check in told if check["check"] == "drift"]
        self.assertEqual([check["result"] for check in drifts], ["warn"], told)
        self.assertRegex(drifts[0]["detail"], r"^cluster: times over the network.* are [23]\.\d\d times what they were$")
        self.assertNotIn("0 B", drifts[0]["detail"])
        self.calibrate()
        self.assertNotIn("drift", self.ok("doctor"))

    # Without an answer.

    def test_without_a_daemon(self):
        self.calibrate()
        self.daemon.stop()
        file = self.daemon.write("o.csv", observations())
        for words in (
            ("machine", "list"), ("profile", "show", "cluster"), ("models",), ("strategies",),
            ("predict", "-m", "cluster", "-c", "bcast", "-p", "2", "-b", "1"),
            ("recommend", "-m", "cluster", "-c", "bcast", "-p", "2", "-b", "1"),
            ("tune", "-m", "cluster", "--nodes", "1", "--library", "openmpi-4.1"),
            ("observations", "list"), ("observations", "import", file), ("watch", "cluster"),
            ("calibrate", "cluster", "--from", self.daemon.path("p.csv")), ("calibrate", "cluster"),
        ):
            outcome = self.refused(4, "cannot reach coxd at unix:", "--timeout", "20", *words)
            self.assertEqual(outcome.out, "")
        outcome = self.daemon("doctor")
        self.assertEqual(outcome.code, 1)
        self.assertIn("start it", outcome.out)

    def test_timeout(self):
        """A daemon that takes the connection and says nothing."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            address = f"127.0.0.1:{silent.getsockname()[1]}"
            outcome = run([COX, "--server", address, "--timeout", "0.2", "models"], timeout=60)
        self.assertEqual(outcome.code, 4, outcome)
        self.assertTrue("in time" in outcome.err or "cannot reach" in outcome.err, outcome.err)

    def test_a_stopped_daemon_is_not_waited_for(self):
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            self.refused(4, "no answer from coxd", "--timeout", "0.3", "models", timeout=60)
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            process = subprocess.run(
                [COX, "--server", self.daemon.address, "models"],
                stdout=full, stderr=subprocess.PIPE, text=True,
            )
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot be written", process.stderr)


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
