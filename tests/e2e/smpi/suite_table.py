#!/usr/bin/env python3
"""The kernels of `cox-bench suite` on 64 simulated nodes at one switch: the tables of docs/suite.md.

    suite_table.py COX COXD COX_BENCH [--programs P,...]      prints Markdown tables; a quarter of an hour

COX_BENCH is the one of Open MPI. Programs of clients/collectives/examples run in simulated time, one rank on each node,
without local work. ell and sigma come from the exchanges of a bitonic sort; Hockney's alpha and beta are equal to them.
The barrier that ends each exchange is not part of ell."""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

import paper_figures
import simulation
from daemon import Daemon

PROGRAMS = {"matmul": "matmul", "bitonic-sort": "bitonic_sort", "sample-sort": "sample_sort", "apsp": "apsp"}
MODELS = ["bpram", "bpram-1port", "hockney", "loggp"]
PLATFORM = "switch"


def programs_for(folder):
    """The programs under the names that cox-bench looks for."""
    for name, source in PROGRAMS.items():
        paper_figures.compiled(source, folder).rename(pathlib.Path(folder) / f"{name}.openmpi")


def learn(daemon, folder):
    """A machine with parameters from exchanges of a bitonic sort, without the barrier that ends each."""
    simulated = simulation.Machine(PLATFORM, PLATFORM, 1, "openmpi-4.1", "ompi", simulation.OPEN_MPI)
    exchanges = paper_figures.EXCHANGES
    short, long = ({}, {})
    for told, keys in ((short, 1), (long, 512)):
        [line] = simulated.run(paper_figures.compiled("bitonic_sort", folder), paper_figures.RANKS,
                               ["--size", paper_figures.RANKS * keys, "--repeats", 1, "--variant", "blocks"])
        told.update(pair.split("=", 1) for pair in line.split())
    word_bytes = paper_figures.WORD_BYTES
    sigma = (float(long["communication_s"]) - float(short["communication_s"])) / exchanges / 511 / word_bytes
    barrier_s = float(short["work_s"]) / (exchanges + 1)  # local work takes no time
    ell_s = float(short["communication_s"]) / exchanges - barrier_s - sigma * word_bytes
    overhead_s = float(simulation.OVERHEAD.split(":")[1])
    both, network = ("node", "network"), ("network",)
    values = [("bpram", network, {"ell": ell_s, "sigma": sigma}), ("bpram-1port", network, {"ell": ell_s, "sigma": sigma}),
              ("hockney", both, {"alpha": ell_s, "beta": sigma}),
              ("loggp", both, {"L": ell_s - 2 * overhead_s, "o": overhead_s, "g": overhead_s, "G": sigma})]
    text = f'[machine]\nname = "{PLATFORM}"\nnodes = {paper_figures.RANKS}\ncores_per_node = 1\n' + "".join(
        f'[[profile.parameter]]\nmodel = "{model}"\nlevel = "{level}"\nname = "{name}"\nvalue = {value!r}\n'
        for model, levels, parameters in values for level in levels for name, value in parameters.items())
    outcome = daemon("machine", "import", daemon.write("switch.toml", text))
    if outcome.code != 0:
        raise RuntimeError(str(outcome))
    print(f"ell {1e6 * ell_s:.3g} us, sigma {1e9 * sigma:.3g} ns/byte, a barrier {1e6 * barrier_s:.3g} us\n")
    return simulated


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def error_text(error):
    return f"{100 * error:.2g} %" if error < 0.0995 else f"{100 * error:.0f} %"


def print_tables(rows):
    worst, runs = {}, {}
    for row in rows:
        if row["model"] not in MODELS:
            continue
        kernel = worst.setdefault(row["kernel"], {})
        kernel[row["model"]] = max(kernel.get(row["model"], 0), float(row["error"]))
        run = runs.setdefault((row["kernel"], row["ranks"], row["size"]), row)
        run[row["model"] + "_s"] = row["predicted_s"]
    print("| kernel | " + " | ".join(MODELS) + " |\n" + "|---" * (1 + len(MODELS)) + "|")
    for kernel, errors in worst.items():
        print(f"| `{kernel}` | " + " | ".join(error_text(errors[model]) for model in MODELS) + " |")
    shown = ["bpram", "hockney", "loggp"]
    print("\n| kernel | ranks | n | time | communication | " + " | ".join(shown) + " |\n" + "|---" * (5 + len(shown)) + "|")
    for (kernel, ranks, size), run in runs.items():
        cells = [time_text(float(run[name])) for name in ("time_s", "communication_s")]
        cells += [time_text(float(run[model + "_s"])) for model in shown]
        print(f"| `{kernel}` | {ranks} | {size} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cox", "coxd", "cox_bench"):
        parser.add_argument(name)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    arguments = parser.parse_args()
    with Daemon(arguments.coxd, arguments.cox) as daemon, tempfile.TemporaryDirectory(prefix="cox-suite-") as folder:
        simulated = learn(daemon, folder)
        programs_for(folder)
        hosts = daemon.write("hosts", "".join(f"n{node}\n" for node in range(paper_figures.RANKS)))
        launcher = ["smpirun", "-np", "{ranks}", "-platform", str(simulated.platform), "-hostfile", hosts,
                    *simulation.SETTINGS]
        output = daemon.path("suite.csv")
        done = subprocess.run(
            [arguments.cox_bench, "suite", "--server", daemon.address, "-m", PLATFORM, "-p", str(paper_figures.RANKS),
             "--ppn", "1", "--examples", folder, "--programs", arguments.programs, "--models", ",".join(MODELS),
             "--repeats", "1", "--launcher", " ".join(launcher), "-o", output],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        with open(output, encoding="utf-8") as file:
            print_tables(list(csv.DictReader(file)))
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
