"""The oldest client with today's coxd, and today's cox with the oldest coxd: each folder of
tests/data has what a version sent and got, and its database."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

COX, COXD, TAPE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


def lacks(old, new, where=""):
    """What of `old` is not in `new`: fields may be added, none may go or change."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [problem for key, value in old.items()
                for problem in (lacks(value, new[key], f"{where}.{key}") if key in new
                                else [f"{where}.{key} is missing"])]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [problem for i, value in enumerate(old)
                for problem in lacks(value, new[i], f"{where}[{i}]")]
    return [] if old == new else [f"{where}: {old} became {new}"]


class Piped:
    """A program that serves until its standard input ends."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "listening\n":
            raise RuntimeError("it does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)


class Coxd:
    """With the settings of the recordings: what is learned in between would change answers."""

    def __init__(self, folder):
        self.address = f"unix:{folder}/coxd.sock"
        self.log = open(f"{folder}/log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [COXD, "--data", f"{folder}/data", "--listen", self.address, "--refine-interval", "1h"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        while cox(self.address, "machine", "list", folder=folder).returncode != 0:
            if self.process.poll() is not None:
                raise RuntimeError(pathlib.Path(f"{folder}/log").read_text(encoding="utf-8"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


def cox(address, *words, folder):
    """In `folder`, so that files have the same names in each run."""
    return subprocess.run([COX, "--server", address, "--json", *words], cwd=folder, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "LC_ALL": "C", "TZ": "UTC"})


def documents(text):
    """One JSON document, or one a line."""
    try:
        return [json.loads(text)] if text else []
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


class RecordedTest(unittest.TestCase):
    def for_each_version(self, check):
        versions = sorted(path for path in DATA.iterdir() if path.is_dir())
        self.assertNotEqual(versions, [])
        for version in versions:
            with self.subTest(version.name), tempfile.TemporaryDirectory(prefix="cox-rec-") as folder:
                for file in (version / "files").iterdir():
                    shutil.copy(file, folder)
                check(version, folder)

    def test_todays_coxd_answers_the_calls_of_old_clients(self):
        def check(version, folder):
            with Coxd(folder) as coxd:
                for tape in ("cox.tape", "agent.tape"):
                    outcome = subprocess.run([TAPE, "replay", version / tape, coxd.address],
                                             text=True, capture_output=True)
                    self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.for_each_version(check)

    def test_todays_cox_understands_the_answers_of_old_daemons(self):
        def check(version, folder):
            address = f"unix:{folder}/played.sock"
            commands = json.loads((version / "commands.json").read_text(encoding="utf-8"))
            with Piped(TAPE, "play", version / "cox.tape", address):
                for command in commands:
                    outcome = cox(address, *command["words"], folder=folder)
                    shown = f"cox {' '.join(command['words'])}: {outcome.stdout}{outcome.stderr}"
                    self.assertEqual(outcome.returncode, command["status"], shown)
                    self.assertEqual(lacks(command["answer"], documents(outcome.stdout)), [], shown)
        self.for_each_version(check)

    def test_todays_coxd_reads_old_databases(self):
        def check(version, folder):
            os.mkdir(f"{folder}/data", mode=0o700)
            database = sqlite3.connect(f"{folder}/data/coxswain.db")
            database.executescript((version / "database.sql").read_text(encoding="utf-8"))
            (rows,) = database.execute("SELECT count(*) FROM observation").fetchone()
            self.assertGreater(rows, 0)
            database.close()
            with Coxd(folder) as coxd:
                (count,) = documents(cox(coxd.address, "observations", "list", "--count",
                                         folder=folder).stdout)
                self.assertEqual(int(count["observation_count"]), rows)
                shown = cox(coxd.address, "machine", "show", "ours", folder=folder)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                asked = cox(coxd.address, "recommend", "-m", "ours", "-c", "bcast", "-p", "8", "-b",
                            "1024", folder=folder)
                self.assertEqual(asked.returncode, 0, asked.stderr)
        self.for_each_version(check)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
