"""Machines that SimGrid simulates, and the times of collectives on them.

A machine is a platform file, the ranks on each node, and an MPI library: the decisions of that library as SimGrid
has them are its `default`, and those of SimGrid's algorithms that are the same code bear the library's names for it.
All others have names of their own. What is known to be wrong or to hang there is not in the table, nor what calls other
collectives, which would run as they are forced in the same job."""

import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EAGER_BYTES = 16384
# What a message costs a rank: seconds, and seconds per byte. The platform has latencies and rates.
OVERHEAD = "0:5e-7:2e-11"
SETTINGS = ["--cfg=smpi/simulate-computation:no", "--log=root.thres:error",
            f"--cfg=smpi/os:{OVERHEAD}", f"--cfg=smpi/or:{OVERHEAD}", f"--cfg=smpi/ois:{OVERHEAD}",
            "--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:0.95",
            f"--cfg=smpi/async-small-thresh:{EAGER_BYTES}", f"--cfg=smpi/send-is-detached-thresh:{EAGER_BYTES}"]
TYPE_BYTES = {"allreduce": 4, "reduce": 4}
TIMEOUT_S = 300

# Collective -> the library's name -> SimGrid's.
OPEN_MPI = {
    "allgather": {"bruck": "bruck", "recursive_doubling": "rdb", "ring": "NTSLR", "neighbor": "ompi_neighborexchange",
                  "spread": "spreading_simple"},
    "allreduce": {"recursive_doubling": "rdb", "ring": "lr",
                  "rabenseifner": "mvapich2_rs", "smp_rdb": "smp_rdb"},
    "alltoall": {"linear": "basic_linear", "pairwise": "ring", "modified_bruck": "bruck", "exclusive_or": "pair",
                 "2dmesh": "2dmesh"},
    "bcast": {"basic_linear": "flattree", "binomial": "binomial_tree", "scatter_allgather": "scatter_rdb_allgather",
              "scatter_allgather_ring": "scatter_LR_allgather", "ring_8k": "NTSL", "smp_binary": "SMP_binary"},
    "gather": {"basic_linear": "ompi_basic_linear", "binomial": "ompi_binomial"},
}
MPICH = {
    "allgather": {"brucks": "bruck", "recursive_doubling": "rdb", "ring": "NTSLR", "spread": "spreading_simple"},
    "allreduce": {"recursive_doubling": "rdb", "reduce_scatter_allgather": "mvapich2_rs", "lr": "lr"},
    "alltoall": {"brucks": "bruck", "pairwise": "pair", "scattered": "mvapich2_scatter_dest", "ring": "ring"},
    "bcast": {"binomial": "binomial_tree", "scatter_recursive_doubling_allgather": "scatter_rdb_allgather",
              "scatter_ring_allgather": "scatter_LR_allgather", "ring_8k": "NTSL"},
    "gather": {"binomial": "mpich", "linear": "ompi_basic_linear"},
    "reduce": {"binomial": "binomial", "reduce_scatter_gather": "scatter_gather", "flat": "flat_tree"},
}


class Machine:
    def __init__(self, name, platform, ppn, library, selector, algorithms):
        self.name, self.ppn, self.library = name, ppn, library
        self.platform = HERE / "platforms" / f"{platform}.xml"
        self.selector, self.algorithms = selector, algorithms
        self.nodes = 1 + int(re.search(r'radical="0-(\d+)"', self.platform.read_text())[1])

    def runs(self, collectives):
        """Label of each collective, and SimGrid's name, run by run: first the library's own choice, then the k-th
        algorithm of each collective."""
        yield {c: ("default", None) for c in collectives}
        for k in range(max(len(self.algorithms[c]) for c in collectives)):
            yield {c: list(self.algorithms[c].items())[k] for c in collectives if k < len(self.algorithms[c])}

    def rows(self, program, ranks, sizes, collectives):
        """A dictionary for each timing, with the column names of interchange files."""
        for labels in self.runs(collectives):
            forced = {c: name for c, (_, name) in labels.items() if name}
            for collective, block_bytes, time_s in self.times(program, ranks, sizes, list(labels), forced):
                yield {"machine": self.name, "library": self.library, "collective": collective,
                       "algorithm": labels[collective][0], "nodes": -(-ranks // self.ppn), "ppn": self.ppn,
                       "ranks": ranks, "block_bytes": block_bytes, "time_s": f"{time_s:.6g}",
                       "type_bytes": TYPE_BYTES.get(collective, 1)}

    def times(self, program, ranks, sizes, collectives, forced):
        settings = [f"--cfg=smpi/{collective}:{name}" for collective, name in forced.items()]
        words = [",".join(collectives), ",".join(map(str, sizes))]
        for line in self.run(program, ranks, words, [f"--cfg=smpi/coll-selector:{self.selector}", *settings]):
            collective, block_bytes, time_s = line.split()
            yield collective, int(block_bytes), float(time_s)

    def run(self, program, ranks, words, settings=(), nodes=None):
        """The output lines of the program, run in simulated time with `ppn` ranks on a node: on these nodes (numbers),
        or on the first ones."""
        nodes = range(self.nodes) if nodes is None else nodes
        if ranks > self.nodes * self.ppn:
            raise ValueError(f"{self.name} has {self.nodes * self.ppn} places")
        with tempfile.NamedTemporaryFile("w", prefix="cox-smpi-", suffix=".hosts") as hosts:
            hosts.writelines(f"n{nodes[rank // self.ppn]}\n" for rank in range(ranks))
            hosts.flush()
            done = subprocess.run(
                ["smpirun", "-np", str(ranks), "-platform", self.platform, "-hostfile", hosts.name, *SETTINGS,
                 *settings, program, *map(str, words)],
                text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}, {ranks} ranks, {' '.join(settings)}: {done.stderr[-500:]}")
        return done.stdout.splitlines()


MACHINES = [
    Machine("smpi-switch", "switch", 1, "openmpi-4.1", "ompi", OPEN_MPI),
    Machine("smpi-fat-tree", "fat-tree", 1, "mpich-4.0", "mpich", MPICH),
    Machine("smpi-torus", "torus", 4, "openmpi-4.1", "ompi", OPEN_MPI),
    Machine("smpi-dragonfly", "dragonfly", 1, "openmpi-4.1", "ompi", OPEN_MPI),
]


@functools.cache
def compiled(source, folder):
    """The program, compiled with SimGrid's compiler; None without such a compiler."""
    if shutil.which("smpicc") is None:
        return None
    program = pathlib.Path(folder) / pathlib.Path(source).stem
    subprocess.run(["smpicc", "-O2", "-Wall", "-o", program, source], check=True, timeout=TIMEOUT_S)
    return program
