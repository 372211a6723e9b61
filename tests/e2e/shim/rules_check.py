#!/usr/bin/env python3
"""Proves that Open MPI runs the algorithms that a rules file asks for.

Runs real jobs with the file and a preloaded shim, and asks at each message size where the file changes its
mind: one byte per block below, at, and above. What ran must be what the file says, or what the library
documents to run instead; where the file has no opinion, what runs without it.

    from rules_check import Job, check_rules_file
    check_rules_file(path, Job(launcher, shim, probe), ranks=4)      raises AssertionError

usage: rules_check.py --launcher "mpirun ..." --shim LIBRARY --probe PROGRAM --ranks P RULES_FILE
"""

import argparse
import os
import re
import subprocess
import sys

# Collective -> (id in the file, whether sizes are those of all ranks' blocks, algorithm -> function).
COLLECTIVES = {
    "allgather": (0, True, ["", "basic_linear", "bruck", "recursivedoubling", "ring",
                            "neighborexchange", "two_procs"]),
    "allreduce": (2, False, ["", "basic_linear", "nonoverlapping", "recursivedoubling", "ring",
                             "ring_segmented", "redscat_allgather"]),
    "alltoall": (3, True, ["", "basic_linear", "pairwise", "bruck", "linear_sync", "two_procs"]),
    "bcast": (7, False, ["", "basic_linear", "chain", "pipeline", "split_bintree", "bintree", "binomial",
                         "knomial", "scatter_allgather", "scatter_allgather_ring"]),
}
LARGEST_BLOCK = 4 << 20


def power_of_two(ranks):
    return ranks & (ranks - 1) == 0


# (collective, algorithm) -> (when it cannot run, what runs inside it instead). Elements are bytes.
FALLBACKS = {
    ("allgather", 3): (lambda p, n, rule: not power_of_two(p), "bruck"),
    ("allgather", 5): (lambda p, n, rule: p % 2 == 1, "ring"),
    ("allreduce", 4): (lambda p, n, rule: n < p, "recursivedoubling"),
    ("allreduce", 5): (lambda p, n, rule: n < p * (rule[3] if 1 <= rule[3] < n else n), "ring"),
    ("allreduce", 6): (lambda p, n, rule: n < 1 << (p.bit_length() - 1), "basic_linear"),
    ("bcast", 8): (lambda p, n, rule: n < p, "basic_linear"),
    ("bcast", 9): (lambda p, n, rule: n < p, "basic_linear"),
}


class Job:
    def __init__(self, launcher, shim, probe):
        self.launcher, self.shim, self.probe = launcher, shim, probe

    def traces(self, ranks, calls, settings):
        """What ran for each (collective, block_bytes), the same on all ranks."""
        words = [str(word) for call in calls for word in call]
        preload = 'export LD_PRELOAD="$SHIM"; exec "$@"'
        done = subprocess.run(
            [*self.launcher.split(), "-np", str(ranks), "sh", "-c", preload, "sh", str(self.probe), *words],
            capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
            env={**os.environ, "SHIM": str(self.shim), **settings})
        assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        seen = {}
        for line in done.stdout.splitlines():
            _, collective, block_bytes, trace = line.split(" ", 3)
            seen.setdefault((collective, int(block_bytes)), []).append(trace)
        assert set(seen) == set(calls), (seen, calls)
        for call, traces in seen.items():
            assert len(traces) == ranks and len(set(traces)) == 1, (call, traces)
        return {call: traces[0] for call, traces in seen.items()}


def read_rules(path):
    """Collective id -> communicator size -> rows (size, algorithm, fanout, segment)."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    numbers = iter([int(number) for number in re.findall(r"\d+", text)])
    rules = {}
    for _ in range(next(numbers)):
        collective = next(numbers)
        rules[collective] = {}
        for _ in range(next(numbers)):
            size = next(numbers)
            rules[collective][size] = [tuple(next(numbers) for _ in range(4))
                                       for _ in range(next(numbers))]
    assert next(numbers, None) is None, "more numbers than counted"
    return rules


def rows_for(rules, collective_id, ranks):
    """The rows that a communicator of so many ranks meets."""
    sets = rules.get(collective_id, {})
    fitting = [size for size in sets if size <= ranks] or list(sets)[:1]
    return sets[max(fitting)] if fitting else []


def blocks_around(rows, unit):
    """Block sizes on both sides of each row's boundary and some beyond, in bytes."""
    blocks = {1}
    for size, *_ in rows:
        first = -(-size // unit)
        blocks |= {first - 1, first, first + 1, 2 * first}
    return sorted(b for b in blocks if 1 <= b <= LARGEST_BLOCK)


def check_rules_file(path, job, ranks):
    """Returns how many calls were checked, and the set of functions that ran because of the file."""
    rules = read_rules(path)
    calls = {}
    for collective, (collective_id, of_all, _) in COLLECTIVES.items():
        rows = rows_for(rules, collective_id, ranks)
        unit = ranks if of_all else 1
        for block in blocks_around(rows, unit):
            matching = [row for row in rows if row[0] <= block * unit]
            calls[collective, block] = matching[-1] if matching else None
    settings = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                "OMPI_MCA_coll_tuned_dynamic_rules_filename": os.path.abspath(path)}
    ran = job.traces(ranks, list(calls), settings)
    without = job.traces(ranks, list(calls), {})
    used = set()
    for (collective, block), rule in calls.items():
        trace = ran[collective, block]
        what = f"{path}: {collective} of {block} bytes on {ranks} ranks: rule {rule}, ran {trace!r}"
        if rule is None or rule[1] == 0:
            assert trace == without[collective, block], f"{what}, without it {without[collective, block]!r}"
            continue
        function = f"{collective}_intra_{COLLECTIVES[collective][2][rule[1]]}"
        chain = trace.split(">")
        assert chain[0] == function, what
        cannot, instead = FALLBACKS.get((collective, rule[1]), (lambda *_: False, ""))
        if cannot(ranks, block, rule):
            assert chain[1] == f"{collective}_intra_{instead}", what
        used.add(function)
    return len(calls), used


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("rules_file")
    arguments = parser.parse_args()
    try:
        count, functions = check_rules_file(
            arguments.rules_file, Job(arguments.launcher, arguments.shim, arguments.probe),
            arguments.ranks)
    except AssertionError as problem:
        sys.exit(f"rules_check: {problem}")
    print(f"{count} calls ran as the file says; algorithms: {' '.join(sorted(functions)) or 'none'}")
