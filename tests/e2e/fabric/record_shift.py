#!/usr/bin/env python3
"""Records what agents report while a network changes under a job: for tests of the detection of drift.

    record_shift.py rate_halved|neighbour [--build FOLDER] [--out FILE]

rate_halved: all wires go from 20 to 10 Mbit/s in mid-run and stay there. neighbour: another job sends 6 Mbit/s from
node 1 to node 2 for two seconds out of five, from a third of the run on. A row is an observation, in the order of
its arrival; `phase` says what the network was like when it was taken.
"""

import argparse
import csv
import datetime
import io
import pathlib
import subprocess
import sys
import time

import fabric

sys.path.insert(0, str(fabric.HERE.parent / "cli"))
import daemon  # noqa: E402

NODES = 8
PHASE_S = 12
MANY = 1000000
NEIGHBOUR = """
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    burst = time.monotonic() + 2
    while time.monotonic() < burst:
        out.sendto(bytes(1400), ("{address}", 9))
        time.sleep(1428 * 8 / 6e6)
    time.sleep(3)
"""
COLUMNS = ["phase", "at_s", "collective", "algorithm", "block_bytes", "count", "time_s", "stddev_s"]


def halve(network):
    network.set_rate("10mbit")
    return time.time(), None


def disturb(network):
    code = NEIGHBOUR.format(seconds=2 * PHASE_S, address=fabric.address(2))
    return time.time(), subprocess.Popen(network.on(1, [sys.executable, "-c", code]))


CHANGES = {"rate_halved": (halve, 1, 2), "neighbour": (disturb, 1, 2)}


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def record(change, build, cox):
    """The rows of all observations, and when the network changed."""
    make, before, after = CHANGES[change]
    with fabric.Fabric.of_this_process(NODES, "20mbit", build / "tests/e2e/fabric/libcox_fabric_shim.so") as network:
        job = network.job("openmpi", NODES, [build / "tests/e2e/fabric/collective_times.openmpi",
                                             "allgather,allreduce,alltoall,bcast", "1024,8192", MANY, 1],
                          [cox.cox, "run", "--mode", "observe", "--limit", "10000", "--machine", "fabric", "--nodes",
                           NODES, "--ppn", 1, "--library", "openmpi-4.1", "--"])
        running = subprocess.Popen(job, env=network.environment(COX_SERVER=cox.address, COX_INTERVAL="200ms",
                                                                COX_SPOOL="/dev/null"), stdin=subprocess.DEVNULL)
        time.sleep(before * PHASE_S)
        changed, neighbour = make(network)
        time.sleep(after * PHASE_S)
        running.terminate()
        running.wait(60)
        if neighbour:
            neighbour.wait(60)
    exported = cox("observations", "export", "--machine", "fabric")
    return list(csv.DictReader(io.StringIO(exported.out))), changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("change", choices=sorted(CHANGES))
    parser.add_argument("--build", type=pathlib.Path, default=fabric.HERE.parents[2] / "build")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    with daemon.Daemon(arguments.build / "bin/coxd", arguments.build / "bin/cox") as cox:
        rows, changed = record(arguments.change, arguments.build, cox)
    start = min(instant(row["at"]) for row in rows)
    out = arguments.out or fabric.HERE / "recorded" / f"{arguments.change}.csv"
    out.parent.mkdir(exist_ok=True)
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            phase = "before" if instant(row["at"]) < changed else arguments.change
            writer.writerow({**row, "phase": phase, "at_s": f"{instant(row['at']) - start:.2f}"})


if __name__ == "__main__":
    main()
