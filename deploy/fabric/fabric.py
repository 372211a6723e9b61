#!/usr/bin/env python3
"""A cluster of network namespaces: a kernel network with a known rate, on one computer.

    fabric.py up TAG NODES RATE            RATE as tc takes it: 20mbit
    fabric.py on TAG NODE COMMAND...       NODE: a number, or `switch`
    fabric.py start TAG MPI RANKS COMMAND...   an MPI job, a rank per namespace; MPI: openmpi or mpich
    fabric.py rate TAG RATE                another rate from now on, while jobs run
    fabric.py counters TAG                 drops and retransmissions; all have to be 0
    fabric.py down TAG

Each node is a namespace with one virtual wire to a bridge in a namespace of its own; both directions of each
wire are shaped. All namespaces share this computer's file systems and clock. Needs root; touches only
namespaces whose name begins with `cox-TAG-`. COX_FABRIC_SHIM names the library that `start` preloads
(libcox_fabric_shim.so of the build; without it MPICH's jobs may hang as they end). Why each setting is as it is:
docs/testbeds.md.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ENTER = HERE / "enter_node"
SUBNET = "10.77.0"
SWITCH_ADDRESS = f"{SUBNET}.254"
MOST_NODES = 64
MTU = 1500
# Jobs have priority over other programs, as if a launcher had given them the machine.
PRIORITY = -10
# A packet and its frame: a larger burst would pass trains of packets at memory speed.
BURST_BYTES = MTU + 100
# Large enough that many nodes can send to one at once without a drop.
QUEUE_BYTES = 64 << 20
# In a lossless network every timer that fires is a mistake.
LEAST_RETRANSMISSION_TIMEOUT = "4s"
# The kernel's defaults, for a network that loses packets.
USUAL_RETRANSMISSION_TIMEOUT = "200ms"
USUAL_RECOVERY = {"net.ipv4.tcp_early_retrans": 3, "net.ipv4.tcp_recovery": 1}
SETTINGS = {
    "net.ipv6.conf.all.disable_ipv6": 1,
    "net.ipv4.tcp_congestion_control": "reno",
    "net.ipv4.tcp_slow_start_after_idle": 0,
    "net.ipv4.tcp_no_metrics_save": 1,
    "net.ipv4.tcp_autocorking": 0,
    "net.ipv4.tcp_early_retrans": 0,
    "net.ipv4.tcp_recovery": 0,
    "net.ipv4.tcp_rmem": "4096 4194304 8388608",
    "net.ipv4.tcp_wmem": "4096 4194304 8388608",
}
LAUNCHERS = {
    "openmpi": "mpirun.openmpi -np {ranks} -H {hosts} --mca plm rsh --mca plm_rsh_agent {enter} "
               "--mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_num_concurrent 64 "
               "--mca orte_keep_fqdn_hostnames 1 --mca pml ob1 --mca btl tcp,self "
               "--mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 "
               "--mca mpi_yield_when_idle 1 --bind-to none --mca hwloc_base_binding_policy none",
    "mpich": "mpiexec.hydra -np {ranks} -hosts {hosts} -ppn 1 -launcher ssh -launcher-exec {enter} "
             f"-localhost {SUBNET}.1 -iface eth0 -bind-to none -genv UCX_TLS tcp,self "
             "-genv UCX_NET_DEVICES eth0",
}


class Unavailable(Exception):
    """This computer does not allow namespaces, or their shaping."""


def run(words, **options):
    done = subprocess.run([str(word) for word in words], stdin=options.pop("stdin", subprocess.DEVNULL),
                          text=True, capture_output=True, timeout=120, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def prefer():
    """Runs in a process that becomes a job with measured times."""
    os.nice(PRIORITY - os.nice(0))


def namespaces():
    return [line.split()[0] for line in run(["ip", "netns", "list"]).splitlines() if line.strip()]


def address(node):
    return f"{SUBNET}.{node + 1}"


def hardware_address(node):
    return f"02:c0:77:00:00:{node:02x}"


def shaper(rate, queue_bytes=QUEUE_BYTES):
    return ["root", "tbf", "rate", rate, "burst", BURST_BYTES, "limit", queue_bytes]


class Fabric:
    """`up` makes it, `down` removes it with all its processes; a `with` block does both, also after SIGTERM."""

    def __init__(self, tag, nodes=0, rate="20mbit", shim=None, shallow_bytes=None):
        """shallow_bytes: bytes in the queue of the port to node 0; TCP then keeps the kernel's default timers."""
        self.tag = tag
        self.nodes = nodes
        self.rate = rate
        self.shim = shim
        self.shallow_bytes = shallow_bytes

    @classmethod
    def of_this_process(cls, nodes, rate, shim=None, shallow_bytes=None):
        """Named after this process, so that a later process can remove what a killed one left."""
        return cls(f"p{os.getpid()}", nodes, rate, shim, shallow_bytes)

    @classmethod
    def existing(cls, tag, shim=None):
        fabric = cls(tag, shim=shim)
        fabric.nodes = sum(name != fabric.switch for name in fabric.mine())
        if fabric.nodes == 0:
            raise Unavailable(f"no fabric is up under the name {tag}")
        return fabric

    @property
    def switch(self):
        return f"cox-{self.tag}-switch"

    def node(self, number):
        return f"cox-{self.tag}-{number}"

    def mine(self):
        return [name for name in namespaces() if re.fullmatch(rf"cox-{re.escape(self.tag)}-(switch|\d+)", name)]

    def up(self):
        unavailable_because()
        if not 1 <= self.nodes <= MOST_NODES:
            raise ValueError(f"1 to {MOST_NODES} nodes")
        if self.mine():
            raise RuntimeError(f"a fabric is up already under the name {self.tag}")
        try:
            self._make_switch()
            for number in range(self.nodes):
                self._make_node(number)
            for number in range(self.nodes):
                self._name_neighbours(number)
        except BaseException:
            self.down()
            raise

    def _make_switch(self):
        run(["ip", "netns", "add", self.switch])
        link = ["ip", "-n", self.switch, "link"]
        run([*link, "set", "lo", "up"])
        run([*link, "add", "br0", "type", "bridge", "stp_state", 0, "mcast_snooping", 0, "ageing_time", 3000000])
        # If the host filters bridges, every frame would pass through its tables.
        subprocess.run(["ip", "netns", "exec", self.switch, "sysctl", "-qw",
                        "net.bridge.bridge-nf-call-iptables=0"], capture_output=True, check=False)
        run([*link, "set", "br0", "mtu", MTU, "up"])
        run(["ip", "-n", self.switch, "addr", "add", f"{SWITCH_ADDRESS}/24", "dev", "br0"])

    def _make_node(self, number):
        name, port = self.node(number), f"p{number}"
        run(["ip", "netns", "add", name])
        run(["ip", "-n", self.switch, "link", "add", port, "mtu", MTU, "type", "veth", "peer", "name", "eth0",
             "netns", name, "mtu", MTU, "address", hardware_address(number)])
        loses = self.shallow_bytes is not None
        settings = {**SETTINGS, **(USUAL_RECOVERY if loses else {})}
        run(["ip", "netns", "exec", name, "sysctl", "-qw", *(f"{k}={v}" for k, v in settings.items())])
        # One packet per buffer; otherwise the shaper would space trains of packets.
        for where, device in ((self.switch, port), (name, "eth0")):
            run(["ip", "-n", where, "link", "set", device, "gso_max_segs", 1])
        run(["ip", "-n", self.switch, "link", "set", port, "master", "br0", "up"])
        least_timeout = USUAL_RETRANSMISSION_TIMEOUT if loses else LEAST_RETRANSMISSION_TIMEOUT
        for line in (f"link set lo up\naddr add {address(number)}/24 dev eth0\nlink set eth0 up\n"
                     f"route replace {SUBNET}.0/24 dev eth0 src {address(number)} "
                     f"rto_min {least_timeout} initcwnd 64 initrwnd 64").splitlines():
            run(["ip", "-n", name, *line.split()])
        self._shape(number, "replace", self.rate)

    def _name_neighbours(self, number):
        """States all addresses, so that no packet waits for an address query."""
        for other in range(self.nodes):
            if other != number:
                run(["ip", "-n", self.node(number), "neigh", "replace", address(other), "lladdr",
                     hardware_address(other), "dev", "eth0", "nud", "permanent"])

    def _shape(self, number, how, rate):
        run(["tc", "-n", self.node(number), "qdisc", how, "dev", "eth0", *shaper(rate)])
        queue_bytes = self.shallow_bytes if number == 0 and self.shallow_bytes else QUEUE_BYTES
        run(["tc", "-n", self.switch, "qdisc", how, "dev", f"p{number}", *shaper(rate, queue_bytes)])

    def set_rate(self, rate):
        """Sets the rate of all wires, also while jobs run; queued packets stay."""
        for number in range(self.nodes):
            self._shape(number, "change", rate)
        self.rate = rate

    def counters(self):
        """Packets that shapers dropped, and retransmitted segments. Either means that times show TCP's timers."""
        drops = again = 0
        for number in range(self.nodes):
            for where, device in ((self.node(number), "eth0"), (self.switch, f"p{number}")):
                text = run(["tc", "-n", where, "-s", "qdisc", "show", "dev", device])
                drops += sum(map(int, re.findall(r"dropped (\d+)", text)))
            lines = run(["ip", "netns", "exec", self.node(number), "cat", "/proc/net/snmp"]).splitlines()
            names, values = [line.split() for line in lines if line.startswith("Tcp:")]
            again += int(values[names.index("RetransSegs")])
        return {"dropped": drops, "retransmitted": again}

    def on(self, where, words):
        """The words that run a command in a node, given by its number, or in the switch."""
        name = self.switch if where == "switch" else self.node(int(where))
        return [str(ENTER), "-w", name, *map(str, words)]

    def launcher(self, mpi, ranks):
        """The words of the MPI's own launcher, for node 0; rank i runs in node i."""
        hosts = ",".join(self.node(number) for number in range(ranks))
        return LAUNCHERS[mpi].format(ranks=ranks, hosts=hosts, enter=ENTER).split()

    def environment(self, **more):
        """Variables that a launcher needs, and those that make ranks wait instead of spin."""
        variables = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}
        if self.shim:
            preloads = variables.get("LD_PRELOAD", "").split(":")
            variables["LD_PRELOAD"] = ":".join([p for p in preloads if p] + [str(self.shim)])
        return variables

    def job(self, mpi, ranks, command, before=()):
        """The words that start a job; `before` stands in front of the launcher, as `cox run --` does. Start it
        with `environment()`."""
        forward = ["-x", "LD_PRELOAD"] if mpi == "openmpi" and self.shim and not before else []
        return self.on(0, [*before, *self.launcher(mpi, ranks), *forward, *command])

    def down(self):
        """Ends all processes of the namespaces first: a namespace outlives its deletion while a process runs in it."""
        for sent in (signal.SIGTERM, signal.SIGKILL):
            for pid in self._processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sent)
            end = time.monotonic() + 5
            while self._processes() and time.monotonic() < end:
                time.sleep(0.05)
        for name in self.mine():
            run(["ip", "netns", "del", name])

    def _processes(self):
        pids = {int(pid) for name in self.mine() for pid in run(["ip", "netns", "pids", name]).split()}
        return pids - {os.getpid()}

    def __enter__(self):
        remove_orphans()
        self.previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.up()
        return self

    def __exit__(self, *_):
        self.down()
        signal.signal(signal.SIGTERM, self.previous)


def remove_orphans():
    """Fabrics of processes that have ended."""
    tags = {found[1] for name in namespaces() if (found := re.match(r"cox-(p\d+)-", name))}
    for tag in tags:
        if not pathlib.Path("/proc", tag[1:]).exists():
            Fabric(tag).down()


def unavailable_because():
    """Raises Unavailable, which names the missing part."""
    if os.geteuid() != 0:
        raise Unavailable("network namespaces need root")
    for program in ("ip", "tc", "unshare", "sysctl"):
        if shutil.which(program) is None:
            raise Unavailable(f"cannot find {program}")
    probe = f"cox-probe-{os.getpid()}"
    try:
        run(["ip", "netns", "add", probe])
        try:
            run(["tc", "-n", probe, "qdisc", "add", "dev", "lo", *shaper("20mbit")])
            run(["unshare", "-u", "true"])
        finally:
            run(["ip", "netns", "del", probe])
    except RuntimeError as refused:
        raise Unavailable(str(refused)) from refused


def skip_if_unavailable():
    """Ends a test script as skipped if this computer cannot run a fabric, and prints why."""
    try:
        unavailable_because()
    except Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(77)


def main(words):
    if len(words) < 2:
        sys.exit(__doc__)
    verb, tag, *rest = words
    shim = os.environ.get("COX_FABRIC_SHIM")
    try:
        if verb == "up":
            Fabric(tag, int(rest[0]), rest[1]).up()
        elif verb == "on":
            os.execvp(str(ENTER), Fabric(tag).on(rest[0], rest[1:]))
        elif verb == "start":
            fabric = Fabric.existing(tag, shim)
            os.execvpe(str(ENTER), fabric.job(rest[0], int(rest[1]), rest[2:]), fabric.environment())
        elif verb == "rate":
            Fabric.existing(tag).set_rate(rest[0])
        elif verb == "counters":
            print(*(f"{k} {v}" for k, v in Fabric.existing(tag).counters().items()), sep="\n")
        elif verb == "down":
            Fabric(tag).down()
        else:
            sys.exit(__doc__)
    except (Unavailable, RuntimeError, ValueError, IndexError) as problem:
        sys.exit(f"fabric.py: {problem}")


if __name__ == "__main__":
    main(sys.argv[1:])
