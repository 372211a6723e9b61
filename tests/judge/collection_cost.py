#!/usr/bin/env python3
"""Measures what it costs to know a machine: how many rows, and how long to collect them, at equal accuracy.

    collection_cost.py [DATA.csv...] [--seeds N] [--coxd C] [--cox C]

Prints a Markdown table, a row for each file (without any: the simulated machines of tests/judge/data) and baseline:

    random 20 %  a fifth of the calls, drawn at random: the mean of N draws (8)
    grid         every other size, at the least and the most ranks (protocol plan of selection_penalty.py)

Both learn all algorithms of a call. `cox suggest` then names rows (a call's algorithm), STEP of all rows at a time. The
table has the rows that it needs until the mean of chosen/best is at most the baseline's, in this round and the next one.
All ways are judged by all calls, also those that they know: what they leave out differs, and is not equally hard.

A row costs a second to start and CALLS calls: what `cox suggest` assumes of a measurement. "Calls alone" are the calls
without the second, as where one job measures many rows.
"""

import argparse
import math
import pathlib
import sys

sys.dont_write_bytecode = True
import selection_penalty as judge  # noqa: E402
from selection_penalty import daemon  # noqa: E402

DATA = pathlib.Path(__file__).resolve().with_name("data")
BASELINES = {"random 20 %": "interp", "grid": "plan"}
STEP = 0.01
MOST = 0.5  # of all rows; then it counts as not reached
START_S, CALLS = 1, 10


def calls_s(rows):
    return math.fsum(CALLS * float(row["time_s"]) for row in rows)


class Cost:
    """Of rows: their number, and the seconds to collect them."""

    def __init__(self, rows):
        self.count, self.calls_s = len(rows), calls_s(rows)
        self.time_s = START_S * len(rows) + self.calls_s


def mean_cost(costs):
    mean = Cost([])
    for name in vars(mean):
        setattr(mean, name, sum(getattr(cost, name) for cost in costs) / len(costs))
    return mean


def mean_of_all(started, cells, machine):
    """Of chosen/best."""
    places = sorted(cells)
    return judge.score(cells, places, judge.ask(started, cells, machine, places))["chosen/best"]


def baseline(arguments, cells, protocol):
    """The mean of chosen/best, and the cost: means over the draws."""
    means, costs = [], []
    for learned, _ in judge.divided(cells, protocol, range(1, arguments.seeds + 1), 0.2):
        with daemon.Daemon(arguments.coxd, arguments.cox) as started:
            machine = judge.teach(started, cells, learned, None)
            means.append(mean_of_all(started, cells, machine))
        costs.append(Cost([row for place in learned for row in cells[place].values()]))
    return judge.mean(means), mean_cost(costs)


def suggested(arguments, cells, least):
    """[(mean of chosen/best, cost)] after each round, until the mean is at most `least` in two rounds one after the other."""
    curve = []
    with daemon.Daemon(arguments.coxd, arguments.cox) as started:
        machine = judge.teach(started, cells, [], None)
        learner = judge.Suggested(started, cells, machine)
        most = MOST * len(learner.candidates)
        count = max(1, round(STEP * len(learner.candidates)))
        while len(learner.rows) < most and learner.learn(count):
            curve.append((mean_of_all(started, cells, machine), Cost(learner.rows)))
            if all(mean <= least for mean, _ in curve[-2:]) and len(curve) > 1:
                break
    return curve


def reached(curve, mean):
    """The cost of the first of two rounds with at most this mean; None: not reached."""
    for (first, cost), (second, _) in zip(curve, curve[1:]):
        if max(first, second) <= mean:
            return cost
    return None


def table_row(name, title, mean, base, cost):
    cells = [name, title, f"{mean:.3f}", f"{base.count:.0f}", f"{base.time_s:.0f} s"]
    if cost is None:
        cells += ["not reached", "-", "-", "-", "-"]
    else:
        cells += [f"{cost.count}", f"{cost.time_s:.0f} s", *(f"{getattr(base, unit) / getattr(cost, unit):.2f}"
                                                             for unit in ("count", "time_s", "calls_s"))]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=pathlib.Path, default=sorted(DATA.glob("*.csv")))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--coxd", default="build/bin/coxd")
    parser.add_argument("--cox", default="build/bin/cox")
    arguments = parser.parse_args()
    titles = ["machine", "as good as", "chosen/best mean", "rows there", "time there", "rows as suggested", "time as suggested",
              "rows, times fewer", "time, times less", "calls alone, times less"]
    print(f"| {' | '.join(titles)} |\n" + "|---" * len(titles) + "|")
    for path in arguments.data:
        cells = judge.read_cells(path)
        bases = {title: baseline(arguments, cells, protocol) for title, protocol in BASELINES.items()}
        curve = suggested(arguments, cells, min(mean for mean, _ in bases.values()))
        for title, (mean, cost) in bases.items():
            print(table_row(path.stem, title, mean, cost, reached(curve, mean)), flush=True)


if __name__ == "__main__":
    main()
