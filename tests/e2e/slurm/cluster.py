"""A Slurm cluster of one node on loopback, of a test's own: munged, slurmctld, slurmd."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
PROGRAMS = (*DAEMONS, "srun", "sbatch", "salloc", "sinfo", "scancel")
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
START_LIMIT_S = 60
STOP_LIMIT_S = 20
CONFIGURATION = """\
ClusterName=coxtest
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
PlugStackConfig={folder}/plugstack.conf
{more}
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
"""


def program(name):
    return shutil.which(name, path=SEARCHED)


def missing():
    """The programs of Slurm that are not installed."""
    return [name for name in PROGRAMS if program(name) is None]


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Runs from start() to stop(). `more` are lines of slurm.conf."""

    def __init__(self, plugstack="", more=""):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cox-slurm-"))
        self.folder.chmod(0o755)
        self.processes = []
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o755)
        controller_port, node_port = free_ports(2)
        self.write("cgroup.conf", "")
        self.write("plugstack.conf", plugstack)
        self.write("slurm.conf", CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.getuid()).pw_name,
            folder=self.folder, controller_port=controller_port, node_port=node_port, more=more))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def environment(self, **settings):
        """For Slurm's commands; without this machine's settings for Slurm and Coxswain."""
        ours = {k: v for k, v in os.environ.items()
                if not k.startswith(("COX_", "SLURM", "OMPI_MCA_coll", "MPIR_CVAR", "LD_PRELOAD"))}
        ours.update(SLURM_CONF=str(self.folder / "slurm.conf"), PATH=SEARCHED)
        ours.update({k: str(v) for k, v in settings.items()})
        return ours

    def start(self):
        try:
            self.start_munge()
            self.start_daemon("slurmctld", "-D", "-c")
            self.start_daemon("slurmd", "-D")
            self.wait_for(lambda: self.node_state() == "idle", "the node is idle")
        except BaseException:
            self.stop()
            raise

    def start_munge(self):
        munge = self.folder / "munge"
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        words = ["--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}",
                 f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed"]
        self.start_daemon("munged", *words)
        self.wait_for((munge / "socket").exists, "munged listens")

    def start_daemon(self, name, *words):
        with open(self.folder / f"{name}.out", "ab") as out:
            self.processes.append(subprocess.Popen(
                [program(name), *words], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=self.environment()))

    def node_state(self):
        said = subprocess.run([program("sinfo"), "-h", "-o", "%T"], capture_output=True, text=True,
                              env=self.environment(), timeout=START_LIMIT_S)
        return said.stdout.strip()

    def wait_for(self, condition, what):
        deadline = time.monotonic() + START_LIMIT_S
        while not condition():
            ended = [p.args[0] for p in self.processes if p.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise RuntimeError(f"{what}: not reached; ended: {ended}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        paths = [*self.folder.glob("*.log"), *self.folder.glob("*.out"), *self.folder.glob("munge/log")]
        return "\n".join(f"-- {p.name}\n{p.read_text(errors='replace')[-2000:]}" for p in paths)

    def steps(self):
        """The numbers of the processes that look after this cluster's steps."""
        ours = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if ((process / "comm").read_text().startswith("slurmstepd")
                        and ours in (process / "environ").read_bytes().split(b"\0")):
                    found.append(int(process.name))
            except OSError:
                continue  # It has ended meanwhile.
        return found

    def end_steps(self):
        """Without a controller, slurmstepd tries for minutes to tell it that the step is over."""
        subprocess.run([program("scancel"), f"--user={os.getuid()}"], env=self.environment(),
                       capture_output=True, timeout=START_LIMIT_S)
        deadline = time.monotonic() + STOP_LIMIT_S
        while self.steps() and time.monotonic() < deadline:
            time.sleep(0.05)

    def stop(self):
        """Ends only the processes that it started, the last one first."""
        if len(self.processes) == len(DAEMONS):
            self.end_steps()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
        for step in self.steps():
            os.kill(step, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
