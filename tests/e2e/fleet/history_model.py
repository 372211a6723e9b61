"""Whether what clients of several daemons saw, and what the database holds at the end, can be explained.

The rules: an acknowledged batch is there once, unless its job was forgotten; a batch whose end nobody knows is there
once or not at all; revisions of a profile are numbered without a gap, in an order that agrees with the clients' clocks;
no pin is lost, and the last one holds.
"""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Call:
    """What a client asked for. `end` is None if nobody knows whether it had an effect."""
    kind: str  # report, forget, profile, pin
    key: object  # (job, sequence), job, note, or revision
    begin: float
    end: float | None = None
    rows: int = 0  # of a report
    result: dict = field(default_factory=dict)

    @property
    def is_known(self):
        return self.end is not None


@dataclass
class Final:
    """What the database holds at the end."""
    batches: dict  # rows by (job, sequence)
    profiles: list  # (revision, note) in order; the note of what a daemon learned is None
    pins: list  # revisions, in the order of the audit
    pinned: int  # 0: none
    counts: dict  # rows as three tables count them


def explain(calls, final):
    """A sentence for each thing that no order of the calls explains."""
    by_kind = {kind: [call for call in calls if call.kind == kind] for kind in ("report", "forget", "profile", "pin")}
    revisions = {note: revision for revision, note in final.profiles if note is not None}
    return [*_batches(by_kind["report"], by_kind["forget"], final.batches),
            *_profiles(by_kind["profile"], final.profiles),
            *_order("profile", by_kind["profile"], revisions),
            *_pins(by_kind["pin"], final),
            *_order("pin", by_kind["pin"], {revision: place for place, revision in enumerate(final.pins)}),
            *_counts(final)]


def _batches(reports, forgets, stored):
    attempts, forgotten = {}, {}
    for call in reports:
        attempts.setdefault(call.key, []).append(call)
    for call in forgets:
        forgotten.setdefault(call.key, []).append(call)
    kept_of = {}  # by job whose end nobody knows: whether each acknowledged batch is there
    for key, tries in attempts.items():
        job, rows = key[0], tries[0].rows
        is_acknowledged = any(call.is_known for call in tries)
        if key in stored and stored[key] != rows:
            yield f"batch {key} has {stored[key]} rows of {rows}"
        first = tries[0]
        if first.is_known and first.result.get("duplicate"):
            yield f"batch {key} was a duplicate when it was sent first"
        forgets_of_job = forgotten.get(job, [])
        if not is_acknowledged:
            continue
        if not forgets_of_job:
            if key not in stored:
                yield f"batch {key} was acknowledged and is lost"
        elif any(call.is_known for call in forgets_of_job):
            if key in stored and all(call.is_known for call in tries):
                yield f"batch {key} was forgotten and is there"
        elif all(call.is_known for call in tries):
            kept_of.setdefault(job, set()).add(key in stored)
    yield from (f"job {job} was forgotten in part" for job, kept in kept_of.items() if len(kept) > 1)
    yield from (f"nobody sent batch {key}" for key in stored if key not in attempts)
    for job, calls in forgotten.items():
        reported = [call for call in reports if call.key[0] == job]
        if len(calls) == 1 and calls[0].is_known and all(call.is_known for call in reported):
            expected = sum(call.rows for call in reported if not call.result.get("duplicate"))
            if calls[0].result["removed"] != expected:
                yield f"{calls[0].result['removed']} rows of job {job} were forgotten, not {expected}"


def _profiles(calls, profiles):
    numbers = [revision for revision, _ in profiles]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the revisions are {numbers}"
    notes = Counter(note for _, note in profiles if note is not None)
    revisions = {note: revision for revision, note in profiles}
    yield from (f"the profile {note} is there {count} times" for note, count in notes.items() if count > 1)
    asked = {call.key for call in calls}
    yield from (f"nobody wrote the profile {note}" for note in notes if note not in asked)
    for call in calls:
        if call.is_known and revisions.get(call.key) != call.result["revision"]:
            yield f"the profile {call.key} was to be revision {call.result['revision']} and is {revisions.get(call.key)}"


def _pins(calls, final):
    counts = Counter(final.pins)
    known = {call.key for call in calls if call.is_known}
    asked = {call.key for call in calls}
    yield from (f"the pin of {revision} is lost" for revision in known if revision not in counts)
    yield from (f"revision {revision} was pinned {count} times" for revision, count in counts.items() if count > 1)
    yield from (f"nobody pinned {revision}" for revision in counts if revision not in asked)
    last = final.pins[-1] if final.pins else 0
    if final.pinned != last:
        yield f"revision {final.pinned} is pinned, and the last pin was of {last}"


def _order(kind, calls, places):
    """What was answered before another was first sent comes before it."""
    begins, ends = {}, {}
    for call in calls:
        if call.key not in places:
            continue
        begins[call.key] = min(call.begin, begins.get(call.key, call.begin))
        if call.is_known:
            ends[call.key] = min(call.end, ends.get(call.key, call.end))
    for earlier, end in ends.items():
        for later, begin in begins.items():
            if end < begin and places[earlier] > places[later]:
                yield f"{kind} {earlier} ended before {later} began, and comes after it"


def _counts(final):
    rows = sum(final.batches.values())
    yield from (f"{name} counts {count} rows of {rows}" for name, count in final.counts.items() if count != rows)
