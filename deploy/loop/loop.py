#!/usr/bin/env python3
"""From an MPI job's timings to a better algorithm, with what deploy/quickstart has built.

    loop.py --build DIR --state DIR --bed auto|fabric|simulated|memory --ranks N --repeats N --keep yes|no
            --before SECONDS

0 ranks or repeats: as many as suit the bed.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import beds
import picture
import report
from processes import Failure, Interrupted, Processes, free_address, raise_on_signals, stop_kept_daemon

USUAL_HTTP_PORT = 7078
RESTARTED_PAGE = f"http://127.0.0.1:{USUAL_HTTP_PORT}/"  # coxd's own default (--http)
ELEMENT_BYTES = 8
REFINE_INTERVAL_S = 1
MOST_REVISIONS = 15  # attempts to get recommendations and rules from one revision
# Marks a folder that a quickstart has made; deploy/quickstart has the same name.
MARKER = ".coxswain-quickstart"
# After a longer build the load average still shows the build.
BUILD_S = 20


def say(text=""):
    print(text, flush=True)


def claim_folder(folder):
    """Makes the folder and marks it; refuses a folder with files that no quickstart has written."""
    marker = folder / MARKER
    if not marker.exists() and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failure(f"--state: {folder} has files that no quickstart has written; name another folder, or remove it")
    folder.mkdir(parents=True, exist_ok=True)
    marker.touch()


def empty_folder(folder):
    """Removes all but the marker: a run that ends meanwhile leaves a folder that the next run accepts."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARKER:
            path.unlink()


class Loop:
    def __init__(self, options, processes, bed):
        self.options = options
        self.processes = processes
        self.bed = bed
        self.build = pathlib.Path(options.build)
        self.state = pathlib.Path(options.state)
        self.data = self.state / "data"
        self.pid_file = self.state / "coxd.pid"
        self.rules = (self.state / "rules.conf").resolve()
        self.repeats = options.repeats or bed.repeats
        self.server = None
        self.page = None
        self.daemon = None
        self.revision = 0  # of the profile, as the daemon announces it
        self.step_number = 2

    def step(self, title):
        self.step_number += 1
        say(f"\n== {self.step_number}. {title}")

    def binary(self, name):
        return (self.build / "bin" / name).resolve()

    def command(self, *words):
        return [self.binary("cox"), "--server", self.server, *words]

    def cox(self, *words, what):
        """Runs cox and returns what it printed."""
        return self.processes.run(self.command(*words), what, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)

    # -- the daemon

    def start_daemon(self):
        self.step("Daemon")
        claim_folder(self.state)
        stop_kept_daemon(self.pid_file, self.binary("coxd"))
        empty_folder(self.state)
        self.data.mkdir()
        log_path = self.state / "coxd.log"
        with open(log_path, "w", encoding="utf-8") as log:
            self.daemon = self.processes.start(
                [self.binary("coxd"), "--data", self.data, "--listen", self.bed.listen_address(self.state),
                 "--http", free_address(USUAL_HTTP_PORT), "--refine-interval", f"{REFINE_INTERVAL_S}s"],
                stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while self.server is None or self.page is None:
            text = log_path.read_text(encoding="utf-8")
            listening = re.search(r"event=listening address=(\S+)", text)
            page = re.search(r"event=listening http=(\S+)", text)
            if listening and page:
                self.server, self.page = listening.group(1), f"http://{page.group(1)}/"
            elif self.daemon.poll() is not None or time.monotonic() > deadline:
                last = text.strip().splitlines()[-1:] or ["it said nothing"]
                raise Failure(f"coxd did not start: {last[0]}")
            else:
                time.sleep(0.02)
        self.pid_file.write_text(str(self.daemon.pid), encoding="utf-8")
        say(f"coxd listens on {self.server}, its database is {self.data}")

    # -- learning

    def calibrate(self):
        self.step(f"Calibration: {self.bed.ranks} ranks time the algorithms of Open MPI that may be the best for the program's calls")
        warnings = self.bed.calibrate(self)
        say(f"parameters with units and standard errors: {self.state / 'parameters.txt'}")
        if warnings:
            say(f"{warnings} warning(s), at the end of the same file")

    def watch_profile(self):
        """From now on, knows the profile's revision."""
        process = self.processes.start(self.command("--json", "watch", self.bed.machine), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)

        def follow():
            for line in process.stdout:
                self.revision = int(json.loads(line).get("revision", self.revision))

        # The first line is the current profile: no later one is missed.
        self.revision = int(json.loads(process.stdout.readline()).get("revision", 0))
        threading.Thread(target=follow, daemon=True).start()

    def observe(self):
        self.step(f"An MPI program as it is, {self.bed.watched}: {self.bed.ranks} ranks, Open MPI's own choices")
        say("coxapp: alltoall in a 3-D transform, allreduce in a conjugate gradient, allgather in a\n"
            "stencil, bcast of a table; every result is checked")
        start = self.count()
        self.watch_profile()
        job = self.bed.run(self, "coxapp-default-1", None)
        self.learn()
        counted = self.count() - start
        if not job.windows:
            raise Failure("no timings have arrived; COX_LOG=1 would say what the agent does")
        if counted:
            say(f"observations from the job: {counted}; profile revision {self.revision}")
        say(f"it computed: {job.checksum}")
        return job

    def count(self):
        answer = json.loads(self.cox("--json", "observations", "list", "--count", "--machine", self.bed.machine,
                                     what="counting the observations"))
        return int(answer["observation_count"])

    def learn(self):
        """Lets the daemon learn from what has arrived: it does so once in an interval."""
        time.sleep(1.5 * REFINE_INTERVAL_S)

    # -- using what was learned

    def promises(self, cells):
        """What holds for every call of the program. `tune` leaves out algorithms that need a promise;
        `recommend` may infer it from a size."""
        least_elements = min(size for _, size in cells) // ELEMENT_BYTES
        return "commutative,same-counts" + (",elements>=ranks" if least_elements >= self.bed.ranks else "")

    def recommend(self, cells):
        """An answer for each cell of the program."""
        bed, found = self.bed, {}
        for collective in dict.fromkeys(collective for collective, _ in cells):
            sizes = [size for name, size in cells if name == collective]
            words = ["--json", "recommend", "-m", bed.machine, "-c", collective, "-p", bed.ranks, "--nodes", bed.nodes,
                     "--ppn", bed.ppn, "-b", ",".join(map(str, sizes)), "--type-bytes", ELEMENT_BYTES, "--library",
                     bed.library, "--assume", self.promises(cells)]
            if names := bed.candidates(collective):
                words += ["--candidates", ",".join(names)]
            document = json.loads(self.cox(*words, what="the recommendation"))
            answers = document.get("responses", [document])
            found.update({(collective, size): answer for size, answer in zip(sizes, answers)})
        return {cell: found[cell] for cell in cells}

    def write_rules(self, cells):
        """Writes the rules file and returns the answer that came with it."""
        return json.loads(self.cox(
            "--json", "tune", "-m", self.bed.machine, "--nodes", self.bed.nodes, "--ppn", self.bed.ppn, "--library",
            self.bed.library, "--format", "file", "--assume", self.promises(cells), "-o", self.rules,
            what="writing the rules file"))

    def decide(self, cells):
        """Recommendations, and the rules file, of one revision of the profile."""
        self.step("Recommendations")
        for _ in range(MOST_REVISIONS):
            answers, tuning = self.recommend(cells), self.write_rules(cells)
            revisions = {answer["profile_revision"] for answer in answers.values()}
            if revisions == {tuning["profile_revision"]}:
                break
            time.sleep(REFINE_INTERVAL_S)
        else:
            raise Failure("the profile does not come to rest, though nothing runs: another program "
                          "reports to this daemon")
        switched = sum(answer["algorithm"] != "default" for answer in answers.values())
        say(f"another algorithm than the default for {switched} of the program's {len(answers)} calls;\n"
            f"in Open MPI's own format: {self.state / self.rules.name}")
        return answers

    def compare(self, first, answers):
        repeats = self.repeats
        self.step(f"The program again, {repeats} times with the recommendations, {repeats - 1} without")
        before, after = [first], []
        for number in range(1, repeats + 1):
            after.append(self.bed.run(self, f"coxapp-tuned-{number}", answers))
            if number < repeats:
                before.append(self.bed.run(self, f"coxapp-default-{number + 1}", None))
        self.learn()
        checksums = {job.checksum for job in before + after}
        if len(checksums) != 1:
            raise Failure(f"the runs have computed different results: {sorted(checksums)}")
        say(f"all runs have the same checksums; profile revision {self.revision}")
        return before, after

    def conclude(self, result):
        self.step(f"What came of it, on {self.bed.title}")
        say(report.result_table(result))
        totals = report.totals(result)
        if totals:
            say("\n" + picture.bars(totals))
        say(f"\ncommunication: {report.time_text(result['default_communication_time_s'])} by default, "
            f"{report.time_text(result['tuned_communication_time_s'])} tuned: {result['gain']:.2f} times as fast")
        judged = [row["is_in_interval"] for row in result["rows"] if row["is_in_interval"] is not None]
        say(f"predictions: {sum(judged)} of {len(judged)} measured times lie in the predicted 90 % interval")
        say(report.job_factors(result))
        if self.bed.sentence:
            say(self.bed.sentence)

    def ask_again(self, answers, result):
        self.step("Asked again: what the measurements have changed")
        changes = report.taken_back(answers, self.recommend(list(answers)), result)
        for change in changes:
            say(f"{change['collective']} {report.size_text(change['block_bytes'])}: {change['from']} -> {change['to']} "
                f"(was {change['was']}; {change['reason']})")
        if not changes:
            say(f"nothing: all {len(answers)} decisions stay")
        result["taken_back"] = changes

    def write(self, result):
        result["bed"], result["ranks"], result["library"] = self.bed.title, self.bed.ranks, self.bed.library
        result["seconds"] = round(self.seconds(), 1)
        paths = self.state / "result.json", self.state / "gain.svg"
        paths[0].write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        totals = report.totals(result)
        if totals:
            paths[1].write_text(picture.svg(totals, f"Seconds in collectives: {self.bed.title}"), encoding="utf-8")
        say(f"\n{paths[0]} has the figures, {paths[1]} the picture.")

    def seconds(self):
        return time.monotonic() - self.options.begin

    def farewell(self):
        cox, bed = self.binary("cox"), self.bed
        seconds = self.seconds() + self.options.before
        say(f"\nDone in {int(seconds) // 60} min {int(seconds) % 60} s.")
        if self.options.keep == "yes":
            self.processes.release(self.daemon)
            say(f"The daemon goes on: pid {self.daemon.pid} (kill {self.daemon.pid} ends it). Its page is {self.page}. Try:")
            cox = f"{cox} --server {self.server}"
            more = [f"{cox} watch {bed.machine}"]
        else:
            say("The daemon is stopped; what it has learned is kept. To see its page, start it again with the first command\n"
                f"and open {RESTARTED_PAGE}. --keep lets the daemon go on after the quickstart. Try:")
            more = [f"{self.binary('coxd')} --data {self.data} &"]
        more += [f"{cox} recommend -m {bed.machine} -c bcast -p {bed.ranks} --ppn {bed.ppn} -b 1k..1M:*4",
                 f"{cox} explain -m {bed.machine} -c alltoall -p {bed.ranks} --ppn {bed.ppn} -b 1k"]
        for command in more:
            say(f"  {command}")

    def run(self):
        bed, cores = self.bed, beds.usable_cores()
        bed.start()
        self.start_daemon()
        if os.getloadavg()[0] > cores and self.options.before < BUILD_S:
            say(f"note: the machine is busy (load {os.getloadavg()[0]:.1f} on {cores} core(s)): expect noise")
        self.calibrate()
        first = self.observe()
        collectives = list(dict.fromkeys(collective for collective, _ in first.calls))
        cells = sorted(first.calls, key=lambda cell: (collectives.index(cell[0]), cell[1]))
        answers = self.decide(cells)
        before, after = self.compare(first, answers)
        result = report.result_of(answers, before, after)
        if result["gain"] is None:
            raise Failure("no timings have arrived from the tuned runs")
        self.conclude(result)
        self.ask_again(answers, result)
        self.write(result)
        if self.options.keep != "yes":
            self.processes.stop(self.daemon)
            self.pid_file.unlink(missing_ok=True)
        self.farewell()


def run(options, processes):
    bed, why = beds.choose(options.bed, options.ranks, pathlib.Path(options.build))
    say(f"\nThe jobs run on {bed.title}." + (f" ({why})" if why else ""))
    try:
        Loop(options, processes, bed).run()
    finally:
        processes.stop_all()
        bed.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--bed", choices=("auto", *beds.BEDS), required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--keep", choices=("yes", "no"), required=True)
    parser.add_argument("--before", type=int, required=True)
    options = parser.parse_args()
    options.begin = time.monotonic()
    raise_on_signals()
    try:
        run(options, Processes())
        return 0
    except Failure as failure:
        print(f"quickstart: {failure}", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        print("\nquickstart: interrupted; all processes and namespaces that it started are gone", file=sys.stderr)
        return 128 + interrupted.number


if __name__ == "__main__":
    sys.exit(main())
