#!/usr/bin/env python3
"""Judges recommendations by what measured algorithms really took.

    selection_penalty.py DATA.csv... [--protocol plan|interp|extrap|zero]... [--seed N] [--p2p FILE] [--check]

A cell is one call (collective, nodes, ranks per node, ranks, bytes, run) of which two algorithms or more were
timed. A coxd with an empty database learns from some cells of a file, by protocol, and is asked about the others
with the timed algorithms as candidates. Each answer costs what the chosen algorithm took in the file.

    plan     learns from a calibration: every other size, at the least and the most ranks
    interp   learns from a fifth of the cells, drawn at random
    extrap   learns from the cells of at most an eighth of the most ranks
    zero     learns from no cell, only from the ping-pongs of --p2p

--check: exit code 1 unless choosing is better than leaving the library alone (see CHECKS).
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e/cli"))
import daemon  # noqa: E402

PLACE = ("collective", "nodes", "ppn", "ranks", "block_bytes")
DEFAULT = "default"
# An answer is worse than the default when it took more than this times the default's time.
TOLERATED = 1.02
# The share of such answers that is tolerated: more where what is asked is far from what was learned.
MOST_WORSE = {"plan": 0.33, "interp": 0.2, "extrap": 0.33, "zero": 0.2}
CHECKS = {
    "chosen is no slower than the default (geometric mean)": lambda s, _: s["chosen/default"] <= 1,
    "chosen is nearer to the best than the default (mean)": lambda s, _: s["chosen/best"] < s["default/best"],
    "few answers are worse than the default by more than 2 %": lambda s, p: s["worse"] <= MOST_WORSE[p],
}


def read_cells(path):
    """{place: {algorithm: row}} of the places that have something to choose."""
    cells = collections.defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells[*(row[name] for name in PLACE), row.get("run") or ""][row["algorithm"]] = row
    return {place: rows for place, rows in cells.items() if len(rows.keys() - {DEFAULT}) >= 2}


def split(cells, protocol, seed):
    """The places to learn from, and those to ask about."""
    places = sorted(cells)
    if protocol == "interp":
        random.Random(seed).shuffle(places)
        learned = max(4, len(places) // 5)
        return places[:learned], places[learned:]
    if protocol == "plan":
        sizes = sorted({int(place[4]) for place in places})[::2]
        ranks = {f({int(place[3]) for place in places}) for f in (min, max)}
        plan = [place for place in places if int(place[3]) in ranks and int(place[4]) in sizes]
        return plan, sorted(set(places) - set(plan))
    most = max(int(place[3]) for place in places)
    limit = most / 8 if protocol == "extrap" else 0
    return ([place for place in places if int(place[3]) <= limit],
            [place for place in places if int(place[3]) > limit])


def write_csv(cox, name, columns, rows):
    with open(cox.path(name), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return cox.path(name)


def teach(cox, cells, learned, p2p):
    """Registers the machine and brings it what may be known. Returns its name."""
    rows = [row for rows in cells.values() for row in rows.values()]
    machine = rows[0]["machine"]
    nodes, ppn = (max(int(row[name]) for row in rows) for name in ("nodes", "ppn"))
    description = cox.write("machine.toml", f'[machine]\nname = "{machine}"\nnodes = {nodes}\ncores_per_node = {ppn}\n'
                                            '[machine.topology]\nkind = "fat-tree"\n')
    calls = [("machine", "import", description)]
    if p2p:
        calls.append(("calibrate", machine, "--from", p2p))
    if learned:
        columns = ["machine", "library", *PLACE, "algorithm", "time_s", "run", "type_bytes"]
        taught = [{"run": "", "type_bytes": "", **row} for place in learned for row in cells[place].values()]
        if not all(row["type_bytes"] for row in taught):
            columns.remove("type_bytes")
        calls.append(("observations", "import", write_csv(cox, "learned.csv", columns, taught)))
    for call in calls:
        outcome = cox(*call)
        if outcome.code != 0:
            raise RuntimeError(f"cox {' '.join(call)}: {outcome}")
    return machine


def ask(cox, cells, machine, asked):
    questions = [{"machine": machine, "library": next(iter(cells[place].values()))["library"],
                  **dict(zip(PLACE, place)), "candidates": ";".join(sorted(cells[place]))} for place in asked]
    path = write_csv(cox, "asked.csv", ["machine", "library", *PLACE, "candidates"], questions)
    outcome = cox("--json", "recommend", "--batch", path)
    answers = [json.loads(line) for line in outcome.out.splitlines()]
    if outcome.code != 0 or len(answers) != len(asked):
        raise RuntimeError(f"{len(asked)} questions, {len(answers)} answers: {outcome.err}")
    return answers


def score(cells, asked, answers):
    chosen_best, default_best, chosen_default, errors, inside = [], [], [], [], []
    for place, answer in zip(asked, answers):
        times = {name: float(row["time_s"]) for name, row in cells[place].items()}
        best = min(time_s for name, time_s in times.items() if name != DEFAULT)
        took = times[answer["algorithm"]]
        chosen_best.append(took / best)
        if DEFAULT in times:
            default_best.append(times[DEFAULT] / best)
            chosen_default.append(took / times[DEFAULT])
        predicted = answer.get("predicted_time_s")
        if predicted:
            errors.append(abs(predicted - took) / min(predicted, took))
            inside.append(answer["interval_s"][0] <= took <= answer["interval_s"][1])
    deciles = statistics.quantiles(chosen_best, n=10, method="inclusive")
    return {"cells": len(asked), "chosen/best": statistics.fmean(chosen_best), "p90": deciles[8],
            "within 5 %": statistics.fmean(ratio <= 1.05 for ratio in chosen_best),
            "default/best": statistics.fmean(default_best),
            "chosen/default": math.exp(statistics.fmean(map(math.log, chosen_default))),
            "worse": statistics.fmean(ratio > TOLERATED for ratio in chosen_default),
            "error": statistics.median(errors) if errors else math.nan,
            "in interval": statistics.fmean(inside) if inside else math.nan}


def judge(arguments, path, protocol):
    cells = read_cells(path)
    learned, asked = split(cells, protocol, arguments.seed)
    with daemon.Daemon(arguments.coxd, arguments.cox) as cox:
        machine = teach(cox, cells, learned, arguments.p2p)
        return machine, score(cells, asked, ask(cox, cells, machine, asked))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--protocol", action="append", choices=["plan", "interp", "extrap", "zero"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--p2p")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--coxd", default="build/bin/coxd")
    parser.add_argument("--cox", default="build/bin/cox")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.data:
        for protocol in arguments.protocol or ["interp", "extrap"]:
            machine, scores = judge(arguments, path, protocol)
            print(f"{machine} {protocol}: " + ", ".join(f"{name} {value:.3f}" for name, value in scores.items()))
            for what, holds in CHECKS.items():
                if arguments.check and not holds(scores, protocol):
                    failed = True
                    print(f"  does not hold: {what}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
