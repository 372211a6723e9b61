"""A world of a test's own: hosts of network namespaces behind a bridge, and nothing of this computer's network.

The test runs again as a child in new namespaces (PID, mount, network, IPC, UTS). When the child ends, the kernel ends
all its processes and removes its mounts, wires and namespaces, also if somebody kills the test. The world has no route out.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

INSIDE = "COX_TEST_WORLD"
PROGRAMS = ("ip", "mount", "nsenter", "setpriv", "unshare")
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
NAMESPACES = ("--mount", "--net", "--pid", "--ipc", "--uts")
SUBNET = "10.0.0"
# Dies with its parent, however that ends.
WITH_PARENT = ["setpriv", "--pdeathsig", "KILL"]
PATIENCE_S = 60
POLL_S = 0.02
SKIPPED = 77


def program(name):
    return shutil.which(name, path=SEARCHED)


def why_unavailable():
    """What keeps this computer from having a world; "" if nothing does."""
    if os.geteuid() != 0:
        return "namespaces need root"
    if absent := [name for name in PROGRAMS if program(name) is None]:
        return f"not installed: {', '.join(absent)}; see deploy/install-packages test"
    tried = subprocess.run(
        ["unshare", *NAMESPACES, "--fork", "--mount-proc", "sh", "-ec",
         "mount -t tmpfs none /mnt; ip link add name br0 type bridge; ip link add name v0 type veth peer name v1"],
        env={**os.environ, "PATH": SEARCHED}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"no namespaces here: {tried.stderr.strip()}"


def enter():
    """Returns inside of a new world. Outside, runs this program again in it, and ends with its status."""
    if INSIDE in os.environ:
        return
    # A shell is the first process: it waits for all orphans.
    words = [*WITH_PARENT, "unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", '"$@"; exit $?', "sh", sys.executable, *sys.argv]
    child = subprocess.Popen(words, env={**os.environ, INSIDE: "1", "PATH": SEARCHED})

    def end(number, _):
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    try:
        sys.exit(child.wait())
    finally:
        child.kill()
        child.wait()


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def mount_empty(*folders):
    for folder in folders:
        run("mount", "-t", "tmpfs", "-o", "mode=0755", "none", folder)


def bind(source, target):
    pathlib.Path(target).mkdir(parents=True, exist_ok=True)
    run("mount", "--bind", source, target)


def copy_over(folder):
    """Makes the world's copy of a folder: changes of it stay in the world."""
    copy = f"/mnt{folder}"
    run("cp", "-a", folder, copy)
    run("mount", "--bind", copy, folder)


def wait_for(condition, what, patience_s=PATIENCE_S):
    """Returns the condition's first true value."""
    deadline = time.monotonic() + patience_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what}: not within {patience_s} s")
        time.sleep(POLL_S)
    return value


class Switch:
    """The bridge in the world's own network namespace, which has no address: no host reaches it."""

    def __init__(self):
        run("ip", "link", "add", "br0", "type", "bridge", "stp_state", "0")
        run("ip", "link", "set", "br0", "up")

    def set_link(self, host, state):
        """Pulls the wire of a host out (`down`), or plugs it in (`up`)."""
        run("ip", "link", "set", host.port, state)


class Host:
    """A host with a name, an address, an empty /run, /tmp and /dev/shm; the other folders are the world's."""

    def __init__(self, name, number):
        self.name = name
        self.port = f"to-{name}"
        self.address = f"{SUBNET}.{number}"
        setup = ("mount -t tmpfs -o mode=0755 none /run; mount -t tmpfs -o mode=1777 none /tmp; "
                 f"mount -t tmpfs -o mode=1777 none /dev/shm; hostname {name}; ip link set lo up; "
                 "echo ready; exec sleep infinity")
        self.keeper = subprocess.Popen(
            ["unshare", "--mount", "--net", "--ipc", "--uts", "sh", "-ec", setup], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "ready\n":
            raise RuntimeError(f"{name}: no namespace")
        run("ip", "link", "add", self.port, "master", "br0", "type", "veth", "peer", "name", "eth0",
            "netns", str(self.keeper.pid))
        run("ip", "link", "set", self.port, "up")
        self.run("ip", "addr", "add", f"{self.address}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")

    def words(self, words, user=None):
        """The words that run a command on this host, as root or as a user with the group of the same number."""
        entering = ["nsenter", "--target", self.keeper.pid, "--net", "--uts", "--mount", "--ipc", "--wd=/"]
        if user is not None:
            entering += ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
        return [str(word) for word in [*entering, *words]]

    def run(self, *words, user=None, **options):
        return run(*self.words(words, user), **options)

    def start(self, *words, user=None, log, **options):
        """A process whose number is that of the command itself."""
        with open(log, "ab") as out:
            return subprocess.Popen(self.words(words, user), stdin=subprocess.DEVNULL, stdout=out, stderr=out, **options)

