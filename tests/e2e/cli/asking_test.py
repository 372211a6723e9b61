#!/usr/bin/env python3
"""Questions to a fresh coxd with its published machines: predict, explain, pattern, kernel, reduce,
and what they write to files.

usage: asking_test.py COX COXD [unittest arguments]
"""

import csv
import io
import json
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from daemon import Daemon

COX = ""
COXD = ""

GRAPH = {
    "kind": "KIND_SERIAL",
    "dependent": True,
    "parts": [
        {"name": "send", "a_s": 40e-6, "b_s_per_byte": 20e-9},
        {"name": "wire", "a_s": 10e-6, "b_s_per_byte": 80e-9},
    ],
}


class AskingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX, published=True)
        cls.daemon.start()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    def ok(self, *words):
        outcome = self.daemon(*words)
        self.assertEqual(outcome.code, 0, f"cox {' '.join(words)}: {outcome}")
        return outcome.out

    def refused(self, code, message, *words):
        """One line on stderr that says `message`."""
        outcome = self.daemon(*words)
        self.assertEqual(outcome.code, code, f"cox {' '.join(words)}: {outcome}")
        self.assertIn(message, outcome.err)
        self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
        self.assertTrue(outcome.err.startswith("cox: "), outcome.err)

    def rows(self, text):
        return list(csv.DictReader(io.StringIO(text)))

    def test_machines_say_where_they_come_from(self):
        machines = {m["name"]: m for m in self.daemon.json("machine", "list")["machines"]}
        self.assertEqual(machines["machines/intel-delta"]["provenance"], "PROVENANCE_PUBLISHED")
        table = self.ok("machine", "list")
        self.assertIn("PROVENANCE", table)
        self.assertRegex(table, "intel-delta +256 +1 +mesh 16x16 +published")

    def test_models_say_what_is_stated(self):
        table = self.ok("models")
        for word in ("FROM", "stated", "fitted", "may depend on: bytes of a message", "blind to"):
            self.assertIn(word, table)

    def test_pieces_and_relations_survive(self):
        for machine in self.daemon.json("machine", "list")["machines"]:
            name = machine["name"].split("/")[1]
            before = self.daemon.json("profile", "show", name)["parameters"]
            text = self.ok("machine", "export", name).replace(f'"{name}"', f'"{name}-again"')
            self.ok("machine", "import", self.daemon.write("m.toml", text))
            after = self.daemon.json("profile", "show", name + "-again")["parameters"]
            self.assertEqual(before, after)
            self.ok("machine", "delete", name + "-again")
        shown = "".join(
            self.ok("profile", "show", m["name"].split("/")[1])
            for m in self.daemon.json("machine", "list")["machines"]
        )
        self.assertRegex(shown, "above [0-9.]+ B")
        self.assertIn("<= ", shown)

    def test_a_profile_for_the_collectives_library(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('[machine]\nname = "small"\nnodes = 4\ncores_per_node = 8\n')
            for name, value in (("alpha", 2e-6), ("beta", 1e-9)):
                file.write(f'[[profile.parameter]]\nmodel = "hockney"\nlevel = "network"\n'
                           f'name = "{name}"\nvalue = {value}\n')
            file.flush()
            self.ok("machine", "import", file.name)
        lines = self.ok("profile", "show", "small", "--compact").splitlines()
        self.assertEqual(lines[0], "# machines/small/profiles/1, messages on level network")
        self.assertEqual(lines[1:], ["alpha_s 2e-06", "beta_s_per_byte 1e-09"])
        self.refused(5, "without --json", "--json", "profile", "show", "small", "--compact")
        self.refused(5, "alpha and beta", "profile", "show", "gcel-64", "--compact")
        cluster = self.daemon("profile", "show", "hku-cluster-16", "--compact")
        self.assertEqual(cluster.code, 0, cluster)
        values = dict(line.split() for line in cluster.out.splitlines()[1:])
        self.assertEqual(set(values), {"alpha_s", "beta_s_per_byte", "packet_bytes", "buffer_packets",
                                       "send_gap_s", "receive_gap_s"})
        # A packet of 1500 bytes: g_r = 4.986 us + 1500 x 0.0788 us.
        self.assertAlmostEqual(float(values["beta_s_per_byte"]) * 1500, 123.186e-6, places=9)
        self.assertTrue(20e-6 < float(values["alpha_s"]) < 100e-6, cluster)

    def test_blocks_from_times(self):
        """The paper's Paragon: a_p + a_c = 120 us, b_p = 0.031 us, b_c = 0.012 us."""
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("network,kind,n,block_bytes,time_s\n")
            for n in (1, 2, 3, 4, 5):
                file.write(f"mesh-row,pairs,{n},0,240e-6\n"
                           f"mesh-row,pairs,{n},1000000,{max(0.031, n * 0.012)}\n")
            file.flush()
            infer = ["infer", "--file", file.name]
            answer = self.daemon.json(*infer)
            found = {p["name"]: (round(p["value"] * 1e6, 6), p["relation"]) for p in answer["parameters"]}
            self.assertEqual(found, {"a_p + a_c": (120, "sum"), "b_c": (0.012, "equal"),
                                     "b_p": (0.031, "equal")})
            self.assertEqual(answer["stopped_at_n"], 4)
            self.assertRegex(self.ok(*infer), r"b_p +31\.00 ns/byte +equal")
            self.refused(5, "is not multistage", *infer, "--channels", "4")
            self.refused(5, "is not shared-medium", *infer, "--exact")
            for row, reason in (("mesh-row,pair,1,0,1\n", ":12:kind: must be one of pingpong, alltoall, pairs"),
                                ("multistage,pairs,1,0,1\n", ":12:network: must be the same in all rows"),
                                ("ring,pairs,1,0,1\n", ":12:network: must be one of shared-medium")):
                size = file.tell()
                file.write(row)
                file.flush()
                self.refused(5, reason, *infer)
                file.seek(size)
                file.truncate()

    def test_blocks_need_times_of_their_network(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("network,kind,n,block_bytes,time_s\n")
            file.flush()
            self.refused(5, "has no times", "infer", "--file", file.name)
            file.write("shared-medium,alltoall,3,0,1e-3\n")
            file.flush()
            self.refused(5, "ping-pongs", "infer", "--file", file.name)

    def test_the_two_questions_of_the_readme(self):
        ask = ["explain", "-m", "intel-delta", "-c", "alltoall", "-p", "256", "-b", "64", "--to", "1k"]
        text = self.ok(*ask)
        self.assertIn("model c3", text)
        self.assertIn("The best by size, to the byte", text)
        self.assertIn("section 4.1", text)
        before = self.daemon.answer(*ask)
        after = self.daemon.answer(*ask, "--what-if", "c3.s*0.1")
        self.assertEqual(before["ranges"][0]["from_block_bytes"], 1)
        self.assertEqual(before["ranges_through_block_bytes"], 1024)
        self.assertLess(after["predictions"][0]["time_s"], before["predictions"][0]["time_s"])
        self.assertIn("with parameters changed", self.ok(*ask, "--what-if", "c3.s*0.1"))

    def test_explain_agrees_with_predict_at_every_border(self):
        found = self.daemon.answer(
            "explain", "-m", "intel-delta", "-c", "alltoall", "-p", "64", "-b", "8", "--to", "8k")
        self.assertGreater(len(found["ranges"]), 1)
        for best in found["ranges"][1:4]:
            for size, is_first in ((best["from_block_bytes"] - 1, False), (best["from_block_bytes"], True)):
                predicted = self.daemon.answer(
                    "predict", "-m", "intel-delta", "-c", "alltoall", "-p", "64", "-b", str(size))
                times = {p["strategy"]: p["time_s"] for p in predicted["predictions"]}
                beaten = min(times.values()) < times[best["strategy"]] * (1 - 1e-9)
                self.assertEqual(beaten, not is_first, (size, best))

    def test_explain_sweeps_ranks_and_writes_csv(self):
        ask = ["explain", "-m", "cm5-64", "-c", "bcast", "-p", "8,16", "-b", "64", "--model", "bsp"]
        self.assertEqual(len(self.daemon.json(*ask)["responses"]), 2)
        rows = self.rows(self.ok(*ask, "--csv", "-"))
        self.assertEqual({row["ranks"] for row in rows}, {"8", "16"})
        self.assertEqual(rows[0]["from_block_bytes"], "1")
        self.assertEqual(rows[-1]["to_block_bytes"], str(16 << 20))
        self.refused(5, "model", *ask[:-1], "all")
        self.refused(3, "no-such", *ask[:-1], "no-such")
        self.refused(2, "--to: 'x' is not a size", *ask, "--to", "x")
        self.refused(2, "--from", *ask, "--from", "1k", "--to", "1")

    def test_predict_compares_models(self):
        text = self.ok("predict", "-m", "cm5-64", "-c", "alltoall", "-p", "64", "-b", "1k", "--model", "all")
        self.assertIn("MAX/MIN", text)
        self.assertIn("bpram", text.splitlines()[2])

    def test_predict_writes_csv_and_plots(self):
        ask = ["predict", "-m", "intel-delta", "-c", "alltoall", "-p", "64", "-b", "8..1k:*2"]
        rows = self.rows(self.ok(*ask, "--csv", "-"))
        one = self.daemon.json(*ask)
        self.assertEqual(len(rows), sum(len(r["predictions"]) for r in one["responses"]))
        first = one["responses"][0]["predictions"][0]
        self.assertEqual(float(rows[0]["time_s"]), first["time_s"])
        self.assertEqual(rows[0]["strategy"], first["strategy"])
        terms = {t["name"].replace(" ", "_") + "_s": t["time_s"] for t in first["terms"]}
        for name, time_s in terms.items():
            self.assertEqual(float(rows[0][name]), time_s)
        plot = self.daemon.path("times.svg")
        self.ok(*ask, "--csv", self.daemon.path("times.csv"), "--plot", plot)
        self.assertEqual(self.rows(self.daemon.read("times.csv")), rows)
        drawing = xml.etree.ElementTree.parse(plot).getroot()
        texts = [t.text for t in drawing.iter("{http://www.w3.org/2000/svg}text")]
        for strategy in {row["strategy"] for row in rows}:
            self.assertIn(strategy, texts)
        self.assertIn("bytes of a block", texts)
        again = self.daemon.read("times.svg")
        self.ok(*ask, "--plot", plot)
        self.assertEqual(self.daemon.read("times.svg"), again)
        self.refused(3, "no-such-folder", *ask, "--csv", self.daemon.path("no-such-folder/x.csv"))

    def test_what_if_refusals(self):
        ask = ["predict", "-m", "intel-delta", "-c", "alltoall", "-p", "64", "-b", "8"]
        self.refused(5, "c3.network.s", *ask, "--what-if", "c3.omega=1")
        self.refused(5, "give a value", *ask, "--what-if", "hockney.alpha*2")
        self.refused(2, "is not a change", *ask, "--what-if", "c3.s")
        self.ok(*ask, "--what-if", "c3.s=1", "--what-if", "c3.l*2")

    def test_a_change_of_another_model_is_noted(self):
        ask = ["-m", "intel-delta", "-c", "alltoall", "-p", "64", "-b", "8"]
        change = ("--what-if", "hockney.node.alpha=1us", "--what-if", "c3.s*2")
        for words in (("predict", *ask), ("explain", *ask), ("pattern", "-m", "intel-delta", "--pattern", "transpose",
                                                             "-p", "64", "-b", "8")):
            outcome = self.daemon(*words, *change)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertEqual(outcome.err, "cox: note: --what-if hockney.node.alpha changes nothing here: the answer is of "
                                          "model c3; add --model hockney\n")
        self.assertEqual(self.daemon("predict", *ask, *change, "--model", "all").err.count("note"), 1)
        self.assertEqual(self.daemon("predict", *ask, "--what-if", "c3.s*2").err, "")

    def test_pattern(self):
        file = self.daemon.write("p.csv", "src,dst,bytes\n0,1,100\n1,2,200\n5,3,50\n")
        answer = self.daemon.answer("pattern", "-m", "intel-delta", "--file", file)
        self.assertEqual((answer["message_count"], answer["volume_bytes"]), (3, 350))
        text = self.ok("pattern", "-m", "intel-delta", "--file", file, "--route", "all", "-p", "16")
        for word in ("direct", "mesh2d", "grid3d", "hypercube", "3 messages between 3 pairs, 350 bytes"):
            self.assertIn(word, text)
        named = ["pattern", "-m", "intel-delta", "--pattern", "transpose"]
        sweep = self.daemon.json(*named, "-p", "16,64", "-b", "8,64")
        self.assertEqual([r["message_count"] for r in sweep["responses"]], [12, 12, 56, 56])
        rows = self.rows(self.ok(*named, "-p", "16", "-b", "8..1k:*2", "--csv", "-"))
        self.assertEqual(len(rows), 8)
        self.assertEqual(rows[0]["route"], "direct")

    def test_long_messages_of_a_pattern_may_go_directly(self):
        """Every rank sends 8 bytes to all others; rank 0 a megabyte to rank 9, two hops away in the mesh."""
        rows = [f"{i},{j},8" for i in range(64) for j in range(64) if i != j]
        file = self.daemon.write("long.csv", "\n".join(["src,dst,bytes", *rows, "0,9,1000000"]) + "\n")
        routes = ["mesh2d", "mesh2d?direct_above=4096", "mesh2d?direct_above=2000000"]
        ask = ["pattern", "-m", "psc-lemieux", "--file", file, "-p", "64", "--ppn", "4", "--model", "hockney"]
        words = [word for route in routes for word in ("--route", route)]
        answer = self.daemon.answer(*ask, *words)
        times = {p["strategy"]: p["time_s"] for p in answer["predictions"]}
        self.assertEqual(list(times), routes)
        # The megabyte takes one hop instead of two.
        profile = self.daemon.json("profile", "show", "psc-lemieux")
        beta_s, = (p["value"] for p in profile["parameters"]
                   if (p["model"], p["level"], p["name"]) == ("hockney", "network", "beta"))
        self.assertGreater(times[routes[0]] - times[routes[1]], 0.9e6 * beta_s)
        self.assertEqual(times[routes[2]], times[routes[0]], "no message is so long")
        self.assertIn("mesh2d?direct_above=4096", self.ok(*ask, *words))
        self.refused(5, "routes[0]", *ask, "--route", "mesh2d?direct_above=long")
        self.refused(5, "routes[0]", *ask, "--route", "direct?direct_above=4096")

    def test_pattern_refusals(self):
        def refused(code, message, text, *more):
            file = self.daemon.write("bad.csv", text)
            self.refused(code, message, "pattern", "-m", "intel-delta", "--file", file, *more)

        refused(5, "bad.csv:3:dst: ", "src,dst,bytes\n0,1,1\n0,x,1\n")
        refused(5, "bad.csv:2:bytes: ", "src,dst,bytes\n0,1,-1\n")
        refused(5, "bad.csv:1:bytes: the header lacks", "src,dst\n0,1\n")
        refused(5, "csv:3:dst: is rank 9 of a pattern of 4 ranks", "src,dst,bytes\n0,1,1\n0,9,1\n", "-p", "4")
        refused(5, "routes[0]", "src,dst,bytes\n0,1,1\n", "--route", "tree")
        named = ["pattern", "-m", "intel-delta", "--pattern"]
        self.refused(3, "no-such", *named, "no-such", "-p", "4", "-b", "8")
        self.refused(5, "", *named, "transpose", "-p", "5", "-b", "8")
        self.refused(3, "nowhere", "pattern", "-m", "nowhere", "--pattern", "transpose", "-p", "4", "-b", "8")

    def test_kernel(self):
        table = self.ok("kernel", "--list")
        for word in ("matmul-3d", "sample-sort", "ssdr", "p a cube q^3"):
            self.assertIn(word, table)
        self.assertTrue(self.daemon.json("kernel", "--list")["kernels"])
        ask = ["kernel", "-m", "cm5-64", "--kernel", "matmul-3d", "-p", "64"]
        one = self.daemon.answer(*ask, "-n", "256", "--model", "all")
        self.assertGreater(len(one["predictions"]), 1)
        self.assertIn("MAX/MIN", self.ok(*ask, "-n", "256", "--model", "all"))
        rows = self.rows(self.ok(*ask, "-n", "64..512:*2", "--csv", "-"))
        self.assertEqual([row["size"] for row in rows], ["64", "128", "256", "512"])
        self.assertLess(float(rows[0]["time_s"]), float(rows[3]["time_s"]))
        self.refused(5, "cube", *ask[:-1], "63", "-n", "256")
        self.refused(3, "no-such", "kernel", "-m", "cm5-64", "--kernel", "no-such", "-n", "1", "-p", "1")

    def test_reduce(self):
        file = self.daemon.write("graph.json", json.dumps(GRAPH))
        answer = self.daemon.json("reduce", "--file", file, "-b", "0,1k")
        self.assertAlmostEqual(answer["a_s"], 50e-6)
        self.assertAlmostEqual(answer["b_s_per_byte"], 100e-9)
        self.assertEqual(len(answer["time_s"]), 2)
        text = self.ok("reduce", "--file", file, "-b", "0,1k")
        self.assertIn("one block: a = 50.00 µs, b = 100.00 ns/byte", text)
        broken = dict(GRAPH, parts=[])
        self.refused(5, "graph", "reduce", "--file", self.daemon.write("g.json", json.dumps(broken)))
        self.refused(5, "g.json", "reduce", "--file", self.daemon.write("g.json", "{"))
        self.refused(5, "g.json", "reduce", "--file", self.daemon.write("g.json", '{"no": 1}'))
        self.refused(3, "none.json", "reduce", "--file", self.daemon.path("none.json"))

    def test_reduce_by_two_graphs(self):
        """Rule 4: a of the short messages' graph, b of the long ones'."""
        file = self.daemon.write("short.json", json.dumps(GRAPH))
        pipeline = {"kind": "KIND_SERIAL", "parts": [
            {"name": "send", "a_s": 70e-6, "b_s_per_byte": 20e-9}, {"name": "wire", "a_s": 30e-6, "b_s_per_byte": 60e-9}]}
        both = ["reduce", "--file", file, "--long-file", self.daemon.write("long.json", json.dumps(pipeline))]
        answer = self.daemon.json(*both, "-b", "0,1k")
        self.assertAlmostEqual(answer["a_s"], 50e-6)
        self.assertAlmostEqual(answer["b_s_per_byte"], 60e-9)
        a_s, b_s = 50e-6, 60e-9 * 1024
        self.assertAlmostEqual(answer["time_s"][0], a_s)
        self.assertAlmostEqual(answer["time_s"][1], a_s * a_s / (a_s + b_s) + b_s)
        self.assertIn("one block: a = 50.00 µs, b = 60.00 ns/byte", self.ok(*both))
        self.refused(3, "none.json", "reduce", "--file", file, "--long-file", self.daemon.path("none.json"))
        self.refused(5, "g.json", "reduce", "--file", file, "--long-file", self.daemon.write("g.json", "{"))
        broken = dict(GRAPH, parts=[])
        self.refused(5, "long_graph", "reduce", "--file", file, "--long-file",
                     self.daemon.write("g.json", json.dumps(broken)))

    def test_recommend_writes_csv(self):
        rows = self.rows(self.ok("recommend", "-m", "cm5-64", "-c", "alltoall", "-p", "64", "-b", "8,1k",
                                 "--csv", "-"))
        self.assertEqual([row["block_bytes"] for row in rows], ["8", "1024"])
        self.assertTrue(rows[0]["algorithm"])

    def test_a_measured_step_becomes_local_work(self):
        """cox-bench suite writes the file; the median of its runs is the time of an operation."""
        names = "program,kernel,variant,ranks,size,work_s,operations,model\n"
        runs = ["matmul,matmul-3d,blocks,8,64,2e-6,1000,bsp", "matmul,matmul-3d,blocks,8,64,2e-6,1000,bpram",
                "matmul,matmul-3d,blocks,8,128,4e-6,1000,bsp", "apsp,apsp-1,rows,4,64,9e-6,1000,bsp"]
        suite = self.daemon.write("suite.csv", names + "\n".join(runs) + "\n")
        question = ("kernel", "-m", "t3e-8", "--kernel", "matmul-3d", "-n", "256", "-p", "8", "--model", "bsp")

        def work_s():
            answer = self.daemon.answer(*question)
            terms = {term["name"]: term["time_s"] for term in answer["predictions"][0]["terms"]}
            return terms.get("compute", 0), answer["operation_count"]

        self.assertEqual(work_s()[0], 0)
        told = self.ok("profile", "step", "t3e-8", "--suite", suite)
        self.assertIn("a step takes 4.000 ns, the median of 3 runs of apsp-1, matmul-3d", told)
        time_s, operations = work_s()
        self.assertAlmostEqual(time_s / (4e-9 * operations), 1, places=9)
        self.ok("profile", "step", "t3e-8", "--suite", suite, "--kernel", "matmul-3d")
        self.assertAlmostEqual(work_s()[0] / (3e-9 * operations), 1, places=9)
        self.refused(5, "has no run of fft with local work", "profile", "step", "t3e-8", "--suite", suite, "--kernel", "fft")


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
