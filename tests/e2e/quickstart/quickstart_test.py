#!/usr/bin/env python3
"""Runs deploy/quickstart and looks at what it says and what it leaves behind.

    quickstart_test.py --build DIR [TEST...]
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
QUICKSTART = ROOT / "deploy" / "quickstart"
sys.path.insert(0, str(ROOT / "deploy" / "loop"))
import beds  # noqa: E402
import loop  # noqa: E402
import picture  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402

COLLECTIVES = ("alltoall", "allreduce", "allgather", "bcast")
build = None


def run(*options, cwd=None):
    return subprocess.run([QUICKSTART, *options], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, cwd=cwd)


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


def namespaces_of(pid):
    """Namespaces that the quickstart with this process id has made."""
    try:
        listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return []
    return [line for line in listed.splitlines() if line.startswith(f"cox-p{pid}-")]


class Arguments(unittest.TestCase):
    def test_help(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--bed", "--ranks", "--repeats", "--keep", "--no-install", "--build-dir", "--state"):
            self.assertIn(option, done.stdout)

    def test_wrong_arguments_are_refused_before_anything_is_done(self):
        for options in (("--ranks", "1"), ("--ranks", "x"), ("--ranks", "65"), ("--ranks",),
                        ("--repeats", "1"), ("--repeats", "21"), ("--bed", "cloud"), ("--bed",),
                        ("--build-dir", ""), ("--nothing",), ("nothing",)):
            done = run(*options)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_state_folder_with_other_files_is_not_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            precious = pathlib.Path(folder, "precious")
            precious.write_text("mine")
            # Other programs have folders of that name, too.
            pathlib.Path(folder, "data").mkdir()
            for state, here in ((folder, "."), (os.path.basename(folder), os.path.dirname(folder))):
                done = run("--no-install", "--state", state, cwd=here)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"{folder} has files that no quickstart has written", done.stderr)
            with self.assertRaisesRegex(processes.Failure, "no quickstart has written"):
                loop.claim_folder(pathlib.Path(folder))
            self.assertEqual(precious.read_text(), "mine")

    def test_a_state_folder_of_an_earlier_run_is_emptied(self):
        with tempfile.TemporaryDirectory() as folder:
            state = pathlib.Path(folder, "deep", "state")
            loop.claim_folder(state)
            (state / "data").mkdir()
            (state / "data" / "coxswain.db").write_text("old")
            (state / "result.json").write_text("old")
            loop.claim_folder(state)
            loop.empty_folder(state)
            self.assertEqual([path.name for path in state.iterdir()], [loop.MARKER])


CELL = ("bcast", 8)


def job_of(windows, algorithm="default", calls=10):
    return report.Job([report.Window(*CELL, algorithm, time_s, count) for time_s, count in windows], {CELL: calls}, 1.0,
                      "checksum 1")


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
        job = report.Job([report.Window("bcast", 8, "binomial", 1e-6, 10), report.Window("bcast", 8, "binomial", 9e-3, 1),
                          report.Window("bcast", 64, "default", 2e-6, 1)], {}, 0, "")
        self.assertEqual(job.windows, {("bcast", 8): [(1e-6, 10), (9e-3, 1)],
                                       ("bcast", 64): [(2e-6, 1)]})
        self.assertEqual(report.Times([job], ("bcast", 8)).time_s, 1e-6)
        self.assertEqual(job.algorithms[("bcast", 8)], {"binomial"})
        self.assertEqual(report.Times([job, job], ("bcast", 64)).of_jobs, [2e-6, 2e-6])
        self.assertFalse(report.Times([job], ("bcast", 9)))

    def test_the_result_sums_up_calls_and_judges_intervals(self):
        before, after = [job_of([(8, 3)])] * 2, [job_of([(2, 3)], "chain")] * 2
        answer = {"algorithm": "chain", "predicted_time_s": 3, "interval_s": [2.5, 4], "reason": "why"}
        result = report.result_of({CELL: answer}, before, after)
        self.assertEqual((result["default_communication_time_s"], result["tuned_communication_time_s"], result["gain"]),
                         (80, 20, 4))
        row = result["rows"][0]
        self.assertEqual((row["ran"], row["predicted_time_s"], row["is_in_interval"], row["verdict"]),
                         (["chain"], 3, False, "faster 75 %"))
        self.assertEqual(result["interval_coverage"], 0)
        # What a job's calls are expected to take is judged where the daemon knows it.
        in_jobs = report.row_of(CELL, {**answer, "job_time_s": 2.1, "job_interval_s": [1.8, 2.4]}, before, after)
        self.assertEqual((in_jobs["predicted_time_s"], in_jobs["is_in_interval"]), (2.1, True))
        self.assertAlmostEqual(in_jobs["job_factor"], 0.7)
        self.assertIsNone(row["job_factor"])
        self.assertIn("is not known", report.job_factors(result))
        self.assertTrue(report.job_factors({"rows": [in_jobs]}).endswith(": bcast x 0.70"))
        self.assertEqual(len(report.result_table(result).splitlines()), 3)

    def test_an_answer_without_an_interval_is_not_judged(self):
        result = report.result_of({CELL: {"algorithm": "default"}}, [job_of([(8, 3)])], [job_of([(8, 3)])])
        self.assertIsNone(result["interval_coverage"])
        self.assertIsNone(result["rows"][0]["is_in_interval"])

    def test_what_is_taken_back(self):
        answers = {CELL: {"algorithm": "chain"}, ("bcast", 64): {"algorithm": "default"}}
        again = {CELL: {"algorithm": "default", "reason": "keeps the default"}, ("bcast", 64): {"algorithm": "default"}}
        result = {"rows": [{"collective": "bcast", "block_bytes": 8, "verdict": "slower 100 %"},
                           {"collective": "bcast", "block_bytes": 64, "verdict": "same"}]}
        self.assertEqual(report.taken_back(answers, again, result),
                         [{"collective": "bcast", "block_bytes": 8, "from": "chain", "to": "default",
                           "was": "slower 100 %", "reason": "keeps the default"}])

    def test_pictures(self):
        totals = {"bcast": [4.0, 1.0], "alltoall": [2.0, 2.0]}
        lines = picture.bars(totals).splitlines()
        self.assertEqual([line.count("█") for line in lines], [40, 10, 20, 20])
        root = xml.etree.ElementTree.fromstring(picture.svg(totals, "a < b"))
        widths = [int(bar.get("width")) for bar in root.iter("{http://www.w3.org/2000/svg}rect")][3:]
        self.assertEqual([round(width / widths[1], 1) for width in widths], [4, 1, 2, 2])

    def test_a_bed_that_cannot_be_had_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(processes.Failure, "no bed 'fabric': .*is not built"):
                beds.choose("fabric", 0, pathlib.Path(folder))
        with self.assertRaisesRegex(processes.Failure, "--ranks: at most 64 with --bed memory"):
            beds.choose("memory", 65, pathlib.Path("."))

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

    def test_a_signal_during_a_start_loses_no_process(self):
        def start_interrupted(*words, **options):
            process = start(*words, **options)
            os.kill(os.getpid(), signal.SIGTERM)
            return process
        alive, start = processes.Processes(), subprocess.Popen
        before = {each: signal.getsignal(each) for each in processes.ENDING_SIGNALS}
        processes.raise_on_signals()
        try:
            with unittest.mock.patch("subprocess.Popen", start_interrupted):
                self.assertRaises(processes.Interrupted, alive.start, ["sleep", "7654321"])
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
        self.assertEqual(len(processes_naming("sleep 7654321")), 1)
        alive.stop_all()
        self.assertEqual(processes_naming("sleep 7654321"), [])

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
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL) as process:
            out, errors = process.communicate(timeout=1200)
        self.assertEqual(process.returncode, 0, out + errors)
        self.assertNotRegex(out + errors, r"(?m)^ *(cox: )?warning: ")
        self.assertIn("it computed: checksum ", out)
        if "simulated torus" not in out:
            self.assertRegex(out, r"observations from the job: [1-9]")
        named = re.search(r"^parameters with units and standard errors: (\S+)$", out, re.M)
        self.assertNotEqual(pathlib.Path(named.group(1)).read_text(), "")
        self.assertNotIn("hockney", out)
        # Eight calls, ten lines.
        table = out.split("What came of it, on ")[1].split("\n\n")[0].splitlines()[1:]
        self.assertEqual(len(table), 1 + 2 * len(COLLECTIVES) + 1, table)
        with open(os.path.join(self.state, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.check_result(result)
        self.assertIn(f": {result['gain']:.2f} times as fast", out)
        self.assertIn(report.job_factors(result), out)
        # The daemon is stopped, so its page is no link yet.
        self.assertIn("To see its page, start it again with the first command\nand open http://127.0.0.1:7078/", out)
        self.assertRegex(out, r"Try:\n  \S+/coxd --data \S+/data &\n")
        held = sum(row["is_in_interval"] for row in result["rows"])
        self.assertIn(f"{held} of {len(result['rows'])} measured times lie in the predicted 90 % interval", out)
        again = out.split("Asked again: what the measurements have changed\n")[1]
        self.assertEqual(again.startswith("nothing: "), not result["taken_back"], again)
        for change in result["taken_back"]:
            self.assertIn(f"{change['from']} -> {change['to']} ", again)
        root = xml.etree.ElementTree.parse(os.path.join(self.state, "gain.svg")).getroot()
        self.assertGreaterEqual(len(list(root.iter("{http://www.w3.org/2000/svg}rect"))), 2 * len(COLLECTIVES))
        self.assertEqual(processes_naming(self.state), [])
        self.assertEqual(namespaces_of(process.pid), [])

    def check_result(self, result):
        """Every call has a prediction, an interval and a measurement, and the sums are theirs."""
        rows = result["rows"]
        self.assertEqual(sorted({row["collective"] for row in rows}), sorted(COLLECTIVES))
        self.assertEqual(len(rows), 2 * len(COLLECTIVES))
        for row in rows:
            self.assertGreater(row["calls"], 0, row)
            self.assertLess(row["interval_s"][0], row["predicted_time_s"], row)
            self.assertLess(row["predicted_time_s"], row["interval_s"][1], row)
            self.assertEqual(row["is_in_interval"],
                             row["interval_s"][0] <= row["measured_time_s"] <= row["interval_s"][1], row)
            # The tuned program ran what was recommended.
            self.assertEqual(row["ran"], [row["algorithm"]], row)
        for total, each in (("default_communication_time_s", "default_time_s"),
                            ("tuned_communication_time_s", "measured_time_s")):
            self.assertAlmostEqual(result[total] / sum(row["calls"] * row[each] for row in rows), 1)
        self.assertAlmostEqual(result["gain"],
                               result["default_communication_time_s"] / result["tuned_communication_time_s"])
        self.assertGreater(result["default_program_time_s"], 0)
        if result["bed"].startswith("a network"):
            # Where tuning matters it is not slower in total, by a wide margin.
            self.assertGreater(result["gain"], 1.1)
            # Seven of the eight rows at least. Intervals that are right hold 90 % of the times.
            self.assertGreaterEqual(result["interval_coverage"], 0.85, result["rows"])

    def test_ctrl_c_in_the_middle_leaves_nothing_running(self):
        for moment in ("== 3. ", "== 4. ", "== 5. "):
            with subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, stdin=subprocess.DEVNULL) as process:
                while moment not in (line := process.stdout.readline()):
                    self.assertNotEqual(line, "", process.stderr.read() if not line else "")
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=80)
            self.assertEqual(process.returncode, 130, errors)
            self.assertIn("interrupted", errors)
            self.assertEqual(processes_naming(self.state), [])
            self.assertEqual(namespaces_of(process.pid), [])

    @unittest.skipIf(beds.Simulated.missing(None), "needs SimGrid")
    def test_a_simulated_cluster(self):
        done = subprocess.run([*self.command, "--bed", "simulated"], capture_output=True, text=True, timeout=1200,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(self.state, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        self.check_result(result)
        self.assertGreater(result["gain"], 1)
        self.assertEqual(processes_naming(self.state), [])

    def test_kept_daemon_is_replaced_by_the_next_run(self):
        self.command += ["--bed", "memory", "--repeats", "2"]
        done = subprocess.run([*self.command, "--keep"], capture_output=True, text=True, timeout=1200,
                              stdin=subprocess.DEVNULL)
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
