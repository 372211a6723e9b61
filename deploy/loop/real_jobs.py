"""Real MPI jobs of Open MPI under the agent, whose reports tell what calls took."""

import csv
import json
import os
import time

import report
from processes import Failure, free_address

USUAL_PORT = 7077
AGENT = "lib/libcoxagent-openmpi.so"
COLLECTIVES = "alltoall,allreduce,allgather,bcast"
POLL_S = 0.2


class RealJobs:
    """What the beds with real jobs share. A bed says its name, machine, title, block_bytes, kernels, calls and volume (as
    coxapp takes them), repeats, calibration (options of `cox calibrate`), report_every, sentence, and launcher()."""

    library = "openmpi-4.1"
    watched = "under the agent"

    def __init__(self, build, ranks, nodes):
        self.build, self.ranks, self.nodes, self.ppn = build, ranks, nodes, ranks // nodes

    @staticmethod
    def missing(_build):
        """Why the bed cannot be had here; "" if it can."""
        return ""

    def start(self):
        pass

    def stop(self):
        pass

    def listen_address(self, _state):
        return free_address(USUAL_PORT)

    def candidates(self, _collective):
        """What to choose from; None: all that the library has."""

    def environment(self):
        return dict(os.environ)

    def preloads(self):
        return [(self.build / AGENT).resolve()]

    def before_exec(self):
        """Runs in each process that becomes a job."""

    def calibrate(self, loop):
        """Measures the machine. The parameters and all warnings go to a file. Returns the number of warnings."""
        warnings = []

        def keep_warning(line):
            note = line.strip().removeprefix("cox: ")
            if note.startswith("warning: "):
                warnings.append(note)

        launcher = " ".join(map(str, self.launcher()))
        with open(loop.state / "parameters.txt", "w", encoding="utf-8") as file:
            loop.processes.follow(
                loop.command("calibrate", self.machine, *self.calibration, "--mpi", "openmpi", "--launcher", launcher,
                             "--ranks", self.ranks, "--collectives", COLLECTIVES, "-b",
                             ",".join(map(str, self.block_bytes))),
                "the calibration", keep_warning, text=True, stdout=file, env=self.environment(),
                before_exec=self.before_exec)
            if warnings:
                print("", *warnings, sep="\n", file=file)
        return len(warnings)

    def run(self, loop, job, answers, while_it_runs=lambda: None):
        """Runs the program, with the rules file if there are answers. Returns a report.Job."""
        times = loop.state / f"{job}.csv"
        variables = {
            "LD_PRELOAD": ":".join(map(str, self.preloads())),
            "COX_SERVER": loop.server,
            "COX_MACHINE": self.machine,
            "COX_JOB": job,
            "COX_INTERVAL": self.report_every,
            "COX_SPOOL": os.devnull,
        }
        if answers:
            variables["OMPI_MCA_coll_tuned_use_dynamic_rules"] = 1
            variables["OMPI_MCA_coll_tuned_dynamic_rules_filename"] = loop.rules
        command = list(self.launcher())
        for name, value in variables.items():
            command += ["-x", f"{name}={value}"]
        command += [(self.build / "bin/coxapp.openmpi").resolve(), "--kernels", self.kernels, "--bytes",
                    ",".join(map(str, self.block_bytes)), "--calls", self.calls, "--volume", self.volume, "--barrier", "--times", times.resolve()]
        log_path = loop.state / f"{job}.log"
        with open(log_path, "w", encoding="utf-8") as log:
            process = loop.processes.start(command, stdout=log, stderr=log, env=self.environment(),
                                           before_exec=self.before_exec)
            while process.poll() is None:
                while_it_runs()
                time.sleep(POLL_S)
            loop.processes.stop(process)
        if process.returncode != 0:
            raise Failure(f"the MPI program failed; what it said is in {log_path}")
        with open(times, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        calls = {(row["collective"], int(row["block_bytes"])): int(row["calls"]) for row in rows}
        checksum = log_path.read_text(encoding="utf-8").strip().splitlines()[-1]
        return report.Job(self.observations(loop, job), calls, sum(float(row["elapsed_s"]) for row in rows), checksum)

    def observations(self, loop, job):
        """The job's reports. On several nodes each node reports as a job JOB@NODE."""
        rows = json.loads(loop.cox("--json", "observations", "list", "--machine", self.machine, "--limit", 0,
                                   what="reading the observations"))["observations"]
        return [report.Window(row["collective"], int(row["block_bytes"]), row["algorithm"], row["time_s"],
                              int(row.get("count", 1)))
                for row in rows if row.get("job", "").split("@")[0] == job]
