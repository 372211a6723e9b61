#!/usr/bin/env python3
"""Makes the table of docs/performance.md from what the benches printed, and compares it with the table before.

A ratio fell if it is worse by more than 15 % than the ratio of the same row before. The rows before are those of the
page, or those of --before: what another commit's benches printed in turns with these. Only those also compare values
that have no ratio, because both were measured on one machine.

The judge's figures have a file of their own: --judged, tests/judge/figures.csv. They depend on no machine, so they are
compared in each run, and a row that this run did not print stays. Shares of answers fell only if they are worse by 0.02,
too: of a few cells one is 15 %.

usage: table.py LOG [--page FILE] [--judged FILE] [--before LOG] [--dry-run]
       prints the rows that fell; exit code 1 if there are any
"""

import argparse
import csv
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/performance.md"
JUDGED = ROOT / "tests/judge/figures.csv"
JUDGE = "bench_judge"
HEADER = "| what | value | floor | ratio | target | |\n|---|---|---|---|---|---|\n"
# These have a table on a page of their own.
ELSEWHERE = (JUDGE, "bench_fabric", "bench_collectives", "bench_cluster_figures")
VERDICTS = {"ok": "met", "MISSED": "**missed**", "FAILED": "**failed**"}
TOLERATED = 0.15
TOLERATED_SHARE = 0.02
SHARES = (", worse at most", ", in interval at least", ", in interval at most")


class Row(NamedTuple):
    what: str
    value: str
    floor: str
    ratio: str
    target: str
    verdict: str

    @property
    def key(self):
        """What is the same in each run: without the case that happened to be the worst."""
        return self.what.split(", worst:")[0]


def rows_of_log(text, is_wanted=lambda bench: bench not in ELSEWHERE):
    rows, bench = [], ""
    for line in text.splitlines():
        if line.startswith("-- "):
            bench = pathlib.Path(line[3:]).name
        elif line.startswith("BENCH\t") and is_wanted(bench):
            cells = line.split("\t")[1:]
            rows.append(Row(*cells[:5], VERDICTS.get(cells[5], cells[5])))
    return rows


def judged_rows_of_log(text):
    return rows_of_log(text, lambda bench: bench == JUDGE)


def read_judged(path):
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [Row(row["what"], row["value"], "-", "-", row["target"], row["verdict"]) for row in csv.DictReader(file)]


def write_judged(path, old, new):
    rows = {row.what: row for row in [*old, *new]}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", "value", "target", "verdict"])
        writer.writerows([row.what, row.value, row.target, row.verdict] for row in rows.values())


def rows_of_page(text):
    _, _, table = text.partition(HEADER)
    lines = table.partition("\n\n")[0].splitlines()
    return [Row(*(cell.strip() for cell in line.strip().strip("|").split("|"))) for line in lines]


def number(text):
    """The number that the text begins with, or None."""
    match = re.match(r"\d+(\.\d+)?(e[+-]?\d+)?", text)
    return float(match[0]) if match else None


def fallen(old, new, values_too):
    """A line for each row that is worse by more than TOLERATED than the row of its name before."""
    before = {row.key: row for row in old}
    lines = []
    for row in new:
        was = before.get(row.key)
        if was is None:
            continue
        if row.verdict == VERDICTS["FAILED"]:
            lines.append(f"{row.key}: failed")
            continue
        pairs = [(number(was.ratio), number(row.ratio))] + [(number(was.value), number(row.value))] * values_too
        then, now = next((pair for pair in pairs if None not in pair), (None, None))
        if not then or not now:
            continue
        share = then / now if row.target.startswith("<=") else now / then
        if row.key.endswith(SHARES) and abs(now - then) < TOLERATED_SHARE:
            continue
        if share < 1 - TOLERATED:
            lines.append(f"{row.key}: {then:g} -> {now:g} (target {row.target})")
    return lines


def conditions():
    """One line: the machine, the system, the date and the commit."""
    processor = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            processor = line.partition(": ")[2]
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    kernel = ".".join(platform.release().split(".")[:2])
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return (f"{processor} ({os.cpu_count()} cores, {memory:.0f} GiB), Linux {kernel}; {today}, {commit}, "
            "`./tests/run --bench`.")


def with_table(page, rows, line):
    """The page with this table, and with the line of its conditions above it."""
    above, header, rest = page.partition(HEADER)
    if not header:
        sys.exit("table.py: the page has no table of figures")
    below = rest.partition("\n\n")[2]
    lead, marker, paragraph = above.rstrip("\n").rpartition("\n\n")
    # The first sentences are about the machine; what follows says how the figures were taken.
    remarks = paragraph.partition("`./tests/run --bench`")[2].lstrip(".;").strip()
    paragraph = f"{line}\n{remarks[:1].upper() + remarks[1:]}".rstrip("\n")
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"{lead}{marker}{paragraph}\n\n{HEADER}{table}\n{below}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path, default=PAGE)
    parser.add_argument("--judged", type=pathlib.Path, default=JUDGED)
    parser.add_argument("--before", type=pathlib.Path, metavar="LOG")
    parser.add_argument("--dry-run", action="store_true", help="leaves the page and the judge's figures as they are")
    arguments = parser.parse_args()
    page = arguments.page.read_text(encoding="utf-8")
    log = arguments.log.read_text(encoding="utf-8")
    before = arguments.before.read_text(encoding="utf-8") if arguments.before else None
    new, judged = rows_of_log(log), judged_rows_of_log(log)
    known = read_judged(arguments.judged)
    old, old_judged = (rows_of_log(before), judged_rows_of_log(before)) if before else (rows_of_page(page), known)
    if not new and not judged:
        sys.exit("table.py: the benches printed no rows")
    lines = fallen(old, new, values_too=bool(before)) + fallen(old_judged, judged, values_too=True)
    if new and not arguments.dry_run:
        arguments.page.write_text(with_table(page, new, conditions()), encoding="utf-8")
    if judged and not arguments.dry_run:
        write_judged(arguments.judged, known, judged)
    print(f"{len(new) + len(judged)} rows, {len(lines)} fell by more than {TOLERATED:.0%}")
    for line in lines:
        print(f"  fell: {line}")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
