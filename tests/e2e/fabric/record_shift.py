#!/usr/bin/env python3
"""Records the reports of agents while the network changes during a job: tests/integration/learning/recorded.

    record_shift.py rate_halved|neighbour [--out FILE]      about a minute; needs root
    COX_BUILD_DIR names the build folder (default: build)

Eight ranks of Open MPI, a node each, on wires of 20 Mbit/s. rate_halved: all wires go to 10 Mbit/s in mid-run and stay
there. neighbour: from a third of the run on node 1 sends 12 Mbit/s to node 2 for half a second out of five, beside
the job. A row is an observation, in the order of arrival; `phase` says what the network was like when it
arrived, `job` who sent it.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "deploy/fabric"), str(ROOT / "tests/e2e/cli")]
import daemon  # noqa: E402
import fabric  # noqa: E402

BUILD = pathlib.Path(os.environ.get("COX_BUILD_DIR", ROOT / "build")).resolve()
NODES = 8
BEFORE_S, AFTER_S = 18, 24
COLLECTIVES, SIZES = "allgather,allreduce,alltoall,bcast", "8192,32768"
MANY = 1000000
# Datagrams with their frames at 12 Mbit/s for half a second, again and again.
NEIGHBOUR = f"""
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + {AFTER_S}
while time.monotonic() < end:
    start = time.monotonic()
    sent = 0
    while time.monotonic() < start + 0.5:
        if sent < (time.monotonic() - start) * 12e6 / 8:
            out.sendto(bytes(1400), ("{fabric.address(2)}", 9))
            sent += 1442
        else:
            time.sleep(0.0005)
    time.sleep(4.5)
"""
COLUMNS = ["machine", "library", "collective", "algorithm", "nodes", "ppn", "ranks", "block_bytes", "time_s", "count",
           "statistic", "type_bytes", "job", "phase"]


def halve(network):
    network.set_rate("10mbit")


def disturb(network):
    return subprocess.Popen(network.on(1, [sys.executable, "-c", NEIGHBOUR]), stdin=subprocess.DEVNULL)


CHANGES = {"rate_halved": halve, "neighbour": disturb}


def count(cox):
    return int(cox("observations", "list", "--machine", "fabric", "--count").out.split()[0])


def record(change, cox):
    """All observations, and the number that had arrived when the network changed."""
    shim = BUILD / "lib/libcox_fabric_shim.so"
    with fabric.Fabric.of_this_process(NODES, "20mbit", shim) as network:
        job = network.job("openmpi", NODES, [BUILD / "tests/e2e/fabric/collective_times.openmpi", COLLECTIVES, SIZES,
                                             MANY, 1],
                          [cox.cox, "run", "--mode", "observe", "--limit", "10000", "--machine", "fabric", "--nodes",
                           NODES, "--ppn", 1, "--library", "openmpi-4.1", "--"])
        running = subprocess.Popen(job, env=network.environment(COX_SERVER=cox.address, COX_SPOOL="/dev/null"),
                                   stdin=subprocess.DEVNULL, preexec_fn=fabric.prefer)
        # The recording covers a fixed number of seconds: no test waits for that time.
        clock = threading.Event()
        clock.wait(BEFORE_S)
        before = count(cox)
        neighbour = CHANGES[change](network)
        clock.wait(AFTER_S)
        observations = cox.json("observations", "list", "--machine", "fabric", "--limit", "0")["observations"]
        observations.sort(key=lambda row: row["id"])
        running.terminate()
        running.wait(60)
        if neighbour is not None:
            neighbour.wait(60)
    return observations, before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("change", choices=sorted(CHANGES))
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    with daemon.Daemon(BUILD / "bin/coxd", BUILD / "bin/cox") as cox:
        observations, before = record(arguments.change, cox)
    out = arguments.out or ROOT / f"tests/integration/learning/recorded/{arguments.change}.csv"
    out.parent.mkdir(exist_ok=True)
    names = {}
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for number, observation in enumerate(sorted(observations, key=lambda row: int(row["id"]))):
            job = names.setdefault(observation["job"], f"job@{len(names)}")
            writer.writerow({**observation, "job": job, "time_s": f"{observation['time_s']:.4g}",
                             "phase": "before" if number < before else "after"})
    print(f"{before} observations before, {len(observations) - before} after")


if __name__ == "__main__":
    main()
