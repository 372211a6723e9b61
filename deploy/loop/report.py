"""Compares two ways to run a program by what was measured of its calls."""

import collections
import math
import statistics

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
# As in the daemon's advice: smaller differences count as none.
FLOOR = 0.03

# Some calls of one job: their mean time, in seconds, and how many they were.
Window = collections.namedtuple("Window", "collective block_bytes algorithm time_s count")


def time_text(time_s):
    if time_s is None:
        return "-"
    for factor, unit in UNITS:
        if time_s >= factor:
            break
    return f"{time_s / factor:.3g} {unit}"


def size_text(size):
    for factor, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= factor and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def table(header, rows, left):
    """Text in columns: those with an index in `left` to the left, the others, figures, to the right."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) if i in left else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells)


def weighted_quantile(pairs, share):
    """Of (value, weight) pairs: the smallest value with at least `share` of the weight at or below it."""
    pairs = sorted(pairs)
    wanted = share * sum(weight for _, weight in pairs)
    reached = 0
    for value, weight in pairs:
        reached += weight
        if reached >= wanted:
            return value
    raise ValueError("no values")


class Job:
    """What is known of a job: (time, calls) and algorithms by (collective, block_bytes); how often the program says that it called each;
    the program's own time and checksum."""

    def __init__(self, windows, calls, elapsed_s, checksum):
        self.calls, self.elapsed_s, self.checksum = calls, elapsed_s, checksum
        self.windows = {}
        self.algorithms = {}
        for window in windows:
            cell = window.collective, window.block_bytes
            self.windows.setdefault(cell, []).append((window.time_s, window.count))
            self.algorithms.setdefault(cell, set()).add(window.algorithm)


class Times:
    """The times of several jobs for one cell; false if they have none."""

    def __init__(self, jobs, cell):
        windows = [job.windows[cell] for job in jobs if cell in job.windows]
        # Medians ignore windows in which another program had the processor.
        self.of_jobs = [weighted_quantile(pairs, 0.5) for pairs in windows]
        self.time_s = statistics.median(self.of_jobs) if windows else None
        every = [pair for pairs in windows for pair in pairs]
        self.quartiles = [weighted_quantile(every, share) for share in (0.25, 0.75) if every]

    def __bool__(self):
        return self.time_s is not None

    def clearly_below(self, other):
        """Every job here is faster than every job of `other`, so are most windows, and by the floor or more."""
        return (max(self.of_jobs) < min(other.of_jobs)
                and self.quartiles[1] < other.quartiles[0]
                and other.time_s / self.time_s - 1 >= FLOOR)


def verdict(before, after):
    """The effect of a change, in percent of the time before."""
    if not before or not after:
        return "no timings"
    if after.clearly_below(before):
        return f"faster {100 * (1 - after.time_s / before.time_s):.0f} %"
    if before.clearly_below(after):
        return f"slower {100 * (after.time_s / before.time_s - 1):.0f} %"
    return "same"


def row_of(cell, answer, before, after):
    """One call of the program: what was predicted, and what was measured."""
    old, new = Times(before, cell), Times(after, cell)
    # A job's calls take longer than a benchmark's; the daemon has learned how much.
    predicted_s = answer.get("job_time_s") or answer.get("predicted_time_s")
    interval_s = answer.get("job_interval_s") or answer.get("interval_s") or None
    holds = None
    if interval_s and new:
        holds = interval_s[0] <= new.time_s <= interval_s[1]
    return {
        "collective": cell[0],
        "block_bytes": cell[1],
        "calls": before[0].calls[cell],
        "algorithm": answer["algorithm"],
        "ran": sorted(set().union(*(job.algorithms.get(cell, set()) for job in after))),
        "reason": answer.get("reason", ""),
        "default_time_s": old.time_s,
        "predicted_time_s": predicted_s,
        # The prediction, in units of a benchmark's time; None where the daemon does not know it.
        "job_factor": answer["job_time_s"] / answer["predicted_time_s"] if answer.get("job_time_s") else None,
        "interval_s": interval_s,
        "measured_time_s": new.time_s,
        "is_in_interval": holds,
        "verdict": verdict(old, new),
    }


def result_of(answers, before, after):
    """The whole outcome, for result.json. Times are in seconds; a total is that of one run of the program."""
    rows = [row_of(cell, answer, before, after) for cell, answer in answers.items()]
    timed = [row for row in rows if row["default_time_s"] and row["measured_time_s"]]
    default_s = math.fsum(row["calls"] * row["default_time_s"] for row in timed)
    tuned_s = math.fsum(row["calls"] * row["measured_time_s"] for row in timed)
    judged = [row["is_in_interval"] for row in rows if row["is_in_interval"] is not None]
    return {
        "default_communication_time_s": default_s,
        "tuned_communication_time_s": tuned_s,
        "gain": default_s / tuned_s if tuned_s else None,
        "default_program_time_s": statistics.median(job.elapsed_s for job in before),
        "tuned_program_time_s": statistics.median(job.elapsed_s for job in after),
        "interval_coverage": sum(judged) / len(judged) if judged else None,
        "rows": rows,
    }


def totals(result):
    """{collective: [seconds by default, seconds tuned]} of one run of the program."""
    sums = {}
    for row in result["rows"]:
        if row["default_time_s"] and row["measured_time_s"]:
            both = sums.setdefault(row["collective"], [0, 0])
            both[0] += row["calls"] * row["default_time_s"]
            both[1] += row["calls"] * row["measured_time_s"]
    return sums


def result_table(result):
    """At most ten lines for eight calls: a row for each, and their sum."""
    rows = []
    for row in result["rows"]:
        within = "-"
        if row["interval_s"]:
            within = " .. ".join(time_text(time_s) for time_s in row["interval_s"])
        gain = "-"
        if row["default_time_s"] and row["measured_time_s"]:
            gain = f"{row['default_time_s'] / row['measured_time_s']:.2f}x"
        rows.append([row["collective"], size_text(row["block_bytes"]), time_text(row["default_time_s"]),
                     row["algorithm"], time_text(row["predicted_time_s"]), within, time_text(row["measured_time_s"]),
                     gain])
    gain = f"{result['gain']:.2f}x" if result["gain"] else "-"
    rows.append(["all calls", "", time_text(result["default_communication_time_s"]), "", "", "",
                 time_text(result["tuned_communication_time_s"]), gain])
    return table(["COLLECTIVE", "SIZE", "DEFAULT", "USE", "PREDICTED", "90 % WITHIN", "MEASURED", "GAIN"], rows,
                 left={0, 3, 5})


def job_factors(result):
    """A line: how much longer or shorter the program's calls take than a benchmark's, by collective."""
    factors = {row["collective"]: row["job_factor"] for row in result["rows"] if row["job_factor"]}
    if not factors:
        return "PREDICTED: a benchmark's time; by how much the program's calls differ is not known"
    said = ", ".join(f"{collective} x {factor:.2f}" for collective, factor in factors.items())
    return f"PREDICTED: a benchmark's time, times the factor that the program's first run showed: {said}"


def taken_back(answers, again, result):
    """The decisions that the measurements have changed: what it was, what it is now, and why."""
    measured = {(row["collective"], row["block_bytes"]): row for row in result["rows"]}
    return [{"collective": cell[0], "block_bytes": cell[1], "from": answer["algorithm"],
             "to": again[cell]["algorithm"], "was": measured[cell]["verdict"], "reason": again[cell].get("reason", "")}
            for cell, answer in answers.items() if again[cell]["algorithm"] != answer["algorithm"]]
