"""Starts MPI jobs, daemons and stand-ins for daemons, for the tests of the agent."""

import argparse
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

arguments = None
JOB_TIMEOUT_S = 300
RUNS = 3
LOST = "the last timings are lost"
# The same calls in each language.
VERSIONS = ("collectives", "collectives_mpif", "collectives_mpi", "collectives_f08")


def without_banner(output):
    """What the job printed, and what MPICH's launcher added."""
    found = re.search(r"\n=+\n=   BAD TERMINATION", output)
    return (output[:found.start()], output[found.start():]) if found else (output, "")


class JobTest(unittest.TestCase):
    """Each test has a folder of its own; jobs never see this machine's agent settings."""

    preloads = ()  # behind the agent

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cox-agent-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.spool = self.folder / "spool.csv"

    def environment(self, agent=True, **settings):
        variables = {k: v for k, v in os.environ.items() if not k.startswith("COX_")}
        variables["COX_SERVER"] = f"unix:{self.folder}/nobody"
        variables["COX_SPOOL"] = str(self.spool)
        variables["COX_MACHINE"] = "m1"
        variables.update({k: str(v) for k, v in settings.items()})
        if agent:
            variables["PRELOAD"] = ":".join(map(str, (arguments.agent, *self.preloads)))
        return variables

    def command(self, ranks, *program):
        # The launcher itself must not load the agent: a shell sets it for the ranks only.
        preload = 'test -z "$PRELOAD" || export LD_PRELOAD="$PRELOAD${LD_PRELOAD:+:$LD_PRELOAD}"; exec "$@"'
        return [*arguments.launcher.split(), "-np", str(ranks), "sh", "-c", preload, "sh", *map(str, program)]

    def run_job(self, ranks, *program, agent=True, **settings):
        """The job's end. It runs again if an agent says that it lost timings because MPI_Finalize had to end: on a busy
        machine its thread may get no processor, or no disk, for that long."""
        environment = self.environment(agent, **settings)
        spool = pathlib.Path(environment["COX_SPOOL"])
        had_spool = spool.exists()
        for _ in range(RUNS):
            done = subprocess.run(self.command(ranks, *program), capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=JOB_TIMEOUT_S, env=environment)
            if had_spool or LOST not in done.stderr:
                break
            print(f"an agent lost its last timings, so this job runs again: {' '.join(map(str, program))}", file=sys.stderr)
            spool.unlink(missing_ok=True)
        return done

    def run_ok(self, *words, **settings):
        done = self.run_job(*words, **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def assert_same_end(self, done, plain, own_status=None):
        """Both jobs printed the same and ended with the same status; `own_status` is the program's, if it is known."""
        # When ranks die one after another, MPICH's launcher may print a banner and report the signal by which it
        # ended the others, a hangup or a kill: that depends on which of its processes hears first.
        (printed, banner), (expected, expected_banner) = (without_banner(job.stdout) for job in (done, plain))
        self.assertEqual(printed, expected, done.stderr)
        if banner or expected_banner:
            if own_status != 0:
                self.assertNotIn(0, (done.returncode, plain.returncode))
            else:
                self.assertLessEqual({done.returncode, plain.returncode}, {own_status, signal.SIGHUP, signal.SIGKILL})
        else:
            self.assertEqual(done.returncode, plain.returncode, done.stderr)

    def in_each_language(self, ranks, check, **settings):
        """Runs each of versions() without the agent and with it: they print the same. Then `check` sees the spool."""
        for name in versions():
            with self.subTest(program=name):
                self.spool.unlink(missing_ok=True)
                plain = self.run_ok(ranks, program(name), agent=False)
                done = self.run_ok(ranks, program(name), **settings)
                self.assertEqual(done.stdout, plain.stdout)
                try:
                    check()
                except AssertionError as error:
                    raise AssertionError(f"{error}\n{done.stderr}") from None

    def seen_by_the_tool(self, ranks, *words, **settings):
        """Runs a program with the tool behind the agent; returns what the tool saw on each rank."""
        self.preloads = [arguments.programs / f"tool.{arguments.mpi}.so"]
        done = self.run_ok(ranks, *words, **settings)
        # It knows all communicators that it sees.
        self.assertNotIn("tool:", done.stderr)
        seen = [dict(re.findall(r"(MPI_\w+) (\d+)", line))
                for line in sorted(re.findall(r"seen by rank .*", done.stderr))]
        self.assertEqual(len(seen), ranks, done.stderr)
        return done, seen

    def start_job(self, ranks, *program, **settings):
        job = subprocess.Popen(self.command(ranks, *program), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                               start_new_session=True, env=self.environment(**settings))
        self.addCleanup(end_group, job)
        return job

    def spooled(self, spool=None):
        """The rows of a spool, of the test's own unless told; an empty list without a file."""
        spool = spool or self.spool
        if not spool.exists():
            return []
        with spool.open(newline="") as file:
            return list(csv.DictReader(file))


def program(name):
    return arguments.programs / f"{name}.{arguments.mpi}"


def versions():
    """Those of VERSIONS that were built."""
    return [name for name in VERSIONS if program(name).exists()]


def end_group(job):
    if job.poll() is None:
        os.killpg(job.pid, signal.SIGKILL)
    job.communicate()


def wait_for(condition, what, timeout_s=30):
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out: {what}")
        time.sleep(0.02)


class HangingServer:
    """Accepts connections and never answers. `path`: on a Unix socket."""

    def __init__(self, path=None):
        self.path = path

    def __enter__(self):
        if self.path is not None:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(str(self.path))
            self.socket.listen(64)
            return f"unix:{self.path}"
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        return f"127.0.0.1:{self.socket.getsockname()[1]}"

    def __exit__(self, *_):
        self.socket.close()


class Daemon:
    """A coxd on a Unix socket."""

    def __init__(self, test, name="coxd"):
        self.test = test
        self.name = name
        self.address = f"unix:{test.folder}/{name}.sock"
        self.process = None
        self.start()
        test.addCleanup(self.kill)

    def start(self):
        self.process = subprocess.Popen(
            [arguments.coxd, "--data", str(self.test.folder / f"{self.name}-data"), "--listen", self.address],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        wait_for(lambda: self.cox("observations", "list", "--count", check=False).returncode == 0,
                 "coxd answers")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def cox(self, *words, check=True):
        return subprocess.run([arguments.cox, "--server", self.address, "--json", *words],
                              capture_output=True, text=True, check=check, timeout=60,
                              stdin=subprocess.DEVNULL)

    def observations(self):
        """All rows, in the columns of the spool."""
        return list(csv.DictReader(io.StringIO(self.cox("observations", "export").stdout)))

    def counts(self):
        return json.loads(self.cox("observations", "list", "--count").stdout)


def timings(rows, **wanted):
    """How many timings are behind the rows that match."""
    return sum(int(row["count"]) for row in rows
               if all(str(row[key]) == str(value) for key, value in wanted.items()))


def main(*more):
    """The tests of the script that calls this, with its command line; `more` options may be missing."""
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--agent", required=True, type=pathlib.Path)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--coxd", required=True)
    parser.add_argument("--cox", required=True)
    for option in more:
        parser.add_argument(option)
    arguments, rest = parser.parse_known_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
