"""Jobs of MPICH that make many calls, and what each call did: its messages on every rank, and its result."""

import os
import pathlib
import re
import shlex
import subprocess

TIMEOUT_S = 240
FILE_VARIABLE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"


class Job:
    def __init__(self, launcher, calls, folder):
        self.launcher, self.calls, self.folder = shlex.split(launcher), calls, pathlib.Path(folder)

    def start(self, ranks, sizes, calls, settings):
        """The finished process; ranks write into `folder`/out."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        for old in out.iterdir():
            old.unlink()
        listed = self.folder / "calls.txt"
        listed.write_text("".join(f"{collective} {size} {kind}\n" for collective, size, kind in calls))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MPIR_CVAR_")}
        return subprocess.run([*self.launcher, "-n", str(ranks), self.calls, str(listed), str(out), *map(str, sizes)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**environment, **settings}, timeout=TIMEOUT_S)

    def run(self, sizes, calls, settings=None):
        """A negative size has a communicator that nothing is called in. Returns {(communicator size, call): {rank: (result, messages)}};
        messages are None where the library refused."""
        ranks = max(map(abs, sizes))
        done = self.start(ranks, sizes, calls, settings or {})
        if done.returncode != 0:
            raise RuntimeError(f"{settings}: status {done.returncode}\n{done.stdout[-2000:]}")
        seen = {}
        for rank in range(ranks):
            for line in (self.folder / "out" / str(rank)).read_text().splitlines():
                size, number, result, messages = line.split(" ", 3)
                call = calls[int(number)]
                words = None if result == "unusable" else [without_tag(word) for word in messages.split()]
                seen.setdefault((int(size), call), {})[rank] = (result, words)
        return seen


def without_tag(word):
    """A message, with its communicator and source, without the tag: nonblocking calls count theirs."""
    return re.sub(r"[0-9a-f]{8}$", "", word)


def messages(did, in_order=True):
    """All ranks' messages of a call; None if the library refused the forced algorithm."""
    lists = [words for _, (_, words) in sorted(did.items())]
    if any(words is None for words in lists):
        return None
    return lists if in_order else [sorted(words) for words in lists]


def same_results(one, other):
    return all(same_result(one[rank][0], other[rank][0]) for rank in one)


def same_result(one, other):
    if "." not in one:
        return one == other
    pairs = zip(one.split(","), other.split(","))
    return all(a == b or abs(float(a) - float(b)) <= 1e-12 * abs(float(a)) for a, b in pairs)
