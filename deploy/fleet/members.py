"""PostgreSQL and the daemons of a fleet, as processes of this host."""

import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import time
import urllib.request

from processes import Failure

# Longer than any machine needs to start a program.
PATIENCE_S = 60
POLL_S = 0.05


def wait_for(condition, what, process=None, log=None):
    """Returns the condition's first true value. Raises Failure if `process` ends before, or after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        ended = process is not None and process.poll() is not None
        if ended or time.monotonic() > end:
            said = log.read_text(encoding="utf-8").strip().splitlines()[-1:] if log else []
            raise Failure(": ".join([what + (" ended" if ended else f" took longer than {PATIENCE_S} s"), *said]))
        time.sleep(POLL_S)
    return value


def environment(**more):
    """The environment without anybody's settings of Coxswain, and with these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("COX_", "COXD_"))}
    return inherited | {name: str(value) for name, value in more.items()}


class Postgres:
    """A server with a database of the fleet, on a Unix socket in its folder. PostgreSQL refuses to run as root, so it
    then runs as user postgres."""

    def __init__(self, processes, folder):
        self.processes, self.folder = processes, folder
        self.log = folder / "server.log"
        self.server = None

    @staticmethod
    def programs():
        """The folder of initdb, of the newest version: Debian keeps it out of the path. None without PostgreSQL."""
        found = [path.parent for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")]
        if not found and (initdb := shutil.which("initdb")):
            found = [pathlib.Path(initdb).resolve().parent]
        return max(found, default=None, key=lambda path: [int(n) for n in re.findall(r"\d+", str(path))])

    @staticmethod
    def why_missing():
        if Postgres.programs() is None:
            return "PostgreSQL is not installed: `deploy/install-packages test` installs it"
        if os.geteuid() == 0 and not any(user.pw_name == "postgres" for user in pwd.getpwall()):
            return "there is no user postgres, and PostgreSQL refuses to run as root"
        return ""

    def url(self, database="coxswain"):
        return f"postgresql:///{database}?host={self.folder}&user=coxd"

    def start(self):
        self.folder.mkdir(mode=0o700)
        user = self._user()
        if user:
            os.chown(self.folder, user["user"], user["group"])
        # Only who may enter the folder reaches the socket, so PostgreSQL trusts them.
        self.processes.run([self.programs() / "initdb", "--pgdata", self.folder / "data", "--username", "coxd", "--auth",
                            "trust", "--encoding", "UTF8", "--locale", "C"], "initdb", text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.folder, **user)
        self.serve()
        self._psql("postgres", "CREATE DATABASE coxswain")

    def serve(self):
        """Starts the server, also after a crash()."""
        programs = self.programs()
        with open(self.log, "a", encoding="utf-8") as log:
            self.server = self.processes.start([programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-c",
                                                "listen_addresses="], stdout=log, stderr=log, cwd=self.folder,
                                               **self._user())
        ready = [programs / "pg_isready", "--quiet", "--host", self.folder, "--username", "coxd"]
        wait_for(lambda: subprocess.run(ready, check=False).returncode == 0, "PostgreSQL", self.server, self.log)

    def crash(self):
        """Ends all its processes at once: it can write nothing more, and recovers at its next start."""
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait()

    @staticmethod
    def _user():
        if os.geteuid() != 0:
            return {}
        postgres = pwd.getpwnam("postgres")
        return {"user": postgres.pw_uid, "group": postgres.pw_gid, "extra_groups": []}

    def _psql(self, database, sql):
        return self.processes.run([self.programs() / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                                   "--dbname", self.url(database), "--command", sql], "psql", text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, sql):
        """The rows of an answer, as lists of strings."""
        return [line.split("|") for line in self._psql("coxswain", "SET search_path = coxswain; " + sql).splitlines()]

    def number(self, sql):
        """The one number of an answer."""
        ((value,),) = self.ask(sql)
        return int(value)


class Coxd:
    """A daemon on free ports of loopback, with a data folder of its own."""

    def __init__(self, processes, program, store, folder, name):
        self.name = name
        self.log = folder / f"{name}.log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = processes.start(
                [program, "--store", store, "--data", folder / name, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                 "--refine-interval", "1s", "--published-machines", "false"], stdout=log, stderr=log, env=environment())
        self.address, self.http = wait_for(self._addresses, name, self.process, self.log)

    def _addresses(self):
        text = self.log.read_text(encoding="utf-8")
        found = [re.search(rf"event=listening {kind}=(\S+)", text) for kind in ("address", "http")]
        return all(found) and [match.group(1) for match in found]

    def call_count(self):
        """Calls in progress, with the streams of agents."""
        try:
            with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=PATIENCE_S) as answer:
                return float(re.search(r"^coxd_rpc_in_flight (\S+)", answer.read().decode(), re.M).group(1))
        except OSError as why:
            raise Failure(f"{self.name} does not show its metrics: {why}") from why

    def kill(self):
        """As a power failure would: it can save nothing."""
        self.process.kill()
        self.process.wait()
