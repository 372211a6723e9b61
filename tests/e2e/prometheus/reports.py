"""Calls of coxd over HTTP that give each metric a value."""

import datetime
import json
import urllib.error
import urllib.request

RUN_S = 300
STEP_S = 10


class Reports:
    def __init__(self, address):
        self.address = address
        self.sequence = 0

    def call(self, method, request):
        """The HTTP status of the answer."""
        body = json.dumps(request).encode()
        asked = urllib.request.Request(f"http://{self.address}/cox.v1.{method}", body,
                                       {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def report(self, observations, dropped=0):
        self.sequence += 1
        status = self.call("ObservationService/ReportObservations", {
            "job": "stencil", "sequence": self.sequence, "measurement": "MEASUREMENT_JOB",
            "droppedCount": dropped, "awaitLearning": True, "observations": observations})
        assert status == 200, status

    def learn(self):
        """A machine with a profile, and a job whose tuned calls have canaries."""
        assert self.call("MachineService/CreateMachine", {
            "machine": {"name": "machines/alpha", "nodes": 2, "coresPerNode": 4}}) == 200
        parameters = [{"model": "hockney", "level": level, "name": name, "value": value}
                      for level in ("node", "network") for name, value in (("alpha", 1e-6), ("beta", 1e-9))]
        assert self.call("ProfileService/CreateProfile", {
            "parent": "machines/alpha", "profile": {"parameters": parameters}}) == 200
        begin = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        self.report([row for second in range(0, RUN_S, STEP_S)
                     for row in calls(begin + datetime.timedelta(seconds=second), second)])

    def work(self):
        """What changes the counters: reports, a decision, an error."""
        self.report(calls(datetime.datetime.now(datetime.timezone.utc), 0), dropped=1)
        assert self.call("AdviceService/Recommend", {
            "machine": "alpha", "library": "openmpi-4.1", "collective": "alltoall", "nodes": 2, "ppn": 4,
            "blockBytes": 1024}) == 200
        assert self.call("AdviceService/Recommend", {"machine": "nowhere"}) >= 400


def calls(when, second):
    def row(algorithm, run, time_s, count):
        return {"machine": "alpha", "library": "openmpi-4.1", "collective": "alltoall", "algorithm": algorithm,
                "nodes": 2, "ppn": 4, "ranks": 8, "blockBytes": 1024, "typeBytes": 4, "count": count, "run": run,
                "timeS": time_s * (1 + 0.01 * (second % 7)), "at": when.isoformat()}
    return [row("pairwise", "", 1e-4, 800), row("pairwise", "peer", 1e-4, 80), row("default", "canary", 2e-4, 80)]
