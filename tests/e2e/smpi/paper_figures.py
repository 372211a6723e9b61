#!/usr/bin/env python3
"""Figures 13, 19 and 27 to 32 of Juurlink and Wijshoff 1998 on simulated machines of 64 nodes.

    paper_figures.py COX COXD [--small]      prints Markdown tables; --small: the sizes of the test

Programs of clients/collectives/examples run in simulated time, one rank on each node, without local work. ell and sigma
of BPRAM come from the exchanges of a bitonic sort with a random mapping, o of LogGP from the simulation's settings. Each
table compares the ratio of two simulated times with the ratio of their predictions by `cox kernel`."""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "clients" / "collectives" / "examples"
sys.path.insert(0, str(HERE.parent / "cli"))

import simulation  # noqa: E402
from daemon import Daemon  # noqa: E402

PROGRAMS = {"matmul": ["superstep"], "bitonic_sort": ["superstep", "keys"], "sample_sort": ["superstep", "keys"],
            "apsp": ["superstep"]}
RANKS = 64
WORD_BYTES = 8
LEVELS = {"bpram": ["network"], "loggp": ["node", "network"]}
EXCHANGES = 21  # of a bitonic sort of 64 ranks
# Rows of matrices, and keys of a rank: small enough that words can be simulated. Blocks of 512 rows are not eager.
SIZES = {"words": ([32, 64], [32, 128]), "blocks": ([64, 256, 512], [64, 1024, 4096])}
SMALL = {"words": ([32], [32]), "blocks": ([512], [512])}


def compiled(program, folder):
    """A kernel's program for the simulation, without libcoxcoll."""
    target = pathlib.Path(folder) / program
    if not target.exists():
        sources = [EXAMPLES / f"{name}.c" for name in [program, "blocks", "example", "main", *PROGRAMS[program]]]
        subprocess.run(["smpicc", "-O1", f"-I{EXAMPLES}", "-o", target, *sources, HERE / "no_exchange.c", "-lm"],
                       check=True, timeout=simulation.TIMEOUT_S)
    return target


class Machine:
    """A simulated machine that a coxd knows."""

    def __init__(self, name, daemon, folder):
        self.name, self.daemon, self.folder = name, daemon, folder
        self.simulated = simulation.Machine(name, name, 1, "openmpi-4.1", "ompi", simulation.OPEN_MPI)
        self.in_order = list(range(RANKS))
        self.mixed = random.Random(1).sample(self.in_order, RANKS)
        least, most = 1, 512
        short_s, long_s = (self.time("bitonic_sort", RANKS * keys, "blocks", self.mixed) for keys in (least, most))
        sigma = (long_s - short_s) / EXCHANGES / (most - least) / WORD_BYTES
        ell_s = short_s / EXCHANGES - sigma * WORD_BYTES
        overhead_s = float(simulation.OVERHEAD.split(":")[1])
        values = [("bpram", "ell", ell_s), ("bpram", "sigma", sigma), ("loggp", "o", overhead_s), ("loggp", "g", overhead_s),
                  ("loggp", "L", max(0, ell_s - 2 * overhead_s)), ("loggp", "G", sigma)]
        text = f'[machine]\nname = "{name}"\nnodes = {RANKS}\ncores_per_node = 1\n' + "".join(
            f'[[profile.parameter]]\nmodel = "{model}"\nlevel = "{level}"\nname = "{parameter}"\nvalue = {value!r}\n'
            for model, parameter, value in values for level in LEVELS[model])
        outcome = daemon("machine", "import", daemon.write(f"{name}.toml", text))
        if outcome.code != 0:
            raise RuntimeError(str(outcome))

    def time(self, program, size, variant, nodes=None):
        """Seconds of communication, simulated; the program finds its result right. One rank on each node."""
        [line] = self.simulated.run(compiled(program, self.folder), RANKS,
                                    ["--size", size, "--repeats", 1, "--variant", variant], (), nodes)
        told = dict(pair.split("=", 1) for pair in line.split())
        if told["right"] != "yes":
            raise RuntimeError(line)
        return float(told["communication_s"])

    def priced(self, kernel, size, model):
        """Seconds as the daemon predicts them."""
        answer = self.daemon.answer("kernel", "-m", self.name, "--kernel", kernel, "-n", str(size), "-p", str(RANKS),
                                  "--word-bytes", str(WORD_BYTES), "--model", model)
        return answer["predictions"][0]["time_s"]


# Figure, what is compared, machines, program, unit of the size, sizes, (variant, kernel, mixed ranks) above and below.
def rows(small):
    words, blocks = (SMALL if small else SIZES)["words"], (SMALL if small else SIZES)["blocks"]
    tree = ["fat-tree"]
    both = tree if small else ["fat-tree", "grid"]
    yield ("13", "matrix product, naive over staggered blocks", both, "matmul", "rows", blocks[0],
           ("naive", "matmul-3d", True), ("staggered", "matmul-3d", True))
    yield ("19", "matrix product, ranks in order over random mapping", ["grid"], "matmul", "rows", blocks[0],
           ("blocks", "matmul-3d", False), ("blocks", "matmul-3d", True))
    for names, sizes in ((tree, words[0]), (["grid"], [] if small else words[0][:1])):  # the grid is slow to simulate
        yield ("27", "matrix product, words over blocks", names, "matmul", "rows", sizes,
               ("words", "matmul-3d?variant=words", True), ("blocks", "matmul-3d", True))
    yield ("28", "bitonic sort, words over blocks", tree, "bitonic_sort", "keys", [RANKS * k for k in words[1]],
           ("words", "bitonic-sort?variant=words", True), ("blocks", "bitonic-sort", True))
    yield ("29", "sample sort, words over blocks (ssbr)", tree, "sample_sort", "keys", [RANKS * 8 * k for k in words[1]],
           ("words", "sample-sort?variant=words", True), ("ssbr", "sample-sort?variant=ssbr", True))
    yield ("30", "sample sort, 32 bytes over blocks (ssbr)", tree, "sample_sort", "keys", [RANKS * 8 * k for k in words[1]],
           ("32-bytes", "sample-sort?variant=32-bytes", True), ("ssbr", "sample-sort?variant=ssbr", True))
    yield ("31", "matrix product, cube over Cannon", ["grid"], "matmul", "rows", blocks[0],
           ("blocks", "matmul-3d", True), ("cannon", "matmul-cannon", False))
    yield ("32", "bitonic sort, random mapping over hypercube in the torus", ["grid"], "bitonic_sort", "keys",
           [RANKS * k for k in blocks[1]], ("blocks", "bitonic-sort", True), ("blocks", "bitonic-sort", False))
    yield ("32", "sample sort (ssdr), barriers between steps over none", both, "sample_sort", "keys",
           [RANKS * k for k in blocks[1]], ("ssdr-steps", "sample-sort?variant=ssdr", True),
           ("ssdr", "sample-sort?variant=ssdr", True))


def compare(cox, coxd, small):
    """A dictionary for each row: figure, what, machine, size, both times, and the predicted ratios by model."""
    with Daemon(coxd, cox) as daemon, tempfile.TemporaryDirectory(prefix="cox-figures-") as folder:
        machines = {name: Machine(name, daemon, folder) for name in ("fat-tree", "grid")}
        for figure, what, names, program, unit, sizes, *sides in rows(small):
            for name in names:
                machine = machines[name]
                for size in sizes:
                    above_s, below_s = (machine.time(program, size, variant, machine.mixed if mixed else machine.in_order)
                                        for variant, _, mixed in sides)
                    predicted = {}
                    for model in ("bpram", "loggp"):
                        priced_s = [machine.priced(kernel, size, model) for _, kernel, _ in sides]
                        predicted[model] = priced_s[0] / priced_s[1]
                    yield {"figure": figure, "what": what, "machine": name, "size": size, "unit": unit,
                           "times_s": (above_s, below_s), "ratio": above_s / below_s, "predicted": predicted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cox")
    parser.add_argument("coxd")
    parser.add_argument("--small", action="store_true")
    arguments = parser.parse_args()
    print("| figure | compared | machine | size | times | ratio | by bpram | by loggp |\n" + "|---" * 8 + "|")
    for row in compare(arguments.cox, arguments.coxd, arguments.small):
        times = ", ".join(f"{1e3 * time_s:.3g} ms" for time_s in row["times_s"])
        print(f"| {row['figure']} | {row['what']} | {row['machine']} | {row['size']} {row['unit']} | {times} | "
              f"{row['ratio']:.2f} | {row['predicted']['bpram']:.2f} | {row['predicted']['loggp']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
