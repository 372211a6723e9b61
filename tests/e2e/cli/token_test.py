#!/usr/bin/env python3
"""Tokens from their making to their end, as cox and coxd handle them.

usage: token_test.py COX COXD [unittest arguments]
"""

import json
import os
import stat
import sys
import unittest

from daemon import Asking, Daemon, run

COX = ""
COXD = ""


class TokenTest(Asking, unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon(COXD, COX)
        self.daemon.start()
        self.addCleanup(self.daemon.__exit__)

    def new_token(self, name, role, *words):
        path = self.daemon.path(name)
        self.assertEqual(self.ok("token", "create", name, "--role", role, "-o", path, *words), "")
        return path

    def test_a_token_from_its_making_to_its_end(self):
        path = self.new_token("ci", "viewer")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(self.ok("--token-file", path, "token", "whoami"), "token:ci viewer\n")
        variables = {**os.environ, "COX_TOKEN_FILE": path}
        self.assertEqual(self.ok("token", "whoami", env=variables), "token:ci viewer\n")
        self.refused(5, "needs the role operator", "--token-file", path, "machine", "delete", "m")
        self.refused(5, "needs the role admin", "--token-file", path, "token", "list")
        self.assertIn("ci    viewer", self.ok("token", "list"))
        self.ok("token", "revoke", "ci")
        self.refused(5, "revoked", "--token-file", path, "token", "whoami")
        self.refused(3, "ci", "token", "revoke", "ci")

    def test_the_credentials_of_a_job_end_where_munge_makes_them(self):
        self.refused(5, "munge-names", "token", "revoke", "jobs/4711")
        self.daemon.stop()
        self.daemon.options = ["--munge-names", "head"]
        self.daemon.start()
        self.ok("token", "revoke", "jobs/4711")
        self.refused(5, "number of a job", "token", "revoke", "jobs/x")
        self.assertTrue(self.daemon.read("data/ended-jobs").startswith("4711 "))

    def test_without_a_token_the_socket_says_who_it_is(self):
        self.assertEqual(self.ok("token", "whoami"), f"uid:{os.geteuid()} admin\n")

    def test_the_audit_says_who_changed_what(self):
        path = self.new_token("ci", "operator")
        machine = self.daemon.write("m.toml", '[machine]\nname = "m"\nnodes = 4\ncores_per_node = 8\n')
        self.ok("--token-file", path, "machine", "import", machine)
        self.ok("--token-file", path, "machine", "delete", "m")
        records = json.loads(self.ok("--json", "audit"))["records"]
        self.assertEqual(
            [(record["principal"], record["method"].split("/")[1]) for record in records],
            [
                ("token:ci", "DeleteMachine"),
                ("token:ci", "CreateMachine"),
                (f"uid:{os.geteuid()}", "CreateToken"),
            ],
        )
        self.assertEqual(self.ok("audit", "--machine", "m", "--limit", "1").count("DeleteMachine"), 1)
        self.assertNotIn("token:ci ", self.ok("audit", "--principal", f"uid:{os.geteuid()}"))
        self.assertIn("token ci, operator", self.ok("audit", "--since", "1h"))
        reader = self.new_token("reader", "viewer")
        self.refused(5, "needs the role operator", "--token-file", reader, "audit")

    def test_tokens_survive_a_restart(self):
        path = self.new_token("ci", "operator", "--lifetime", "1h")
        self.daemon.stop()
        self.daemon.start()
        self.assertEqual(self.ok("--token-file", path, "token", "whoami"), "token:ci operator\n")

    def test_a_token_is_printed_where_no_file_is_named(self):
        text = self.ok("token", "create", "ci", "--role", "reporter", "--job", "4711").strip()
        path = self.daemon.write("printed", text)
        os.chmod(path, 0o600)
        self.assertEqual(
            self.ok("--token-file", path, "token", "whoami"),
            "token:ci reporter, for job 4711 only\n",
        )

    def test_what_is_refused(self):
        path = self.new_token("ci", "viewer")
        self.refused(5, "exists already", "token", "create", "other", "--role", "viewer", "-o", path)
        self.assertNotIn("other", self.ok("token", "list"))
        self.refused(5, "ci", "token", "create", "ci", "--role", "viewer")
        self.refused(5, "name", "token", "create", "Not/a/name", "--role", "viewer")
        self.refused(2, "--role", "token", "create", "x", "--role", "king")
        self.refused(2, "--lifetime", "token", "create", "x", "--role", "viewer", "--lifetime", "1x")
        os.chmod(path, 0o644)
        self.refused(5, "every user may read", "--token-file", path, "token", "whoami")
        empty = self.daemon.write("empty", "")
        os.chmod(empty, 0o600)
        self.refused(5, "holds no token", "--token-file", empty, "token", "whoami")
        self.refused(3, "missing", "--token-file", self.daemon.path("missing"), "token", "whoami")

    def test_no_token_goes_over_a_network_without_tls(self):
        path = self.new_token("ci", "viewer")
        outcome = run([COX, "--server", "192.0.2.1:7077", "--token-file", path, "token", "whoami"])
        self.assertEqual(outcome.code, 5, outcome)
        self.assertIn("--tls-ca", outcome.err)

    def test_no_secret_is_in_the_log_or_in_the_state(self):
        path = self.new_token("ci", "viewer")
        secret = self.daemon.read("ci").strip().rsplit(".", 1)[1]
        self.daemon("--token-file", path, "machine", "delete", "m")
        self.ok("token", "revoke", "ci")
        self.daemon("--token-file", path, "machine", "list")
        self.daemon.stop()
        self.assertIn("token:ci", self.daemon.read("log"))
        for folder, _, names in os.walk(self.daemon.path("data")):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(secret.encode(), file.read(), name)
        self.assertNotIn(secret, self.daemon.read("log"))


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
