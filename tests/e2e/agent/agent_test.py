#!/usr/bin/env python3
"""Runs real MPI jobs under the agent, with daemons that work, hang, die or are not there.

    agent_test.py --mpi openmpi|mpich --launcher "mpirun ..." --agent LIBRARY --programs DIR
                  --coxd PROGRAM --cox PROGRAM [unittest options]
"""

import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import time
import unittest

import job
from job import Daemon, HangingServer, JobTest, program, timings, versions, wait_for

LIBRARY = {"openmpi": "openmpi-4.1", "mpich": "mpich-4.0"}
FINALIZE_WAIT_S = 0.05

# What collectives.c and collectives.F90 call three times each -> block_bytes and the ranks that report.
EVERY, OFF_ROOT, ONE = (lambda p: p), (lambda p: p - 1), (lambda p: 1)
CALLS = {
    "allgather": (16, EVERY), "allgatherv": (16, EVERY), "allreduce": (40, EVERY),
    "alltoall": (16, EVERY), "alltoallv": (16, EVERY), "alltoallw": (16, EVERY),
    "barrier": (0, EVERY), "bcast": (40, OFF_ROOT), "exscan": (40, ONE), "gather": (16, ONE),
    "gatherv": (16, ONE), "reduce": (40, ONE), "reduce_scatter": (40, EVERY),
    "reduce_scatter_block": (40, EVERY), "scan": (40, ONE), "scatter": (16, OFF_ROOT),
    "scatterv": (16, ONE),
}


def quantile(values, level):
    return sorted(values)[int(level * (len(values) - 1))]


def sockets():
    """Names of the agents' sockets on this machine."""
    return set(re.findall(r"@coxswain-agent\S*", pathlib.Path("/proc/net/unix").read_text()))


def settled(read, timeout_s=30):
    """What `read` returns as soon as it is empty, or after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while (found := read()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


class Counts(JobTest):
    def test_every_call_of_every_language_is_timed_once(self):
        self.assertEqual(len(versions()), 4)
        for ranks in (1, 3):
            for version in versions():
                with self.subTest(version=version, ranks=ranks):
                    self.spool.unlink(missing_ok=True)
                    done = self.run_job(ranks, program(version))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.check(self.spooled(), ranks)

    def check(self, rows, ranks):
        self.assertEqual({row["machine"] for row in rows}, {"m1"})
        self.assertEqual({row["library"] for row in rows}, {LIBRARY[job.arguments.mpi]})
        self.assertEqual({row["algorithm"] for row in rows}, {"default"})
        self.assertEqual({(row["nodes"], row["ppn"]) for row in rows}, {("1", str(ranks))})
        of_world = [row for row in rows if row["ranks"] == str(ranks)]
        for collective, (block_bytes, reporters) in CALLS.items():
            # A single rank reports in any role.
            reporting = max(1, reporters(ranks))
            calls = 4 if collective == "allgather" else 3  # and once in place
            if collective == "allreduce" and ranks == 1:
                continue  # checked below: there the second communicator has one rank as well
            self.assertEqual(timings(of_world, collective=collective, block_bytes=block_bytes),
                             calls * reporting, collective)
        self.assertEqual({row["collective"] for row in rows}, set(CALLS))
        for row in rows:
            self.assertGreater(float(row["time_s"]), 0, row)
            self.assertLess(float(row["time_s"]), 60, row)

    def test_communicators_of_other_sizes_are_told_apart(self):
        self.run_job(3, program("collectives"))
        rows = self.spooled()
        # Ranks 0 and 2 on one half, rank 1 alone on the other.
        self.assertEqual(timings(rows, collective="allreduce", ranks=2), 2)
        self.assertEqual(timings(rows, collective="allreduce", ranks=1), 1)

    def test_what_cannot_be_reported_is_counted(self):
        daemon = Daemon(self)
        self.run_job(3, program("collectives"), COX_SERVER=daemon.address)
        # The allreduce between two groups, on three ranks.
        self.assertEqual(daemon.counts()["dropped_count"], 3)
        self.assertEqual(timings(daemon.observations(), collective="alltoall"), 9)

    def test_waiting_for_a_late_rank_is_not_the_collectives_time(self):
        calls, drifting = 32, self.folder / "calls.csv"
        done = self.run_job(4, program("uneven"), drifting, calls, 64, 5000, "allreduce", "alltoall",
                            COX_INTERVAL="3600s")
        self.assertEqual(done.returncode, 0, done.stderr)
        for collective in ("allreduce", "alltoall"):
            # The table keeps the latest calls: those of the program's last pattern.
            rows = [row for row in csv.reader(drifting.read_text().splitlines())
                    if (row[0], row[2]) == (collective, "drifting")]
            seen = sorted((int(leave) - int(enter)) * 1e-9 for *_, enter, leave in rows)
            self.assertEqual(len(seen), 4 * calls)
            # A rank may leave its last call when the others have been drained already: a row of its own.
            row = max((row for row in self.spooled() if row["collective"] == collective),
                      key=lambda row: int(row["count"]))
            self.assertEqual(row["statistic"], "min")
            # 1.5 of 4 is 0.375; the program's clock is around the agent's, and the last call may be missing.
            self.assertGreater(float(row["time_s"]), 0.9 * quantile(seen, 0.3))
            self.assertLess(float(row["time_s"]), quantile(seen, 0.45))

    def test_what_is_not_learned_from_is_counted(self):
        plain = self.run_job(2, program("counted"), 10, agent=False)
        done = self.run_job(2, program("counted"), 10, COX_LOG=1)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        found = {name: (int(calls), float(amount)) for name, calls, amount
                 in re.findall(r"total: (\w+) (\d+) calls (\S+) ", done.stderr)}
        calls = {name: count for name, (count, _) in found.items()}
        # Two ranks, ten rounds, see counted.c.
        self.assertEqual(calls, {
            "iallreduce": 20, "ibcast": 40, "ibarrier": 20, "ialltoall": 20, "igather": 20, "iscan": 20,
            "neighbor_alltoall": 20, "ineighbor_allgather": 20, "messages": 80})
        self.assertEqual(found["messages"][1], 2 * 10 * (8 + 16 + 24 + 32))
        # Its program sleeps for 2 ms between the start and the wait.
        self.assertGreater(found["iallreduce"][1], 20 * 0.002)
        self.assertEqual(self.spooled(), [])

    def test_threads_lose_nothing(self):
        done = self.run_job(2, program("behaviour"), "threads", 5000, COX_INTERVAL="50ms", COX_LOG=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        # A thread does not wait for ever for one that was put off its processor in the middle: it
        # drops a timing, and says so.
        dropped = sum(int(number) for number in re.findall(r"dropped (\d+) timing", done.stderr))
        self.assertLess(dropped, 100)
        self.assertEqual(timings(self.spooled(), collective="allreduce") + dropped, 2 * 2 * 5000)

    def test_a_forked_child_is_no_rank(self):
        plain = self.run_job(2, program("behaviour"), "fork", 500, agent=False)
        done = self.run_job(2, program("behaviour"), "fork", 500)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout))
        self.assertEqual(timings(self.spooled(), collective="allreduce"), 2 * 500)

    def test_an_end_without_finalize_still_reports(self):
        # A launcher may end the other ranks as soon as one has ended so: one rank only.
        done = self.run_job(1, program("behaviour"), "exit")
        self.assertIn("sum 0", done.stdout)
        self.assertEqual(timings(self.spooled(), collective="barrier"), 3)


class Harmless(JobTest):
    def assert_same(self, version, status, **settings):
        plain = self.run_job(3, program(version), status, agent=False)
        done = self.run_job(3, program(version), status, **settings)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        said = [line for line in done.stderr.replace(str(job.arguments.programs), "").splitlines() if "cox" in line]
        # One line of the whole job names each setting that is refused.
        refused = ["COX_SERVER=nonsense://%%: must be HOST:PORT", "COX_INTERVAL=x: must be a time"]
        refused = refused if settings.get("COX_INTERVAL") == "x" else []
        self.assertEqual(len(said), len(refused), said)
        for line, setting in zip(said, refused):
            self.assertIn(f"ignored {setting}", line)

    def test_results_and_exit_status_are_the_programs_own(self):
        daemon = Daemon(self)
        with HangingServer() as hanging:
            for version in versions():
                for what, settings in {
                    "no daemon": {}, "daemon": {"COX_SERVER": daemon.address},
                    "hanging daemon": {"COX_SERVER": hanging}, "disabled": {"COX_DISABLE": 1},
                    "nonsense": {"COX_SERVER": "nonsense://%%", "COX_INTERVAL": "x",
                                 "COX_SPOOL": "/proc/none/spool"},
                }.items():
                    with self.subTest(version=version, what=what):
                        self.assert_same(version, 0, **settings)
            self.assert_same("collectives", 7)
            self.assert_same("collectives", 7, COX_SERVER=hanging)

    def test_the_programs_random_numbers_are_its_own(self):
        # Ranks draw the same numbers from the same seed, and may decide together by them.
        daemon = Daemon(self)
        plain = self.run_job(2, program("behaviour"), "random", 1000, agent=False)
        done = self.run_job(2, program("behaviour"), "random", 1000, COX_SERVER=daemon.address, COX_INTERVAL="50ms")
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        self.assertGreater(timings(daemon.observations(), collective="allreduce"), 0)

    def test_disabled_does_nothing(self):
        daemon = Daemon(self)
        self.run_job(2, program("collectives"), COX_DISABLE=1, COX_SERVER=daemon.address)
        self.assertEqual(daemon.counts(), {"observation_count": 0, "dropped_count": 0})
        self.assertFalse(self.spool.exists())

    def test_an_abort_stays_an_abort_and_leaves_nothing(self):
        before = sockets()
        plain = self.run_job(2, program("behaviour"), "abort", agent=False)
        done = self.run_job(2, program("behaviour"), "abort")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.returncode, plain.returncode)
        self.assertEqual(settled(lambda: sockets() - before), set())

    def test_a_killed_job_leaves_nothing(self):
        before = sockets()
        ready = self.folder / "ready"
        running = self.start_job(2, program("behaviour"), "wait", ready)
        wait_for(ready.exists, "the job runs")
        wait_for(lambda: sockets() - before, "the ranks have met")
        job.end_group(running)
        self.assertEqual(settled(lambda: sockets() - before), set())

    def test_finalize_waits_for_a_hanging_daemon_no_longer_than_it_may(self):
        def finalize_s(**settings):
            file = self.folder / "finalize"
            times = []
            for _ in range(5):
                done = self.run_job(2, program("behaviour"), "finalize", file, **settings)
                self.assertEqual(done.returncode, 0, done.stderr)
                times.append(float(file.read_text()) * 1e-6)
            return statistics.median(times)

        plain = finalize_s(agent=False)
        with HangingServer() as hanging:
            hung = finalize_s(COX_SERVER=hanging)
        self.assertEqual(timings(self.spooled(), collective="barrier"), 5 * 2 * 3)
        # A busy machine may add as much again, and the library's own time varies.
        self.assertLess(hung, 2 * plain + 3 * FINALIZE_WAIT_S)

    def test_a_program_without_mpi_is_left_alone(self):
        done = subprocess.run(["cat", "/proc/self/maps"], capture_output=True, text=True,
                              env={**self.environment(), "LD_PRELOAD": str(job.arguments.agent)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("libcoxagent", done.stdout)
        self.assertNotIn("libmpi", done.stdout)
        self.assertNotIn("stdc++", done.stdout)

    def test_an_agent_for_another_library_stays_off(self):
        other = {"openmpi": "mpich", "mpich": "openmpi"}[job.arguments.mpi]
        library = job.arguments.agent.with_name(f"libcoxagent-{other}.so")
        if not library.exists():
            self.skipTest("built for one MPI library only")
        plain = self.run_job(2, program("collectives"), agent=False)
        done = self.run_job(2, program("collectives"), agent=False, PRELOAD=library, COX_LOG=1)
        self.assertEqual((done.returncode, done.stdout), (plain.returncode, plain.stdout), done.stderr)
        self.assertIn("off: this agent is built for", done.stderr)


class Streams(JobTest):
    def test_timings_arrive_and_nothing_is_spooled(self):
        daemon = Daemon(self)
        done = self.run_job(3, program("collectives"), COX_SERVER=daemon.address)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = daemon.observations()
        Counts.check(self, rows, 3)
        self.assertEqual(self.spooled(), [])

    def test_jobs_of_the_same_name_are_not_taken_for_resends(self):
        daemon = Daemon(self)
        for _ in range(2):
            self.run_job(2, program("collectives"), COX_SERVER=daemon.address, COX_JOB="nightly")
        listed = json.loads(daemon.cox("observations", "list").stdout)["observations"]
        self.assertEqual({row["job"] for row in listed}, {"nightly"})
        self.assertEqual(timings(daemon.observations(), collective="alltoall"), 2 * 2 * 3)

    def test_a_daemon_killed_and_started_again_counts_every_timing_once(self):
        daemon = Daemon(self)
        calls = 6000  # more than in the time of three ends, starts and connections
        running = self.start_job(2, program("behaviour"), "loop", calls, COX_SERVER=daemon.address,
                                 COX_INTERVAL="50ms")
        for _ in range(3):
            seen = daemon.counts()["observation_count"]
            wait_for(lambda: daemon.counts()["observation_count"] > seen, "timings arrive")
            daemon.kill()
            daemon.start()
        seen = daemon.counts()["observation_count"]
        wait_for(lambda: daemon.counts()["observation_count"] > seen, "timings arrive again")
        stdout, stderr = running.communicate(timeout=job.JOB_TIMEOUT_S)
        self.assertEqual(running.returncode, 0, stderr)
        self.assertEqual(stdout, self.run_job(2, program("behaviour"), "loop", calls,
                                              agent=False).stdout)
        counted = timings(daemon.observations(), collective="allreduce")
        spooled = timings(self.spooled(), collective="allreduce")
        self.assertEqual(counted + spooled, 2 * calls)

    def test_a_job_moves_to_another_daemon_and_loses_nothing(self):
        daemons = [Daemon(self, name) for name in ("one", "other")]
        calls = 3000
        running = self.start_job(2, program("behaviour"), "loop", calls, COX_INTERVAL="50ms",
                                 COX_SERVER=",".join(daemon.address for daemon in daemons))
        wait_for(lambda: any(daemon.counts()["observation_count"] > 0 for daemon in daemons), "timings arrive")
        daemons.sort(key=lambda daemon: daemon.counts()["observation_count"])
        # The agents of both processes may use different daemons: this one has reports of at least one of them.
        left, killed = daemons
        seen = left.counts()["observation_count"]
        killed.kill()
        wait_for(lambda: left.counts()["observation_count"] > seen, "timings arrive at the other daemon")
        _, stderr = running.communicate(timeout=job.JOB_TIMEOUT_S)
        self.assertEqual(running.returncode, 0, stderr)
        killed.start()
        rows = self.spooled() + [row for daemon in daemons for row in daemon.observations()]
        counted = timings(rows, collective="allreduce")
        self.assertGreaterEqual(counted, 2 * calls)
        # The batches that were on their way may be in both daemons.
        largest = max(int(row["count"]) for row in rows)
        self.assertLessEqual(counted, 2 * calls + 2 * largest)

    def test_a_daemon_killed_for_good_leaves_the_rest_to_the_spool(self):
        daemon = Daemon(self)
        calls = 2000
        running = self.start_job(2, program("behaviour"), "loop", calls, COX_SERVER=daemon.address,
                                 COX_INTERVAL="50ms")
        wait_for(lambda: daemon.counts()["observation_count"] > 0, "timings arrive")
        daemon.kill()
        _, stderr = running.communicate(timeout=job.JOB_TIMEOUT_S)
        self.assertEqual(running.returncode, 0, stderr)
        daemon.start()
        counted = timings(daemon.observations(), collective="allreduce")
        rows = self.spooled()
        spooled = timings(rows, collective="allreduce")
        # A batch that was stored when the daemon died, before it could say so, is in both.
        largest = max(int(row["count"]) for row in rows)
        self.assertGreater(counted, 0)
        self.assertGreaterEqual(counted + spooled, 2 * calls)
        self.assertLessEqual(counted + spooled, 2 * calls + largest)

    def test_the_spool_can_be_imported(self):
        self.run_job(2, program("collectives"))
        rows = self.spooled()
        daemon = Daemon(self)
        imported = daemon.cox("observations", "import", str(self.spool))
        self.assertNotIn("warning", imported.stderr)
        self.assertEqual(daemon.counts()["observation_count"], len(rows))
        self.assertEqual(timings(daemon.observations(), collective="bcast"),
                         timings(rows, collective="bcast"))

    def test_a_spool_in_the_default_place_is_named_after_job_and_node(self):
        self.run_job(2, program("collectives"), COX_SPOOL="", TMPDIR=self.folder, COX_JOB="a/b")
        names = [path.name for path in self.folder.glob("coxswain-*.csv")]
        self.assertEqual(len(names), 1)
        self.assertIn(f"coxswain-{os.getuid()}-a_b-", names[0])

    def test_a_forced_algorithm_is_the_label(self):
        forced = {
            "openmpi": {"OMPI_MCA_coll_tuned_use_dynamic_rules": 1,
                        "OMPI_MCA_coll_tuned_alltoall_algorithm": "pairwise"},
            "mpich": {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise"},
        }[job.arguments.mpi]
        self.run_job(2, program("collectives"), **forced)
        rows = self.spooled()
        self.assertEqual({r["algorithm"] for r in rows if r["collective"] == "alltoall"}, {"pairwise"})
        self.assertEqual({r["algorithm"] for r in rows if r["collective"] != "alltoall"}, {"default"})

    def test_an_application_with_grpc_and_our_own_messages_keeps_them(self):
        socket = self.folder / "app.sock"
        done = self.run_job(2, program("own_protobuf"), socket, 50, COX_INTERVAL="50ms",
                            COX_SERVER=f"unix:{socket}")
        self.assertEqual((done.returncode, done.stdout), (0, "observed 100\n"), done.stderr)


class Symbols(unittest.TestCase):
    def names(self, library, which):
        out = subprocess.run(["nm", "-D", which, str(library)], capture_output=True, text=True, check=True)
        return [line.split()[-1] for line in out.stdout.splitlines()]

    def needed(self, library):
        out = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True)
        return re.findall(r"\(NEEDED\).*\[(.*)\]", out.stdout)

    def test_the_agent_shows_mpi_functions_only(self):
        names = self.names(job.arguments.agent, "--defined-only")
        self.assertIn("MPI_Allreduce", names)
        self.assertEqual([name for name in names if not re.match(r"(MPI|mpi)_", name)], [])

    def test_the_agent_needs_the_c_library_only(self):
        self.assertEqual(self.needed(job.arguments.agent), ["libc.so.6"])

    def test_the_plugin_shows_its_functions_only(self):
        plugin = job.arguments.agent.with_name("libcoxagent-stream.so")
        names = self.names(plugin, "--defined-only")
        self.assertEqual(sorted(names), ["cox_stream_add", "cox_stream_add_sketch", "cox_stream_close", "cox_stream_decide",
                                         "cox_stream_flush", "cox_stream_open"])

    def test_the_plugin_reads_no_environment_and_draws_no_numbers_of_the_program(self):
        plugin = job.arguments.agent.with_name("libcoxagent-stream.so")
        names = {name.partition("@")[0] for name in self.names(plugin, "--undefined-only")}
        self.assertIn("malloc", names)
        self.assertEqual(names & {"getenv", "secure_getenv", "rand", "random"}, set())

    def test_the_plugin_brings_no_grpc_and_no_protobuf(self):
        plugin = job.arguments.agent.with_name("libcoxagent-stream.so")
        self.assertEqual([lib for lib in self.needed(plugin) if "grpc" in lib or "protobuf" in lib], [])


class SeveralProxies(JobTest):
    """Hydra on three addresses of this host: 2, 2 and 1 of 5 ranks."""

    def command(self, ranks, *words):
        command = super().command(ranks, *words)
        at = command.index("-np")
        hosts = "localhost,127.0.0.1,127.0.0.2"
        return [*command[:at], "-launcher", "fork", "-hosts", hosts, "-ppn", "2", *command[at:]]

    def test_all_nodes_report_one_job_of_one_shape(self):
        if job.arguments.mpi != "mpich":
            self.skipTest("MPICH's launcher")
        daemon = Daemon(self)
        self.run_job(5, program("collectives"), COX_SERVER=daemon.address)
        listed = json.loads(daemon.cox("observations", "list").stdout)["observations"]
        self.assertEqual(len({row["job"] for row in listed}), 1)
        self.assertRegex(listed[0]["job"], "^hydra-localhost-[0-9]+@")
        whole = [row for row in listed if int(row["ranks"]) == 5]
        self.assertEqual({(int(row["nodes"]), int(row["ppn"])) for row in whole}, {(3, 2)})


if __name__ == "__main__":
    job.main()
