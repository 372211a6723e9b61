#!/usr/bin/env python3
"""Simulates the collectives of all machines and writes tests/judge/data/NAME.csv: observations of every algorithm.

    write_machines.py [--out FOLDER] [--machine NAME]      about two minutes
"""

import argparse
import csv
import pathlib
import tempfile

import simulation

SIZES = [32, 512, 4096, 16384, 65536, 262144]
RANKS = [8, 16, 32, 64]
COLUMNS = ["machine", "library", "collective", "algorithm", "nodes", "ppn", "ranks", "block_bytes", "time_s",
           "type_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=simulation.HERE.parents[1] / "judge" / "data", type=pathlib.Path)
    parser.add_argument("--machine", choices=[machine.name for machine in simulation.MACHINES])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cox-smpi-") as folder:
        program = simulation.compiled(simulation.HERE / "collective_times.c", folder)
        for machine in simulation.MACHINES:
            if arguments.machine in (None, machine.name):
                with open(arguments.out / f"{machine.name}.csv", "w", newline="", encoding="utf-8") as file:
                    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                    writer.writeheader()
                    for ranks in RANKS:
                        writer.writerows(machine.rows(program, ranks, SIZES, list(machine.algorithms)))


if __name__ == "__main__":
    main()
