#!/usr/bin/env python3
"""Coxswain on a cluster of six hosts: coxd, slurmctld, and four nodes that run jobs of eight ranks. Only the network
connects the hosts. coxd and the relays have the configurations of docs/deploy.md.

    cluster_test.py --build FOLDER [unittest options]

Exit code 77 without root or Slurm.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import world
from certificates import Authority
from cluster import ADA, COX, EPILOG, HOME, INSTALLED, LOGS, MPI, NODES, PLUGIN, PLUGSTACK, RANKS, RANKS_PER_NODE
from cluster import Cluster, missing
from daemons import MACHINE, PORT, SOCKET, Coxd, Daemon, own, script_of_page, settings_of_page

LIBRARY = "openmpi-4.1"
UNTIL = INSTALLED / "programs/until"
RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
AWAY = "cox: daemon away, step runs untuned"
# On the nodes themselves, so that no host sees the files of another one.
SPOOL = "/tmp/spool.csv"
LOCAL = {"XDG_CACHE_HOME": "/tmp/cache", "COX_SPOOL": SPOOL}
DAY_S = 86400
MOST_STARTS = 4
site = None


class Job:
    """A step of eight ranks that runs until end().

    Over TCP between hosts, Open MPI 4.1 under Slurm dies of a null pointer or hangs in some 2 of 100 starts, as often
    without Coxswain. Such a step is started again.
    """

    number = 0
    running = []

    def __init__(self, *options, **settings):
        for _ in range(MOST_STARTS):
            self.start(*options, **settings)
            if self.has_begun():
                Job.running.append(self)
                return
            self.process.terminate()
            out, err = self.process.communicate(timeout=world.PATIENCE_S)
        raise AssertionError(f"no start in {MOST_STARTS}: status {self.process.returncode}: {out}{err}")

    def start(self, *options, **settings):
        Job.number += 1
        self.end_file = HOME / f"end.{Job.number}"
        self.process = subprocess.Popen(
            srun(*options, UNTIL, self.end_file), env=environment(**settings), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def has_begun(self):
        """Whether all ranks have met; false when the step ends before, or hangs."""
        begun = self.end_file.with_suffix(self.end_file.suffix + ".begun")
        try:
            world.wait_for(lambda: begun.exists() or not self.is_running(), "the ranks meet")
        except RuntimeError:
            return False
        return begun.exists()

    def is_running(self):
        return self.process.poll() is None

    def stop(self):
        """What it says until its end."""
        Job.running.remove(self)
        self.end_file.touch()
        self.out, err = self.process.communicate(timeout=world.PATIENCE_S)
        return err

    def end(self):
        """What it said on standard error. Fails unless its results are right and its status is 0."""
        err = self.stop()
        if (self.process.returncode, self.out) != (0, "right\n"):
            raise AssertionError(f"status {self.process.returncode}: {self.out}{err}")
        return err


def srun(*words):
    return site.login.words(["srun", f"--jobid={site.allocation}", "--overlap", f"-N{NODES}", f"-n{RANKS}",
                             "--mpi=pmix", *words], ADA)


def environment(**settings):
    return site.environment(**{**MPI, **LOCAL, "COX_INTERVAL": "100ms", "COX_LOG": 1, **settings})


class OnTheCluster(unittest.TestCase):
    """What tests of all ways to protect the network share."""

    @classmethod
    def setUpClass(cls):
        cls.settings = {}
        cls.coxd = cls.start_coxd()
        cls.addClassCleanup(cls.coxd.stop)
        cls.coxd.register(MACHINE)

    @staticmethod
    def use_server(address, *more):
        # A busy computer must not make a test fail where an answer is expected.
        words = [f"optional {PLUGIN} mode=off server={address} cox={COX} limit-ms=30000", *more]
        PLUGSTACK.write_text(" ".join(words) + "\n", encoding="utf-8")

    def job(self, *options, **settings):
        job = Job(*options, **{**self.settings, **settings})
        self.addCleanup(lambda: job.stop() if job in Job.running else None)
        return job

    def run_step(self, *words, **settings):
        done = subprocess.run(srun(*words), env=environment(**{**self.settings, **settings}), text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=world.PATIENCE_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def setUp(self):
        self.last = self.coxd.last()
        for node in site.nodes:
            node.run("rm", "-f", SPOOL)

    def wait_for(self, wanted):
        """All reports since from_now_on(), once `wanted` says that they are enough."""
        def enough():
            reports = self.coxd.reports(self.last)
            return reports if wanted(reports) else None
        try:
            return world.wait_for(enough, "timings arrive")
        except RuntimeError as late:
            reports = self.coxd.reports(self.last)
            said = "".join(job.stop() for job in list(Job.running))
            raise AssertionError(f"{late}; {len(reports)} of {nodes_of(reports)}; jobs said:\n{said[-4000:]}") from late

    def wait_for_all_nodes(self):
        """An alltoall has been reported from each node."""
        return self.wait_for(lambda reports: len(nodes_of(calls(reports, "alltoall"))) == NODES)

    def from_now_on(self):
        self.last = self.coxd.last()

    def measure(self, machine=MACHINE):
        """What an operator imports: pairwise was measured to be the fastest alltoall at every size."""
        rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
        for exponent in range(23):
            for algorithm, time_s in (("pairwise", 1e-6), ("default", 9e-6)):
                rows.append(f"{machine},{LIBRARY},alltoall,{algorithm},{NODES},{RANKS_PER_NODE},{RANKS},{1 << exponent},"
                            f"{time_s},100,4")
        self.coxd.ok("observations", "import", self.coxd.write("measured.csv", "\n".join(rows) + "\n"))


def calls(reports, collective):
    return [report for report in reports if report["collective"] == collective]


def nodes_of(reports):
    """Of jobs; timings from a file belong to none."""
    return {report["job"].rpartition("@")[2] for report in reports if "job" in report}


def algorithms_of(reports, collective):
    return {report["algorithm"] for report in calls(reports, collective)}


class Layouts(unittest.TestCase):
    def test_nobody_asks_for_a_step_whose_nodes_have_different_numbers_of_ranks(self):
        client = pathlib.Path("/srv/client")
        client.write_text(f"#!/bin/sh\necho \"$*\" >>{HOME}/questions\n")
        client.chmod(0o755)
        PLUGSTACK.write_text(f"optional {PLUGIN} mode=tune cox={client} library={LIBRARY} limit-ms=5000\n")
        asked = HOME / "questions"
        for nodes, wanted in ((("node1", "node2") * 2, ["--nodes 2 --ppn 2"]), (("node1",) * 3 + ("node2",), [])):
            asked.unlink(missing_ok=True)
            world.run(*site.login.words(["srun", f"--jobid={site.allocation}", "--overlap", "-N2", "-n4", "--overcommit",
                                         "--distribution=arbitrary", f"--nodelist={','.join(sorted(nodes))}", "true"], ADA),
                      env=environment(XDG_CACHE_HOME=f"/tmp/{len(wanted)}"))
            said = asked.read_text() if asked.exists() else ""
            self.assertEqual(re.findall("--nodes . --ppn .", said), wanted)


class WithMunge(OnTheCluster):
    """coxd without TLS in a network that the site trusts; agents report to it themselves."""

    @classmethod
    def start_coxd(cls):
        cls.use_server(f"head:{PORT}")
        cls.settings = {"COX_MUNGE": "coxswain"}
        settings = settings_of_page("the head node")
        return Coxd(site, site.head, "coxd-munge",
                    {name: value for name, value in settings.items() if not name.startswith("tls-")})

    def test_a_job_reports_then_it_is_tuned_then_steered(self):
        job = self.job("--cox=observe")
        first = self.wait_for_all_nodes()
        job.end()
        self.assertEqual({report["source"] for report in first}, {f"uid:{ADA}"})
        self.assertEqual(nodes_of(first), {node.name for node in site.nodes})
        self.assertTrue(all(report["job"].startswith(f"uid:{ADA}/slurm-{site.allocation}.") for report in first), first)
        self.assertEqual({(r["machine"], r["nodes"], r["ppn"], r["ranks"]) for r in first},
                         {(MACHINE, NODES, RANKS_PER_NODE, RANKS)})
        self.assertEqual(algorithms_of(first, "alltoall"), {"default"})

        self.measure()
        # The host that asked is none of the nodes, and none sees its files: the rules travel with the step.
        tuned = self.run_step("--cox=tune", f"--cox-library={LIBRARY}", "sh", "-c",
                              f'grep -q "{MACHINE}" "${RULES}" && hostname', XDG_CACHE_HOME="/tmp/tuned")
        self.assertEqual(sorted(tuned.stdout.split()), sorted(2 * [node.name for node in site.nodes]))
        self.from_now_on()
        job = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/tuned")
        reports = self.wait_for_all_nodes()
        job.end()
        self.assertNotIn("default", algorithms_of(reports, "alltoall"))

        # Of another machine, because by now coxd knows the real times of the measured algorithm.
        self.coxd.register("steered")
        self.measure("steered")
        job = self.job("--cox=apply", COX_PRIVATE="always", COX_MACHINE="steered")
        self.wait_for(lambda reports: algorithms_of(reports, "alltoall") - {"default"})
        self.assertIn("calls of rank 0 steered", job.end())

    def import_spools(self):
        """ada sends what jobs have left on the nodes. The number of its rows, and of those that have arrived."""
        before, left = len(self.coxd.reports()), 0
        for node in site.nodes:
            if not site.succeeds(node, "test", "-e", SPOOL):
                continue
            left += int(node.run("wc", "-l", SPOOL).split()[0]) - 1
            node.run(COX, "--server", f"head:{PORT}", "--munge", "coxswain", "observations", "import", "--from-jobs",
                     SPOOL, user=ADA)
            node.run("rm", SPOOL)
        return left, len(self.coxd.reports()) - before

    def test_a_killed_daemon_gets_the_timings_later(self):
        job = self.job("--cox=observe")
        self.wait_for_all_nodes()
        self.coxd.kill()
        self.coxd.start()
        self.from_now_on()
        self.wait_for_all_nodes()
        self.assertTrue(job.is_running())

        self.coxd.kill()
        started_without = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/killed")
        job.end()
        self.assertIn(AWAY, started_without.end())
        self.coxd.start()
        left, arrived = self.import_spools()
        self.assertGreater(left, 0)
        self.assertGreaterEqual(arrived, left)

    def test_a_daemon_that_is_cut_off_gets_the_timings_later(self):
        job = self.job("--cox=observe")
        self.wait_for_all_nodes()
        site.switch.set_link(site.head, "down")
        try:
            job.end()
        finally:
            site.switch.set_link(site.head, "up")
        left, arrived = self.import_spools()
        self.assertGreater(left, 0)
        self.assertGreaterEqual(arrived, left)


class OverTls(OnTheCluster):
    """coxd speaks TLS and nothing else. A relay on each host takes the reports of its agents, and passes questions on."""

    # Of docs/deploy.md: whose settings the relays have.
    relays_are = "the other nodes"
    plugin_words = ()
    roles = None

    @classmethod
    def start_coxd(cls):
        cls.use_server(f"unix:{SOCKET}", *cls.plugin_words)
        folder = pathlib.Path("/etc/coxswain")
        cls.authority = Authority(f"/srv/ca-{cls.__name__}", "head", site.head.address)
        cls.ca, cls.certificate, cls.key = (folder / name for name in ("ca.pem", "server.pem", "server.key"))
        cls.ca.write_bytes(cls.authority.certificate.read_bytes())
        cls.renew()
        settings = settings_of_page("the head node")
        return Coxd(site, site.head, f"coxd-{cls.__name__}", {**settings, "roles": cls.roles or settings["roles"]})

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.relays = []
        for host in (site.login, *site.nodes):
            token = pathlib.Path("/srv", f"{host.name}.token")
            token.write_text(cls.coxd.ok("token", "create", host.name, "--role", "reporter"))
            token.chmod(0o600)
            own(token)
            # Here all hosts have the same /etc.
            cls.relays.append(Daemon(site, host, f"relay-{cls.__name__}-{host.name}",
                                     settings_of_page(cls.relays_are) | {"relay-token-file": token}))
            cls.addClassCleanup(cls.relays[-1].stop)

    @classmethod
    def renew(cls, last_s=None):
        """A certificate that is valid until then, else for a day. Both files change at once, as far as coxd sees."""
        key, certificate = cls.key.with_name("new.key"), cls.certificate.with_name("new.pem")
        cls.authority.sign(time.time() - DAY_S, last_s or time.time() + DAY_S, certificate, key)
        own(key, certificate)
        key.chmod(0o600)
        key.replace(cls.key)
        certificate.replace(cls.certificate)

    def cox(self, *words, ca=None):
        """ada asks coxd from a node, over TLS, and proves by munge who she is."""
        return subprocess.run(
            site.nodes[0].words([COX, "--server", f"head:{PORT}", "--tls-ca", ca or self.ca, "--munge", "coxswain", *words],
                                ADA), env=site.environment(), text=True, capture_output=True, check=False)



class WithTls(OverTls):
    def test_relays_bring_a_job_and_its_tuning_together(self):
        job = self.job("--cox=observe")
        first = self.wait_for_all_nodes()
        job.end()
        self.assertEqual({report["source"] for report in first}, {f"token:{node.name}" for node in site.nodes})
        for report in first:
            node = report["source"].removeprefix("token:")
            self.assertRegex(report["job"], f"^token:{node}/uid:{ADA}/slurm-{site.allocation}[.][0-9]+@{node}$")
        self.measure()
        self.from_now_on()
        job = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/tuned-tls")
        reports = self.wait_for_all_nodes()
        job.end()
        self.assertNotIn("default", algorithms_of(reports, "alltoall"))

    def test_who_asks_is_proved_by_munge_and_coxd_by_its_certificate(self):
        whoami = self.cox("token", "whoami")
        self.assertEqual(whoami.stdout, f"uid:{ADA} reporter\n", whoami.stderr)
        other = Authority("/srv/other", "head", site.head.address)
        copy = pathlib.Path("/etc/coxswain/other.pem")
        copy.write_bytes(other.certificate.read_bytes())
        self.assertNotEqual(self.cox("token", "whoami", ca=copy).returncode, 0)

    def wait_for_relays_that_keep(self, before):
        """Each node's relay has timings that coxd does not take. `before`: how often it had said so."""
        def all_keep():
            return all(now > then for now, then in zip(self.complaints(), before))
        world.wait_for(all_keep, "relays keep timings")

    def complaints(self):
        return [relay.log().count("coxd does not answer the relay") for relay in self.relays[1:]]

    def test_relays_keep_the_timings_while_coxd_is_killed_and_cut_off(self):
        job = self.job("--cox=observe")
        self.wait_for_all_nodes()
        before = self.complaints()
        self.coxd.kill()
        site.switch.set_link(site.head, "down")
        try:
            self.wait_for_relays_that_keep(before)
            job.end()
            self.coxd.start()
            self.from_now_on()
        finally:
            site.switch.set_link(site.head, "up")
        self.wait_for(lambda reports: len(nodes_of(reports)) == NODES)

    def test_an_expired_certificate_stops_no_job_and_loses_no_timing(self):
        job = self.job("--cox=observe")
        self.wait_for_all_nodes()
        self.renew(time.time() - 60)
        world.wait_for(lambda: "it has expired" in self.coxd.log(), "coxd reads the file")
        self.assertEqual(self.cox("token", "whoami").returncode, 0, "coxd keeps the last good one")

        # Now one that coxd accepts, and that ends while it runs.
        for relay in self.relays:
            relay.stop()
        end_s = time.time() + 15
        self.addCleanup(self.renew)  # A failure here must not be one of the tests that follow.
        self.renew(end_s)
        self.coxd.stop()
        self.coxd.start()
        world.wait_for(lambda: time.time() > end_s + 1, "the certificate ends")
        self.assertNotEqual(self.cox("token", "whoami").returncode, 0)
        # A relay complains once, and if its spool has something, as soon as it starts.
        before = self.complaints()
        for relay in self.relays:
            relay.start()
        self.from_now_on()
        started_without = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/expired")
        self.wait_for_relays_that_keep(before)
        job.end()
        self.assertIn(AWAY, started_without.end())
        self.assertEqual(self.coxd.reports(self.last), [])
        self.renew()
        self.wait_for(lambda reports: len(nodes_of(reports)) == NODES)


class OnlyJobsReport(OverTls):
    """Users of the nodes may only ask. Steps prove by a credential of their job that they may report."""

    relays_are = "the other nodes, where only jobs report"
    plugin_words = ("job-credentials=coxswain",)
    # SlurmUser is root here.
    roles = "alice=admin, root=admin"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        EPILOG.write_text(script_of_page("end-credentials").replace("/usr/bin/cox", str(COX)), encoding="utf-8")
        cls.addClassCleanup(EPILOG.write_text, "#!/bin/sh\n", encoding="utf-8")

    def setUp(self):
        super().setUp()
        # A job of its own, which the test can end.
        outer = site.allocation
        self.addCleanup(setattr, site, "allocation", outer)
        site.allocation = site.allocate()
        self.addCleanup(site.end, site.allocation)

    def report(self, node, credential=None):
        """ada reports a timing to the relay of a node by herself; with a token's text as her proof, or none."""
        row = self.coxd.write("own.csv", f"machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
                              f"{MACHINE},{LIBRARY},alltoall,pairwise,1,2,2,8,1e-5\n")
        row.chmod(0o644)
        self.coxd.folder.chmod(0o755)
        proof = []
        if credential:
            file = HOME / "credential"
            file.write_text(credential, encoding="utf-8")
            os.chown(file, ADA, ADA)
            file.chmod(0o600)
            proof = ["--token-file", file]
        return subprocess.run(
            node.words([COX, "--server", f"unix:{SOCKET}", *proof, "observations", "import", "--from-jobs", row], ADA),
            env=site.environment(), text=True, capture_output=True, check=False)

    def credential(self, node):
        """The text of the running step's credential on a node."""
        return node.run("sh", "-c", "cat /run/coxswain-jobs/*").strip()

    def test_steps_report_and_nobody_else(self):
        job = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/only-jobs")
        reports = self.wait_for_all_nodes()
        for report in reports:
            node = report["source"].removeprefix("token:")
            self.assertRegex(report["job"], f"^token:{node}/uid:{ADA}/slurm-{site.allocation}[.][0-9]+@{node}$")
        self.assertEqual(nodes_of(reports), {node.name for node in site.nodes})
        refused = self.report(site.nodes[0])
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("reporter", refused.stderr)

        credential = self.credential(site.nodes[0])
        for node in site.nodes:
            shown = node.run("sh", "-c", "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; true")
            self.assertNotIn(credential, shown)
        job.end()
        self.assertNotIn(credential, "".join(path.read_text(errors="replace") for path in LOGS.iterdir()))

    def test_a_credential_ends_with_its_job_at_every_relay(self):
        job = self.job("--cox=observe", XDG_CACHE_HOME="/tmp/ends")
        self.wait_for_all_nodes()
        credential = self.credential(site.nodes[0])
        job.end()
        for node in site.nodes[:2]:
            kept = self.report(node, credential)
            self.assertEqual(kept.returncode, 0, kept.stderr)
        site.end(site.allocation)
        for node in site.nodes:
            world.wait_for(lambda n=node: self.report(n, credential).returncode != 0, f"{node.name} refuses the credential")
            self.assertIn("credential", self.report(node, credential).stderr)


class Removal(unittest.TestCase):
    def test_nothing_is_left_of_a_world_whose_test_is_killed(self):
        # Found by its length in seconds, which no other process has.
        length = str(10**6 + os.getpid())
        code = ("import subprocess, world\n"
                "world.enter()\n"
                "world.Switch()\n"
                "host = world.Host('other', 1)\n"
                f"subprocess.Popen(host.words(['setsid', 'sleep', '{length}'], {ADA}))\n"
                "print('up', flush=True)\n"
                "host.keeper.wait()\n")
        outside = {name: value for name, value in os.environ.items() if name != world.INSIDE}
        outside["PYTHONPATH"] = str(pathlib.Path(__file__).parent)
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=number):
                script = pathlib.Path("/srv/other.py")
                script.write_text(code, encoding="utf-8")
                test = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=outside)
                self.addCleanup(test.stdout.close)
                self.assertEqual(test.stdout.readline(), "up\n")
                world.wait_for(lambda: processes_naming(length), "the other host's process runs")
                test.send_signal(number)
                test.wait(world.PATIENCE_S)
                world.wait_for(lambda: not processes_naming(length), "all processes end")


def processes_naming(word):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue  # It has ended meanwhile.
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    arguments, rest = parser.parse_known_args()
    why = world.why_unavailable() if world.INSIDE not in os.environ else ""
    if not why and (absent := missing()):
        why = f"not installed: {', '.join(absent)}; see deploy/install-packages test"
    if why:
        print(f"skipped: {why}")
        sys.exit(world.SKIPPED)
    world.enter()
    site = Cluster(arguments.build.resolve())
    site.allocation = site.allocate()
    # The world ends its processes.
    outcome = unittest.main(argv=[sys.argv[0], *rest], verbosity=2, warnings="ignore", exit=False)
    if not outcome.result.wasSuccessful():
        print(site.logs())
        sys.exit(1)
