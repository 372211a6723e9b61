"""What became of a job's timings: compares what the program did with what the database has."""

import collections
import csv


def timings_made(file, ranks):
    """{(collective, block_bytes): timings} from coxapp's table of calls, for collectives in which each rank reports."""
    return collections.Counter({(row["collective"], int(row["block_bytes"])): int(row["calls"]) * ranks
                                for row in csv.DictReader(file)})


def spooled_rows(file):
    """How often each (collective, block_bytes, count, time_s) is in an agent's spool: what it had not sent when its job
    ended."""
    return collections.Counter((row["collective"], int(row["block_bytes"]), int(row["count"]), float(row["time_s"]))
                               for row in csv.DictReader(file))


def unsent_rows(stored, spooled):
    """The rows that are in the spool only. An agent also spools the batch to which no answer has come, and the database
    may have it."""
    return spooled - stored


def lost_and_doubled(made, rows):
    """How many of the timings made are not in `rows`, and how many are there too often."""
    found = collections.Counter()
    for (collective, block_bytes, count, _), times in rows.items():
        found[collective, block_bytes] += count * times
    found = collections.Counter({cell: found[cell] for cell in made})
    return (made - found).total(), (found - made).total()


def faults(result):
    """Sentences about what went wrong in a run; empty if all is well. `result`: what `try --json` prints."""
    return [sentence.format(**result) for is_wrong, sentence in (
        (result["lost_timings"], "{lost_timings} timings of the job are neither in the database nor in the agent's spool"),
        (result["doubled_timings"], "{doubled_timings} timings are in the database twice"),
        (result["missing_batches"], "{missing_batches} batches are missing between the first and the last of a job"),
        (result["stored_rows"] != result["counted_rows"],
         "the daemons count {counted_rows} rows, and the database has {stored_rows}"),
        (result["batches"] <= result["batches_at_kill"], "no batch came after the kill: the agent has not moved"),
    ) if is_wrong]
