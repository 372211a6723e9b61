"""A cluster in a world (world.py): a head node for coxd, a login node with slurmctld, and nodes with slurmd.

Each host has a munged of its own with the same key. ada runs jobs; coxswain runs coxd; alice is an
administrator of coxd. All hosts see the same /srv.
"""

import os
import pathlib
import re
import subprocess

import world

NODES = 4
RANKS_PER_NODE = 2
RANKS = NODES * RANKS_PER_NODE
ADA = 2001
COXSWAIN = 2002
ALICE = 2003
HOME = pathlib.Path("/srv/ada")
INSTALLED = pathlib.Path("/opt/coxswain")
LOGS = pathlib.Path("/srv/log")
COX = INSTALLED / "bin/cox"
COXD = INSTALLED / "bin/coxd"
PLUGIN = INSTALLED / "lib/cox_spank.so"
PLUGSTACK = pathlib.Path("/etc/slurm/plugstack.conf")
# Slurm runs it on the login node at the end of each job.
EPILOG = pathlib.Path("/etc/slurm/end-credentials")
# Ranks share few processors here, and find each other by the network that all hosts have.
MPI = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "eth0",
       "OMPI_MCA_mpi_yield_when_idle": "1", "SLURM_PMIX_FENCE": "tree"}
DAEMONS = ("munged", "slurmctld", "slurmd", "srun", "sinfo", "openssl")
SLURM = """\
ClusterName=coxtest
SlurmctldHost=login
AuthType=auth/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=/srv/slurm
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
PlugStackConfig=/etc/slurm/plugstack.conf
EpilogSlurmctld={epilog}
KillOnBadExit=1
NodeName=node[1-{nodes}] CPUs={ranks} State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
"""


def missing():
    return [name for name in DAEMONS if world.program(name) is None]


class Cluster:
    """Lives as long as the world."""

    def __init__(self, build):
        # The build may be anywhere, and its folders may be closed to ada.
        world.mount_empty("/mnt")
        world.mount_empty("/opt")
        for source, target in (("bin", "bin"), ("lib", "lib"), ("tests/e2e/cluster/programs", "programs")):
            world.bind(build / source, INSTALLED / target)
        world.mount_empty("/srv")
        world.copy_over("/etc")
        LOGS.mkdir(mode=0o777)
        LOGS.chmod(0o777)
        self.switch = world.Switch()
        self.head = world.Host("head", 1)
        self.login = world.Host("login", 2)
        self.nodes = [world.Host(f"node{i + 1}", 11 + i) for i in range(NODES)]
        self.hosts = [self.head, self.login, *self.nodes]
        self._name_everything()
        self.processes = {}
        self._start_slurm()

    def _name_everything(self):
        write = lambda name, text: pathlib.Path("/etc", name).write_text(text, encoding="utf-8")
        write("hosts", "127.0.0.1 localhost\n" + "".join(f"{h.address} {h.name}\n" for h in self.hosts))
        write("resolv.conf", "")
        write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
        write("passwd", "root:x:0:0::/root:/bin/sh\n"
              f"ada:x:{ADA}:{ADA}::{HOME}:/bin/sh\ncoxswain:x:{COXSWAIN}:{COXSWAIN}::/nonexistent:/bin/false\n"
              f"alice:x:{ALICE}:{ALICE}::/nonexistent:/bin/sh\n")
        write("group", f"root:x:0:\nada:x:{ADA}:\ncoxswain:x:{COXSWAIN}:\nalice:x:{ALICE}:\nhpc-staff:x:2010:\n")
        for folder in ("slurm", "munge", "coxswain"):
            path = pathlib.Path("/etc", folder)
            path.mkdir(exist_ok=True)
            path.chmod(0o755)
            os.chown(path, 0, 0)
        write("slurm/slurm.conf", SLURM.format(nodes=NODES, ranks=RANKS_PER_NODE, epilog=EPILOG))
        write("slurm/cgroup.conf", "")
        PLUGSTACK.write_text("", encoding="utf-8")
        EPILOG.write_text("#!/bin/sh\n", encoding="utf-8")
        EPILOG.chmod(0o755)
        key = pathlib.Path("/etc/munge/munge.key")
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        os.chown(key, 0, 0)
        HOME.mkdir(mode=0o755)
        os.chown(HOME, ADA, ADA)

    def start(self, host, *words, user=None, name=None):
        name = name or os.path.basename(str(words[0]))
        process = host.start(*words, user=user, log=LOGS / f"{host.name}.{name}", env=self.environment())
        self.processes[host.name, name] = process
        return process

    def _start_slurm(self):
        for host in self.hosts:
            host.run("mkdir", "-p", "/run/munge", "/run/slurmd")
            self.start(host, world.program("munged"), "--foreground", "--force", "--log-file=/run/munge/log",
                       "--pid-file=/run/munge/pid", "--seed-file=/run/munge/seed")
        for host in self.hosts:
            world.wait_for(lambda h=host: self.succeeds(h, "test", "-S", "/run/munge/munge.socket.2"), "munged listens")
        self.start(self.login, world.program("slurmctld"), "-D", "-c")
        for node in self.nodes:
            self.start(node, world.program("slurmd"), "-D", "-N", node.name)
        world.wait_for(self.is_idle, "all nodes are idle")

    def succeeds(self, host, *words):
        return subprocess.run(host.words(words), capture_output=True, check=False).returncode == 0

    def is_idle(self):
        said = subprocess.run(self.login.words(["sinfo", "-h", "-N", "-o", "%T"]), capture_output=True, text=True,
                              env=self.environment(), check=False)
        return said.stdout.split() == ["idle"] * NODES

    def environment(self, **settings):
        """Nothing of this computer's own settings."""
        return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(HOME), "USER": "ada",
                **{name: str(value) for name, value in settings.items()}}

    def allocate(self):
        """An allocation of all nodes for ada; its number."""
        done = subprocess.run(
            self.login.words(["salloc", f"-N{NODES}", f"-n{RANKS}", "--no-shell"], ADA), capture_output=True, text=True,
            env=self.environment(), timeout=world.PATIENCE_S, check=True)
        return re.search(r"Granted job allocation (\d+)", done.stderr).group(1)

    def end(self, allocation):
        self.login.run("scancel", allocation, user=ADA, env=self.environment())

    def logs(self):
        return "\n".join(f"-- {p.name}\n{p.read_text(errors='replace')[-1500:]}" for p in sorted(LOGS.glob("*")))
