#!/usr/bin/env python3
"""Proves that Open MPI runs the algorithms that a rules file asks for.

Runs real jobs with the file and a preloaded shim, and asks at each message size where the file changes its
mind: one byte per block below, at, and above, on communicators of several sizes. What ran must be what the
file says, or what the library documents to run instead; where the file has no opinion, what runs without it.
Results must be those of the same calls without the file.

    from rules_check import Job, check_rules_file
    check_rules_file(path, Job(launcher, shim, probe), ranks=4)      raises AssertionError

usage: rules_check.py --launcher "mpirun ..." --shim LIBRARY --probe PROGRAM --ranks P RULES_FILE
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

LARGEST_BLOCK = 4 << 20
DOUBLE_BYTES = 8

# Collective -> (id in the file, what one byte of block is in the file's sizes on p ranks). 0: the library
# takes all messages as one size. (A scan's size is that of its type times p, of a byte: at least 1.)
COLLECTIVES = {
    "allgather": (0, lambda p: p),
    "allgatherv": (1, lambda p: 1),
    "allreduce": (2, lambda p: 1),
    "alltoall": (3, lambda p: p),
    "alltoallv": (4, lambda p: 0),
    "barrier": (6, lambda p: 0),
    "bcast": (7, lambda p: 1),
    "exscan": (8, lambda p: 0),
    "gather": (9, lambda p: p),
    "reduce": (11, lambda p: 1),
    "reduce_scatter": (12, lambda p: p),
    "reduce_scatter_block": (13, lambda p: p),
    "scan": (14, lambda p: 0),
    "scatter": (15, lambda p: p),
}
REDUCTIONS = {"allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan"}


def read_functions():
    """(Collective, number) -> function."""
    text = pathlib.Path(__file__).with_name("tuned_functions.def").read_text(encoding="utf-8")
    rows = re.findall(r"^TUNED\((\w+), (\d+), (\w+)\)$", text, re.MULTILINE)
    return {(collective, int(number)): function for collective, number, function in rows}


FUNCTIONS = read_functions()


def power_of_two(ranks):
    return ranks & (ranks - 1) == 0


def below(ranks):
    """The largest power of two that is not larger."""
    return 1 << (ranks.bit_length() - 1)


# (collective, algorithm) -> (when p ranks, n elements, s of them a segment cannot run it, what runs inside it
# instead).
FALLBACKS = {
    ("allgather", 3): (lambda p, n, s: not power_of_two(p), "allgather_intra_bruck"),
    ("allgather", 5): (lambda p, n, s: p % 2 == 1, "allgather_intra_ring"),
    ("allgatherv", 4): (lambda p, n, s: p % 2 == 1, "allgatherv_intra_ring"),
    ("allreduce", 4): (lambda p, n, s: n < p, "allreduce_intra_recursivedoubling"),
    ("allreduce", 5): (lambda p, n, s: n < p * (s if 1 <= s < n else n), "allreduce_intra_ring"),
    ("allreduce", 6): (lambda p, n, s: n < below(p), "allreduce_intra_basic_linear"),
    ("bcast", 4): (lambda p, n, s: n < 2 or s > n // 2, "bcast_intra_chain"),
    ("bcast", 8): (lambda p, n, s: n < p, "bcast_intra_basic_linear"),
    ("bcast", 9): (lambda p, n, s: n < p, "bcast_intra_basic_linear"),
    ("reduce", 7): (lambda p, n, s: p < 2 or n < below(p), "reduce_intra_basic_linear"),
}

Call = collections.namedtuple("Call", "collective block_bytes ranks")  # collective: "scan", "scan/double"
Ran = collections.namedtuple("Ran", "trace digests")  # digests: rank -> of its results


def type_bytes(call):
    return DOUBLE_BYTES if call.collective.endswith("/double") else 1


class Job:
    def __init__(self, launcher, shim, probe):
        self.launcher, self.shim, self.probe = launcher, shim, probe
        self.unruled = {}  # what ran without any file
        self.call_count = 0

    def run(self, calls, settings):
        """What ran for each call, the same on all ranks."""
        words = [str(word) for call in calls for word in call]
        preload = 'export LD_PRELOAD="$SHIM"; exec "$@"'
        ranks = max(call.ranks for call in calls)
        done = subprocess.run(
            [*self.launcher.split(), "-np", str(ranks), "sh", "-c", preload, "sh", str(self.probe), *words],
            capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
            env={**os.environ, "SHIM": str(self.shim), **settings})
        assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        seen = collections.defaultdict(dict)
        for line in done.stdout.splitlines():
            rank, collective, block_bytes, of_ranks, digest, trace = line.split(" ", 5)
            seen[Call(collective, int(block_bytes), int(of_ranks))][int(rank)] = (digest, trace)
        assert set(seen) == set(calls), set(seen) ^ set(calls)
        ran = {}
        for call, of_rank in seen.items():
            traces = {trace for _, trace in of_rank.values()}
            assert len(of_rank) == call.ranks and len(traces) == 1, (call, of_rank)
            ran[call] = Ran(traces.pop(), {rank: digest for rank, (digest, _) in of_rank.items()})
        self.call_count += len(calls)
        return ran

    def without_rules(self, calls):
        missing = [call for call in calls if call not in self.unruled]
        if missing:
            self.unruled.update(self.run(missing, {}))
        return self.unruled

    def traces(self, ranks, calls, settings):
        """What ran for each (collective, block_bytes)."""
        ran = self.run([Call(*call, ranks) for call in calls], settings)
        return {(call.collective, call.block_bytes): what.trace for call, what in ran.items()}


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
    """The rows that apply to a communicator of this size."""
    sets = rules.get(collective_id, {})
    fitting = [size for size in sets if size <= ranks] or list(sets)[:1]
    return sets[max(fitting)] if fitting else []


def blocks_around(rows, unit):
    """The smallest block, and those on both sides of each row's boundary, in bytes."""
    blocks = {1}
    for size, *_ in rows:
        first = -(-size // unit) if unit > 0 else 0
        blocks |= {first - 1, first, first + 1}
    return sorted(b for b in blocks if 1 <= b <= LARGEST_BLOCK)


def calls_for(rules, of_ranks):
    """Calls at all boundaries of the file -> the rule that each meets, None where it meets none."""
    calls = {}
    for collective, (collective_id, unit_for) in COLLECTIVES.items():
        # Boundaries of one communicator size are asked about in all.
        units = [unit_for(ranks) for ranks in of_ranks]
        blocks = set()
        for ranks, unit in zip(of_ranks, units):
            blocks |= set(blocks_around(rows_for(rules, collective_id, ranks), unit))
        for ranks, unit in zip(of_ranks, units):
            rows = rows_for(rules, collective_id, ranks)
            asked = [Call(collective, block, ranks) for block in blocks]
            if collective in REDUCTIONS:
                asked += [Call(f"{collective}/double", block * DOUBLE_BYTES, ranks)
                          for block in blocks if block % 3 == 1]
            for call in asked:
                size = max(call.block_bytes * unit, 1)
                matching = [row for row in rows if row[0] <= size]
                calls[call] = matching[-1] if matching else None
    return calls


def own_part(trace, collective):
    """Without the functions of other collectives, which have rules of their own, that it is made of."""
    return [function for function in trace.split(">") if function.startswith(f"{collective}_")]


def check_call(call, rule, ran, without, what):
    """The function that ran because of the rule, or None."""
    assert ran.digests == without.digests, f"{what}: other results than without the file"
    collective = call.collective.partition("/")[0]
    if rule is None or rule[1] == 0:
        assert own_part(ran.trace, collective) == own_part(without.trace, collective), (
            f"{what}, without it {without.trace!r}")
        return None
    function = FUNCTIONS[collective, rule[1]]
    chain = ran.trace.split(">")
    assert chain[0] == function, what
    cannot, instead = FALLBACKS.get((collective, rule[1]), (lambda *_: False, ""))
    if cannot(call.ranks, call.block_bytes // type_bytes(call), rule[3] // type_bytes(call)):
        assert len(chain) > 1 and chain[1] == instead, what
    return function


def check_rules_file(path, job, ranks):
    """Returns how many calls were checked, and the set of functions that ran because of the file. `ranks`: a
    number, or several: the sizes of communicators within one job."""
    of_ranks = [ranks] if isinstance(ranks, int) else list(ranks)
    calls = calls_for(read_rules(path), of_ranks)
    settings = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                "OMPI_MCA_coll_tuned_dynamic_rules_filename": os.path.abspath(path)}
    ran = job.run(list(calls), settings)
    without = job.without_rules(calls)
    used = set()
    for call, rule in calls.items():
        what = (f"{path}: {call.collective} of {call.block_bytes} bytes on {call.ranks} ranks: rule {rule}, "
                f"ran {ran[call].trace!r}")
        used.add(check_call(call, rule, ran[call], without[call], what))
    return len(calls), used - {None}


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
