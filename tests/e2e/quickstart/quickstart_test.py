#!/usr/bin/env python3
"""Runs deploy/quickstart and looks at what it says and what it leaves behind.

    quickstart_test.py --build DIR [TEST...]
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
QUICKSTART = ROOT / "deploy" / "quickstart"
sys.path.insert(0, str(ROOT / "deploy" / "loop"))
import processes  # noqa: E402
import report  # noqa: E402

COLLECTIVES = ("alltoall", "allreduce", "allgather", "bcast")
build = None


def run(*options):
    return subprocess.run([QUICKSTART, *options], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL)


def processes_naming(text):
    """Command lines of live processes that have `text` in them."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if text in command and int(folder.name) != os.getpid():
            found.append(f"{folder.name}: {command}")
    return found


class Arguments(unittest.TestCase):
    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--ranks", "--repeats", "--keep", "--no-install", "--build-dir", "--state"):
            self.assertIn(option, done.stdout)

    def test_wrong_arguments_are_refused_before_anything_is_done(self):
        for options in (("--ranks", "1"), ("--ranks", "x"), ("--ranks", "65"), ("--ranks",),
                        ("--repeats", "2"), ("--build-dir", ""), ("--nothing",), ("nothing",)):
            done = run(*options)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_state_folder_with_other_files_is_not_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            precious = pathlib.Path(folder, "precious")
            precious.write_text("mine")
            done = run("--no-install", "--state", folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("has other files", done.stderr)
            self.assertEqual(precious.read_text(), "mine")


CELL = ("bcast", 8)


def job_of(windows):
    rows = [f"bcast,default,8,{time_s},{calls}\n" for time_s, calls in windows]
    return report.Job("collective,algorithm,block_bytes,time_s,count\n" + "".join(rows))


def times(of_jobs):
    return report.Times([job_of([(time_s, 1)]) for time_s in of_jobs], CELL)


class Reports(unittest.TestCase):
    def test_faster_and_slower_only_where_every_run_says_so(self):
        for before, after, said in [
                ([10, 11, 12], [5, 5.5, 6], "faster 50 %"),
                ([5, 5, 6], [10, 11, 12], "slower 120 %"),
                ([10, 11, 12], [9, 10, 10.5], "same"),
                ([10, 10, 10], [9.9, 9.9, 9.9], "same"),
                ([], [1], "no timings"), ([1], [], "no timings")]:
            self.assertEqual(report.verdict(times(before), times(after)), said)

    def test_noise_within_runs_hides_a_difference_between_them(self):
        quiet = report.Times([job_of([(5, 10)])] * 3, CELL)
        noisy = report.Times([job_of([(4, 4), (9, 4), (20, 2)])] * 3, CELL)
        self.assertEqual(noisy.time_s, 9)
        self.assertEqual(report.verdict(noisy, quiet), "same")

    def test_weighted_quantiles(self):
        self.assertEqual(report.weighted_quantile([(3, 1), (1, 1), (2, 1)], 0.5), 2)
        self.assertEqual(report.weighted_quantile([(1, 1), (100, 9)], 0.5), 100)
        self.assertEqual(report.weighted_quantile([(1, 1), (100, 9)], 0.1), 1)
        self.assertRaises(ValueError, report.weighted_quantile, [], 0.5)

    def test_windows_of_a_job(self):
        job = report.Job("machine,collective,algorithm,block_bytes,time_s,count\r\n"
                         "m,bcast,binomial,8,1e-6,10\r\nm,bcast,binomial,8,9e-3,1\r\n"
                         "m,bcast,default,64,2e-6,1\r\n")
        self.assertEqual(job.windows, {("bcast", 8): [(1e-6, 10), (9e-3, 1)],
                                       ("bcast", 64): [(2e-6, 1)]})
        self.assertEqual(report.Times([job], ("bcast", 8)).time_s, 1e-6)
        self.assertEqual(job.algorithms[("bcast", 8)], {"binomial"})
        self.assertEqual(report.Times([job, job], ("bcast", 64)).of_jobs, [2e-6, 2e-6])
        self.assertFalse(report.Times([job], ("bcast", 9)))

    def test_units(self):
        self.assertEqual([report.time_text(t) for t in (None, 2, 1.5e-3, 12.34e-6, 5e-9)],
                         ["-", "2 s", "1.5 ms", "12.3 µs", "5 ns"])
        self.assertEqual([report.size_text(s) for s in (8, 1024, 1000, 3 << 20)],
                         ["8 B", "1 KiB", "1000 B", "3 MiB"])


class Stopping(unittest.TestCase):
    def test_children_of_children_end_too(self):
        alive = processes.Processes()
        process = alive.start(["bash", "-c", "sleep 1234567 & echo ready; wait"],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        alive.stop_all()
        self.assertEqual(processes_naming("sleep 1234567"), [])
        process.stdout.close()

    def test_a_failure_says_the_last_line(self):
        with self.assertRaisesRegex(processes.Failure, "^asking failed: last$"):
            processes.Processes().run(["bash", "-c", "echo first >&2; echo last >&2; exit 3"],
                                      "asking", stderr=subprocess.PIPE, text=True)

    def test_lines_are_followed_as_they_come(self):
        lines = []
        processes.Processes().follow(["bash", "-c", "echo one >&2; echo >&2; echo two >&2"],
                                     "asking", lines.append, text=True)
        self.assertEqual(lines, ["one", "", "two"])
        with self.assertRaisesRegex(processes.Failure, "^asking failed: why$"):
            processes.Processes().follow(["bash", "-c", "echo why >&2; echo >&2; exit 3"], "asking",
                                         lines.append, text=True)

    def test_a_pid_file_of_another_program_is_not_followed(self):
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(["sleep", "1234"]) as other:
            pid_file = pathlib.Path(folder, "coxd.pid")
            pid_file.write_text(str(other.pid))
            processes.stop_kept_daemon(pid_file, pathlib.Path(sys.executable))
            self.assertIsNone(other.poll())
            self.assertFalse(pid_file.exists())
            other.kill()


class WholeLoop(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = os.path.join(folder.name, "state")
        self.command = [QUICKSTART, "--no-install", "--build-dir", build, "--state", self.state]

    def test_all_of_it(self):
        done = subprocess.run([*self.command, "--repeats", "3"], capture_output=True, text=True,
                              timeout=1200, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # Parameters with units and standard errors, timings that arrive, a profile that is refined.
        named = re.search(r"^  parameters with units and standard errors: (\S+)$", done.stdout, re.M)
        self.assertRegex(pathlib.Path(named.group(1)).read_text(),
                         r"hockney +node +\S+ +[\d.]+ \ws +[\d.]+ \w?s")
        self.assertNotIn("hockney", done.stdout)
        self.assertNotRegex(done.stdout + done.stderr, r"(?m)^ *(cox: )?warning: ")
        self.assertRegex(done.stdout, r"observations from the job: [1-9]")
        self.assertRegex(done.stdout, r"the profile is refined: revision [1-9]")
        table = done.stdout.split("== 9. What came of it\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual(len(table), 1 + 4 * len(COLLECTIVES), table)
        for line in table[1:]:
            cells = re.split(r"  +", line)
            self.assertEqual(len(cells), 7, line)
            self.assertIn(cells[0], COLLECTIVES)
            self.assertRegex(cells[2] + cells[5], r"^[\d.]+ [mµn]?s[\d.]+ [mµn]?s$", line)
            # The rules file did what was recommended.
            self.assertRegex(cells[6], r"^((faster|slower) \d+ %|same)( \(nothing changed\))?$",
                             line)
        self.assertEqual(len(re.findall(r"^  \S.*", done.stdout.split("Done in ")[1], re.M)), 3)
        self.assertEqual(processes_naming(self.state), [])

    def test_ctrl_c_in_the_middle_leaves_nothing_running(self):
        for moment in ("== 4. ", "observations from the job: "):
            with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, stdin=subprocess.DEVNULL) as process:
                while moment not in (line := process.stdout.readline()):
                    self.assertNotEqual(line, "", process.stderr.read() if not line else "")
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=80)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("interrupted", errors)
            self.assertEqual(processes_naming(self.state), [])

    def test_kept_daemon_is_replaced_by_the_next_run(self):
        done = subprocess.run([*self.command, "--repeats", "3", "--keep"], capture_output=True,
                              text=True, timeout=1200, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        pid = int(re.search(r"The daemon goes on: pid (\d+)", done.stdout).group(1))
        self.assertTrue(processes.runs_program(pid, pathlib.Path(build, "bin", "coxd")))
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, stdin=subprocess.DEVNULL) as process:
            said = ""
            while "== 4. " not in said:
                line = process.stdout.readline()
                self.assertNotEqual(line, "", said)
                said += line
            process.terminate()
            process.communicate(timeout=80)
        self.assertIn(f"stopping the daemon of an earlier quickstart (pid {pid})", said)
        self.assertFalse(processes.runs_program(pid, pathlib.Path(build, "bin", "coxd")))
        self.assertEqual(processes_naming(self.state), [])


def main():
    global build
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("tests", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build
    unittest.main(argv=[sys.argv[0], *arguments.tests], verbosity=2)


if __name__ == "__main__":
    main()
