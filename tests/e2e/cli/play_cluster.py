#!/usr/bin/env python3
"""The launcher of a cluster that does not exist: prints what cox-bench would, with times from closed formulas.

usage: play_cluster.py LOG HOSTS RANKS COX_BENCH p2p|collectives OPTIONS...

Rank i runs on host i. Each job takes PLAY_JOB_S seconds longer. LOG gets a line for each job: start and end (seconds of a monotonic clock), hosts, ranks, and the
rest of the command, as JSON.
"""

import json
import math
import os
import sys
import time

STARTUP_S = 4e-6
PER_BYTE_S = 1e-9
# Startups and bytes of the busiest rank, by algorithm: (p, m) -> (startups, bytes). The default is the worst of them
# in places.
TIMES = {
    ("alltoall", "linear"): lambda p, m: (1.5 * (p - 1), 1.3 * (p - 1) * m),
    ("alltoall", "pairwise"): lambda p, m: (2.0 * (p - 1), (p - 1) * m),
    ("alltoall", "modified_bruck"): lambda p, m: (math.ceil(math.log2(p)), math.ceil(math.log2(p)) * p * m / 2),
    ("alltoall", "linear_sync"): lambda p, m: (2.5 * (p - 1), 1.1 * (p - 1) * m),
    ("bcast", "linear"): lambda p, m: (1.2 * (p - 1), (p - 1) * m),
    ("bcast", "binomial"): lambda p, m: (math.ceil(math.log2(p)), math.ceil(math.log2(p)) * m),
    ("bcast", "pipeline"): lambda p, m: (p + m / 8192, 1.2 * m),
    ("bcast", "scatter_allgather_ring"): lambda p, m: (math.log2(p) + p, 2 * m),
}
DEFAULTS = {"alltoall": "linear_sync", "bcast": "linear"}
SIZES = (8, 1024, 16384, 262144)


def time_s(collective, algorithm, ranks, block_bytes):
    """What a call takes. An algorithm without a formula is slow."""
    name = DEFAULTS[collective] if algorithm == "default" else algorithm
    startups, moved = TIMES.get((collective, name), lambda p, m: (5.0 * p, 3.0 * p * m))(ranks, block_bytes)
    return STARTUP_S * startups + PER_BYTE_S * moved


def options(words):
    """The values of each option."""
    values = {}
    for name, value in zip(words, words[1:]):
        if name.startswith("--"):
            values.setdefault(name, []).append(value)
    return values


def cells(given):
    if "--cells" in given:
        return [(cell.split("=")[0], int(cell.split("=")[1])) for cell in given["--cells"]]
    return [(collective, size) for collective in DEFAULTS for size in SIZES]


def rows(mode, given, ranks):
    if mode == "p2p":
        yield "machine,kind,level,pattern,pairs,block_bytes,time_s"
        for exponent in range(0, 21, 2):
            yield f"here,pingpong,network,x,1,{2**exponent},{STARTUP_S + PER_BYTE_S * 2**exponent}"
        return
    labels = dict(label.split("=") for label in given.get("--label", ()))
    yield "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,run"
    for collective, size in cells(given):
        algorithm = labels.get(collective, "default")
        yield (f"here,openmpi-4.1,{collective},{algorithm},{ranks},1,{ranks},{size},"
               f"{time_s(collective, algorithm, ranks, size)},{given['--run'][0]}")


def main():
    start = time.monotonic()
    log, hosts, ranks, _, mode, *words = sys.argv[1:]
    given = options(words)
    time.sleep(float(os.environ.get("PLAY_JOB_S", 0)))
    print("\n".join(rows(mode, given, int(ranks))))
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps({"start": start, "end": time.monotonic(), "hosts": hosts.split(","), "ranks": int(ranks),
                               "mode": mode, "options": given}) + "\n")


if __name__ == "__main__":
    main()
