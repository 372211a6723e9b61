#!/usr/bin/env python3
"""cox proves by munge who calls, over TCP without TLS, to a coxd that gives nobody else a role.

usage: munge_test.py COX COXD [unittest arguments]
"""

import os
import subprocess
import sys
import time
import unittest

from daemon import Asking, Daemon, run

COX = ""
COXD = ""


class Munged:
    """A munged of the test's own, with key and socket in `folder`."""

    def __init__(self, folder):
        os.chmod(folder, 0o755)
        self.socket = os.path.join(folder, "munge.socket")
        key = os.path.join(folder, "munge.key")
        with open(key, "w", encoding="utf-8") as file:
            file.write("k" * 128)
        os.chmod(key, 0o600)
        files = [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
        self.process = subprocess.Popen(
            ["/usr/sbin/munged", "--foreground", "--force", f"--socket={self.socket}",
             f"--key-file={key}", *files],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + 30
        while run(["munge", "-n", "-S", self.socket]).code != 0:
            if time.monotonic() > give_up:
                raise RuntimeError("munged does not start")
            time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class MungeTest(Asking, unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.addCleanup(self.daemon.__exit__)
        self.munged = Munged(self.daemon.folder.name)
        self.addCleanup(self.munged.stop)
        self.socket = self.daemon.address
        self.daemon.write("coxd.toml", "".join(f'{key} = "{value}"\n' for key, value in {
            "listen": f"{self.socket}, 127.0.0.1:0",
            "anonymous-role": "none",
            "munge-names": "127.0.0.1",
            "munge-socket": self.munged.socket,
        }.items()))
        self.start()

    def start(self):
        """On a Unix socket and on a port, which the log names."""
        with open(self.daemon.path("log"), "w", encoding="utf-8") as log:
            self.daemon.process = subprocess.Popen(
                [COXD, "--config", self.daemon.path("coxd.toml"), "--data",
                 self.daemon.path("data"), "--published-machines", "false"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        self.daemon.address = self.socket
        while self.daemon("machine", "list").code != 0:
            if self.daemon.process.poll() is not None:
                raise RuntimeError("coxd ended: " + self.daemon.read("log"))
        while "127.0.0.1:" not in self.daemon.read("log"):
            time.sleep(0.01)
        port = self.daemon.read("log").split(",127.0.0.1:")[1]
        digits = port[: next(i for i, c in enumerate(port) if not c.isdigit())]
        self.daemon.address = f"127.0.0.1:{digits}"

    def munge(self, *words):
        return ["--munge", str(os.geteuid()), "--munge-socket", self.munged.socket, *words]

    def test_munge_says_who_calls(self):
        self.refused(5, "needs the role viewer", "machine", "list")
        self.assertEqual(self.ok(*self.munge("token", "whoami")), f"uid:{os.geteuid()} reporter\n")
        variables = {**os.environ, "COX_MUNGE": str(os.geteuid()),
                     "COX_MUNGE_SOCKET": self.munged.socket}
        self.assertEqual(self.ok("token", "whoami", env=variables),
                         f"uid:{os.geteuid()} reporter\n")
        self.refused(5, "needs the role operator", *self.munge("machine", "delete", "m"))

    def test_another_reader_than_the_daemon_is_no_proof(self):
        self.refused(5, "munge", "--munge", "54321", "--munge-socket", self.munged.socket,
                     "token", "whoami")

    def test_what_is_missing_is_said(self):
        self.refused(5, "no user", "--munge", "no-such-user-here", "token", "whoami")
        self.refused(4, "munged", "--munge", "root", "--munge-socket", "/nowhere", "token", "whoami")
        token = self.daemon.write("token", "x")
        os.chmod(token, 0o600)
        self.refused(5, "exclude each other", "--token-file", token,
                     *self.munge("token", "whoami"))

    def test_a_unix_socket_needs_no_proof(self):
        self.daemon.address = self.socket
        self.assertEqual(self.ok("--munge", "no-such-user-here", "token", "whoami"), self.ok("token", "whoami"))


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
