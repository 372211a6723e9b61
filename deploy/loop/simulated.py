"""A cluster that SimGrid simulates: the program runs in simulated time, whatever this computer does beside it."""

import csv
import pathlib
import shutil
import subprocess
import sys

import report
from processes import socket_address

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e/smpi"))
import simulation  # noqa: E402

APP = ROOT / "tests/e2e/apps"
COLLECTIVES = ("alltoall", "allreduce", "allgather", "bcast")
COLUMNS = ["machine", "library", "collective", "algorithm", "nodes", "ppn", "ranks", "block_bytes", "time_s",
           "count", "type_bytes"]


class Simulated:
    """16 nodes of 4 ranks on a torus, with the decisions of Open MPI as SimGrid has them. The interface is
    RealJobs'."""

    name, machine, library = "simulated", "smpi-torus", "openmpi-4.1"
    block_bytes = (16384, 65536)
    kernels, calls = "transpose,cg,halo=15,table=30", 10
    repeats = 1  # a repetition has the same times to the last bit
    usual_ranks, most_ranks = 16, 64
    watched = "in simulated time"
    sentence = ""

    def __init__(self, ranks, build):
        self.simulated = next(m for m in simulation.MACHINES if m.name == self.machine)
        self.build, self.ranks, self.ppn = build, ranks, self.simulated.ppn
        self.nodes = -(-ranks // self.ppn)
        self.title = f"a simulated torus of {self.nodes} nodes"

    @staticmethod
    def missing(_build):
        """Why the bed cannot be had here; "" if it can."""
        absent = [name for name in ("smpicc", "smpirun") if shutil.which(name) is None]
        return f"cannot find {' and '.join(absent)} (libsimgrid-dev)" if absent else ""

    def start(self):
        pass

    def stop(self):
        pass

    def listen_address(self, state):
        return socket_address(state)

    def candidates(self, collective):
        """What SimGrid can be told to run, and its own choice."""
        return ["default", *self.simulated.algorithms[collective]]

    def compile(self, loop, name, sources):
        program = (loop.state / name).resolve()
        loop.processes.run(["smpicc", "-O2", "-o", program, *sources, "-lm"], f"compiling {name}", text=True,
                           stderr=subprocess.PIPE)
        return program

    def simulate(self, loop, program, words, forced):
        """The program's output, with SimGrid's algorithm of each collective in `forced`."""
        hosts = loop.state / "hosts"
        hosts.write_text("".join(f"n{rank // self.ppn}\n" for rank in range(self.ranks)), encoding="utf-8")
        settings = [f"--cfg=smpi/coll-selector:{self.simulated.selector}",
                    *(f"--cfg=smpi/{collective}:{name}" for collective, name in forced.items())]
        return loop.processes.run(
            ["smpirun", "-np", self.ranks, "-platform", self.simulated.platform, "-hostfile", hosts,
             *simulation.SETTINGS, *settings, program, *words],
            "the simulation", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def store(self, loop, path, windows, *options):
        """Imports timings, through a file."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for window in windows:
                writer.writerow([self.machine, self.library, window.collective, window.algorithm, self.nodes, self.ppn,
                                 self.ranks, window.block_bytes, window.time_s, window.count,
                                 simulation.TYPE_BYTES.get(window.collective, 1)])
        loop.cox("observations", "import", path, *options, what="importing the timings")

    def calibrate(self, loop):
        """Simulates every algorithm at the program's sizes. Returns the number of warnings."""
        program = self.compile(loop, "collective_times", [ROOT / "tests/e2e/smpi/collective_times.c"])
        path = loop.state / "timings.csv"
        windows = []
        for labels in self.simulated.runs(COLLECTIVES):
            forced = {c: name for c, (_, name) in labels.items() if name}
            words = [",".join(labels), ",".join(map(str, self.block_bytes))]
            for line in self.simulate(loop, program, words, forced).splitlines():
                collective, block_bytes, time_s = line.split()
                windows.append(report.Window(collective, int(block_bytes), labels[collective][0], float(time_s), 1))
        self.store(loop, path, windows)
        (loop.state / "parameters.txt").write_text(
            f"Every algorithm was simulated: the times are in {path}\n", encoding="utf-8")
        return 0

    def run(self, loop, job, answers, while_it_runs=lambda: None):
        """Runs the program with what the answers recommend. Returns a report.Job."""
        while_it_runs()
        program = (loop.state / "coxapp").resolve()
        if not program.exists():
            self.compile(loop, "coxapp", sorted(set(APP.glob("*.c")) - {APP / "corrupt.c"}))
        windows, calls, elapsed_s, checksums = [], {}, 0, []
        for size in self.block_bytes:
            chosen = {c: answers[c, size]["algorithm"] if answers else "default" for c in COLLECTIVES}
            forced = {c: self.simulated.algorithms[c][name] for c, name in chosen.items() if name != "default"}
            times = loop.state / f"{job}-{size}.csv"
            out = self.simulate(loop, program, ["--kernels", self.kernels, "--bytes", size, "--calls", self.calls, "--barrier",
                                           "--times", times.resolve()], forced)
            checksums.append(out.strip().splitlines()[-1])
            with open(times, encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    cell = row["collective"], int(row["block_bytes"])
                    calls[cell] = int(row["calls"])
                    elapsed_s += float(row["elapsed_s"])
                    windows.append(report.Window(*cell, chosen[cell[0]], float(row["elapsed_s"]) / calls[cell],
                                                 calls[cell]))
        self.store(loop, loop.state / f"{job}.csv", windows, "--from-jobs")
        return report.Job(windows, calls, elapsed_s, ", ".join(checksums))
