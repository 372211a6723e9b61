"""Where the quickstart's jobs run: a network of namespaces, a simulated cluster, or shared memory."""

import os
import pathlib
import sys

from processes import Failure, signals_held, socket_address
from real_jobs import RealJobs
from simulated import Simulated

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fabric"))
import fabric  # noqa: E402

SHIM = "lib/libcox_fabric_shim.so"


def usable_cores():
    return len(os.sched_getaffinity(0))


class Fabric(RealJobs):
    """A namespace per rank and shaped wires between them. Ranks wait for the wires, not for processors, so
    eight of them fit two cores."""

    name, machine = "fabric", "fabric"
    block_bytes = (16384, 65536)
    kernels, calls, volume = "transpose,cg,halo=15,table=30", 10, 2 << 20
    repeats = 2
    rate = "100mbit"
    calibration = ("--budget", "24s")
    report_every = "500ms"
    usual_ranks, most_ranks = 8, 16
    sentence = ""

    def __init__(self, ranks, build):
        super().__init__(build, ranks, nodes=ranks)
        self.title = f"a network of {ranks} namespaces, {self.rate[:-4]} Mbit/s"
        self.network = fabric.Fabric.of_this_process(ranks, self.rate, (build / SHIM).resolve())

    @staticmethod
    def missing(build):
        if not (build / SHIM).exists():
            return f"{build / SHIM} is not built"
        try:
            with signals_held():
                fabric.unavailable_because()
        except fabric.Unavailable as why:
            return str(why)
        return ""

    def start(self):
        try:
            with signals_held():
                fabric.remove_orphans()
                self.network.up()
        except RuntimeError as why:
            raise Failure(f"the network of namespaces: {why}") from why

    def stop(self):
        with signals_held():
            self.network.down()

    def listen_address(self, state):
        """A socket in the file system: each namespace has a loopback of its own."""
        return socket_address(state)

    def launcher(self):
        return self.network.on(0, self.network.launcher("openmpi", self.ranks))

    def environment(self):
        return self.network.environment()

    def preloads(self):
        return [*super().preloads(), self.network.shim]

    def before_exec(self):
        fabric.prefer()


class Memory(RealJobs):
    """Ranks share this computer's memory, where Open MPI's default is good already."""

    name, machine = "memory", "this-machine"
    block_bytes = (1024, 262144)
    kernels, calls, volume = "transpose,cg,halo,table", 10000, 24 << 20
    repeats = 3
    calibration = ("--quick",)
    report_every = "50ms"
    usual_ranks, most_ranks = min(max(usable_cores(), 2), 8), 64
    sentence = "Little is to be gained in shared memory: the library's default is good there."

    def __init__(self, ranks, build):
        super().__init__(build, ranks, nodes=1)
        self.title = f"shared memory, {ranks} ranks on {usable_cores()} core(s)"

    def launcher(self):
        """The same way to start a job as `cox calibrate` has."""
        words = ["mpirun.openmpi", "-n", self.ranks, "--oversubscribe"]
        if self.ranks > usable_cores():
            words += ["--bind-to", "none", "--mca", "mpi_yield_when_idle", 1]
        return words + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


BEDS = {bed.name: bed for bed in (Fabric, Simulated, Memory)}


def choose(name, ranks, build):
    """The bed, and why better ones cannot be had ("" if there is none). `name`: a key of BEDS, or "auto" for the
    first that can be had. `ranks` 0: as many as suit the bed."""
    passed_over = []
    for bed in BEDS.values() if name == "auto" else (BEDS[name],):
        if why := bed.missing(build):
            passed_over.append(f"no bed '{bed.name}': {why}")
            continue
        if not 0 <= ranks <= bed.most_ranks:
            raise Failure(f"--ranks: at most {bed.most_ranks} with --bed {bed.name}")
        return bed(ranks or bed.usual_ranks, build), "; ".join(passed_over)
    raise Failure("; ".join(passed_over))
