#!/usr/bin/env python3
"""Measures the gain of tuning on the simulated machines: calibrates, tunes, runs, and simulates every algorithm.

    tuned_library.py [--machine NAME] [--calibration sparse|dense] [--csv FILE] [--cells FILE]
                                                                                about ten minutes for all

A calibration is what cox-bench's ping-pongs say there, and the times of every algorithm at the least and the most
ranks and three sizes (sparse: 8 and 64 ranks; 32 B, 4 KiB, 64 KiB) or at the ranks and sizes in question as far as
they are powers of four (dense, as the fabric's calibration does it). Cells that tests/judge/data has are not
simulated again: simulations repeat to the last bit. Then coxd is asked about 16, 32 and 64 ranks and every power of
two from 1 KiB to 256 KiB; the library runs with what it recommends forced, by itself, and with each algorithm forced.
A row per machine: the share of cells whose tuned time is within 5 % of the best, and the worst against the default.
--cells: a Markdown table of every cell per machine and calibration. smpi-torus has 4 ranks on a node, so that it is
asked about 4, 8 and 16 nodes.
COX_BUILD_DIR names the build folder (default: build).
"""

import argparse
import collections
import csv
import os
import pathlib
import sys
import tempfile

import simulation

ROOT = simulation.HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/judge"), str(ROOT / "tests/e2e/cli")]
import daemon  # noqa: E402
import selection_penalty  # noqa: E402

BUILD = pathlib.Path(os.environ.get("COX_BUILD_DIR", ROOT / "build")).resolve()
SIZES = [1 << exponent for exponent in range(10, 19)]
RANKS = [16, 32, 64]
CALIBRATIONS = {"sparse": ([8, 64], [32, 4096, 65536]), "dense": (RANKS, [1 << e for e in range(10, 19, 2)])}
CLOSE = 1.05
PINGPONGS = ["p2p", "--kinds", "pingpong", "--sizes", "1..1M:*4", "--budget-s", "0.5"]


class Simulator:
    """A machine's cells, each simulated at most once; those of tests/judge/data are not simulated."""

    def __init__(self, machine, program):
        self.machine, self.program = machine, program
        self.rows = {}
        with open(ROOT / f"tests/judge/data/{machine.name}.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                self.keep(row)

    def keep(self, row):
        key = (row["collective"], int(row["ranks"]), int(row["block_bytes"]))
        self.rows.setdefault(key, {})[row["algorithm"]] = row

    def cells(self, ranks, sizes):
        """{place: {algorithm: row}} in the form of the judge, of every collective and algorithm."""
        collectives = list(self.machine.algorithms)
        for count in ranks:
            missing = [b for b in sizes if any((c, count, b) not in self.rows for c in collectives)]
            for row in self.machine.rows(self.program, count, missing, collectives) if missing else ():
                self.keep({name: str(value) for name, value in row.items()})
        found = (self.rows[c, count, b] for c in collectives for count in ranks for b in sizes)
        return {(*(next(iter(rows.values()))[name] for name in selection_penalty.PLACE), ""): rows for rows in found}

    def tuned(self, chosen):
        """{place: seconds} of runs in which each call uses its chosen algorithm, {place: algorithm}."""
        times = {}
        for count in sorted({int(place[3]) for place in chosen}):
            jobs = collections.defaultdict(dict)  # the k-th algorithm of each collective
            for collective in self.machine.algorithms:
                names = sorted({a for p, a in chosen.items() if p[0] == collective and int(p[3]) == count})
                for k, name in enumerate(names):
                    jobs[k][collective] = name
            for labels in jobs.values():
                forced = {c: self.machine.algorithms[c][name] for c, name in labels.items() if name != "default"}
                wanted = {(p[0], int(p[4])): p for p, a in chosen.items()
                          if int(p[3]) == count and labels.get(p[0]) == a}
                sizes = sorted({size for _, size in wanted})
                for collective, size, time_s in self.machine.times(self.program, count, sizes, list(labels), forced):
                    if (collective, size) in wanted:
                        times[wanted[collective, size]] = time_s
        return times

    def pingpongs(self, bench, path):
        """A file of samples between two ranks of a node, where nodes have several, and between nodes."""
        pairs = ",".join(str(p) for p in (1, 2, 4) if p <= self.machine.ppn)
        self.machine.run(bench, max(4, 2 * self.machine.ppn),
                         [*PINGPONGS, "--pairs", pairs, "--machine", self.machine.name, "-o", path])
        return path


def tune_and_run(simulator, calibration, bench):
    """{place: {variant: seconds}}, `tuned` among the variants, and {place: algorithm}."""
    learned = simulator.cells(*CALIBRATIONS[calibration])
    cells = simulator.cells(RANKS, SIZES)
    with daemon.Daemon(BUILD / "bin/coxd", BUILD / "bin/cox") as cox:
        samples = simulator.pingpongs(bench, cox.path("pingpongs.csv"))
        machine = selection_penalty.teach(cox, {**learned}, list(learned), samples)
        places = sorted(cells)
        answers = selection_penalty.ask(cox, cells, machine, places)
    chosen = {place: answer["algorithm"] for place, answer in zip(places, answers)}
    tuned = simulator.tuned(chosen)
    return {place: {**{name: float(row["time_s"]) for name, row in cells[place].items()}, "tuned": tuned[place]}
            for place in places}, chosen


def ratios_of(times):
    """{place: (tuned/best, default/best, tuned/default)}."""
    ratios = {}
    for place, of in times.items():
        best = min(time_s for variant, time_s in of.items() if variant != "tuned")
        ratios[place] = (of["tuned"] / best, of["default"] / best, of["tuned"] / of["default"])
    return ratios


def cell_table(name, calibration, times, chosen):
    """A row for each collective and number of ranks: default/best, tuned/best (the chosen algorithm) of each size."""
    ratios = ratios_of(times)
    rows = sorted({(place[0], int(place[3])) for place in times})
    text = f"\n`{name}`, {calibration}\n\n| |" + "".join(f" {size >> 10} KiB |" for size in SIZES)
    text += "\n|---" + "|---" * len(SIZES) + "|\n"
    for collective, count in rows:
        places = sorted((p for p in times if p[0] == collective and int(p[3]) == count), key=lambda p: int(p[4]))
        cells = (f" {ratios[p][1]:.2f}, {ratios[p][0]:.2f} ({chosen[p]}) |" for p in places)
        text += f"| {collective}, {count} |" + "".join(cells) + "\n"
    return text


def report(name, calibration, times, chosen):
    ratios = ratios_of(times)
    count = len(ratios)
    close = sum(over_best <= CLOSE for over_best, _, _ in ratios.values())
    slower = sum(over_default > CLOSE for _, _, over_default in ratios.values())
    worst = max(ratios, key=lambda place: ratios[place][2])
    print(f"| `{name}` {calibration} | {close} of {count}, {100 * close / count:.0f} % | "
          f"{100 * sum(d <= CLOSE for _, d, _ in ratios.values()) / count:.0f} % | "
          f"{sum(t for t, _, _ in ratios.values()) / count:.2f} | {sum(d for _, d, _ in ratios.values()) / count:.2f} | "
          f"{slower} | {ratios[worst][2]:.2f} ({worst[0]}, {worst[3]} ranks, {int(worst[4]) >> 10} KiB: "
          f"{chosen[worst]}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", action="append", choices=[machine.name for machine in simulation.MACHINES])
    parser.add_argument("--calibration", action="append", choices=list(CALIBRATIONS))
    parser.add_argument("--csv", help="where every time goes")
    parser.add_argument("--cells", help="where the tables of all cells go")
    arguments = parser.parse_args()
    bench = BUILD / "tests/e2e/calibration/cox-bench.smpi"
    every, tables = [], []
    print("| machine, calibration | tuned within 5 % of the best | default within 5 % | tuned/best mean | "
          "default/best mean | cells > 5 % slower than the default | worst tuned/default |\n" + "|---" * 7 + "|")
    with tempfile.TemporaryDirectory(prefix="cox-smpi-") as folder:
        program = simulation.compiled(simulation.HERE / "collective_times.c", folder)
        for machine in simulation.MACHINES:
            if arguments.machine and machine.name not in arguments.machine:
                continue
            simulator = Simulator(machine, program)
            for calibration in arguments.calibration or list(CALIBRATIONS):
                times, chosen = tune_and_run(simulator, calibration, bench)
                report(machine.name, calibration, times, chosen)
                tables.append(cell_table(machine.name, calibration, times, chosen))
                every += [[machine.name, calibration, *place[:5], variant, f"{time_s:.6g}", chosen[place]]
                          for place, of in times.items() for variant, time_s in of.items()]
    if arguments.cells:
        pathlib.Path(arguments.cells).write_text("".join(tables), encoding="utf-8")
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [["machine", "calibration", *selection_penalty.PLACE, "variant", "time_s", "chosen"], *every])


if __name__ == "__main__":
    main()
