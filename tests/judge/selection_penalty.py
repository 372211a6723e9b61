#!/usr/bin/env python3
"""Judges recommendations by what measured algorithms really took.

    selection_penalty.py DATA.csv... [--protocol plan|interp|extrap|zero|active|collective]... [--seed N | --seeds N]
                         [--share S] [--p2p FILE] [--targets FILE] [--check] [--markdown] [--before COXD]

A cell is one call (collective, nodes, ranks per node, ranks, bytes, run) of which two algorithms or more were
timed. A coxd with an empty database learns from some cells of a file, by protocol, and is asked about the others
with the timed algorithms as candidates. Each answer costs what the chosen algorithm took in the file.

    plan     learns from a calibration: every other size, at the least and the most ranks
    interp   learns from a fifth of the cells, drawn at random: --seed says which draw (1), --seeds N takes the
             mean of each figure over the draws 1 to N
    extrap   learns from the cells of at most an eighth of the most ranks
    zero     learns from no cell, only from ping-pongs
    active   in ten rounds learns the rows (a cell's algorithm) that `cox suggest` names, until it has the share
             --share of all rows (0.05), and is asked about the cells that it does not know in full
    collective   learns from all cells but those of one collective, and is asked about these: the mean over the
             collectives

--share S is also the share of the cells that interp learns from (0.2). Without --protocol: those that the targets have for the machine by its name, or else interp and extrap. Ping-pongs
are those of --p2p, in every protocol; without it zero takes NAME_p2p.csv beside NAME.csv, and the others none.

What is aimed at stands in targets.csv, a row for a machine and protocol; `*` speaks for machines without a row of
their own. --check: exit code 1 if one is missed, or if there is no target. --markdown: a table with what is missed,
and what was aimed at, in brackets. --before COXD: another build's coxd learns and answers the same, and its figures
stand before the new ones: old -> new.

Other judges of the same data with the same protocols draw other fifths (another seed) and may leave out the column
type_bytes: compare interp by means over draws.
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
ROW = ("collective", "algorithm", "nodes", "ppn", "ranks", "block_bytes")
PROTOCOLS = ("plan", "interp", "extrap", "zero", "active", "collective")
DRAWN = ("interp",)  # those that a seed changes
SHARES = {"interp": 0.2, "active": 0.05}  # of the cells, of the rows
ROUNDS = 10
TARGETS = pathlib.Path(__file__).resolve().with_name("targets.csv")
# An answer is worse than the default when it took more than this times the default's time.
TOLERATED = 1.02
# What a column of the targets asks of the figure before it.
MEETS = {"<=": lambda value, target: value <= target, ">=": lambda value, target: value >= target}


def read_cells(path):
    """{place: {algorithm: row}} of the places that have something to choose."""
    cells = collections.defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells[*(row[name] for name in PLACE), row.get("run") or ""][row["algorithm"]] = row
    return {place: rows for place, rows in cells.items() if len(rows.keys() - {DEFAULT}) >= 2}


def split(cells, protocol, seed, share):
    """The places to learn from, and those to ask about."""
    places = sorted(cells)
    if protocol == "interp":
        random.Random(seed).shuffle(places)
        learned = max(4, int(len(places) * share))
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
    for call in calls:
        succeed(cox, *call)
    if learned:
        report(cox, [row for place in learned for row in cells[place].values()])
    return machine


def succeed(cox, *call):
    outcome = cox(*call)
    if outcome.code != 0:
        raise RuntimeError(f"cox {' '.join(call)}: {outcome}")
    return outcome.out


def report(cox, rows):
    columns = ["machine", "library", *PLACE, "algorithm", "time_s", "run", "type_bytes"]
    rows = [{"run": "", "type_bytes": "", **row} for row in rows]
    if not all(row["type_bytes"] for row in rows):
        columns.remove("type_bytes")
    succeed(cox, "observations", "import", write_csv(cox, "learned.csv", columns, rows))


class Suggested:
    """Learns the rows that `cox suggest` names."""

    def __init__(self, cox, cells, machine):
        self.cox, self.cells, self.machine = cox, cells, machine
        self.known = {place: set() for place in cells}
        self.rows = []  # what was learned, in this order
        self.candidates = collections.defaultdict(list)
        for place, rows in cells.items():
            for row in rows.values():
                self.candidates[tuple(row[name] for name in ROW)].append((place, row))
        self.library = next(row["library"] for rows in cells.values() for row in rows.values())

    def learn(self, count):
        """Asks for `count` rows, and learns them. Returns how many it was told; 0: nothing is worth it."""
        path = write_csv(self.cox, "candidates.csv", ["machine", "library", *ROW],
                         [rows[0][1] for rows in self.candidates.values()])
        text = succeed(self.cox, "suggest", "-m", self.machine, "--library", self.library, "--from", path, "-n", str(count))
        keys = [tuple(row[name] for name in ROW) for row in csv.DictReader(text.splitlines())]
        given = [one for key in keys for one in self.candidates.pop(key)]
        for place, row in given:
            self.known[place].add(row["algorithm"])
        if given:
            report(self.cox, [row for _, row in given])
        self.rows += [row for _, row in given]
        return len(keys)

    def unknown(self):
        """The places that it does not know in full."""
        return [place for place in sorted(self.cells) if len(self.known[place]) < len(self.cells[place])]


def learn_what_is_suggested(cox, cells, machine, share):
    """Returns the places that it does not know in full."""
    suggested = Suggested(cox, cells, machine)
    left = max(8, int(share * len(suggested.candidates)))
    for rounds in range(ROUNDS, 0, -1):
        count = min(left, max(1, left // rounds))
        if count == 0 or not suggested.candidates:
            break
        told = suggested.learn(count)
        if told == 0:
            break
        left -= told
    return suggested.unknown()


def ask(cox, cells, machine, asked):
    questions = [{"machine": machine, "library": next(iter(cells[place].values()))["library"],
                  **dict(zip(PLACE, place)), "candidates": ";".join(sorted(cells[place]))} for place in asked]
    path = write_csv(cox, "asked.csv", ["machine", "library", *PLACE, "candidates"], questions)
    outcome = cox("--json", "recommend", "--batch", path)
    answers = [json.loads(line) for line in outcome.out.splitlines()]
    if outcome.code != 0 or len(answers) != len(asked):
        raise RuntimeError(f"{len(asked)} questions, {len(answers)} answers: {outcome.err}")
    return answers


def mean(values):
    """Of those that are known; NaN without any."""
    known = [value for value in values if not math.isnan(value)]
    return statistics.fmean(known) if known else math.nan


def ninth_decile(values):
    return statistics.quantiles(values, n=10, method="inclusive")[8] if len(values) > 1 else math.nan


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
    return {"cells": len(asked), "chosen/best": statistics.fmean(chosen_best), "p90": ninth_decile(chosen_best),
            "within 5 %": statistics.fmean(ratio <= 1.05 for ratio in chosen_best),
            "default/best": mean(default_best),
            "chosen/default": math.exp(mean([math.log(ratio) for ratio in chosen_default])),
            "worse": mean([ratio > TOLERATED for ratio in chosen_default]),
            "error": statistics.median(errors) if errors else math.nan, "error p90": ninth_decile(errors),
            "in interval": mean(inside)}


def divided(cells, protocol, seeds, share):
    """The places to learn from and those to ask about, for each figure that the mean is taken of."""
    if protocol == "collective":
        for name in sorted({place[0] for place in cells}):
            yield ([place for place in sorted(cells) if place[0] != name],
                   [place for place in sorted(cells) if place[0] == name])
        return
    for seed in seeds if protocol in DRAWN else seeds[:1]:
        yield ([], sorted(cells)) if protocol == "active" else split(cells, protocol, seed, share)


def judge(coxd, cox, path, protocol, seeds, share, p2p):
    """The mean of each figure over the draws."""
    cells = read_cells(path)
    share = share or SHARES.get(protocol)
    draws = []
    for learned, asked in divided(cells, protocol, seeds, share):
        with daemon.Daemon(coxd, cox) as started:
            machine = teach(started, cells, learned, p2p)
            if protocol == "active":
                asked = learn_what_is_suggested(started, cells, machine, share)
            draws.append(score(cells, asked, ask(started, cells, machine, asked)))
    return {name: mean([draw[name] for draw in draws]) for name in draws[0]}


def read_targets(path):
    """{(machine, protocol): {(figure, "<=" or ">="): target}}."""
    with open(path, newline="", encoding="utf-8") as file:
        return {(row.pop("machine"), row.pop("protocol")):
                {tuple(column.rsplit(" ", 1)): float(value) for column, value in row.items() if value}
                for row in csv.DictReader(file)}


def ping_pongs_of(path, protocol):
    """Those beside a file, for the protocol that learns from nothing else; None: there are none."""
    beside = path.with_name(path.stem + "_p2p.csv")
    return str(beside) if protocol == "zero" and beside.exists() else None


def targets_of(targets, machine, protocol):
    return targets.get((machine, protocol), targets.get(("*", protocol), {}))


def judge_all(arguments):
    """(machine, protocol, figures, targets, figures before) of each file and protocol, one after the other."""
    targets = read_targets(arguments.targets)
    for path in map(pathlib.Path, arguments.data):
        machine = next(row["machine"] for rows in read_cells(path).values() for row in rows.values())
        protocols = arguments.protocol or [p for p in PROTOCOLS if (machine, p) in targets] or ["interp", "extrap"]
        for protocol in protocols:
            p2p = arguments.p2p or ping_pongs_of(path, protocol)
            before, figures = (coxd and judge(coxd, arguments.cox, path, protocol, arguments.seeds, arguments.share, p2p)
                               for coxd in (arguments.before, arguments.coxd))
            yield machine, protocol, figures, targets_of(targets, machine, protocol), before


def missed(figures, targets):
    """{(figure, "<=" or ">="): target} of the targets that the figures miss. A figure that is not known misses none: answers
    without a predicted time have no error."""
    return {column: target for column, target in targets.items()
            if not math.isnan(figures[column[0]]) and not MEETS[column[1]](figures[column[0]], target)}


# The columns of the Markdown table: a title, and each figure with how it is written.
TABLE = [("cells", [("cells", "{:.0f}")]), ("default/best mean", [("default/best", "{:.2f}")]),
         ("chosen/best mean, p90", [("chosen/best", "{:.3f}"), ("p90", "{:.2f}")]),
         ("worse than default by > 2 %", [("worse", "{:.1%}")]), ("chosen/default", [("chosen/default", "{:.3f}")]),
         ("prediction error median, p90", [("error", "{:.1%}"), ("error p90", "{:.0%}")]),
         ("in the 90 % interval", [("in interval", "{:.1%}")])]


def markdown_row(machine, protocol, figures, targets, before):
    bounds = {name: (sign, target) for (name, sign), target in missed(figures, targets).items()}

    def written(name, form):
        if math.isnan(figures[name]):
            return "-"
        text = form.format(figures[name])
        if before and form.format(before[name]) != text:
            text = f"{form.format(before[name])} -> {text}"
        if name in bounds:
            sign, target = bounds[name]
            text += f" ({sign} {target:.0%})" if "%" in form else f" ({sign} {target:.2f})"
        return text.replace("%", " %")
    return " | ".join(["", f"{machine} {protocol}", *(", ".join(written(*figure) for figure in column)
                                                      for _, column in TABLE), ""]).strip()


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--protocol", action="append", choices=PROTOCOLS)
    parser.add_argument("--p2p", help="ping-pongs to learn from as well")
    draw = parser.add_mutually_exclusive_group()
    draw.add_argument("--seed", dest="seeds", type=lambda word: [int(word)], metavar="N", help="the draw of interp")
    draw.add_argument("--seeds", dest="seeds", type=lambda word: range(1, int(word) + 1), metavar="N",
                      help="the mean over the draws 1 to N")
    parser.add_argument("--targets", default=TARGETS, help="what is aimed at (targets.csv beside this file)")
    parser.add_argument("--share", type=float, help="of the cells that interp learns from, or of the rows for active")
    parser.add_argument("--before", metavar="COXD", help="another build's coxd, to compare with")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--coxd", default="build/bin/coxd")
    parser.add_argument("--cox", default="build/bin/cox")
    arguments = parser.parse_args(words)
    arguments.seeds = arguments.seeds or [1]
    return arguments


def main():
    arguments = parse()
    failed = False
    if arguments.markdown:
        titles = ["data, protocol", *(title for title, _ in TABLE)]
        print(f"| {' | '.join(titles)} |\n" + "|---" * len(titles) + "|")
    for machine, protocol, figures, targets, before in judge_all(arguments):
        if arguments.markdown:
            print(markdown_row(machine, protocol, figures, targets, before), flush=True)
        else:
            print(f"{machine} {protocol}: " + ", ".join(
                f"{name} " + (f"{before[name]:.3f} -> " if before else "") + f"{value:.3f}"
                for name, value in figures.items()), flush=True)
        if arguments.check:
            short = missed(figures, targets)
            failed = failed or bool(short) or not targets
            for (name, sign), target in short.items():
                print(f"  does not hold: {name} {sign} {target:g}, it is {figures[name]:.4f}")
            if not targets:
                print("  nothing to check it against")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
