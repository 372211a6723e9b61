#!/usr/bin/env python3
"""What a person at a terminal of 80 columns sees of cox: tables that fit, no word of gRPC's, an end by Ctrl-C.

usage: terminal_test.py COX COXD [unittest arguments]
"""

import fcntl
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import unittest

from daemon import Asking, Daemon, run

COX = ""
COXD = ""

COLUMNS = 80
ROWS = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n" + "".join(
    f"lab,openmpi-4.1,{collective},{name},2,4,8,{size},{time_s}\n"
    for collective, best in (("bcast", "binomial"), ("allreduce", "ring"), ("alltoall", "pairwise"))
    for name, time_s in (("default", 2e-5), (best, 1e-5)) for size in (8, 512, 8192))
QUESTION = ("-m", "lab", "-c", "bcast", "-p", "8", "-b", "1k..1M:*4")
TABLES = [
    ("machine", "list"), ("machine", "show", "lab"), ("profile", "list", "lab"), ("profile", "show", "lab"),
    ("models",), ("strategies",), ("strategies", "--library", "openmpi-4.1"), ("predict", *QUESTION),
    ("predict", "-m", "lab", "-c", "bcast", "-p", "8", "-b", "1k", "--model", "all"),
    ("explain", "-m", "intel-delta", "-c", "alltoall", "-p", "256", "-b", "64", "--to", "1k"),
    ("recommend", *QUESTION, "--library", "openmpi-4.1", "--alternatives"), ("accuracy", "lab"),
    ("accuracy", "lab", "--by", "size,library"), ("observations", "list"), ("audit",), ("store", "status"),
    ("pattern", "-m", "intel-delta", "--pattern", "transpose", "-p", "256", "-b", "64"),
    ("kernel", "-m", "intel-delta", "--kernel", "matmul-3d", "-n", "512", "-p", "64"),
]


def at_terminal(words):
    """What the command writes to a terminal of COLUMNS columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.PIPE) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                part = os.read(leader, 1 << 16)
            except OSError:  # the command has ended
                break
            text += part
        process.stderr.read()
    os.close(leader)
    return text.decode().replace("\r", "")


class TerminalTest(Asking, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(COXD, COX, published=True)
        cls.daemon.start()
        outcome = cls.daemon("observations", "import", cls.daemon.write("rows.csv", ROWS))
        assert outcome.code == 0, outcome

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    def test_tables_fit_and_explain_themselves(self):
        for words in TABLES:
            with self.subTest(words=words):
                text = at_terminal([COX, "--server", self.daemon.address, *words])
                self.assertNotEqual(text, "")
                for line in text.splitlines():
                    # The terminal wraps sentences; they have single spaces.
                    is_row = "  " in line.strip()
                    self.assertFalse(is_row and len(line) > COLUMNS, line)
                    self.assertNotRegex(line, r"(^|\s)\?(\s|$)")

    def test_wide_tables_have_all_columns(self):
        text = at_terminal([COX, "--server", self.daemon.address, "--wide", "observations", "list"])
        self.assertIn("SOURCE", text)
        self.assertGreater(max(map(len, text.splitlines())), COLUMNS)

    def test_a_server_of_another_kind_is_one_line_of_cox(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(60)
            address = f"127.0.0.1:{server.getsockname()[1]}"
            with subprocess.Popen([COX, "--server", address, "--timeout", "2", "machine", "list"], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                with server.accept()[0] as connection:
                    connection.sendall(b"HTTP/1.0 400 what is this\r\n\r\n")
                out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (4, ""), err)
        self.assertRegex(err, r"\Acox: [^\n]*\n\Z")

    def test_without_a_server_it_is_one_line_of_cox(self):
        outcome = run([COX, "--server", "127.0.0.1:1", "machine", "list"])
        self.assertEqual((outcome.code, outcome.out), (4, ""), outcome)
        self.assertRegex(outcome.err, r"\Acox: [^\n]*\n\Z")

    def test_ctrl_c_ends_a_question(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(60)
            address = f"127.0.0.1:{server.getsockname()[1]}"
            with subprocess.Popen([COX, "--server", address, "--timeout", "0", "machine", "list"], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                with server.accept()[0]:
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=60)
        # A shell shows 130 for both.
        self.assertIn(process.returncode, (130, -signal.SIGINT), err)
        self.assertEqual(out, "")
        self.assertIsNone(re.search(r"^[EWI]\d{4} ", err, re.MULTILINE), err)


if __name__ == "__main__":
    COX, COXD = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
