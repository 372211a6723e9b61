#!/usr/bin/env python3
"""`cox run` around real launchers and real MPI programs, with daemons that work and daemons that do not.

    run_test.py --cox C --coxd C --mpi openmpi|mpich --launcher "mpirun ..." --programs DIR [unittest options]
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time
import unittest

import launching
from launching import LIBRARY, MACHINE, RANKS, settings_of

# The variable that names the file, of each MPI.
RULES = {"openmpi": "OMPI_MCA_coll_tuned_dynamic_rules_filename",
         "mpich": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"}
# How the variables begin that tune each MPI.
PREFIX = {"openmpi": "OMPI_MCA_", "mpich": "MPIR_CVAR_"}
arguments = None


class RunTest(unittest.TestCase):
    # Where an answer is expected, a machine that others use must not make the test fail.
    limit_ms = 5000

    @classmethod
    def setUpClass(cls):
        cls.daemon = launching.TaughtDaemon(arguments.coxd, arguments.cox)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)

    def setUp(self):
        self.scratch = launching.Scratch(self)
        self.library = LIBRARY[arguments.mpi]

    def job(self, *program, ranks=RANKS):
        return [*arguments.launcher.split(), "-n", ranks, *program]

    def run_job(self, words, *options, server=None, **settings):
        environment = self.scratch.environment(server or self.daemon.address, **settings)
        return launching.run([arguments.cox, "run", "--limit", self.limit_ms, *options, "--", *words],
                             environment)

    def plain(self, words):
        return launching.run(words, self.scratch.environment(self.daemon.address))

    def job_saying(self, *words):
        """Ranks that say these words, or their environment without any."""
        return self.job(self.program("say"), *words)

    def program(self, name):
        return arguments.programs / f"{name}.{arguments.mpi}"


class Tunes(RunTest):
    def test_the_ranks_see_the_daemons_tuning(self):
        outcome = self.run_job(self.job_saying())
        self.assertEqual(outcome.code, 0, outcome)
        settings = settings_of(outcome.out)
        if arguments.mpi == "openmpi":
            self.assertEqual(settings["OMPI_MCA_coll_tuned_use_dynamic_rules"], "1")
        text = pathlib.Path(settings[RULES[arguments.mpi]]).read_text(encoding="utf-8")
        self.assertEqual(launching.without_comments(text), self.daemon.rules(self.library, "file"))
        self.assertNotIn("LD_PRELOAD", settings)
        self.assertNotIn("GRPC_VERBOSITY", outcome.out)
        said = [line for line in outcome.err.splitlines() if line.startswith("cox:")]
        self.assertEqual(len(said), 1, outcome)
        for part in (MACHINE, self.library, "1 x 4 ranks", "revision"):
            self.assertIn(part, said[0])

    def test_the_answer_is_kept_once(self):
        # Jobs that other tests ran teach their daemon, which then has something new to say.
        with launching.TaughtDaemon(arguments.coxd, arguments.cox) as own:
            for _ in range(3):
                self.run_job(self.job_saying("true"), server=own.address)
        files = os.listdir(self.scratch.folder / "cache/coxswain/tuning")
        self.assertEqual(len([name for name in files if name.endswith(".answer")]), 1, files)
        self.assertEqual(len([name for name in files if name.endswith(".conf")]), 1, files)

    def test_jobs_that_start_at_the_same_time_are_all_tuned(self):
        # The text of each has its own command line in a comment, and nothing is in the cache.
        for turn in range(4):
            environment = self.scratch.environment(self.daemon.address, cache=f"turn-{turn}")
            jobs = [subprocess.Popen(
                [arguments.cox, "run", "--limit", str(self.limit_ms), "--library", self.library, "--nodes", "1",
                 "--ppn", str(RANKS), "--shared-folder", self.scratch.folder / f"shared-{turn}", "--", "env", f"JOB={i}"],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for i in range(8)]
            for job in jobs:
                out, err = job.communicate(timeout=120)
                self.assertIn(RULES[arguments.mpi], settings_of(out), err)

    def test_observing_brings_timings_and_the_same_output(self):
        words = self.job(self.program("collectives"))
        plain = self.plain(words)
        # What a job cannot send on a busy machine before it ends, the next one sends.
        for _ in range(3):
            outcome = self.run_job(words, "--mode", "observe")
            self.assertEqual((outcome.code, outcome.out), (plain.code, plain.out), outcome)
            rows = self.daemon.observed(self.library)
            if rows:
                break
        self.assertIn(str(RANKS), {row["ranks"] for row in rows}, outcome)
        # The agent sees what runs: the tuning is in force.
        self.assertNotEqual({row["algorithm"] for row in rows if row["ranks"] == str(RANKS)}, {"default"})

    def test_some_jobs_are_canaries(self):
        arms = {}
        for _ in range(60):
            outcome = self.run_job([], "--print", "--canary", "50%", "--library", self.library, "--nodes", 1,
                                   "--ppn", RANKS)
            self.assertEqual(outcome.code, 0, outcome)
            names = {line.split("=")[0].removeprefix("export ") for line in outcome.out.splitlines()}
            arms["COX_CANARY" in names] = (names, outcome)
            if len(arms) == 2:
                break
        canary, outcome = arms[True]
        self.assertIn("export COX_CANARY=job", outcome.out)
        self.assertIn("canary: this job runs the library's default", outcome.err)
        tuned, _ = arms[False]
        # Both report, so that they can be compared.
        self.assertIn("LD_PRELOAD", canary & tuned)
        library = {name for name in tuned if name.startswith(PREFIX[arguments.mpi])}
        self.assertTrue(library)
        self.assertFalse(library & canary)

    def test_canaries_need_a_mode_that_tunes(self):
        outcome = self.run_job(["true"], "--canary", "5%", "--mode", "off")
        self.assertEqual(outcome.code, 2, outcome)
        self.assertEqual(self.run_job(["true"], "--canary", "60%").code, 2)

    def test_steered_jobs_show_what_they_save(self):
        # Two jobs with canaries make a comparison. But the guard may withdraw what is slower here
        # than the default before the second one: then there are more jobs, and another collective.
        for _ in range(6):
            outcome = self.run_job(self.job(self.program("behaviour"), "mix", 2), "--mode", "apply", "--canary",
                                   "20%", "--machine", MACHINE)
            self.assertEqual(outcome.code, 0, outcome)
            saved = json.loads(self.daemon("--json", "savings", MACHINE, "--by", "library,collective").out)
            row = max((row for row in saved["rows"] if row["library"] == self.library),
                      key=lambda row: row["compared_call_count"])
            if row["compared_call_count"] > 0:
                break
        self.assertGreater(row["compared_call_count"], 0, saved)
        self.assertLessEqual(row["compared_call_count"], row["call_count"])
        # One in five is a canary, but for the blocks that each size and communicator has begun.
        self.assertAlmostEqual(row["canary_call_count"], 0.25 * row["compared_call_count"],
                               delta=8 + 0.08 * row["compared_call_count"], msg=row)
        low, high = row["interval_s"]
        self.assertLessEqual(low, row["saved_s"])
        self.assertLessEqual(row["saved_s"], high)
        self.assertIn("SAVED", self.daemon("savings", MACHINE).out)

    def test_what_the_user_has_set_stays(self):
        mine = self.scratch.folder / "mine"
        mine.write_text("\n".join(self.daemon.rules(self.library, "file")) + "\n")
        name, value = RULES[arguments.mpi], str(mine)
        outcome = self.run_job(self.job_saying(), **{name: value})
        settings = settings_of(outcome.out)
        self.assertEqual(settings[name], value)
        self.assertNotIn("OMPI_MCA_coll_tuned_use_dynamic_rules", settings)
        self.assertIn("is already set by hand", outcome.err)

    def test_a_run_inside_a_run_sets_anew(self):
        inner = [arguments.cox, "run", "--mode", "off", "--", "env"]
        outcome = self.run_job(inner, "--mode", "observe", "--library", self.library, "--nodes", "1",
                               "--ppn", RANKS)
        self.assertEqual(set(settings_of(outcome.out)),
                         {"COX_SERVER", "COX_MACHINE", "COX_SPOOL"}, outcome)

    def test_the_words_are_the_commands_own(self):
        words = ["printf", "%s|", "[a,b]", "", "{}", "--", "-x", "machine", "--mode"]
        said = "[a,b]||{}|--|-x|machine|--mode|"
        self.assertEqual(self.run_job(words, "--mode", "off").out, said)
        self.assertEqual(self.run_job(words, "--mode", "off", "--assume", "commutative").out, said)

    def test_a_promise_with_a_mistake_in_the_environment_stops_nothing(self):
        outcome = self.run_job(["echo", "ran"], "--library", self.library, "--nodes", "1", "--ppn", RANKS,
                               COX_ASSUME="comutative")
        self.assertEqual((outcome.code, outcome.out), (0, "ran\n"), outcome)
        self.assertIn("COX_ASSUME", outcome.err)

    def test_what_is_not_known_is_asked_for(self):
        for words, wanted in ((["true"], "--library"),
                              ([*arguments.launcher.split(), "true"], "--nodes"),
                              (self.job("true", ":", "-n", 2, "true"), "several")):
            outcome = self.run_job(words)
            self.assertIn(wanted, outcome.err)
            self.assertIn("nothing is set", outcome.err)

    def test_applying_sets_what_the_agent_needs(self):
        outcome = self.run_job(self.job_saying(), "--mode", "apply", "--assume", "any-order")
        self.assertEqual(outcome.code, 0, outcome)
        settings = settings_of(outcome.out)
        self.assertEqual((settings["COX_APPLY"], settings["COX_ASSUME"]), ("1", "any-order"))
        self.assertEqual(settings["COX_LIMIT"], f"{self.limit_ms}ms")
        self.assertIn("libcoxagent", settings["LD_PRELOAD"])
        self.assertNotIn(RULES[arguments.mpi], settings)
        if arguments.mpi == "openmpi":
            self.assertEqual(settings["OMPI_MCA_coll_tuned_use_dynamic_rules"], "1")

    def test_what_the_user_has_forced_is_not_applied_over(self):
        mine = self.scratch.folder / "mine"
        mine.write_text("\n".join(self.daemon.rules(self.library, "file")) + "\n")
        outcome = self.run_job(self.job_saying(), "--mode", "apply", **{RULES[arguments.mpi]: str(mine)})
        self.assertIn("is already set by hand", outcome.err)
        self.assertNotIn("COX_APPLY", settings_of(outcome.out))

    def test_the_last_answer_serves_while_the_daemon_is_away(self):
        known = ["--library", self.library, "--nodes", "1", "--ppn", str(RANKS)]
        with launching.TaughtDaemon(arguments.coxd, arguments.cox) as own:
            present = self.run_job(["env"], *known, server=own.address)
            own.stop()
            away = self.run_job(["env"], *known, server=own.address)
        self.assertEqual(settings_of(away.out), settings_of(present.out), away)
        self.assertIn("from the cache", away.err)


    def test_a_folder_that_all_nodes_see_holds_the_file(self):
        folder = self.scratch.folder / "shared"
        outcome = self.run_job(["env"], "--library", self.library, "--nodes", 1, "--ppn", RANKS, "--shared-folder",
                               os.path.relpath(folder))
        path = pathlib.Path(settings_of(outcome.out)[RULES[arguments.mpi]])
        own = folder / f"coxswain-{os.geteuid()}"
        self.assertTrue(path.is_absolute() and path.parent.samefile(own), outcome)
        self.assertEqual(launching.without_comments(path.read_text(encoding="utf-8")),
                         self.daemon.rules(self.library, "file"))

    def test_files_of_the_user_stay_in_a_shared_folder(self):
        folder = self.scratch.folder / "shared"
        folder.mkdir()
        for number in range(300):
            (folder / f"result-{number}.dat").touch()
        self.run_job(["env"], "--library", self.library, "--nodes", 1, "--ppn", RANKS, "--shared-folder", folder)
        self.assertEqual(len(list(folder.glob("result-*.dat"))), 300)

    def test_the_tasks_of_a_launcher_do_not_choose_for_themselves(self):
        # Each would draw by itself whether it is a canary, and may get another answer.
        known = ["--limit", self.limit_ms, "--library", self.library, "--nodes", 1, "--ppn", RANKS]
        for mode in ("tune", "observe", "apply"):
            with self.subTest(mode=mode):
                words = [arguments.cox, "run", *known, "--mode", mode, "--canary", "50%", "--", self.program("say")]
                outcome = launching.run(self.job(*words), self.scratch.environment(self.daemon.address))
                self.assertEqual(outcome.code, 0, outcome)
                lines = outcome.out.splitlines()
                self.assertEqual(len([line for line in lines if line.startswith("LD_PRELOAD=")]), RANKS, outcome)
                settings = settings_of(outcome.out)
                self.assertNotIn(RULES[arguments.mpi], settings)
                self.assertEqual(lines.count("COX_CANARY=job"), 0, "not by chance")
                self.assertEqual(lines.count("COX_APPLY=1"), RANKS if mode == "apply" else 0, outcome)
                said = [line for line in outcome.err.splitlines() if line.startswith("cox: run:")]
                self.assertEqual(len(said), 1, outcome)
                self.assertEqual("one of 4 tasks" in said[0], mode != "apply")

    def test_tasks_keep_what_a_hook_around_the_launcher_has_set(self):
        inside = [arguments.cox, "run", "-q", "--library", self.library, "--", self.program("say")]
        settings = settings_of(self.run_job(self.job(*inside)).out)
        self.assertIn(RULES[arguments.mpi], settings)
        self.assertIn(RULES[arguments.mpi], settings["COX_SET"])

    def test_a_launcher_of_another_mpi_loads_no_agent(self):
        other = next(library for mpi, library in LIBRARY.items() if mpi != arguments.mpi)
        words = self.job(self.program("collectives"))
        plain = self.plain(words)
        outcome = self.run_job(words, "--mode", "observe", "--library", other)
        self.assertEqual((outcome.code, outcome.out), (plain.code, plain.out), outcome)
        self.assertIn("cox sets none and loads no agent", outcome.err)
        self.assertIn("nothing is set", outcome.err)


class BecomesTheCommand(RunTest):
    def test_exit_codes(self):
        self.assertEqual(self.run_job(["sh", "-c", "exit 7"]).code, 7)
        self.assertEqual(self.run_job(["no-such-program"]).code, 127)
        self.assertEqual(self.run_job(["/etc/passwd"]).code, 126)
        self.assertEqual(self.run_job(["sh", "-c", "kill -9 $$"]).code, -signal.SIGKILL)

    def test_signals_streams_and_files_are_as_they_were(self):
        state = ["sh", "-c", "grep ^Sig /proc/self/status | grep -v SigQ; ls /proc/self/fd; cat"]
        environment = self.scratch.environment(self.daemon.address)
        known = ["--library", self.library, "--nodes", "1", "--ppn", "4"]
        outputs = [subprocess.run(words, input="typed", capture_output=True, text=True, env=environment,
                                  timeout=60).stdout
                   for words in (state, [arguments.cox, "run", "-q", *known, "--", *state])]
        self.assertEqual(outputs[0], outputs[1])
        self.assertTrue(outputs[1].endswith("typed"))


class FailsOpen(RunTest):
    limit_ms = 200

    def test_without_an_answer_the_command_runs_unchanged(self):
        words = self.job(self.program("collectives"))
        plain = self.plain(words)
        for name, server in launching.failing_daemons(self.scratch.folder).items():
            for mode in ("tune", "observe", "apply"):
                with self.subTest(server=name, mode=mode), server_of(name, server) as failing:
                    start = time.monotonic()
                    outcome = self.run_job(words, "--mode", mode, server=failing.address,
                                           cache=f"{name}-{mode}")
                    took_s = time.monotonic() - start
                    self.assertEqual((outcome.code, outcome.out), (plain.code, plain.out), outcome)
                    # The agent keeps the timings until the daemon is back.
                    self.assertIn("nothing is set" if mode == "tune" else "libcoxagent", outcome.err)
                    self.assertLess(took_s, 60)

    def test_a_library_that_does_not_exist_is_refused(self):
        outcome = self.run_job(["true"], "--library", "openmpi-9", "--nodes", "1", "--ppn", "4")
        self.assertEqual(outcome.code, 2, outcome)
        self.assertIn('there is no library "openmpi-9"; known are openmpi-4.1, ', outcome.err)

    def test_a_slow_daemon_is_not_asked_again_at_once(self):
        known = ["--library", self.library, "--nodes", "1", "--ppn", "4"]
        with launching.StandIn() as hanging:
            first = self.run_job(["true"], *known, server=hanging.address)
            self.assertIn("within 200 ms", first.err)
            asked = hanging.connections
            second = self.run_job(["true"], *known, server=hanging.address)
            self.assertIn("was too slow a moment ago", second.err)
            self.assertEqual(hanging.connections, asked)

    def test_a_cache_that_cannot_be_used_costs_nothing_but_the_tuning(self):
        blocked = self.scratch.folder / "file"
        blocked.write_text("")
        outcome = self.run_job(self.job_saying("ran"), XDG_CACHE_HOME=str(blocked))
        self.assertEqual((outcome.code, outcome.out), (0, "ran\n" * RANKS), outcome)


class Measures(RunTest):
    def test_how_long_it_takes(self):
        known = ["--library", self.library, "--nodes", "1", "--ppn", str(RANKS)]

        def median_ms(words, server, caches):
            times = []
            for cache in caches:
                environment = self.scratch.environment(server, cache=cache)
                start = time.monotonic()
                subprocess.run(words, env=environment, check=True, capture_output=True)
                times.append(1e3 * (time.monotonic() - start))
            return statistics.median(times)

        hook = [arguments.cox, "run", *known, "--", "true"]
        bare = median_ms(["true"], self.daemon.address, ["none"] * 15)
        cold = median_ms(hook, self.daemon.address, [f"c{i}" for i in range(15)])
        warm = median_ms(hook, self.daemon.address, ["c0"] * 15)
        with launching.StandIn() as hanging:
            away = median_ms(hook, hanging.address, [f"h{i}" for i in range(5)])
            again = median_ms(hook, hanging.address, ["h0"] * 15)
        print(f"cox run adds, medians: warm {warm - bare:.1f} ms, cold {cold - bare:.1f} ms, daemon hanging "
              f"{away - bare:.1f} ms, within the next minute {again - bare:.1f} ms", flush=True)
        self.assertGreater(away, again)


def server_of(name, server):
    """A stand-in serves once; each use gets its own."""
    if name == "absent":
        return server
    return launching.StandIn(server.answer)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--cox", "--coxd", "--mpi", "--launcher"):
        parser.add_argument(option, required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
