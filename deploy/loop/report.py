"""Compares two ways to run a program by the daemon's observations."""

import csv
import io
import statistics

UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
# As in the daemon's advice: smaller differences count as none.
FLOOR = 0.03


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


def table(header, rows):
    """Text in columns: words (the first, fourth and last) to the left, figures to the right."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    left = {0, 3, len(header) - 1}
    lines = []
    for row in cells:
        line = "  ".join(cell.ljust(width) if i in left else cell.rjust(width)
                         for i, (cell, width) in enumerate(zip(row, widths)))
        lines.append(line.rstrip())
    return "\n".join(lines)


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
    """A job's reports: windows per (collective, block_bytes), and the algorithms that ran."""

    def __init__(self, observations_csv):
        self.windows = {}  # (mean time, calls)
        self.algorithms = {}
        for row in csv.DictReader(io.StringIO(observations_csv)):
            cell = (row["collective"], int(row["block_bytes"]))
            self.windows.setdefault(cell, []).append((float(row["time_s"]), int(row["count"])))
            self.algorithms.setdefault(cell, set()).add(row["algorithm"])


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
