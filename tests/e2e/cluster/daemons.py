"""coxd on the head node of a cluster, and relays on its nodes, with the configurations of docs/deploy.md."""

import json
import os
import pathlib
import re
import subprocess
import tomllib

import world
from cluster import ALICE, COX, COXD, COXSWAIN

SOCKET = "/run/coxswain/coxd.sock"
PORT = 7077
MACHINE = "coxtest"
REGISTERED = """\
[machine]
name = "{machine}"
nodes = 4
cores_per_node = 2
[machine.topology]
kind = "fat-tree"
"""
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/deploy.md"


def block_of_page(before):
    """The lines of the block of the page that follows the text `before`, a regular expression."""
    found = re.search(rf"{before}((?:    .+\n)+)", PAGE.read_text(encoding="utf-8"), re.M)
    return re.sub("^    ", "", found[1], flags=re.M)


def settings_of_page(whose):
    """The settings for coxd.toml of `whose`."""
    return tomllib.loads(block_of_page(rf"^    # /etc/coxswain/coxd\.toml of {whose}\n"))


def script_of_page(name):
    """The script of this name in /etc/slurm: the block below the paragraph that ends with the name."""
    return block_of_page(rf"/etc/slurm/{name}`:\n\n")


class Daemon:
    """A coxd or a relay on a host, as user coxswain, which can be killed and started again."""

    def __init__(self, cluster, host, name, settings):
        self.cluster, self.host, self.name = cluster, host, name
        self.folder = pathlib.Path("/srv", name)
        self.folder.mkdir()
        own(self.folder)
        host.run("install", "-d", "-o", str(COXSWAIN), "-m", "0755", "/run/coxswain")
        self.config = self.folder / "coxd.toml"
        settings = {"data": self.folder / "data", **settings}
        if "relay" not in settings:
            settings["published-machines"] = "false"
        self.config.write_text("".join(f'{key} = "{value}"\n' for key, value in settings.items()), encoding="utf-8")
        self.process = None
        self.start()

    def start(self):
        self.process = self.cluster.start(self.host, COXD, "--config", self.config, user=COXSWAIN, name=self.name)
        world.wait_for(lambda: self.answers() or self.process.poll() is not None, f"{self.name} answers")
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended: {self.log()}")

    def answers(self):
        """A relay answers by itself only that it is there."""
        return self.cluster.succeeds(self.host, "test", "-S", SOCKET)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(world.PATIENCE_S)

    def log(self):
        return pathlib.Path(f"/srv/log/{self.host.name}.{self.name}").read_text(errors="replace")


class Coxd(Daemon):
    """coxd on the head node. alice administers it over the Unix socket."""

    def answers(self):
        return self.cox("machine", "list").returncode == 0

    def cox(self, *words):
        return subprocess.run(
            self.host.words([COX, "--server", f"unix:{SOCKET}", *words], ALICE), text=True, capture_output=True,
            env=self.cluster.environment(), timeout=world.PATIENCE_S, check=False)

    def ok(self, *words):
        done = self.cox(*words)
        if done.returncode != 0:
            raise AssertionError(f"cox {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def register(self, machine):
        self.ok("machine", "import", self.write("machine.toml", REGISTERED.format(machine=machine)))

    def reports(self, after=0):
        """The timings of jobs with a greater number than `after`, newest first."""
        rows = json.loads(self.ok("--json", "observations", "list", "--limit", "0"))["observations"]
        return [row for row in rows if row["measurement"] == "MEASUREMENT_JOB" and row["id"] > after]

    def last(self):
        """The number of the newest timing of a job; 0 without one."""
        return max((row["id"] for row in self.reports()), default=0)


def own(*paths):
    for path in paths:
        os.chown(path, COXSWAIN, COXSWAIN)
