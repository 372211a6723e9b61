#!/usr/bin/env python3
"""The hooks of Slurm in a real cluster of one node, with a real coxd and without one.

    slurm_test.py --cox C --coxd C --plugin LIBRARY --prolog FILE --epilog FILE --programs DIR
                  [unittest options]

Exit code 77 where Slurm is not installed.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time
import unittest

import cluster
import launching
from launching import LIBRARY, RANKS, settings_of

SKIPPED = 77
RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
TEXT = "COX_TUNING_TEXT"
AWAY = "cox: daemon away, step runs untuned"
# How srun starts each MPI's ranks here.
START = {"openmpi": "--mpi=pmix", "mpich": "--mpi=pmi2"}
# What steps may have set by Slurm's tests themselves.
OWN = {"COX_SERVER", "COX_MACHINE", "COX_SPOOL"}
arguments = None


class SlurmTest(unittest.TestCase):
    """A cluster, an allocation in it and a daemon for all tests of a class."""

    more = ""
    # Where an answer is expected, a machine that others use must not make the test fail.
    limit_ms = 5000

    @classmethod
    def plugstack(cls):
        return f"optional {arguments.plugin} cox={arguments.cox} limit-ms={cls.limit_ms}\n"

    @classmethod
    def setUpClass(cls):
        cls.daemon = launching.TaughtDaemon(arguments.coxd, arguments.cox)
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.cluster = cluster.Cluster(cls.plugstack(), cls.more)
        cls.cluster.start()
        cls.addClassCleanup(cls.cluster.stop)
        held = subprocess.run(
            [cluster.program("salloc"), "-N1", f"-n{RANKS}", "--no-shell"], capture_output=True, text=True,
            env=cls.cluster.environment(), timeout=120)
        cls.allocation = re.search(r"Granted job allocation (\d+)", held.stderr).group(1)

    def setUp(self):
        self.scratch = launching.Scratch(self)

    def environment(self, server=None, **settings):
        variables = self.scratch.environment(server or self.daemon.address, **settings)
        return {**variables, **{k: v for k, v in self.cluster.environment().items() if k.startswith("SLURM")},
                "PATH": cluster.SEARCHED}

    def srun(self, *words, ranks=RANKS, server=None, **settings):
        return launching.run(
            [cluster.program("srun"), f"--jobid={self.allocation}", "--overlap", "-N1", f"-n{ranks}", *words],
            self.environment(server, **settings))

    def sbatch(self, script, *words, **settings):
        """The exit code, and what the script printed."""
        out = self.scratch.folder / "batch.out"
        path = self.scratch.folder / "batch.sh"
        path.write_text("#!/bin/sh\n" + script)
        done = launching.run([cluster.program("sbatch"), "--wait", "-N1", f"-n{RANKS}", "--oversubscribe",
                              f"--output={out}", *words, path], self.environment(**settings))
        return done.code, out.read_text(errors="replace")

    def program(self, name, mpi):
        return arguments.programs / f"{name}.{mpi}"

    def assert_tuned(self, settings, mpi):
        if mpi == "openmpi":
            self.assertEqual(settings.get("OMPI_MCA_coll_tuned_use_dynamic_rules"), "1", settings)
            text = pathlib.Path(settings[RULES]).read_text(encoding="utf-8")
            self.assertEqual(launching.without_comments(text), self.daemon.rules())
            return
        wanted = [line.removeprefix("export ") for line in self.daemon.rules(LIBRARY[mpi])]
        self.assertTrue(wanted)
        for line in wanted:
            name, value = line.split("=")
            self.assertEqual(settings.get(name), value, settings)

    def assert_applying(self, settings, mpi):
        self.assertEqual(settings.get("COX_APPLY"), "1", settings)
        self.assertIn(f"libcoxagent-{mpi}.so", settings.get("LD_PRELOAD", ""))
        self.assertNotIn(RULES, settings)
        if mpi == "openmpi":
            self.assertEqual(settings.get("OMPI_MCA_coll_tuned_use_dynamic_rules"), "1", settings)

    def assert_untouched(self, settings):
        self.assertEqual(set(settings) - OWN, set())


    def both_arms(self, words, **settings):
        """Steps of which half are canaries: the settings of a canary and of another step. All tasks of a step agree."""
        arms = {}
        # One in 2^39 times all steps are of one kind.
        for _ in range(40):
            outcome = self.srun(*words, "env", **settings)
            self.assertEqual(outcome.code, 0, outcome)
            canaries = outcome.out.splitlines().count("COX_CANARY=job")
            self.assertIn(canaries, (0, RANKS), outcome)
            arms[canaries > 0] = settings_of(outcome.out)
            if len(arms) == 2:
                return arms[True], arms[False]
        return self.fail(f"all steps are alike: {arms}")

    def assert_arms(self, arms, mpi):
        """A canary step has the library's default, the other one the tuning; both report."""
        canary, tuned = arms
        for settings in arms:
            self.assertIn(f"libcoxagent-{mpi}.so", settings.get("LD_PRELOAD", ""))
            self.assertIn("COX_SERVER", settings)
        self.assert_tuned(tuned, mpi)
        self.assertNotIn("COX_CANARY", tuned)
        self.assertEqual(canary["COX_CANARY"], "job")
        self.assertEqual([name for name in canary if name.startswith(("OMPI_MCA_coll", "MPIR_CVAR"))], [])


def lines_about_coxswain(err):
    return [line.partition("srun: ")[2] or line for line in err.splitlines() if "cox" in line]


class Steps(SlurmTest):
    def test_the_tasks_see_the_daemons_tuning(self):
        for mpi, library in LIBRARY.items():
            with self.subTest(mpi=mpi):
                outcome = self.srun(START[mpi], "--cox=tune", f"--cox-library={library}", "env")
                self.assertEqual(outcome.code, 0, outcome)
                settings = settings_of(outcome.out)
                self.assert_tuned(settings, mpi)
                self.assertNotIn("LD_PRELOAD", settings)
                self.assertNotIn(TEXT, settings)

    def test_without_the_option_nothing_changes(self):
        self.assert_untouched(settings_of(self.srun("env").out))
        self.assert_untouched(settings_of(self.srun("--cox=off", "--cox-library=openmpi-4.1", "env").out))

    def test_a_mode_that_does_not_exist_is_refused(self):
        outcome = self.srun("--cox=fast", "true")
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("off|tune|observe|apply", outcome.err)

    def test_a_library_that_does_not_exist_is_refused(self):
        outcome = self.srun("--cox=tune", "--cox-library=openmpi-9", "true")
        self.assertNotEqual(outcome.code, 0)
        self.assertIn('there is no library "openmpi-9"; known are openmpi-4.1, ', outcome.err)

    def test_a_variable_with_a_wrong_library_is_named_and_ignored(self):
        program = self.program("say", "openmpi")  # prints its environment
        for mode in ("tune", "observe", "apply"):
            with self.subTest(mode=mode):
                cache = f"wrong-{mode}"
                outcome = self.srun(f"--cox={mode}", START["openmpi"], program, COX_LIBRARY="openmpi-9", cache=cache)
                self.assertEqual(outcome.code, 0, outcome)
                (line,) = lines_about_coxswain(outcome.err)
                self.assertIn('there is no library "openmpi-9"; known are openmpi-4.1, ', line)
                self.assertIn("; library openmpi-9 is ignored", line)
                self.assertEqual([*(self.scratch.folder / cache).rglob("*.away")], [])
                settings = settings_of(outcome.out)
                self.assertEqual("libcoxagent-openmpi.so" in settings.get("LD_PRELOAD", ""), mode != "tune", settings)
                self.assertEqual(RULES in settings, mode != "apply", settings)

    def test_wrong_words_of_the_site_are_named(self):
        self.addCleanup(self.cluster.write, "plugstack.conf", self.plugstack())
        for word, said in (("mode=fast", "mode=fast: unknown mode, off is used; use one of off|tune|observe|apply"),
                           ("limit-ms=2s", "unknown word 'limit-ms=2s'; known: "),
                           ("canary=5", "canary=5: no canaries; must be 0%, or a share from 0.0001% to 50%")):
            self.cluster.write("plugstack.conf", self.plugstack().rstrip("\n") + f" {word}\n")
            outcome = self.srun("--cox=apply", "--cox-library=openmpi-4.1", "env")
            self.assertEqual(outcome.code, 0, outcome)
            self.assertIn(f"coxswain: plugstack.conf: {said}", outcome.err)
            self.assert_applying(settings_of(outcome.out), "openmpi")

    def test_the_machine_is_the_cluster(self):
        """Without a name of the site or the user, also where srun starts outside of an allocation."""
        environment = self.environment()
        del environment["COX_MACHINE"]
        outcome = launching.run([cluster.program("srun"), f"--jobid={self.allocation}", "--overlap", "-n1", "--cox=observe",
                                 "--cox-library=openmpi-4.1", "env"], environment)
        self.assertEqual(settings_of(outcome.out)["COX_MACHINE"], "coxtest", outcome)

    def test_observing_brings_timings_and_the_same_output(self):
        for mpi, library in LIBRARY.items():
            with self.subTest(mpi=mpi):
                words = [START[mpi], self.program("collectives", mpi)]
                plain = self.srun(*words)
                self.assertEqual(plain.code, 0, plain)
                # The library is what the program is linked with.
                outcome = self.srun("--cox=observe", *words)
                self.assertEqual((outcome.code, sorted(outcome.out)), (plain.code, sorted(plain.out)), outcome)
                rows = [row for row in self.daemon.observed(library) if row["ranks"] == str(RANKS)]
                self.assertTrue(rows, outcome)
                self.assertNotEqual({row["algorithm"] for row in rows}, {"default"})

    def test_applying_steers_the_calls_and_leaves_the_output(self):
        for mpi, library in LIBRARY.items():
            with self.subTest(mpi=mpi):
                settings = settings_of(self.srun("--cox=apply", f"--cox-library={library}", "env").out)
                self.assert_applying(settings, mpi)
                words = [START[mpi], self.program("collectives", mpi)]
                plain = self.srun(*words)
                outcome = self.srun("--cox=apply", *words, COX_LOG=1)
                self.assertEqual((outcome.code, sorted(outcome.out)), (plain.code, sorted(plain.out)), outcome)
                self.assertIn("decision table: profile revision", outcome.err)
                self.assertNotIn("not steered", outcome.err)

    def test_a_canary_step_runs_the_default_and_no_answer_is_remembered(self):
        for mpi, library in LIBRARY.items():
            # A tuned step has the agent only because canaries need timings.
            for mode in ("tune", "observe"):
                with self.subTest(mpi=mpi, mode=mode):
                    self.assert_arms(self.both_arms([f"--cox={mode}", f"--cox-library={library}", "--cox-canary=50%"]), mpi)
        self.assertEqual([*(self.scratch.folder / "cache/coxswain/slurm").glob("*")], [])

    def test_a_canary_step_reports_its_calls_as_canaries(self):
        words = ["--cox=observe", "--cox-canary=50%", START["openmpi"], self.program("collectives", "openmpi")]
        plain = self.srun(START["openmpi"], self.program("collectives", "openmpi"))
        runs = set()
        for _ in range(40):
            outcome = self.srun(*words)
            self.assertEqual((outcome.code, sorted(outcome.out)), (plain.code, sorted(plain.out)), outcome)
            runs = {row["run"] for row in self.daemon.observed("openmpi-4.1") if row["algorithm"] == "default"}
            if "canary" in runs:
                break
        self.assertIn("canary", runs)

    def test_with_apply_the_share_reaches_the_agents(self):
        words = ["--cox=apply", "--cox-library=openmpi-4.1"]
        settings = settings_of(self.srun(*words, "--cox-canary=5%", "env").out)
        self.assert_applying(settings, "openmpi")
        self.assertEqual(settings["COX_CANARY"], "5%")
        self.assertNotIn("COX_CANARY", settings_of(self.srun(*words, "env").out))
        # The site's share, and a step that asks for another one.
        self.cluster.write("plugstack.conf", self.plugstack().rstrip("\n") + " canary=10%\n")
        self.addCleanup(self.cluster.write, "plugstack.conf", self.plugstack())
        self.assertEqual(settings_of(self.srun(*words, "env").out)["COX_CANARY"], "10%")
        self.assertEqual(settings_of(self.srun(*words, "--cox-canary=20%", "env").out)["COX_CANARY"], "20%")

    def test_a_share_that_is_none_is_refused(self):
        for share in ("60%", "-1%", "5", "some", "%", "nan%", "1e-20%"):
            with self.subTest(share=share):
                outcome = self.srun("--cox=tune", f"--cox-canary={share}", "true")
                self.assertNotEqual(outcome.code, 0)
                self.assertIn(f"--cox-canary={share}: must be 0%, or a share from 0.0001% to 50%", outcome.err)

    def test_applying_is_taken_back_by_a_step_inside(self):
        self.assert_untouched(settings_of(self.srun(
            "--cox=off", "env", COX_APPLY=1, COX_LIMIT="1s", LD_PRELOAD="/none/libcoxagent-openmpi.so",
            COX_SET="COX_APPLY,COX_LIMIT,LD_PRELOAD").out))

    def test_the_agent_alone_is_taken_back_by_a_step_inside(self):
        """All that `cox run` sets where the site has set the rest for everybody."""
        settings = settings_of(self.srun("--cox=off", "env", LD_PRELOAD="/none/libcoxagent-openmpi.so").out)
        self.assertNotIn("LD_PRELOAD", settings)
        self.assertNotIn("COX_FORGET", settings)
        kept = settings_of(self.srun("--cox=off", "env", LD_PRELOAD="/none/libother.so").out)
        self.assertEqual(kept["LD_PRELOAD"], "/none/libother.so")

    def test_an_agent_that_the_user_preloads_stays_where_nobody_asks_for_the_plugin(self):
        settings = settings_of(self.srun("env", LD_PRELOAD="/none/libcoxagent-openmpi.so").out)
        self.assertEqual(settings["LD_PRELOAD"], "/none/libcoxagent-openmpi.so")

    def test_answers_that_are_of_no_use_any_more_go(self):
        folder = self.scratch.folder / "cache/coxswain/slurm"
        folder.mkdir(parents=True, exist_ok=True)
        old = folder / "0123456789abcdef"
        notes = folder / "notes"
        for file in (old, notes):
            file.write_text("x")
            os.utime(file, (0, 0))
        self.srun("--cox=tune", "--cox-library=openmpi-4.1", "true", COX_SPOOL="/tmp/another-question")
        self.assertFalse(old.exists())
        self.assertTrue(notes.exists())

    def test_variables_that_the_user_has_set_stay(self):
        settings = settings_of(self.srun("--cox=tune", "--cox-library=openmpi-4.1", "env", **{RULES: "mine"}).out)
        self.assertEqual(settings[RULES], "mine")
        self.assertNotIn("OMPI_MCA_coll_tuned_use_dynamic_rules", settings)

    def test_tasks_that_run_cox_do_not_choose_for_themselves(self):
        inside = [arguments.cox, "run", "--library", "openmpi-4.1", "--canary", "50%", "--", "env"]
        outcome = self.srun(*inside)
        self.assertEqual(outcome.code, 0, outcome)
        settings = settings_of(outcome.out)
        self.assertNotIn(RULES, settings)
        self.assertNotIn("COX_CANARY", settings)
        (line,) = lines_about_coxswain(outcome.err)
        self.assertIn(f"one of {RANKS} tasks", line)
        # The plugin has asked for all of them.
        self.assert_tuned(settings_of(self.srun("--cox=tune", "--cox-library=openmpi-4.1", *inside).out), "openmpi")

    def test_a_step_asks_once_and_the_next_one_not_at_all(self):
        with launching.StandIn() as hanging:
            for _ in range(3):
                self.srun("--cox=tune", "--cox-library=openmpi-4.1", "true", server=hanging.address)
            self.assertLessEqual(hanging.connections, 1)

    def test_the_rules_travel_to_nodes_that_do_not_see_them(self):
        path = self.scratch.folder / "node/rules.conf"
        text = "# rules\n0\n"
        said = 'said="$(cat "$0"; env | grep -c COX_TUNING_TEXT || :)"; printf "%s\n" "$said"'
        outcome = self.srun("sh", "-c", said, path, **{RULES: path, TEXT: text})
        self.assertEqual(sorted(outcome.out.splitlines()), sorted([*text.splitlines(), "0"] * RANKS), outcome)

    def test_a_node_with_other_rules_writes_them_anew(self):
        path = self.scratch.folder / "node/rules.conf"
        path.parent.mkdir()
        text = "# rules\n0\n"
        # A power loss empties a file; and the clock of the node that wrote it may be ahead.
        for held in ("", "# rules\n1\n", text):
            path.write_text(held)
            os.utime(path, times=(time.time() + 60,) * 2)
            before = path.stat().st_mtime
            outcome = self.srun("cat", path, **{RULES: path, TEXT: text})
            self.assertEqual(sorted(outcome.out.splitlines()), sorted(text.splitlines() * RANKS), outcome)
            self.assertEqual(path.stat().st_mtime == before, held == text)

    def test_the_rules_are_passed_on_whatever_the_umask_is(self):
        words = ["--cox=tune", "--cox-library=openmpi-4.1", "env"]
        umask = os.umask(0o002)
        try:
            settings = settings_of(self.srun(*words).out)
        finally:
            os.umask(umask)
        path = pathlib.Path(settings[RULES])
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        # Somebody else may have written it.
        path.chmod(0o664)
        outcome = self.srun(*words)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn(f"cannot pass on {path}, step runs untuned", outcome.err)
        self.assertEqual([name for name in settings_of(outcome.out) if name.startswith("OMPI_MCA")], [])

    def test_a_node_without_the_rules_says_so(self):
        path = self.scratch.folder / "node/rules.conf"
        # srun's part of the plugin leaves such a program alone, so the node gets these variables as they are.
        orted = self.scratch.folder / "orted"
        orted.symlink_to("/usr/bin/true")
        said = f"cannot write {path}; other nodes may use it and the step may hang"
        of_user = self.srun(orted, ranks=1, **{RULES: path})
        self.assertEqual(of_user.code, 0, of_user)
        self.assertNotIn(said, self.log_of_node() + of_user.err)
        of_hook = self.srun(orted, ranks=1, **{RULES: path, "COX_SET": f"COX_MACHINE,{RULES}"})
        self.assertEqual(of_hook.code, 0, of_hook)
        self.assertIn(said, self.log_of_node() + of_hook.err)

    def log_of_node(self):
        return (self.cluster.folder / "slurmd.log").read_text(errors="replace")

    def test_a_launchers_own_daemons_are_left_alone(self):
        orted = self.scratch.folder / "orted"
        orted.symlink_to("/usr/bin/env")
        self.assert_untouched(settings_of(self.srun("--cox=tune", "--cox-library=openmpi-4.1", orted).out))

    def test_the_last_answer_serves_while_the_daemon_is_away(self):
        words = ["--cox=tune", "--cox-library=openmpi-4.1", "env"]
        with launching.TaughtDaemon(arguments.coxd, arguments.cox) as own:
            present = settings_of(self.srun(*words, server=own.address).out)
            own.stop()
            self.assertIn(RULES, present)
            # Both what the plugin remembers and, without that, what cox has kept.
            for _ in range(2):
                self.assertEqual(settings_of(self.srun(*words, server=own.address).out), present)
                for path in (self.scratch.folder / "cache/coxswain/slurm").iterdir():
                    path.unlink()


class Credentials(SlurmTest):
    """Nobody reports without a credential; steps that observe have one of their job."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = launching.TaughtDaemon(arguments.coxd, arguments.cox)
        epilog = cls.daemon.write("epilog", f"#!/bin/sh\nCOX_SERVER={cls.daemon.address} exec {arguments.epilog}\n")
        os.chmod(epilog, 0o755)
        cls.cluster = cluster.Cluster(more=f"EpilogSlurmctld={epilog}")
        cls.folder = cls.cluster.folder / "credentials"
        socket = cls.cluster.folder / "munge/socket"
        cls.cluster.write("plugstack.conf", f"optional {arguments.plugin} cox={arguments.cox} limit-ms={cls.limit_ms} "
                          f"job-credentials={os.getuid()} munge-socket={socket} credential-folder={cls.folder}\n")
        cls.munge = {"COX_MUNGE": os.getuid(), "COX_MUNGE_SOCKET": socket}
        (port,) = cluster.free_ports(1)
        cls.tcp = f"127.0.0.1:{port}"
        cls.daemon.listen += f",{cls.tcp}"
        cls.daemon.options = ["--anonymous-role", "viewer", "--munge-names", "127.0.0.1", "--munge-socket", str(socket)]
        cls.daemon.start()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.cluster.start()
        cls.addClassCleanup(cls.cluster.stop)

    def srun(self, *words, ranks=1, **settings):
        """A job of its own; its steps reach the daemon over TCP, where it does not know who calls."""
        return launching.run([cluster.program("srun"), "-N1", f"-n{ranks}", *words],
                             self.environment(self.tcp, **settings))

    def jobs(self):
        """Of all rows that jobs have reported: job and source."""
        listed = self.daemon.json("observations", "list", "--machine", launching.MACHINE, "--limit", "0")
        return {(row["job"], row.get("source", "")) for row in listed["observations"] if row.get("job")}

    def whoami(self, credential):
        return launching.run([arguments.cox, "--server", self.tcp, "--token-file", credential, "token", "whoami"],
                             self.environment(self.tcp))

    def await_(self, condition):
        """Slurm ends a step and a job after srun has the tasks' status."""
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_a_steps_credential_is_its_jobs_and_ends_with_it(self):
        kept = self.scratch.folder / "kept"
        before = int(time.time())
        outcome = self.srun("--time=10", "--cox=observe", "--cox-library=openmpi-4.1", "sh", "-c",
                            'umask 077; cp "$COX_JOB_CREDENTIAL" "$0"; stat -c "%a %u" "$COX_JOB_CREDENTIAL"; '
                            'echo "$COX_JOB_CREDENTIAL"; echo $SLURM_JOB_ID', kept)
        self.assertEqual(outcome.code, 0, outcome)
        mode, path, job = outcome.out.splitlines()
        self.assertEqual(mode, f"400 {os.getuid()}")
        self.assertEqual(pathlib.Path(path).parent, self.folder)
        self.await_(lambda: not os.path.exists(path))
        said = launching.run([cluster.program("unmunge"), f"--socket={self.munge['COX_MUNGE_SOCKET']}",
                              f"--input={kept}", "--metadata=/dev/null"], self.environment(self.tcp)).out
        text, end = said.rsplit(" ", 1)
        self.assertEqual(text, f"coxswain-job 1 {job} {os.getuid()} {os.getgid()}")
        limit = 600 + 300  # the job's, and the grace
        self.assertTrue(before + limit - 1 <= int(end) <= time.time() + limit + 1, said)
        # Slurm's EpilogSlurmctld tells the daemon, well before the time limit.
        self.await_(lambda: self.whoami(kept).code != 0)
        self.assertIn("has ended", self.whoami(kept).err)

    def test_only_steps_that_report_have_one(self):
        for option in ("--cox=off", "--cox=tune"):
            outcome = self.srun(option, "--cox-library=openmpi-4.1", "env", COX_JOB_CREDENTIAL="/of/the/job/around")
            self.assertEqual(outcome.code, 0, outcome)
            self.assertNotIn("COX_JOB_CREDENTIAL", settings_of(outcome.out))

    def test_timings_are_of_the_job_whoever_calls(self):
        program = self.program("collectives", "openmpi")
        seen = self.jobs()
        without = self.srun(START["openmpi"], "--cox=observe", "--cox-library=openmpi-4.1", "env", "-u",
                            "COX_JOB_CREDENTIAL", program, ranks=RANKS)
        self.assertEqual(without.code, 0, without)
        self.assertEqual(self.jobs(), seen, "a viewer reports nothing")
        # On this host the agent shows the credential; with munge it is inside what proves the user.
        for settings in ({}, self.munge):
            new = set()
            said = []
            # On a loaded machine a short step may end before it is told what to report, or spool.
            while not new and len(said) < 5:
                said.append(self.srun(START["openmpi"], "--cox=observe", program, ranks=RANKS, COX_LOG=1, **settings))
                self.assertEqual(said[-1].code, 0, said[-1])
                new = self.jobs() - seen
            self.assertTrue(new, "".join(map(str, said)))
            for job, source in new:
                self.assertRegex(job, rf"^uid:{os.getuid()}/slurm-\d+\.")
                self.assertEqual(source, f"uid:{os.getuid()}")
            self.assertEqual(len({re.search(r"slurm-(\d+)", job).group(1) for job, _ in new}), 1)
            seen |= new

    def test_a_batch_script_its_mpirun_and_its_steps_have_one(self):
        program = self.program("collectives", "openmpi")
        before = self.jobs()
        code, out = self.sbatch(
            "echo $SLURM_JOB_ID $COX_JOB_CREDENTIAL\n"
            # On a loaded machine a short job may spool.
            f"for i in 1 2 3 4 5; do mpirun.openmpi --oversubscribe -n {RANKS} {program} >/dev/null || exit 9; done\n"
            "srun --overlap -n1 sh -c 'echo $COX_JOB_CREDENTIAL'\n", "--cox=observe", "--cox-library=openmpi-4.1",
            server=self.tcp)
        self.assertEqual(code, 0, out)
        (number, of_batch), (of_step,) = (line.split() for line in out.splitlines())
        self.assertNotEqual(of_batch, of_step)
        for path in (of_batch, of_step):
            self.assertTrue(pathlib.Path(path).is_relative_to(self.folder), path)
            self.await_(lambda gone=path: not os.path.exists(gone))
        new = self.jobs() - before
        self.assertTrue(new, out)
        for job, _ in new:
            self.assertTrue(job.startswith(f"uid:{os.getuid()}/slurm-{number}."), job)

    def test_nobody_else_can_read_it_and_nothing_else_has_it(self):
        note, release = self.scratch.folder / "note", self.scratch.folder / "release"
        os.mkfifo(note)
        os.mkfifo(release)
        waits = 'echo "$COX_JOB_CREDENTIAL" > "$0"; read -r line < "$1"'
        step = subprocess.Popen(
            [str(word) for word in (cluster.program("srun"), "-N1", "-n1", "--cox=observe",
                                    "--cox-library=openmpi-4.1", "sh", "-c", waits, note, release)],
            env=self.environment(self.tcp), stdin=subprocess.DEVNULL)
        try:
            path = note.read_text().strip()
            secret = pathlib.Path(path).read_text().strip()
            self.assertTrue(secret.startswith("MUNGE:"))
            self.assertRegex(self.whoami(path).out, rf"^uid:{os.getuid()} reporter, for job slurm-\d+ only$")
            if os.getuid() == 0:
                other = subprocess.run(["setpriv", "--reuid", "54321", "--clear-groups", "cat", path],
                                       capture_output=True, text=True, check=False)
                self.assertNotEqual(other.returncode, 0)
                self.assertEqual(other.stdout, "")
            part = secret[len(secret) // 2:][:40].encode()
            places = [*pathlib.Path("/proc").glob("[0-9]*/cmdline"), *pathlib.Path("/proc").glob("[0-9]*/environ"),
                      *self.cluster.folder.rglob("*"), *pathlib.Path(self.daemon.folder.name).rglob("*"),
                      *self.scratch.folder.rglob("*")]
            found = []
            for place in places:
                if place.is_file() and str(place) != path:
                    try:
                        if part in place.read_bytes():
                            found.append(place)
                    except OSError:
                        continue  # The process has ended meanwhile.
            self.assertEqual(found, [])
        finally:
            with open(release, "w", encoding="utf-8") as file:
                file.write("\n")
            step.wait(120)
        self.assertEqual(step.returncode, 0)

    def test_without_munge_the_step_runs_and_the_log_says_why(self):
        stack = (self.cluster.folder / "plugstack.conf").read_text()
        self.cluster.write("plugstack.conf", stack.replace("munge/socket", "munge/nothing"))
        try:
            outcome = self.srun("--cox=observe", "--cox-library=openmpi-4.1", "env")
        finally:
            self.cluster.write("plugstack.conf", stack)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertNotIn("COX_JOB_CREDENTIAL", settings_of(outcome.out))
        self.assertIn("munge makes none", (self.cluster.folder / "slurmd.log").read_text(errors="replace"))


class Jobs(SlurmTest):
    def test_a_batch_script_its_mpirun_and_its_steps(self):
        program = self.program("collectives", "openmpi")
        script = (f"env\necho ==\nmpirun.openmpi --oversubscribe -n {RANKS} {program} || exit 9\n"
                  f"echo ==\nsrun --overlap -n{RANKS} env\necho ==\nsrun --overlap -n{RANKS} --cox=off env\nexit 5\n")
        rules = self.daemon.rules()
        code, out = self.sbatch(script, "--cox=observe", "--cox-library=openmpi-4.1")
        self.assertEqual(code, 5, out)
        batch, _, step, off = out.split("==\n")
        for settings in (settings_of(batch), settings_of(step)):
            self.assertIn("libcoxagent-openmpi.so", settings["LD_PRELOAD"])
        self.assertEqual(launching.without_comments(pathlib.Path(settings_of(batch)[RULES]).read_text()), rules)
        # Meanwhile the daemon has learned from the job.
        self.assertTrue(pathlib.Path(settings_of(step)[RULES]).exists())
        self.assert_untouched(settings_of(off))
        self.assertTrue(self.daemon.observed("openmpi-4.1"))

    def test_a_calibration_in_a_tuned_job_measures_untuned(self):
        seen = self.scratch.folder / "seen"
        launcher = self.scratch.folder / "launcher"
        # The first job is enough.
        launcher.write_text(f"#!/bin/sh\nexec srun --overlap -n1 sh -c 'env >{seen}; exit 9'\n")
        launcher.chmod(0o755)
        _, out = self.sbatch(f"env\n{arguments.cox} calibrate other --mpi openmpi --launcher {launcher}\n",
                             "--cox=observe", "--cox-library=openmpi-4.1")
        self.assertIn(RULES, settings_of(out))
        settings = settings_of(seen.read_text())
        self.assertEqual(settings.pop("COX_MODE", ""), "off")
        self.assert_untouched(settings)

    def test_a_budget_and_suggestions_within_an_allocation(self):
        """docs/slurm.md's command, without hosts: the cluster has one node."""
        code, out = self.sbatch(
            f"{arguments.cox} calibrate budgeted --mpi openmpi --budget 10s --ranks {RANKS} "
            "--launcher 'srun --mpi=pmix --overlap -N1 -n {ranks}' 2>&1 || exit 9\n"
            f"echo ==\n{arguments.cox} suggest -m budgeted --library openmpi-4.1 -n 5 2>notes || exit 8\n",
            f"--chdir={self.scratch.folder}")
        self.assertEqual(code, 0, out)
        calibrated, suggested = out.split("==\n")
        self.assertIn("of 10 s: ", calibrated)
        exported = self.daemon("observations", "export").out
        timed = [row for row in csv.DictReader(exported.splitlines()) if row["machine"] == "budgeted"]
        self.assertEqual({(row["nodes"], row["ranks"]) for row in timed}, {("1", str(RANKS))}, calibrated)
        rows = list(csv.DictReader(suggested.splitlines()))
        self.assertEqual(len(rows), 5, suggested)
        for row in rows:
            self.assertGreater(float(row["expected_gain_ratio"]), 0, suggested)

    def test_savings_of_canary_steps(self):
        step = (f"srun --overlap -n{RANKS} {START['openmpi']} --cox=tune --cox-library=openmpi-4.1 --cox-canary=50% "
                f"{self.program('collectives', 'openmpi')}")
        savings = f"{arguments.cox} --json savings {launching.MACHINE}"
        # Until both arms are there: one in 2^39 times all steps are of one kind.
        code, out = self.sbatch(f"for step in $(seq 40); do {step} >/dev/null || exit 9; {savings} >now || exit 8\n"
                                "  grep -q '\"canary_call_count\":[1-9]' now && break\ndone\ncat now\n",
                                f"--chdir={self.scratch.folder}")
        self.assertEqual(code, 0, out)
        whole, *others = json.loads(out)["rows"]
        self.assertTrue(others, out)
        for row in (whole, *others):
            self.assertGreater(row["canary_call_count"], 0, out)
            self.assertGreater(row["compared_call_count"], 0, out)
            self.assertLessEqual(row["interval_s"][0], row["saved_s"], out)
            self.assertLessEqual(row["saved_s"], row["interval_s"][1], out)

    def test_what_the_user_sets_inside_of_a_tuned_job_stays(self):
        _, out = self.sbatch(f"env\nexport {RULES}=mine\necho ==\nsrun --overlap -n{RANKS} env\n"
                             f"echo ==\n{arguments.cox} run -- env\n", "--cox=tune", "--cox-library=openmpi-4.1")
        batch, step, run = (settings_of(part) for part in out.split("==\n"))
        self.assertNotEqual(batch[RULES], "mine")
        for settings in (step, run):
            self.assertEqual(settings[RULES], "mine", out)
            self.assertNotIn("OMPI_MCA_coll_tuned_use_dynamic_rules", settings)

    def test_an_agent_that_the_user_preloads_stays_in_a_batch_script(self):
        agent = "/none/libcoxagent-openmpi.so"
        _, out = self.sbatch("env 2>/dev/null\n", LD_PRELOAD=agent)
        self.assertEqual(settings_of(out).get("LD_PRELOAD"), agent, out)

    def test_salloc_hands_its_choice_to_its_steps(self):
        outcome = launching.run(
            [cluster.program("salloc"), "-N1", f"-n{RANKS}", "--oversubscribe", "--cox=tune", "--cox-library=mpich-4.0",
             "srun", "env"], self.environment())
        self.assert_tuned(settings_of(outcome.out), "mpich")


class FailsOpen(SlurmTest):
    limit_ms = 200

    def test_output_and_status_are_the_same(self):
        for mpi in LIBRARY:
            words = [START[mpi], self.program("collectives", mpi)]
            plain = self.srun(*words)
            self.assertEqual(plain.code, 0, plain)
            for name, server in launching.failing_daemons(self.scratch.folder).items():
                with self.subTest(mpi=mpi, server=name), server as failing:
                    outcome = self.srun("--cox=observe", *words, server=failing.address, cache=f"{name}-{mpi}")
                    self.assertEqual((outcome.code, sorted(outcome.out)), (plain.code, sorted(plain.out)), outcome)

    def test_nothing_is_set_and_the_status_is_the_tasks(self):
        for name, server in launching.failing_daemons(self.scratch.folder).items():
            with self.subTest(server=name), server as failing:
                outcome = self.srun("--cox=tune", "--cox-library=openmpi-4.1", "sh", "-c", "env; exit 6", ranks=1,
                                    server=failing.address, cache=name)
                self.assertEqual(outcome.code, 6, outcome)
                self.assert_untouched(settings_of(outcome.out))
                self.assertEqual(lines_about_coxswain(outcome.err), [AWAY])

    def with_patience(self):
        """A busy machine must not make cox miss the limit by itself."""
        self.cluster.write("plugstack.conf", self.plugstack().replace(f"limit-ms={self.limit_ms}", "limit-ms=2000"))
        self.addCleanup(self.cluster.write, "plugstack.conf", self.plugstack())

    def test_a_mark_that_the_daemon_is_away_stops_no_observation(self):
        self.with_patience()
        with launching.StandIn() as hanging:
            words = ["--cox-library=openmpi-4.1", "env"]
            self.srun("--cox=tune", *words, ranks=1, server=hanging.address)
            self.assertEqual(len(self.marks("*.away")), 1)
            asked = hanging.connections
            for mode in ("observe", "apply"):
                outcome = self.srun(f"--cox={mode}", *words, ranks=1, server=hanging.address)
                settings = settings_of(outcome.out)
                self.assertIn("libcoxagent-openmpi.so", settings.get("LD_PRELOAD", ""), outcome)
                self.assertNotIn("COX_APPLY", settings)
                self.assertNotIn(RULES, settings)
                self.assertEqual(lines_about_coxswain(outcome.err), [AWAY])
            self.assertEqual(hanging.connections, asked, "nobody asks while the mark holds")

    def test_one_slow_answer_silences_for_seconds_only(self):
        self.with_patience()
        with launching.StandIn() as hanging:
            words = ["--cox=tune", "--cox-library=openmpi-4.1", "true"]
            self.srun(*words, ranks=1, server=hanging.address)
            asked = hanging.connections
            self.assertGreater(asked, 0)
            for path in (*self.marks("*.away"), *self.marks("*.quiet")):
                os.utime(path, times=(time.time() - 6,) * 2)
            self.srun(*words, ranks=1, server=hanging.address)
            self.assertGreater(hanging.connections, asked)

    def marks(self, names):
        return [*(self.scratch.folder / "cache/coxswain").rglob(names)]

    def test_a_client_that_hangs_or_is_not_there_costs_the_limit(self):
        hanging = self.scratch.folder / "hanging"
        hanging.write_text("#!/bin/sh\nexec sleep 600\n")
        hanging.chmod(0o755)
        for client in (hanging, self.scratch.folder / "nothing"):
            stack = f"optional {arguments.plugin} cox={client} library=openmpi-4.1 mode=observe\n"
            self.cluster.write("plugstack.conf", stack)
            try:
                outcome = self.srun("sh", "-c", "env; exit 3", ranks=1, cache=client.name)
            finally:
                self.cluster.write("plugstack.conf", self.plugstack())
            self.assertEqual(outcome.code, 3, outcome)
            self.assert_untouched(settings_of(outcome.out))

    def test_without_a_home_nothing_is_set(self):
        environment = self.environment()
        del environment["XDG_CACHE_HOME"]
        environment["HOME"] = "/dev/null"
        outcome = launching.run([cluster.program("srun"), f"--jobid={self.allocation}", "--overlap", "-n1",
                                 "--cox=tune", "--cox-library=openmpi-4.1", "env"], environment)
        self.assertEqual(outcome.code, 0, outcome)
        self.assert_untouched(settings_of(outcome.out))


class Prolog(SlurmTest):
    """For sites that load no plugins."""

    @classmethod
    def plugstack(cls):
        return ""

    @classmethod
    def setUpClass(cls):
        cls.more = f"TaskProlog={arguments.prolog}"
        super().setUpClass()

    def test_the_tasks_see_the_daemons_tuning(self):
        for mpi, library in LIBRARY.items():
            outcome = self.srun("env", COX_MODE="tune", COX_LIBRARY=library, COX_PROGRAM=arguments.cox,
                                COX_LIMIT_MS=self.limit_ms)
            self.assertEqual(outcome.code, 0, outcome)
            self.assert_tuned(settings_of(outcome.out), mpi)

    def test_a_limit_that_is_none_is_the_usual_one(self):
        said = self.scratch.folder / "said"
        client = self.scratch.folder / "client"
        client.write_text(f'#!/bin/sh\nfor word; do printf "%s " "$word"; done >> {said}\n')
        client.chmod(0o755)
        for limit, given in (("soon", 151), ("-5", 151), ("60001", 151), ("08", 151), ("2000", 1501)):
            with self.subTest(limit=limit):
                said.write_text("")
                outcome = self.srun("env", ranks=1, COX_MODE="tune", COX_PROGRAM=client, COX_LIMIT_MS=limit, cache=f"c{limit}")
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn(f"--limit {given} ", said.read_text())
                # Nothing is left of the attempt.
                self.assertEqual(len(os.listdir(self.scratch.folder / f"c{limit}/coxswain/steps")), 1)

    def test_the_tasks_get_the_agent_that_applies(self):
        for mpi, library in LIBRARY.items():
            outcome = self.srun("env", COX_MODE="apply", COX_LIBRARY=library, COX_PROGRAM=arguments.cox,
                                COX_LIMIT_MS=self.limit_ms)
            self.assertEqual(outcome.code, 0, outcome)
            self.assert_applying(settings_of(outcome.out), mpi)

    def test_canary_steps_run_the_default_and_report(self):
        for mpi, library in LIBRARY.items():
            with self.subTest(mpi=mpi):
                self.assert_arms(self.both_arms([], COX_MODE="tune", COX_LIBRARY=library, COX_CANARY_SHARE="50%",
                                                COX_PROGRAM=arguments.cox, COX_LIMIT_MS=self.limit_ms), mpi)

    def test_with_apply_the_share_reaches_the_agents(self):
        settings = settings_of(self.srun("env", COX_MODE="apply", COX_LIBRARY="openmpi-4.1", COX_CANARY_SHARE="5%",
                                         COX_PROGRAM=arguments.cox, COX_LIMIT_MS=self.limit_ms).out)
        self.assert_applying(settings, "openmpi")
        self.assertEqual(settings["COX_CANARY"], "5%")

    def test_all_tasks_get_the_first_ones_answer(self):
        with launching.StandIn() as hanging:
            outcome = self.srun("sh", "-c", "env; exit 4", server=hanging.address, COX_MODE="observe",
                                COX_LIBRARY="openmpi-4.1", COX_PROGRAM=arguments.cox, COX_LIMIT_MS=2000)
        self.assertEqual(outcome.code, 4, outcome)
        settings = settings_of(outcome.out)
        self.assertEqual(set(settings) - OWN,
                         {"COX_MODE", "COX_LIBRARY", "COX_PROGRAM", "COX_LIMIT_MS", "LD_PRELOAD"}, outcome)
        self.assertIn("libcoxagent-openmpi.so", settings["LD_PRELOAD"])
        self.assertEqual(len(os.listdir(self.scratch.folder / "cache/coxswain/steps")), 1)


class Measures(SlurmTest):
    limit_ms = 200

    def test_how_long_a_step_takes_to_start(self):
        hook = ["--cox=tune", "--cox-library=openmpi-4.1"]

        def step_ms(words, server, cache):
            start = time.monotonic()
            outcome = self.srun(*words, "true", ranks=1, server=server, cache=cache)
            self.assertEqual(outcome.code, 0, outcome)
            return 1e3 * (time.monotonic() - start)

        with launching.StandIn() as hanging:
            kinds = {
                "without": lambda i: step_ms(["--cox=off"], None, "none"),
                "warm": lambda i: step_ms(hook, None, "warm"),
                "cold": lambda i: step_ms(hook, None, f"cold{i}"),
                "hanging, first": lambda i: step_ms(hook, hanging.address, f"hanging{i}"),
                "hanging, later": lambda i: step_ms(hook, hanging.address, "hanging0"),
            }
            times = {kind: [] for kind in kinds}
            # Alternates, so that other load affects all alike. The first turn warms up.
            for i in range(25):
                for kind, measure in kinds.items():
                    times[kind].append(measure(i))
        medians = {kind: statistics.median(values[1:]) for kind, values in times.items()}
        bare = medians.pop("without")
        print(f"a step without the hook: {bare:.1f} ms; the hook adds "
              + ", ".join(f"{kind} {value - bare:+.1f} ms" for kind, value in medians.items()), flush=True)
        self.assertGreater(medians["hanging, first"], medians["hanging, later"])


def stop_cleanly(signal_number, _):
    """ctest's timeout ends us with what we started."""
    raise SystemExit(128 + signal_number)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--cox", "--coxd", "--plugin", "--prolog", "--epilog"):
        parser.add_argument(option, required=True)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    absent = cluster.missing()
    if absent:
        print(f"not installed: {', '.join(absent)}; see deploy/install-packages test")
        sys.exit(SKIPPED)
    signal.signal(signal.SIGTERM, stop_cleanly)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
