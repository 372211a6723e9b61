#!/usr/bin/env python3
"""How soon other daemons answer by a new revision: three coxd on one PostgreSQL, and a profile written at the first.

The time of a revision runs from the answer to its writer until a prediction of another daemon names it.

    hear_revisions.py --build DIR [--count N]

Needs a build and PostgreSQL. Exit status: 0: all were heard of; 1: not all; 2: something is missing.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "deploy" / "loop"), str(ROOT / "deploy" / "fleet")]
import members  # noqa: E402
from processes import Processes, raise_on_signals  # noqa: E402

DAEMONS = 3
MACHINE = "site"
QUESTION = {"machine": MACHINE, "collective": "bcast", "ranks": 2, "ppn": 1, "blockBytes": 8,
            "strategy": "bcast/binomial", "model": "hockney"}
PAUSE_S = 0.001


def ask(daemon, method, **request):
    """The answer of a daemon; what it says if it refuses."""
    call = urllib.request.Request(f"http://{daemon.http}/cox.v1.{method}", json.dumps(request).encode(),
                                  {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(call, timeout=members.PATIENCE_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)
    except OSError as why:
        raise members.Failure(f"{daemon.name} does not answer: {why}") from why


def revision_of(daemon):
    """The revision by which this daemon answers; 0: it knows none."""
    return int(ask(daemon, "AdviceService/Predict", **QUESTION).get("profileRevision", 0))


def write_revision(daemon, number):
    parameters = [{"model": "hockney", "level": level, "name": name, "value": number * 1e-6}
                  for level in ("node", "network") for name in ("alpha", "beta")]
    answer = ask(daemon, "ProfileService/CreateProfile", parent=f"machines/{MACHINE}",
                 profile={"parameters": parameters})
    if "revision" not in answer:
        raise members.Failure(f"{daemon.name}: {answer.get('message')}")
    return int(answer["revision"])


def start(build, folder, processes):
    postgres = members.Postgres(processes, folder / "postgres")
    postgres.start()
    return [members.Coxd(processes, build / "bin/coxd", postgres.url(), folder, f"coxd{i}") for i in range(DAEMONS)]


def measure(daemons, count):
    """Seconds, of each revision and each daemon that did not write it."""
    ask(daemons[0], "MachineService/CreateMachine",
        machine={"name": f"machines/{MACHINE}", "nodes": 4, "coresPerNode": 4})
    times_s = []
    for number in range(1, count + 1):
        revision = write_revision(daemons[0], number)
        start_s = time.monotonic()
        waiting = daemons[1:]
        while waiting:
            if time.monotonic() > start_s + members.PATIENCE_S:
                raise members.Failure(f"{waiting[0].name} did not hear of revision {revision}")
            heard = [daemon for daemon in waiting if revision_of(daemon) >= revision]
            times_s += [time.monotonic() - start_s for _ in heard]
            waiting = [daemon for daemon in waiting if daemon not in heard]
            time.sleep(PAUSE_S)
    return sorted(times_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="revisions")
    arguments = parser.parse_args()
    if why := members.Postgres.why_missing():
        print(why, file=sys.stderr)
        return 2
    raise_on_signals()
    processes = Processes()
    with tempfile.TemporaryDirectory(prefix="cox-revisions-") as folder:
        # As user postgres, PostgreSQL must reach its folder.
        os.chmod(folder, 0o711)
        try:
            daemons = start(arguments.build.resolve(), pathlib.Path(folder), processes)
            times_s = measure(daemons, arguments.count)
        except members.Failure as why:
            print(why, file=sys.stderr)
            return 1
        finally:
            processes.stop_all()
    for name, share in (("p50", 0.5), ("p99", 0.99), ("longest", 1)):
        print(f"{name}: {1e3 * times_s[int(share * (len(times_s) - 1))]:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
