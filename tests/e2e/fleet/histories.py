#!/usr/bin/env python3
"""Histories of eight clients and three daemons on one PostgreSQL, while all of these fail.

Each client reports batches, forgets jobs, writes profiles and pins them, each time at a daemon that it draws by lot.
Meanwhile daemons are killed, stopped or cut off from the database, and PostgreSQL crashes. At the end of each history
a model explains what the clients saw and what the database holds, or says what it cannot explain.

    histories.py --build DIR [--count N] [--seconds S] [--seed N]

Needs a build and PostgreSQL. Exit status: 0: all explained; 1: not all; 2: something is missing.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "deploy" / "loop"), str(ROOT / "deploy" / "fleet")]
import members  # noqa: E402
from history_model import Call, Final, explain  # noqa: E402
from processes import Failure, Processes, raise_on_signals  # noqa: E402

CLIENTS = 8
DAEMONS = 3
# A client gives an answer up after so long, and does not know then whether its call had an effect.
PATIENCE_S = 3
# Codes of calls that had no effect. After all others nobody knows.
REFUSED = ("invalid_argument", "not_found", "failed_precondition", "already_exists", "permission_denied", "aborted",
           "resource_exhausted", "unimplemented", "out_of_range")
SOCKET = ".s.PGSQL.5432"


class Unknown(Exception):
    """Nobody knows whether the call had an effect."""


class Refused(Exception):
    """The call had no effect."""


class Proxy:
    """Between a daemon and PostgreSQL. A cut holds all bytes back, and says nothing to either side."""

    def __init__(self, folder, server):
        folder.mkdir(mode=0o711)
        self.folder, self.server = folder, str(server)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / SOCKET))
        self.listener.listen(64)
        self.whole = threading.Event()
        self.whole.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self):
        return f"postgresql:///coxswain?host={self.folder}&user=coxd"

    def _accept(self):
        while True:
            near, _ = self.listener.accept()
            threading.Thread(target=self._pass, args=(near,), daemon=True).start()

    def _pass(self, near):
        far = socket.socket(socket.AF_UNIX)
        with near, far:
            try:
                self.whole.wait()
                far.connect(self.server)
                other = {near: far, far: near}
                while True:
                    for end in select.select([near, far], [], [])[0]:
                        self.whole.wait()
                        data = end.recv(1 << 16)
                        if not data:
                            return
                        other[end].sendall(data)
            except OSError:
                return


class Fleet:
    def __init__(self, build, folder, processes):
        self.build, self.folder, self.processes = build, folder, processes
        self.postgres = members.Postgres(processes, folder / "postgres")
        self.postgres.start()
        self.proxies = [Proxy(folder / f"proxy{i}", self.postgres.folder / SOCKET) for i in range(DAEMONS)]
        self.daemons = [self.start(i) for i in range(DAEMONS)]

    def start(self, number):
        return members.Coxd(self.processes, self.build / "bin/coxd", self.proxies[number].url(), self.folder,
                            f"coxd{number}")

    def ask(self, daemon, method, **request):
        """The answer of one daemon."""
        host, port = daemon.http.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
        try:
            connection.request("POST", f"/cox.v1.{method}", json.dumps(request), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as why:
            raise Unknown(str(why)) from why
        finally:
            connection.close()
        if response.status == 200:
            return answer
        raise (Refused if answer.get("code") in REFUSED else Unknown)(f"{method}: {answer}")


class Client(threading.Thread):
    """Its jobs, profiles and pins are its own, so that each effect has one cause."""

    def __init__(self, fleet, machine, number, seed, ends):
        super().__init__(daemon=True)
        self.fleet, self.machine, self.number, self.ends = fleet, machine, number, ends
        self.random = random.Random(seed)
        self.calls, self.why = [], None
        self.job_number, self.sequence = 0, 0
        self.revisions = []  # that it has written and not pinned

    def run(self):
        try:
            while not self.ends.is_set():
                self.random.choices((self.report, self.write_profile, self.pin, self.forget), (12, 3, 3, 1))[0]()
        except Refused as why:
            self.why = f"client {self.number} was refused: {why}"

    def job(self):
        return f"{self.machine}-{self.number}-{self.job_number}"

    def call(self, kind, key, method, read, rows=0, **request):
        """True: it was answered."""
        call = Call(kind, key, time.monotonic(), rows=rows)
        self.calls.append(call)
        try:
            answer = self.fleet.ask(self.random.choice(self.fleet.daemons), method, **request)
        except Unknown:
            return False
        call.result = read(answer)
        call.end = time.monotonic()
        return True

    def report(self):
        self.sequence += 1
        rows = self.random.randint(1, 5)
        row = {"machine": self.machine, "library": "openmpi-4.1", "collective": "bcast", "algorithm": "binomial",
               "nodes": "2", "ppn": "2", "ranks": "4", "blockBytes": "64", "timeS": 1e-5 * self.random.uniform(1, 2)}
        # An agent sends a batch again until somebody has taken it; a job may end first.
        for _ in range(self.random.randint(1, 6)):
            if self.call("report", (self.job(), self.sequence), "ObservationService/ReportObservations",
                         lambda answer: {"duplicate": answer.get("duplicate", False)}, rows, job=self.job(),
                         sequence=str(self.sequence), observations=[row] * rows):
                return

    def write_profile(self):
        note = f"{self.number}/{uuid.UUID(int=self.random.getrandbits(128))}"
        parameter = {"model": "hockney", "level": "network", "name": "alpha", "value": 1e-6}
        request = {"parent": f"machines/{self.machine}", "requestId": note.partition("/")[2],
                   "profile": {"provenance": "PROVENANCE_EDITED", "note": note, "parameters": [parameter]}}
        for _ in range(self.random.randint(1, 3)):
            if self.call("profile", note, "ProfileService/CreateProfile",
                         lambda answer: {"revision": int(answer["revision"])}, **request):
                self.revisions.append(self.calls[-1].result["revision"])
                return

    def pin(self):
        if self.revisions:
            revision = self.revisions.pop()
            self.call("pin", revision, "ProfileService/PinProfile", lambda _: {},
                      name=f"machines/{self.machine}/profiles/{revision}")

    def forget(self):
        self.call("forget", self.job(), "ObservationService/ForgetObservations",
                  lambda answer: {"removed": int(answer.get("removedCount", 0))}, job=self.job())
        self.job_number += 1


class Faults:
    """One at a time, until the history ends. Afterwards all is whole again."""

    def __init__(self, fleet, seed):
        self.fleet, self.random, self.counts = fleet, random.Random(seed), Counter()

    def do_some(self, end):
        while (left := end - time.monotonic()) > 0:
            fault = self.random.choices((self.kill, self.stop, self.cut, self.crash), (3, 3, 3, 1))[0]
            self.counts[fault.__name__] += 1
            # Some last longer than a daemon that does not beat is taken for alive.
            fault(self.random.randrange(DAEMONS), min(left, self.random.choice((0.2, 1, 5))))

    def kill(self, number, time_s):
        self.fleet.daemons[number].kill()
        time.sleep(min(time_s, 1))
        self.fleet.daemons[number] = self.fleet.start(number)

    def stop(self, number, time_s):
        process = self.fleet.daemons[number].process
        process.send_signal(signal.SIGSTOP)
        time.sleep(time_s)
        process.send_signal(signal.SIGCONT)

    def cut(self, number, time_s):
        self.fleet.proxies[number].whole.clear()
        time.sleep(time_s)
        self.fleet.proxies[number].whole.set()

    def crash(self, _number, _time_s):
        self.fleet.postgres.crash()
        self.fleet.postgres.serve()


def read_final(fleet, machine):
    """What the database holds when nothing is under way any more."""
    for daemon in fleet.daemons:
        members.wait_for(lambda daemon=daemon: daemon.call_count() == 0, f"the last call of {daemon.name}")
    of = f"JOIN machine m USING (machine_id) WHERE m.name = '{machine}'"
    ask, number = fleet.postgres.ask, fleet.postgres.number
    batches = {(job.rpartition("/")[2], int(sequence)): int(rows) for job, sequence, rows in ask(
        "SELECT j.name, b.sequence, count(*) FROM batch b JOIN job j USING (job_id) JOIN observation o"
        f" ON o.observation_id BETWEEN b.batch_id AND b.batch_id + b.id_count - 1 {of} GROUP BY 1, 2")}
    profiles = [(int(revision), None if provenance == "refined" else note) for revision, provenance, note in ask(
        f"SELECT revision, provenance, note FROM profile {of} ORDER BY revision")]
    pins = [int(change.removeprefix("revision ")) for (change,) in ask(
        f"SELECT change FROM audit WHERE machine = '{machine}' AND method LIKE '%PinProfile' ORDER BY audit_id")]
    counts = {"cell": number(f"SELECT coalesce(sum(observation_count), 0) FROM cell_part JOIN scenario USING (scenario_id) {of}"),
              "report_count": number(f"SELECT coalesce(sum(observation_count), 0) FROM report_count {of}")}
    return Final(batches, profiles, pins, number(f"SELECT pinned_revision FROM machine m WHERE name = '{machine}'"), counts)


def disagreements(fleet, machine, final):
    """Daemons that answer something else than the database holds, when they have had time to hear of it."""
    rows = sum(final.batches.values())

    def seen(daemon):
        try:
            count = fleet.ask(daemon, "ObservationService/CountObservations", machine=machine)
            shown = fleet.ask(daemon, "MachineService/GetMachine", name=f"machines/{machine}")
        except (Unknown, Refused):
            return None
        return int(count.get("observationCount", 0)), int(shown.get("pinnedRevision", 0))

    for daemon in fleet.daemons:
        try:
            members.wait_for(lambda daemon=daemon: seen(daemon) == (rows, final.pinned), daemon.name)
        except Failure:
            yield f"{daemon.name} says {seen(daemon)} (rows, pin), and the database holds {(rows, final.pinned)}"


def run_history(fleet, machine, seconds, seed):
    """Its calls, its faults, and what cannot be explained."""
    members.wait_for(lambda: create(fleet, machine), f"machine {machine}")
    ends = threading.Event()
    clients = [Client(fleet, machine, number, f"{seed}/{number}", ends) for number in range(CLIENTS)]
    faults = Faults(fleet, seed)
    for client in clients:
        client.start()
    members.wait_for(lambda: sum(call.is_known for client in clients for call in list(client.calls)) >= CLIENTS,
                     "the first answers")
    faults.do_some(time.monotonic() + seconds)
    ends.set()
    for client in clients:
        client.join()
    calls = [call for client in clients for call in client.calls]
    final = read_final(fleet, machine)
    problems = [client.why for client in clients if client.why]
    return calls, faults.counts, [*problems, *explain(calls, final), *disagreements(fleet, machine, final)]


def create(fleet, machine):
    try:
        fleet.ask(fleet.daemons[0], "MachineService/CreateMachine",
                  machine={"name": f"machines/{machine}", "nodes": "4", "coresPerNode": "4"})
    except Unknown:
        return False
    except Refused as why:
        return "already_exists" in str(why)
    return True


def run(build, folder, count, seconds, seed, say):
    """Whether all histories are explained."""
    good = True
    processes = Processes()
    try:
        fleet = Fleet(build, folder, processes)
        for number in range(count):
            calls, faults, problems = run_history(fleet, f"h{number}", seconds, f"{seed}/{number}")
            unknown = sum(not call.is_known for call in calls)
            said = ", ".join(f"{n} {fault}" for fault, n in sorted(faults.items()))
            say(f"history {number}: {len(calls)} calls, {unknown} of unknown end; {said}: "
                + ("; ".join(problems) or "explained"))
            good = good and not problems
    finally:
        processes.stop_all()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=4, help="of faults in each history")
    parser.add_argument("--seed", type=int, default=1, help="of clients and faults; their timing is not repeatable")
    arguments = parser.parse_args()
    if why := members.Postgres.why_missing():
        print(why, file=sys.stderr)
        return 2
    raise_on_signals()
    with tempfile.TemporaryDirectory(prefix="cox-histories-") as folder:
        # As user postgres, PostgreSQL must reach its folder.
        os.chmod(folder, 0o711)
        good = run(arguments.build.resolve(), pathlib.Path(folder), arguments.count, arguments.seconds, arguments.seed,
                   lambda line: print(line, flush=True))
    print("all explained" if good else "NOT all explained")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
