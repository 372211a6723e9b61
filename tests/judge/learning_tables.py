#!/usr/bin/env python3
"""Makes the tables of docs/learning.md about choices: on measured machines, on simulated ones, of libraries without a name.

    learning_tables.py FOLDER [--table NAME]... [--write] [--draws N] [--coxd COXD] [--cox COX]

FOLDER has the files of measured machines (MEASURED); those of simulated machines are in tests/judge/data. Prints the
tables. With --write they replace those of the page, between the comments that name them. A cell that changed has the
page's figure before the new one: old -> new. What misses a goal has the goal in brackets, or says so.

    choices    each protocol of selection_penalty.py that targets.csv has for a machine
    shares     chosen/best by the share of the calls that are learned: each share has the calls of the one before, and all
               shares of a draw are asked about the same calls. In brackets the mean change and its standard error
    suggested  active: rows that `cox suggest` names, beside calls drawn at random
    unnamed    interp and extrap, of the same files under the name of a library that no table knows

Takes three minutes on two cores.
"""

import argparse
import concurrent.futures
import csv
import datetime
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import selection_penalty as judge  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/learning.md"
SIMULATED = pathlib.Path(__file__).resolve().with_name("data")
MEASURED = ("peak", "tuolumne", "marenostrum", "lumi")
UNKNOWN_LIBRARY = "unnamed-1.0"
SHARES = (0.05, 0.1, 0.2, 0.4)
SHARES_DRAWS = 24
# A change is taken for real from this many standard errors on.
REAL_CHANGE = 2
# Rows that `cox suggest` names, and the share of the calls at random that they are to be as good as.
SUGGESTED = {0.05: 0.2, 0.02: 0.1}
# Of a library without a name (docs/learning.md).
UNNAMED_TARGETS = {("chosen/best", "<="): 1.15, ("p90", "<="): 1.45, ("in interval", ">="): 0.88}
PARALLEL = 2


class Judge:
    """Figures by file, protocol and share; each is measured once."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.files = [arguments.folder / f"{name}.csv" for name in MEASURED] + sorted(SIMULATED.glob("*.csv"))
        self.pool = concurrent.futures.ThreadPoolExecutor(PARALLEL)
        self.figures = {}

    def ask(self, path, protocol, share=None):
        """A future of the figures."""
        key = (path, protocol, share or judge.SHARES.get(protocol))
        if key not in self.figures:
            self.figures[key] = self.pool.submit(judge.judge, self.arguments.coxd, self.arguments.cox, path, protocol,
                                                 range(1, self.arguments.draws + 1), share, judge.ping_pongs_of(path, protocol))
        return self.figures[key]

    def unnamed(self, path):
        """The same file under the name of another library."""
        copy = self.folder / path.name
        if not copy.exists():
            with open(path, newline="", encoding="utf-8") as file:
                rows = [{**row, "library": UNKNOWN_LIBRARY} for row in csv.DictReader(file)]
            with open(copy, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        return copy


def mean_and_p90(figures):
    return f"{figures['chosen/best']:.3f}, {figures['p90']:.2f}"


def percent(share, digits=0):
    return f"{100 * share:.{digits}f} %"


def choices(asked):
    targets = judge.read_targets(judge.TARGETS)
    jobs = []
    for path in asked.files:
        protocols = [p for p in judge.PROTOCOLS if (path.stem, p) in targets] or ["interp", "extrap", "active", "collective"]
        for protocol in protocols:
            aims = judge.targets_of(targets, path.stem, protocol)
            jobs.append((path.stem, protocol, asked.ask(path, protocol), aims))
    titles = ["data, protocol", *(title for title, _ in judge.TABLE)]
    rows = [judge.markdown_row(name, protocol, job.result(), aims, None) for name, protocol, job, aims in jobs]
    return titles, [[cell.strip() for cell in row.strip().strip("|").split(" | ")] for row in rows]


def of_nested_shares(arguments, path, seed):
    """chosen/best by share: of one draw, and always about the calls that no share learns."""
    cells = judge.read_cells(path)
    places = sorted(cells)
    random.Random(seed).shuffle(places)
    counts = [max(4, int(len(places) * share)) for share in SHARES]
    asked = places[counts[-1]:]
    means = []
    for count in counts:
        with judge.daemon.Daemon(arguments.coxd, arguments.cox) as started:
            machine = judge.teach(started, cells, places[:count], None)
            means.append(judge.score(cells, asked, judge.ask(started, cells, machine, asked))["chosen/best"])
    return means


def shares(asked):
    jobs = {path: [asked.pool.submit(of_nested_shares, asked.arguments, path, seed) for seed in range(1, SHARES_DRAWS + 1)]
            for path in asked.files}
    rows = []
    for path, draws in jobs.items():
        by_share = list(zip(*(draw.result() for draw in draws)))
        cells = [path.stem, f"{statistics.fmean(by_share[0]):.3f}"]
        for before, after in zip(by_share, by_share[1:]):
            changes = [new - old for old, new in zip(before, after)]
            change, error = statistics.fmean(changes), statistics.stdev(changes) / math.sqrt(len(changes))
            cells.append(f"{statistics.fmean(after):.3f} ({change:+.3f} +- {error:.3f})" +
                         (": more is worse" if change > REAL_CHANGE * error else ""))
        rows.append(cells)
    return ["data", *(f"{percent(share)} of the calls" for share in SHARES)], rows


def suggested(asked):
    jobs = {path: [(asked.ask(path, "active", share), asked.ask(path, "interp", share), asked.ask(path, "interp", goal))
                   for share, goal in SUGGESTED.items()] for path in asked.files}
    rows = []
    for path, of_file in jobs.items():
        cells = [path.stem]
        for row in of_file:
            active, random, goal = (job.result() for job in row)
            is_missed = any(active[name] > goal[name] for name in ("chosen/best", "p90"))
            cells += [mean_and_p90(active) + (": missed" if is_missed else ""), mean_and_p90(random), mean_and_p90(goal)]
        rows.append(cells)
    titles = ["data"]
    for share, goal in SUGGESTED.items():
        titles += [f"{percent(share)} of the rows as suggested", f"{percent(share)} of the calls",
                   f"goal: {percent(goal)} of the calls"]
    return titles, rows


def unnamed(asked):
    jobs = [(path.stem, protocol, asked.ask(path, protocol), asked.ask(asked.unnamed(path), protocol))
            for path in asked.files for protocol in ("interp", "extrap")]
    rows = []
    for name, protocol, under_own_name, job in jobs:
        figures = job.result()
        is_missed = bool(judge.missed(figures, UNNAMED_TARGETS))
        rows.append([f"{name} {protocol}", mean_and_p90(under_own_name.result()),
                     mean_and_p90(figures) + (": missed" if is_missed else ""), percent(figures["worse"], 1),
                     percent(figures["in interval"])])
    return ["data, protocol", "under its own name", "unnamed", "worse by > 2 %", "in the 90 % interval"], rows


TABLES = {"choices": choices, "shares": shares, "suggested": suggested, "unnamed": unnamed}


def figure_of(part):
    """What a part of a cell says, without an older figure, a goal or a verdict."""
    return re.sub(r" \([<>]= [^)]*\)|: (missed|more is worse)", "", part.rpartition(" -> ")[2])


def cell_beside_old(old, new):
    parts, old_parts = new.split(", "), old.split(", ")
    if len(parts) != len(old_parts):
        return new
    return ", ".join(part if figure_of(was) == figure_of(part) else f"{figure_of(was)} -> {part}"
                     for was, part in zip(old_parts, parts))


def block_of(name):
    return re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)


def key_of(row):
    return row[0].lower().replace("`", "")


def rows_of(block):
    rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in block.splitlines() if line.startswith("| ")]
    return {key_of(row): row for row in rows[1:]}, (rows[0] if rows else [])


def beside_old(titles, rows, old_block):
    """The rows, with the page's figures before those that changed. If the page's columns differ, the rows as they are."""
    old, old_titles = rows_of(old_block)
    if old_titles != titles:
        return rows
    return [row[:1] + [cell_beside_old(was, new) for was, new in zip(old.get(key_of(row), row)[1:], row[1:])] for row in rows]


def written(titles, rows):
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    today = datetime.datetime.now(datetime.timezone.utc).date()
    lines = [f"Made by `tests/judge/learning_tables.py`, {today}, {commit}.", "",
             f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--table", action="append", choices=TABLES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--draws", type=int, default=8, help="of interp")
    parser.add_argument("--coxd", default="build/bin/coxd")
    parser.add_argument("--cox", default="build/bin/cox")
    arguments = parser.parse_args()
    lacking = [name for name in MEASURED if not (arguments.folder / f"{name}.csv").exists()]
    if lacking:
        parser.error(f"{arguments.folder} has no {lacking[0]}.csv; docs/learning.md says where the data are from")
    with tempfile.TemporaryDirectory(prefix="cox-tables-") as folder:
        asked = Judge(arguments, folder)
        for name in arguments.table or TABLES:
            page = PAGE.read_text(encoding="utf-8")
            block = block_of(name)
            titles, rows = TABLES[name](asked)
            text = written(titles, beside_old(titles, rows, block.search(page)[0]))
            print(text, flush=True)
            if arguments.write:
                PAGE.write_text(block.sub(lambda match: f"{match[1]}{text}{match[2]}", page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
