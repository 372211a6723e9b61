#!/usr/bin/env python3
"""cox-bench and cox infer find the blocks that a simulated network's platform file states.

usage: blocks_test.py COX COXD COX_BENCH_SMPI [--table | unittest arguments]

With --table it prints the table of docs/calibration.md.
"""

import subprocess
import sys
import unittest

from agreement_test import RATE_SHARE, SETTINGS
from daemon import Daemon

# Messages on their way back take nothing from those on their way there, and ways of more links have no smaller share.
NETWORK = ["--cfg=network/crosstraffic:0", "--cfg=network/weight-S:0"]
# Of a port. SimGrid gives messages of longer latency a smaller share of a link, so all ways have the same.
LATENCY_US = 10
HEADER = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
COX = COXD = BENCH = ""


def platform(hosts, port_bps, wires, way):
    """Each host has a port. `wires` are names and rates in bytes per second; way(i, j) names those between i and j."""
    lines = [HEADER + '<zone id="all" routing="Full">']
    for i in range(hosts):
        lines.append(f'<host id="n{i}" speed="10Gf"/>'
                     f'<link id="port{i}" bandwidth="{port_bps}Bps" latency="{LATENCY_US}us"/>')
    for name, rate_bps in wires.items():
        lines.append(f'<link id="{name}" bandwidth="{rate_bps}Bps" latency="0us"/>')
    for i in range(hosts):
        for j in range(i + 1, hosts):
            links = "".join(f'<link_ctn id="{name}"/>' for name in (f"port{i}", *way(i, j), f"port{j}"))
            lines.append(f'<route src="n{i}" dst="n{j}">{links}</route>')
    return "\n".join([*lines, "</zone></platform>"])


# Bytes per second, as slow as the paper's Ethernet, SP2 and Paragon stand to each other.
WIRE_BPS, PORT_BPS = 105e6, 95e6
CHANNEL_BPS, FRAME_HOSTS, CHANNELS = 100e6, 6, 2
ROW_BPS, ROW_PORT_BPS = 310e6, 120e6


def byte_s(rate_bps):
    return 1 / (RATE_SHARE * rate_bps)


# Network: hosts, the platform's file, further words for cox-bench and for cox infer, and what the file states:
# parameter -> seconds per byte and relation.
NETWORKS = {
    "shared-medium": (
        5, platform(5, PORT_BPS, {"wire": WIRE_BPS}, lambda i, j: ["wire"]), [], [],
        {"b_c": (byte_s(WIRE_BPS), "equal"), "b_w": (byte_s(PORT_BPS), "equal")}),
    "multistage": (
        2 * FRAME_HOSTS,
        platform(2 * FRAME_HOSTS, CHANNEL_BPS, {"switch": 1e12, "channels": CHANNELS * CHANNEL_BPS},
                 lambda i, j: ["switch"] if i // FRAME_HOSTS == j // FRAME_HOSTS else ["channels"]),
        ["--frame-nodes", str(FRAME_HOSTS)], ["--channels", str(CHANNELS)],
        {"b_l": (byte_s(CHANNEL_BPS), "equal"), "b_l across frames": (byte_s(CHANNEL_BPS), "equal"),
         "b_p": (byte_s(CHANNEL_BPS), "upper bound")}),
    "mesh-row": (
        8, platform(8, ROW_PORT_BPS, {f"row{i}": ROW_BPS for i in range(7)},
                    lambda i, j: [f"row{k}" for k in range(i, j)]), [], [],
        {"b_c": (byte_s(ROW_BPS), "equal"), "b_p": (byte_s(ROW_PORT_BPS), "equal")}),
}


def inferred(daemon, network):
    """Parameter -> value and relation, of what cox-bench measured on the network."""
    hosts, text, bench_words, infer_words, _ = NETWORKS[network]
    times = daemon.path(f"{network}.csv")
    subprocess.run(
        ["smpirun", "-np", str(hosts), "-hostfile", daemon.write("hosts", "".join(f"n{i}\n" for i in range(hosts))),
         "-platform", daemon.write(f"{network}.xml", text), *SETTINGS, *NETWORK, BENCH, "blocks", "--network", network,
         *bench_words, "--machine", network, "--sizes", "1,1M", "--budget-s", "60", "-o", times],
        check=True, timeout=120, capture_output=True, text=True)
    answer = daemon.json("infer", "--file", times, *infer_words)
    return {p["name"]: (p["value"], p["relation"]) for p in answer["parameters"]}


class BlocksTest(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def check(self, network):
        found = inferred(self.daemon, network)
        for name, (value, relation) in NETWORKS[network][-1].items():
            with self.subTest(name=name, stated=value, found=found.get(name)):
                self.assertEqual(found[name][1], relation)
                self.assertAlmostEqual(found[name][0] / value, 1, delta=0.05)

    def test_a_wire_for_all(self):
        self.check("shared-medium")

    def test_two_frames(self):
        self.check("multistage")

    def test_a_row_of_a_mesh(self):
        self.check("mesh-row")


def print_table():
    print("| network | parameter | stated | found | relation | off by |\n|---|---|---|---|---|---|")
    with Daemon(COXD, COX) as daemon:
        daemon.start()
        for network, (*_, stated) in NETWORKS.items():
            found = inferred(daemon, network)
            for name, (value, _) in stated.items():
                print(f"| `{network}` | {name} | {value:.4g} | {found[name][0]:.4g} | {found[name][1]} | "
                      f"{100 * (found[name][0] / value - 1):+.1f} % |")


if __name__ == "__main__":
    COX, COXD, BENCH = sys.argv[1:4]
    if sys.argv[4:] == ["--table"]:
        print_table()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
