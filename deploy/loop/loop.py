#!/usr/bin/env python3
"""From an MPI job's timings to a better algorithm, with what deploy/quickstart has built.

    loop.py --build DIR --state DIR --ranks N --repeats N --keep yes|no --before SECONDS
"""

import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

import report
from processes import Failure, Interrupted, Processes, raise_on_signals, stop_kept_daemon

MACHINE = "this-machine"
LIBRARY = "openmpi-4.1"
USUAL_PORT = 7077
# Block sizes, and how many calls: small ones often, for large ones so much altogether.
PROGRAM = ["--bytes", "64,1024,16384,262144", "--calls", "10000", "--volume", str(24 << 20),
           "--barrier"]
ELEMENT_BYTES = 8
REFINE_INTERVAL_S = 2
MOST_REVISIONS = 15  # attempts to get recommendations and rules from one revision
# After a longer build the load average still shows the build.
BUILD_S = 20
# Seconds between lines about progress.
COUNT_EVERY_S = 2
REVISIONS_EVERY_S = 10


def say(text=""):
    print(text, flush=True)


class Loop:
    def __init__(self, options, processes):
        self.options = options
        self.processes = processes
        self.build = pathlib.Path(options.build)
        self.state = pathlib.Path(options.state)
        self.data = self.state / "data"
        self.pid_file = self.state / "coxd.pid"
        self.rules = (self.state / "rules.conf").resolve()
        self.server = None
        self.daemon = None
        self.revision = 0  # of the profile, as the daemon announces it
        self.step_number = 2

    def step(self, title):
        self.step_number += 1
        say(f"\n== {self.step_number}. {title}")

    def binary(self, name):
        return self.build / "bin" / name

    def agent(self):
        return (self.build / "lib" / "libcoxagent-openmpi.so").resolve()

    def command(self, *words):
        return [self.binary("cox"), "--server", self.server, *words]

    def cox(self, *words, what):
        """Runs cox and returns what it printed."""
        return self.processes.run(self.command(*words), what, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)

    # -- the daemon

    def start_daemon(self):
        self.step("Daemon")
        stop_kept_daemon(self.pid_file, self.binary("coxd"))
        for path in self.state.glob("*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.data.mkdir(parents=True)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", USUAL_PORT))
                port = USUAL_PORT
            except OSError:
                port = 0
        log_path = self.state / "coxd.log"
        with open(log_path, "w") as log:
            self.daemon = self.processes.start(
                [self.binary("coxd"), "--data", self.data, "--listen", f"127.0.0.1:{port}",
                 "--refine-interval", f"{REFINE_INTERVAL_S}s"], stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while self.server is None:
            text = log_path.read_text()
            listening = re.search(r"event=listening address=(\S+)", text)
            if listening:
                self.server = listening.group(1)
            elif self.daemon.poll() is not None or time.monotonic() > deadline:
                last = text.strip().splitlines()[-1:] or ["it said nothing"]
                raise Failure(f"coxd did not start: {last[0]}")
            else:
                time.sleep(0.02)
        self.pid_file.write_text(str(self.daemon.pid))
        say(f"coxd listens on {self.server}, its database is {self.data}")

    # -- learning

    def calibrate(self):
        self.step(f"Calibration: {self.options.ranks} ranks exchange messages, then try every "
                  "algorithm of Open MPI (a minute)")
        path = self.state / "parameters.txt"
        warnings = []

        def show_note(line):
            note = line.strip().removeprefix("cox: ")
            if note.startswith("warning: "):
                warnings.append(note)
            elif note:
                say(f"  {note}")

        with open(path, "w") as file:
            self.processes.follow(
                self.command("calibrate", MACHINE, "--quick", "--mpi", "openmpi", "--ranks",
                             self.options.ranks),
                "the calibration", show_note, text=True, stdout=file)
            if warnings:
                print("", *warnings, sep="\n", file=file)
        say(f"  parameters with units and standard errors: {path}")
        if warnings:
            say(f"  {len(warnings)} warning(s), at the end of the same file")

    def launcher(self):
        """The same way to start a job as `cox calibrate` has."""
        ranks = self.options.ranks
        words = ["mpirun.openmpi", "-n", ranks, "--oversubscribe"]
        if ranks > len(os.sched_getaffinity(0)):
            words += ["--bind-to", "none", "--mca", "mpi_yield_when_idle", 1]
        return words + (["--allow-run-as-root"] if os.geteuid() == 0 else [])

    def run_program(self, job, tuned, while_it_runs=lambda: None):
        """Runs one job under the agent. Returns a Job with its reports."""
        times = self.state / f"{job}.csv"
        environment = {
            "LD_PRELOAD": self.agent(),
            "COX_SERVER": self.server,
            "COX_MACHINE": MACHINE,
            "COX_JOB": job,
            "COX_INTERVAL": "50ms",
        }
        if tuned:
            environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] = 1
            environment["OMPI_MCA_coll_tuned_dynamic_rules_filename"] = self.rules
        command = self.launcher()
        for name, value in environment.items():
            command += ["-x", f"{name}={value}"]
        command += [self.binary("coxapp.openmpi"), *PROGRAM, "--times", times]
        with open(self.state / f"{job}.log", "w") as log:
            process = self.processes.start(command, stdout=log, stderr=log)
            while process.poll() is None:
                while_it_runs()
                time.sleep(0.2)
            self.processes.stop(process)
        if process.returncode != 0:
            raise Failure(f"the MPI program failed; what it said is in {self.state / job}.log")
        return report.Job(self.cox("observations", "export", "--machine", MACHINE, "--job", job,
                                   what="reading the observations"))

    def watch_profile(self):
        """From now on, prints a line each time the daemon has learned."""
        process = self.processes.start(
            [self.binary("cox"), "--server", self.server, "--json", "watch", MACHINE],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        # The first line is the current profile: no later one is missed.
        speaks = json.loads(process.stdout.readline())

        def tell():
            said_at = 0
            for line in process.stdout:
                profile = json.loads(line)
                if "revision" not in profile:  # a drift; a profile follows
                    continue
                self.revision = int(profile["revision"])
                if time.monotonic() > said_at + REVISIONS_EVERY_S:
                    say(f"  the profile is refined: revision {self.revision}, "
                        f"{profile.get('note', '')}")
                    said_at = time.monotonic()

        self.revision = int(speaks["revision"])
        threading.Thread(target=tell, daemon=True).start()

    def observe(self):
        self.step(f"The MPI program, as it is, under the agent: {self.options.ranks} ranks, the "
                  "library's own algorithms")
        say("coxapp: alltoall in a 3-D transform, allreduce in a conjugate gradient, allgather\n"
            "in a stencil, bcast of a table; a barrier before each lets all ranks enter together")
        self.watch_profile()
        before = self.revision
        shown, said_at = 0, 0

        def show_count():
            nonlocal shown, said_at
            count = self.count("default-1")
            if count > shown and time.monotonic() > said_at + COUNT_EVERY_S:
                say(f"  observations from the job: {count}")
                shown, said_at = count, time.monotonic()

        job = self.run_program("default-1", tuned=False, while_it_runs=show_count)
        said_at = 0
        show_count()
        if shown == 0:
            raise Failure("no timings have arrived; COX_LOG=1 would say what the agent does")
        # The daemon publishes what it has learned once in an interval.
        time.sleep(1.5 * REFINE_INTERVAL_S)
        if self.revision == before:
            say("  the profile stays: only times of a known algorithm teach its parameters")
        say(f"  checked by the program itself: {self.last_line('default-1')}")
        return job

    def count(self, job):
        answer = json.loads(self.cox("--json", "observations", "list", "--count", "--job", job,
                                     what="counting the observations"))
        return int(answer["observation_count"])

    def last_line(self, job):
        return (self.state / f"{job}.log").read_text().strip().splitlines()[-1]

    # -- using what was learned

    def cells(self):
        """The (collective, block_bytes) that the program called."""
        with open(self.state / "default-1.csv") as file:
            return [(row["collective"], int(row["block_bytes"])) for row in csv.DictReader(file)]

    def promises(self):
        """What holds for every call of the program. `tune` leaves out algorithms that need a promise;
        `recommend` may infer it from a size."""
        least_elements = min(size for _, size in self.cells()) // ELEMENT_BYTES
        return "commutative" + (",elements>=ranks" if least_elements >= self.options.ranks else "")

    def recommend(self):
        """An answer for each cell of the program."""
        ranks = self.options.ranks
        return {(collective, size): json.loads(self.cox(
            "--json", "recommend", "-m", MACHINE, "-c", collective, "-p", ranks, "--ppn", ranks,
            "-b", size, "--type-bytes", ELEMENT_BYTES, "--library", LIBRARY,
            "--assume", self.promises(), what="the recommendation"))
            for collective, size in self.cells()}

    def write_rules(self):
        """Writes the rules file and returns the answer that came with it."""
        return json.loads(self.cox(
            "--json", "tune", "-m", MACHINE, "--nodes", 1, "--ppn", self.options.ranks, "--library",
            LIBRARY, "--format", "file", "--assume", self.promises(), "-o", self.rules,
            what="writing the rules file"))

    def decide(self):
        """Recommendations, and the rules file, of one revision of the profile."""
        self.step("Recommendations")
        for _ in range(MOST_REVISIONS):
            answers, tuning = self.recommend(), self.write_rules()
            revisions = {answer["profile_revision"] for answer in answers.values()}
            if revisions == {tuning["profile_revision"]}:
                break
            time.sleep(REFINE_INTERVAL_S)
        else:
            raise Failure("the profile does not come to rest, though nothing runs: another program "
                          "reports to this daemon")
        say(report.table(
            ["COLLECTIVE", "SIZE", "PREDICTED", "USE", "WHY"],
            [[collective, report.size_text(size), report.time_text(answer.get("predicted_time_s")),
              answer["algorithm"], answer.get("reason", "")]
             for (collective, size), answer in answers.items()]))
        self.step("Open MPI's rules file")
        say(f"{self.rules}: decisions for {len({row['collective'] for row in tuning['rows']})} "
            "collectives, each over all message sizes")
        return answers

    def compare(self, first):
        repeats = self.options.repeats
        self.step(f"The program again, {repeats} times with the rules file, {repeats} without")
        before, after = [first], []
        for number in range(1, repeats + 1):
            say(f"  pair {number} of {repeats}")
            after.append(self.run_program(f"tuned-{number}", tuned=True))
            if number < repeats:
                before.append(self.run_program(f"default-{number + 1}", tuned=False))
        time.sleep(1.5 * REFINE_INTERVAL_S)
        say(f"  the profile is at revision {self.revision}")
        checksums = {self.last_line(f"{kind}-{number}")
                     for kind in ("default", "tuned") for number in range(1, repeats + 1)}
        if len(checksums) != 1:
            raise Failure(f"the runs have computed different results: {sorted(checksums)}")
        return before, after

    def conclude(self, answers, before, after):
        self.step("What came of it")
        rows = []
        for cell, answer in answers.items():
            old, new = report.Times(before, cell), report.Times(after, cell)
            ran = set().union(*(job.algorithms.get(cell, set()) for job in after))
            wanted = answer["algorithm"]
            verdict = report.verdict(old, new)
            if wanted == "default" and ran <= {"default"}:
                verdict = f"{verdict} (nothing changed)"
            elif ran != {wanted}:
                verdict = f"{verdict} (ran {', '.join(sorted(ran)) or 'nothing'})"
            rows.append([cell[0], report.size_text(cell[1]), report.time_text(old.time_s),
                         wanted, report.time_text(answer.get("predicted_time_s")),
                         report.time_text(new.time_s), verdict])
        say(report.table(["COLLECTIVE", "SIZE", "DEFAULT", "RECOMMENDED", "PREDICTED", "MEASURED",
                          "TUNED IS"], rows))
        say(f"\nTimes are what the agent told the daemon: medians of {len(after)} runs each.\n"
            "Faster or slower is said where all runs with the rules are on one side of all runs\n"
            "without them, the middle halves of their timings do not meet, and it is "
            f"{100 * report.FLOOR:.0f} % or more.")

    def farewell(self):
        cox, ranks = self.binary("cox"), self.options.ranks
        usual = self.server == f"127.0.0.1:{USUAL_PORT}"
        server = "" if usual else f" --server {self.server}"
        seconds = time.monotonic() - self.options.begin + self.options.before
        say(f"\nDone in {int(seconds) // 60} min {int(seconds) % 60} s.")
        if self.options.keep == "yes":
            self.processes.release(self.daemon)
            say(f"The daemon goes on: pid {self.daemon.pid} (kill {self.daemon.pid} ends it). Try:")
            more = [f"{cox}{server} watch {MACHINE}"]
        else:
            server = ""
            say("The daemon is stopped; what it has learned is kept. Try:")
            more = [f"{self.binary('coxd')} --data {self.data} &"]
        more += [f"{cox}{server} predict -m {MACHINE} -c alltoall -p {ranks} -b 1k..1M:*4",
                 f"COX_MACHINE={MACHINE} {'COX_SERVER=' + self.server + ' ' if server else ''}"
                 f"mpirun.openmpi -x LD_PRELOAD={self.agent()} YOUR_PROGRAM"]
        for command in more:
            say(f"  {command}")

    def run(self):
        ranks, cores = self.options.ranks, len(os.sched_getaffinity(0))
        self.start_daemon()
        if ranks > cores:
            say(f"note: {ranks} ranks share {cores} core(s): expect noise")
        if os.getloadavg()[0] > cores and self.options.before < BUILD_S:
            say(f"note: the machine is busy (load {os.getloadavg()[0]:.1f} on {cores} core(s)): "
                "expect noise")
        self.calibrate()
        first = self.observe()
        answers = self.decide()
        before, after = self.compare(first)
        self.conclude(answers, before, after)
        if self.options.keep != "yes":
            self.processes.stop(self.daemon)
            self.pid_file.unlink(missing_ok=True)
        self.farewell()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--keep", choices=("yes", "no"), required=True)
    parser.add_argument("--before", type=int, required=True)
    options = parser.parse_args()
    options.begin = time.monotonic()
    processes = Processes()
    raise_on_signals()
    try:
        Loop(options, processes).run()
        return 0
    except Failure as failure:
        print(f"quickstart: {failure}", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        print("\nquickstart: interrupted, stopping what was started", file=sys.stderr)
        return 128 + interrupted.number
    finally:
        processes.stop_all()


if __name__ == "__main__":
    sys.exit(main())
