"""Runs one check over many files on all cores, and remembers what passed.

What passed is remembered in the user's cache folder, for every checkout: an empty file whose name
is the fingerprint of everything that the check read.
"""

import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import sys
import time
import typing

from sources import ROOT

SECONDS_BETWEEN_LINES = 15


@dataclasses.dataclass
class Task:
    file: pathlib.Path
    fingerprint: str
    check: typing.Callable  # Returns the fault, or None.


def fingerprint(setting, files):
    """Of the tool, its settings and arguments, and of the files that it reads."""
    digest = hashlib.sha256(setting)
    for path in files:
        digest.update(str(path).encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def cache_folder(name):
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(base) / "coxswain" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Progress:
    """A line on a terminal that counts up; elsewhere a new line from time to time."""

    def __init__(self, name, total):
        self._name, self._total, self._done = name, total, 0
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()

    def step(self, problem):
        self._done += 1
        if self._terminal and problem:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if problem:
            print(problem, flush=True)
        said = f"{self._name}: {self._done} of {self._total} files"
        if self._terminal:
            end = "\n" if self._done == self._total else ""
            print(f"\r\033[K{said}", end=end, file=sys.stderr, flush=True)
        elif time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            print(said, file=sys.stderr, flush=True)


def run(name, tasks, jobs):
    """Runs the tasks that have not passed yet; returns the exit status."""
    passed = cache_folder(name)
    waiting = [task for task in tasks if not (passed / task.fingerprint).exists()]
    before = len(tasks) - len(waiting)
    print(f"{name}: {len(tasks)} files, {before} of them passed before", flush=True)
    progress = Progress(name, len(waiting))
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(task.check): task for task in waiting}
        try:
            for done in concurrent.futures.as_completed(running):
                problem = done.result()
                if problem is None:
                    (passed / running[done].fingerprint).touch()
                else:
                    wrong += 1
                progress.step(problem)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    print(f"{name}: {len(tasks)} checked, {wrong} wrong")
    return 1 if wrong else 0


def relative(text):
    """Compiler output with paths relative to the root."""
    return text.replace(f"{ROOT}/", "").strip()
