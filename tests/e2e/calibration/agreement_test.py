#!/usr/bin/env python3
"""Calibration finds the parameters in a simulated machine's platform file.

usage: agreement_test.py COX COXD COX_BENCH_SMPI [--table | unittest arguments]

With --table it prints the table of docs/calibration.md.
"""

import pathlib
import subprocess
import sys
import unittest

from daemon import Daemon

PLATFORMS = pathlib.Path(__file__).resolve().parents[1] / "smpi" / "platforms"
EAGER_BYTES = 16384
# What a message costs a rank at each end: seconds, and seconds per byte.
OVERHEAD_S, OVERHEAD_BYTE_S = 5e-7, 2e-11
# The part of a link's rate that one message gets.
RATE_SHARE = 0.95
OVERHEAD = f"0:{OVERHEAD_S}:{OVERHEAD_BYTE_S}"
SETTINGS = ["--cfg=smpi/simulate-computation:no", "--log=root.thres:error",
            f"--cfg=smpi/os:{OVERHEAD}", f"--cfg=smpi/or:{OVERHEAD}", f"--cfg=smpi/ois:{OVERHEAD}",
            "--cfg=smpi/lat-factor:0:1", f"--cfg=smpi/bw-factor:0:{RATE_SHARE}",
            f"--cfg=smpi/async-small-thresh:{EAGER_BYTES}", f"--cfg=smpi/send-is-detached-thresh:{EAGER_BYTES}"]
# Platform: ranks, ranks per node, and what the file states of each level between the first ranks: the latencies of
# the links on the way, and the rate of the slowest in bytes per second.
MACHINES = {
    "switch": (4, 1, {"network": (2 * 20e-6, 125e6)}),
    "fat-tree": (4, 1, {"network": (2 * 1e-6, 1.25e9)}),
    "torus": (8, 4, {"node": (0.5e-6, 5e9), "network": (2e-6, 1e9)}),
}
COX = COXD = BENCH = ""


def measure(daemon, name):
    ranks, ppn, _ = MACHINES[name]
    hosts = daemon.write("hosts", "".join(f"n{rank // ppn}\n" for rank in range(ranks)))
    samples = daemon.path(f"{name}.csv")
    subprocess.run(
        ["smpirun", "-np", str(ranks), "-hostfile", hosts, "-platform", PLATFORMS / f"{name}.xml", *SETTINGS, BENCH,
         "p2p", "--kinds", "pingpong,gap,overhead_send", "--machine", name, "--pairs", "1", "--sizes", "1..4M:*4",
         "--pattern-sizes", "8,128,1k", "--budget-s", "0.5", "-o", samples],
        check=True, timeout=120, capture_output=True, text=True)
    return samples


def parameters(daemon, name):
    """(model, level, parameter) -> value, of a simulated machine after calibration."""
    shape = daemon.write("machine.toml", f'[machine]\nname = "{name}"\nnodes = 16\ncores_per_node = 4\n')
    outcome = daemon("machine", "import", shape)
    assert outcome.code == 0, outcome
    outcome = daemon("calibrate", name, "--from", measure(daemon, name))
    assert outcome.code == 0, outcome
    profile = daemon.json("profile", "show", name)
    return {(p["model"], p["level"], p["name"]): p["value"] for p in profile["parameters"] if not p.get("above")}


def comparisons(name, found):
    """What the platform states, from and to, and what calibration found. Eager messages pay the ends' time per
    byte on the way, longer ones do not: a model that knows one regime only lies between the two."""
    for level, (latency_s, rate_bps) in MACHINES[name][2].items():
        link_s = 1 / (RATE_SHARE * rate_bps)
        eager_s = link_s + 2 * OVERHEAD_BYTE_S
        one_way_s = latency_s + 2 * OVERHEAD_S
        for model, parameter, least, most in [
                ("hockney", "alpha", one_way_s, one_way_s), ("hockney", "beta", eager_s, eager_s),
                ("max-rate", "alpha", one_way_s, one_way_s), ("max-rate", "beta", link_s, eager_s),
                ("loggp", "L", latency_s, latency_s), ("loggp", "o", OVERHEAD_S, OVERHEAD_S),
                ("loggp", "G", link_s, eager_s)]:
            yield model, level, parameter, least, most, found[model, level, parameter]


def off_by(least, most, value):
    """Relative error from the nearest right value."""
    return value / min(max(value, least), most) - 1


class AgreementTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def check(self, name):
        for model, level, parameter, least, most, value in comparisons(name, parameters(self.daemon, name)):
            with self.subTest(model=model, level=level, parameter=parameter, least=least, most=most, value=value):
                self.assertAlmostEqual(off_by(least, most, value), 0, delta=0.05)

    def test_switch(self):
        self.check("switch")

    def test_fat_tree(self):
        self.check("fat-tree")

    def test_torus(self):
        self.check("torus")


def print_table():
    print("| platform | level | parameter | stated | found | off by |\n|---|---|---|---|---|---|")
    with Daemon(COXD, COX) as daemon:
        daemon.start()
        for name in MACHINES:
            for model, level, parameter, least, most, value in comparisons(name, parameters(daemon, name)):
                stated = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
                print(f"| {name} | {level} | `{model}` {parameter} | {stated} | {value:.4g} | "
                      f"{100 * off_by(least, most, value):+.1f} % |")


if __name__ == "__main__":
    COX, COXD, BENCH = sys.argv[1:4]
    if sys.argv[4:] == ["--table"]:
        print_table()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
