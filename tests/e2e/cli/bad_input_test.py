#!/usr/bin/env python3
"""Bad input of operators and performance engineers that misled once: each is refused, or a note says
what was not found.

usage: bad_input_test.py COX COXD [unittest arguments]
"""

import os
import sys
import unittest

import bad_inputs
from bad_inputs import NOT_FOUND, REFUSED, WRONG
from daemon import Asking, Daemon, run

COX = ""
COXD = ""

HEADER = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"

# What is wrong, and what coxd says of it.
SETTINGS = [
    (("--retention-age", "90"), "retention-age: must be a duration such as 250ms, 5s, 1m, 12h or 90d"),
    (("--idle-timeout", "2d"), "idle-timeout: must be in 1s..1d"),
    (("--retention-age", "-1h"), "retention-age: must be in 0s..36500d"),
    (("--retention-size", "2"), "retention-size: must be 0, or at least 1MiB"),
    (("--backup-every", "1ms"), "backup-every: must be 0s, or at least 1m"),
    (("--roles", "root=viewer,root=admin"), 'roles: names "root" twice'),
    (("--roles", "cert:=viewer"), "roles: must be a list of WHO=ROLE"),
    (("--lisen", "x"), 'there is no option or argument "--lisen"'),
]

# Words after cox, the exit code, and what cox says.
REFUSALS = [
    (("predct", "--help"), WRONG, 'there is no verb "predct" (did you mean predict?)'),
    (("store", "copy", "--help"), WRONG, 'there is no verb "copy"'),
    (("predict", "-m", "lab", "-c", "bcast", "-p", "1..1000:+1", "-b", "1..1000:+1"), WRONG,
     "--ranks and --bytes name 1000000 points, more than 100000"),
    (("validate", "--json", "--markdown"), WRONG, "--markdown excludes --json"),
    *((("recommend", "--batch", "x", *words), WRONG, "--batch takes machine, library, collective") for words in (
        ("-m", "lab"), ("-p", "8"), ("--library", "mpich-4.0"), ("--ppn", "2"), ("--type-bytes", "8"))),
    (("token", "create", "ci", "--role", "viewer", "--job", "j"), REFUSED, "job: must be empty for a viewer"),
    (("token", "create", "ci", "--role", "viewer", "-o", "/nosuch/ci.token"), NOT_FOUND, "/nosuch/ci.token"),
    (("--tls-certificate", "x", "--tls-key", "y", "machine", "list"), REFUSED, "--tls-certificate needs --tls-ca"),
    (("--tls-ca", "x", "--tls-key", "y", "machine", "list"), REFUSED, "--tls-certificate and --tls-key need each other"),
]

# Words after cox that find nothing, and what cox says on stderr.
NOTHING_FOUND = [
    (("observations", "list", "--library", "nosuch"), "no observations match these options"),
    (("observations", "list", "--algorithm", "nosuch"), "no observations match these options"),
    (("observations", "export", "--job", "nosuch"), "no observations match these options"),
    (("audit", "-m", "nosuch"), "no changes match these options"),
    (("audit", "--principal", "nobody"), "no changes match these options"),
    (("savings", "lab", "--library", "nosuch"), "no tuned calls match these options"),
    (("savings", "lab", "-c", "bcst"), "no tuned calls match these options"),
    (("accuracy", "lab", "--library", "nosuch"), "no observations match these options"),
]


class SettingsTest(unittest.TestCase):
    def check(self, *words):
        return run([COXD, "--check-config", *words])

    def test_each_names_the_setting_and_the_rule(self):
        for words, message in SETTINGS:
            with self.subTest(words=words):
                outcome = self.check(*words)
                self.assertEqual(outcome.code, WRONG, outcome)
                self.assertIn(message, outcome.err)

    def test_files_that_cannot_be_read_are_named(self):
        for words in (("--slurm-jwt-key", "/nosuch/key"), ("--relay", "127.0.0.1:7079", "--relay-tls-ca", "/nosuch/ca"),
                      ("--relay", "127.0.0.1:7079", "--relay-token-file", "/nosuch/token")):
            outcome = self.check(*words)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertIn(f"coxd: warning: {words[-2][2:]}: {words[-1]}: No such file or directory", outcome.err)

    def test_a_socket_that_the_roles_need_is_open(self):
        for words in (("--roles", "*=reporter", "--socket-mode", "0666"), ("--roles", "root=admin"), ("--roles", "*=none"),
                      ("--roles", "cert:node=viewer, nobody=none"),
                      ("--roles", "*=viewer", "--listen", "unix:/s,127.0.0.1:0")):
            outcome = self.check("--listen", "unix:/s", *words) if "--listen" not in words else self.check(*words)
            self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)

    def test_a_socket_that_the_roles_need_is_closed(self):
        for roles in ("*=reporter", "@daemon=viewer", "nobody=reporter", "root=admin, nobody=viewer"):
            outcome = self.check("--listen", "unix:/s", "--roles", roles)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertIn("coxd: warning: roles names other users", outcome.err)

    def test_days_are_a_unit(self):
        outcome = self.check("--retention-age", "30d")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn('retention-age = "30d"', outcome.out)


class BadInputTest(Asking, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX)
        cls.daemon.start()
        rows = HEADER + "".join(
            f"lab,openmpi-4.1,bcast,{name},2,4,8,{size},{time_s}\n"
            for name, time_s in (("default", 2e-5), ("binomial", 1e-5)) for size in (8, 64, 512))
        outcome = cls.daemon("observations", "import", cls.daemon.write("rows.csv", rows))
        assert outcome.code == 0, outcome

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    def check(self, inputs):
        bench = os.path.join(os.path.dirname(COX), "cox-bench")
        files = {name: self.daemon.write(name, text) for name, text in bad_inputs.FILES.items()}
        for text, code, message in inputs:
            words = [files[word[1:-1]] if word.startswith("{") else word for word in text.split()]
            with self.subTest(words=text):
                if words[0] == "coxd":
                    outcome = run([COXD, "--check-config", *words[1:]])
                elif words[0] != "cox-bench":
                    outcome = self.daemon(*words)
                elif os.path.exists(bench):
                    outcome = run([bench, *words[1:]])
                else:
                    continue
                self.assertEqual(outcome.code, code, outcome)
                self.assertIn(message, outcome.err)
                self.assertRegex(outcome.err, r"\A((cox|coxd|cox-bench): .*\n)+\Z")
                self.assertLessEqual(outcome.err.count("\n"), 2, outcome.err)

    def test_an_operators_inputs(self):
        self.assertGreaterEqual(len(bad_inputs.OPERATOR), 60)
        self.check(bad_inputs.OPERATOR)

    def test_a_performance_engineers_inputs(self):
        self.assertGreaterEqual(len(bad_inputs.ENGINEER), 60)
        self.check(bad_inputs.ENGINEER)

    def test_a_tls_file_that_is_not_pem_is_named(self):
        text = self.daemon.write("no.pem", "Subject: CN = lab\n")
        pem = self.daemon.write("ca.pem", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
        self.refused(REFUSED, f"--tls-ca: {text} holds no certificate in PEM", "--tls-ca", text, "machine", "list")
        own = ("--tls-ca", pem, "--tls-certificate", text, "--tls-key", pem)
        self.refused(REFUSED, f"--tls-certificate: {text} holds no certificate in PEM", *own, "machine", "list")
        own = ("--tls-ca", pem, "--tls-certificate", pem, "--tls-key", pem)
        self.refused(REFUSED, f"--tls-key: {pem} holds no private key in PEM", *own, "machine", "list")

    def test_each_is_refused_with_its_name(self):
        for words, code, message in REFUSALS:
            with self.subTest(words=words):
                if "--json" in words:
                    outcome = self.daemon(*words)
                    self.assertEqual(outcome.code, code, outcome)
                    self.assertIn(message, outcome.out)
                else:
                    self.refused(code, message, *words)

    def test_help_of_what_exists_is_still_there(self):
        for words in (("--help",), ("predict", "--help"), ("store", "--help"), ("machine", "import", "--help"),
                      ("machine", "show", "lab", "--help"), ("run", "--help")):
            self.assertIn("Usage: cox", self.ok(*words))

    def test_an_empty_answer_says_what_it_means(self):
        for words, message in NOTHING_FOUND:
            with self.subTest(words=words):
                outcome = self.daemon(*words)
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn(message, outcome.err)

    def test_what_is_found_needs_no_note(self):
        for words in (("observations", "list", "--library", "openmpi-4.1"), ("observations", "export"), ("audit",),
                      ("accuracy", "lab", "--library", "openmpi-4.1")):
            outcome = self.daemon(*words)
            self.assertEqual((outcome.code, outcome.err), (0, ""), outcome)

    def test_a_misspelt_candidate_is_named(self):
        file = self.daemon.write("candidates.csv", HEADER.replace(",time_s", "") +
                                 "lab,openmpi-4.1,bcast,binomal,2,4,8,64\nlab,openmpi-4.1,bcast,binomial,2,4,8,64\n")
        outcome = self.daemon("suggest", "-m", "lab", "--library", "openmpi-4.1", "--from", file)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("1 row(s), the first in line 2, with an unknown algorithm", outcome.err)
        self.assertIn("bcast/binomal", outcome.err)

    def test_doctor_names_machines_that_no_model_can_price(self):
        file = self.daemon.write("few.toml", bad_inputs.machine('"few"', more=bad_inputs.parameter()))
        self.ok("machine", "import", file)
        self.assertIn("(hockney needs node.alpha, ", " ".join(self.ok("--wide", "doctor").split()))

    def test_a_list_tells_kinds_of_rows_apart(self):
        rows = HEADER.strip() + ",run,kind,statistic\n" + "".join(
            f"kinds,openmpi-4.1,bcast,chain,1,2,2,8,{time_s},{run},{kind},{statistic}\n"
            for time_s, run, kind, statistic in ((1e-5, "canary", "job", "min"), (2e-5, "", "benchmark", "")))
        self.ok("observations", "import", self.daemon.write("kinds.csv", rows))
        listed = self.ok("--wide", "observations", "list", "--machine", "kinds").splitlines()
        self.assertRegex(listed[0], "COUNT +KIND +RUN +STATISTIC +AT")
        self.assertTrue(any(" ".join(line.split()).find("20.00 µs 1 benchmark - mean") > 0 for line in listed), listed)
        self.assertTrue(any(" ".join(line.split()).find("10.00 µs 1 job canary min") > 0 for line in listed), listed)

    def test_a_huge_time_has_few_digits(self):
        file = self.daemon.write("huge.csv", HEADER + "huge,openmpi-4.1,bcast,chain,1,2,2,8,1e300\n")
        self.assertEqual(self.daemon("observations", "import", file, "--unknown-ok").code, 0)
        self.assertIn(" 1e+300 s ", self.ok("observations", "list", "--machine", "huge"))

    def test_the_version_is_a_document_too(self):
        self.assertRegex(self.ok("--json", "version"), r'\A\{"version":"[0-9.]+"\}\n\Z')

    def test_several_lists_of_nodes_are_numbered(self):
        self.ok("machine", "switches", "lab", "--slurm", self.daemon.write("two.conf", "SwitchName=s1 Nodes=n[1-2]\n"))
        text = self.ok("recommend", "-m", "lab", "-c", "bcast", "-p", "2", "--ppn", "1", "-b", "64", "--node-list",
                       "n[1-2]", "--node-list", "n[2,1]")
        self.assertIn("(1) n[1-2]: ", text)
        self.assertIn("(2) n[2,1]: ", text)

    def test_files_without_rows(self):
        self.refused(REFUSED, "has no messages", "pattern", "-m", "lab", "--file",
                     self.daemon.write("none.csv", "src,dst,bytes\n"))
        outcome = self.daemon("observations", "import", self.daemon.write("header.csv", HEADER))
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("has no rows", outcome.err)


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
