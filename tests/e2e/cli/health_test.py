#!/usr/bin/env python3
"""What a coxd whose database cannot be written says: health, cox doctor, and its metrics. The disk is
really full (a small tmpfs), or a file really reaches its limit, is deleted, or is damaged.

usage: health_test.py COX COXD [unittest arguments]
"""

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

from daemon import Daemon

COX, COXD = "", ""
PATIENCE_S = 30
HEADER = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
MIB = 1 << 20
NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]


def mounts():
    """Whether this user can mount a tmpfs in a namespace."""
    words = [*NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return shutil.which("unshare") is not None and subprocess.run(words, capture_output=True).returncode == 0


class OnTmpfs(Daemon):
    """Its data is on a tmpfs of its own that only coxd sees."""

    BYTES = 24 * MIB

    def start(self):
        self.path_of_data = self.path("data")
        os.mkdir(self.path_of_data)
        coxd = self.coxd
        script = self.write("mount", "#!/bin/sh\nset -e\n"
                            f'mount -t tmpfs -o size={self.BYTES},mode=0700 tmpfs "{self.path_of_data}"\n'
                            f'exec "{coxd}" "$@"\n')
        os.chmod(script, 0o700)
        wrapper = self.write("wrapper", "#!/bin/sh\n"
                             f'exec {" ".join(NAMESPACE)} "{script}" "$@"\n')
        os.chmod(wrapper, 0o700)
        self.coxd = wrapper
        super().start()

    @property
    def filler(self):
        return f"/proc/{self.process.pid}/root{self.path_of_data}/filler"


class HealthTest(unittest.TestCase):
    def setUp(self):
        self.daemon = None

    def start(self, daemon, *options):
        daemon.options = ["--http", "127.0.0.1:0", *options]
        self.daemon = self.enterContext(daemon)
        self.sequence = 0
        self.url = "http://" + daemon.read("log").split("http=")[1].split()[0]

    def report(self, rows=4000, timeout_s=60):
        """Timings of new scenarios."""
        self.sequence += 1
        first = self.sequence * rows
        text = HEADER + "".join(f"m,openmpi-4.1,bcast,binomial,2,2,4,{size},1e-5\n"
                                for size in range(first, first + rows))
        return self.daemon("--timeout", str(timeout_s), "observations", "import",
                           self.daemon.write("rows.csv", text), "--unknown-ok")

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        _, text = self.get("/metrics")
        values = [line.split()[1] for line in text.splitlines() if line.startswith(name + " ")]
        self.assertEqual(len(values), 1, text)
        return float(values[0])

    def check(self, name):
        """What doctor says of it."""
        outcome = self.daemon("--json", "doctor")
        found = [c for c in json.loads(outcome.out)["checks"] if c["check"] == name]
        self.assertTrue(found, outcome)
        return outcome.code, found[-1]

    def until(self, what, condition):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.05)
        self.fail(f"waited {PATIENCE_S} s for {what}")

    def is_ready(self):
        return self.get("/readyz")[0] == 200

    def expect_well(self):
        self.until("health to say that it serves", self.is_ready)
        self.assertEqual(self.metric("coxd_database_writable"), 1)
        self.assertEqual(self.metric("coxd_database_readable"), 1)
        self.assertEqual(self.check("store")[1]["result"], "ok")
        self.assertEqual(self.check("daemon")[1]["result"], "ok")

    def expect_failing(self, *words, advice):
        """Everything says so, and goes on saying so."""
        self.until("health to say that it does not serve", lambda: not self.is_ready())
        for _ in range(3):
            self.assertEqual(self.metric("coxd_database_writable"), 0)
            self.assertFalse(self.is_ready())
            code, store = self.check("store")
            self.assertEqual((code, store["result"]), (1, "fail"), store)
            for word in words:
                self.assertIn(word, store["detail"])
            self.assertIn(advice, store["advice"])
            _, daemon = self.check("daemon")
            self.assertEqual(daemon["result"], "fail")
            self.assertIn("see the line above", daemon["advice"])
            time.sleep(0.7)  # the daemon looks each second: a single good look must not hide the failure

    def fill_by_reports(self):
        for _ in range(200):
            # coxd asks to try again later, and cox does until the end of its time.
            if "disk full" in self.report(timeout_s=2).err:
                return
        self.fail("the disk takes everything")

    def test_a_full_disk(self):
        if not mounts():
            self.skipTest("this user cannot mount a tmpfs")
        self.start(OnTmpfs(COXD, COX))
        self.assertEqual(self.report().code, 0)
        self.expect_well()
        with open(self.daemon.filler, "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass
        self.fill_by_reports()
        self.expect_failing("disk full", advice="free space")
        self.assertEqual(self.metric("coxd_database_readable"), 1, "reads go on")
        self.assertEqual(self.daemon("machine", "list").code, 0)
        os.remove(self.daemon.filler)
        self.expect_well()
        self.assertEqual(self.report().code, 0)

    def test_a_file_at_its_limit(self):
        self.start(Daemon(COXD, COX))
        self.assertEqual(self.report().code, 0)
        pid = self.daemon.process.pid
        old = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (3 * MIB, old[1]))
        self.fill_by_reports()
        self.expect_failing("disk full", advice="free space")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, old)
        self.expect_well()
        self.assertEqual(self.report().code, 0)

    def test_a_deleted_database(self):
        self.start(Daemon(COXD, COX))
        self.assertEqual(self.report(rows=10).code, 0)
        os.remove(self.daemon.path("data/coxswain.db"))
        self.expect_failing("was deleted or replaced", advice="restore")
        self.assertEqual(self.metric("coxd_database_readable"), 1, "reads go on")

    def test_a_damaged_database(self):
        self.start(Daemon(COXD, COX))
        self.assertEqual(self.report(rows=10).code, 0)
        backup = self.daemon("store", "backup")
        self.assertEqual(backup.code, 0, backup)
        with open(self.daemon.path("data/coxswain.db"), "r+b") as file:
            file.write(b"this is no database of Coxswain")
        # Found by the watch of the file, or by SQLite at its next read.
        self.expect_failing("coxd stores nothing more", advice="restore")
        status = self.daemon("store", "status")
        self.assertEqual(status.code, 0, status)
        self.assertIn("coxd stores nothing more", status.out)
        self.assertIn(backup.out.split(",")[0], status.out, "what can be restored")

    def test_who_does_not_see_all_machines_sees_what_it_may(self):
        self.start(Daemon(COXD, COX), "--projects", "m=token:in")
        self.assertEqual(self.report(rows=10).code, 0)
        counts = {}
        for name in ("in", "out"):
            token = self.daemon.path(name + ".token")
            self.assertEqual(self.daemon("token", "create", name, "--role", "viewer", "-o", token).code, 0)
            outcome = self.daemon("--token-file", token, "--json", "doctor")
            findings = {finding["check"]: finding for finding in json.loads(outcome.out)["checks"]}
            counts[name] = findings["observations"]["detail"]
            self.assertEqual(findings["observations"]["result"], "ok", outcome)
        self.assertEqual(counts, {"in": "10", "out": "0"})

    def test_a_viewer_sees_the_store_too(self):
        """doctor needs no right to report."""
        daemon = Daemon(COXD, COX)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            daemon.listen = daemon.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.start(daemon, "--anonymous-role", "viewer")
        _, store = self.check("store")
        self.assertEqual(store["result"], "ok", store)
        self.assertIn("you may not report", store["detail"])


if __name__ == "__main__":
    COX, COXD = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main(verbosity=2)
