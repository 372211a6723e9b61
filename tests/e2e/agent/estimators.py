#!/usr/bin/env python3
"""Compares estimators that see only single ranks' timings of a collective with the truth.

    estimators.py FILE...        files that programs/uneven.c wrote

The truth is the median over the calls right after a barrier of (last leaving - last entry). For each collective
and estimator: the geometric mean over sizes and ways to be uneven of estimate / truth (bias), the geometric
standard deviation around the truth (spread: 1.5 is "half too much, or a third too little"), and the estimates
divided by the truth for each way, even arrivals first.
"""

import collections
import csv
import math
import statistics
import sys

# The ranks that report; every rank for other collectives. See clients/agent/wrappers/shapes.h.
REPORTERS = {"bcast": lambda p: range(1, p), "scatter": lambda p: range(1, p), "gather": lambda p: [0],
             "reduce": lambda p: [0], "scan": lambda p: [p - 1]}


def load(name):
    """(file, collective, bytes) -> pattern -> (call, rank) -> (enter, leave)"""
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(name, newline="") as file:
        for row in csv.reader(file):
            if len(row) == 7:
                cells[name, row[0], int(row[1])][row[2]][int(row[3]), int(row[4])] = (int(row[5]), int(row[6]))
    return cells


def quantile(values, level):
    values = sorted(values)
    place = level * (len(values) - 1)
    below = values[int(place)]
    return below + (values[min(int(place) + 1, len(values) - 1)] - below) * (place % 1)


def estimators(p):
    """Name -> f(timings of each reporting rank)"""
    mean = statistics.fmean
    found = {"mean, mean of ranks": lambda ranks: mean(map(mean, ranks)),
             "mean, least of ranks": lambda ranks: min(map(mean, ranks)),
             "mean, greatest of ranks": lambda ranks: max(map(mean, ranks)),
             "minimum": lambda ranks: min(map(min, ranks)),
             "median": lambda ranks: statistics.median(sum(ranks, []))}
    for share in (1, 1.5, 2):
        found[f"quantile {share}/p"] = lambda ranks, at=share / p: quantile(sum(ranks, []), min(at, 0.5))
    found["quantile 0.75, greatest of ranks"] = lambda ranks: max(quantile(one, 0.75) for one in ranks)
    return found


def main():
    ratios = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for name in sys.argv[1:]:
        for (_, collective, _), patterns in load(name).items():
            calls, p = (1 + max(key[i] for key in patterns["even"]) for i in (0, 1))
            even = patterns["even"]
            if len(even) < calls * p:
                continue  # the job was ended in the middle
            truth = statistics.median(max(even[i, r][1] for r in range(p)) - max(even[i, r][0] for r in range(p))
                                      for i in range(calls))
            for pattern, times in patterns.items():
                if len(times) < calls * p:
                    continue
                reporting = [[times[i, r][1] - times[i, r][0] for i in range(calls)]
                             for r in REPORTERS.get(collective, range)(p)]
                for estimator, estimate in estimators(p).items():
                    ratios[collective][estimator][pattern].append(estimate(reporting) / truth)
    for collective, by_estimator in ratios.items():
        ways = list(next(iter(by_estimator.values())))
        print(f"{collective:38}   bias spread | " + " ".join(f"{way[:12]:>12}" for way in ways))
        for estimator, by_way in by_estimator.items():
            logs = [math.log(ratio) for way, values in by_way.items() if way != "even" for ratio in values]
            spread = math.sqrt(statistics.fmean(log * log for log in logs))
            cells = (math.exp(statistics.fmean(map(math.log, by_way[way]))) for way in ways)
            print(f"  {estimator:36} {math.exp(statistics.fmean(logs)):6.2f} {math.exp(spread):6.2f} | "
                  + " ".join(f"{cell:12.2f}" for cell in cells))


if __name__ == "__main__":
    main()
