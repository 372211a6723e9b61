#!/usr/bin/env python3
"""Simulates a site whose nodes report once a second: how busy daemons and relays are, how old reports get.

A discrete-event simulation. A report goes node -> (relay ->) daemon, and its acknowledgement back.
A relay and a daemon each have processors that work on one batch after another, and a disk that
commits in groups: what arrives during a commit waits for the next one. A relay sends what is on its
disk in calls of at most 256 batches, one call after another. The costs come from load_agents on the
same machine (docs/scale.md).

usage: simulate_fleet.py [--nodes N] [--nodes-per-relay N] [--daemons N] ... (see --help)
"""

import argparse
import dataclasses
import heapq
import itertools
import random

BATCHES_PER_CALL = 256  # server/relay/forward_queue.cc


@dataclasses.dataclass
class Costs:
    """Of one batch, in seconds and bytes."""

    daemon_s: float = 150e-6  # processor time of coxd
    relay_s: float = 250e-6  # processor time of a relay
    commit_s: float = 5e-3  # a group on the disk
    network_s: float = 200e-6  # one way
    batch_bytes: int = 1600
    daemon_processors: int = 2
    relay_processors: int = 1


class Clock:
    """Runs functions in the order of their times."""

    def __init__(self):
        self.now_s = 0.0
        self._events = []
        self._order = itertools.count()

    def at(self, time_s, what, *arguments):
        heapq.heappush(self._events, (time_s, next(self._order), what, arguments))

    def run(self):
        while self._events:
            self.now_s, _, what, arguments = heapq.heappop(self._events)
            what(*arguments)


class Processors:
    """Several that take work in the order in which it comes."""

    def __init__(self, clock, count):
        self._clock = clock
        self._free_s = [0.0] * count
        self.busy_s = 0.0

    def work(self, time_s, then, *arguments):
        start_s = max(self._clock.now_s, heapq.heappop(self._free_s))
        heapq.heappush(self._free_s, start_s + time_s)
        self.busy_s += time_s
        self._clock.at(start_s + time_s, then, *arguments)


class Disk:
    """Commits in groups."""

    def __init__(self, clock, commit_s):
        self._clock = clock
        self._commit_s = commit_s
        self._waiting = []
        self._is_busy = False

    def commit(self, then, *arguments):
        self._waiting.append((then, arguments))
        if not self._is_busy:
            self._begin()

    def _begin(self):
        self._is_busy = True
        group, self._waiting = self._waiting, []
        self._clock.at(self._clock.now_s + self._commit_s, self._end, group)

    def _end(self, group):
        for then, arguments in group:
            then(*arguments)
        if self._waiting:
            self._begin()
        else:
            self._is_busy = False


class Daemon:
    def __init__(self, clock, costs):
        self._clock = clock
        self._costs = costs
        self.processors = Processors(clock, costs.daemon_processors)
        self._disk = Disk(clock, costs.commit_s)
        self.batch_count = 0

    def report(self, answer, *arguments):
        self.batch_count += 1
        self.processors.work(self._costs.daemon_s, self._disk.commit, answer, *arguments)


class Relay:
    def __init__(self, clock, costs, daemon):
        self._clock = clock
        self._costs = costs
        self._daemon = daemon
        self.processors = Processors(clock, costs.relay_processors)
        self._disk = Disk(clock, costs.commit_s)
        self._spooled = []
        self._unanswered = 0
        self.most_spooled = 0

    def report(self, answer, *arguments):
        self.processors.work(self._costs.relay_s, self._disk.commit, self._keep, answer, arguments)

    def _keep(self, answer, arguments):
        self._spooled.append((answer, arguments))
        self.most_spooled = max(self.most_spooled, len(self._spooled))
        if self._unanswered == 0:
            self._call()

    def _call(self):
        batches, self._spooled = self._spooled[:BATCHES_PER_CALL], self._spooled[BATCHES_PER_CALL:]
        self._unanswered = len(batches)
        for answer, arguments in batches:
            self._clock.at(
                self._clock.now_s + self._costs.network_s, self._daemon.report, self._answered, answer, arguments
            )

    def _answered(self, answer, arguments):
        answer(*arguments)
        self._unanswered -= 1
        if self._unanswered == 0 and self._spooled:
            self._call()


@dataclasses.dataclass
class Outcome:
    ages_s: list  # from a node's sending to the daemon's commit, by report
    daemon_load: float  # share of the daemons' processor time, of the busiest
    relay_load: float
    most_spooled: int  # batches that waited at one relay
    daemon_bytes_per_s: float  # into one daemon, of the busiest
    elapsed_s: float  # until the last report was durable

    def age_s(self, share):
        return sorted(self.ages_s)[int(share * (len(self.ages_s) - 1))]


def simulate(nodes, nodes_per_relay, daemons, seconds, costs, seed=1):
    """`nodes_per_relay` 0: the nodes report to the daemons directly."""
    chance = random.Random(seed)
    clock = Clock()
    all_daemons = [Daemon(clock, costs) for _ in range(daemons)]
    relays = []
    if nodes_per_relay:
        count = -(-nodes // nodes_per_relay)
        relays = [Relay(clock, costs, all_daemons[i % daemons]) for i in range(count)]
    ages_s = []

    def durable(sent_s):
        ages_s.append(clock.now_s - sent_s)

    for node in range(nodes):
        target = relays[node // nodes_per_relay] if relays else all_daemons[node % daemons]
        phase_s = chance.random()
        for second in range(seconds):
            sent_s = second + phase_s
            clock.at(sent_s + costs.network_s, target.report, durable, sent_s)
    clock.run()
    elapsed_s = max(clock.now_s, seconds)
    return Outcome(
        ages_s=ages_s,
        daemon_load=max(d.processors.busy_s for d in all_daemons) / costs.daemon_processors / elapsed_s,
        relay_load=max((r.processors.busy_s for r in relays), default=0) / costs.relay_processors / elapsed_s,
        most_spooled=max((r.most_spooled for r in relays), default=0),
        daemon_bytes_per_s=max(d.batch_count for d in all_daemons) * costs.batch_bytes / elapsed_s,
        elapsed_s=elapsed_s,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--nodes-per-relay", type=int, nargs="+", default=[0, 100, 1000], help="0: no relays")
    parser.add_argument("--daemons", type=int, nargs="+", default=[8])
    parser.add_argument("--seconds", type=int, default=5)
    for field in dataclasses.fields(Costs):
        parser.add_argument("--" + field.name.replace("_", "-"), type=field.type, default=field.default)
    arguments = parser.parse_args()
    if min(arguments.nodes, arguments.seconds, *arguments.daemons) < 1 or min(arguments.nodes_per_relay) < 0:
        parser.error("--nodes, --seconds and --daemons must be >= 1, --nodes-per-relay >= 0")
    costs = Costs(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(Costs)})
    print("| nodes | nodes per relay | daemons | load of a daemon | load of a relay | age p50 | age p99 "
          "| into a daemon | most in a spool |")
    print("|---|---|---|---|---|---|---|---|---|")
    for nodes_per_relay in arguments.nodes_per_relay:
        for daemons in arguments.daemons:
            o = simulate(arguments.nodes, nodes_per_relay, daemons, arguments.seconds, costs)
            print(f"| {arguments.nodes} | {nodes_per_relay or 'none'} | {daemons} | {o.daemon_load:.0%} "
                  f"| {o.relay_load:.1%} | {o.age_s(0.5) * 1e3:.1f} ms | {o.age_s(0.99) * 1e3:.1f} ms "
                  f"| {o.daemon_bytes_per_s / 1e6:.1f} MB/s | {o.most_spooled} batches |")


if __name__ == "__main__":
    main()
