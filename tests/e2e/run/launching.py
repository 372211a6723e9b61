"""What the tests of launch hooks share: a daemon that has something to say, stand-ins for one that has not."""

import csv
import io
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading

import daemon

MACHINE = "m"
RANKS = 4
LIBRARY = {"openmpi": "openmpi-4.1", "mpich": "mpich-4.0"}
# Library -> collective -> the algorithm that is fastest, as if measured, at every size.
FASTEST = {
    "openmpi-4.1": {"alltoall": "pairwise", "allgather": "ring", "bcast": "binomial"},
    "mpich-4.0": {"bcast": "binomial", "allgather": "ring"},
}
# What the library's variables are called that a hook sets.
PREFIXES = ("COX_", "OMPI_MCA_coll_tuned", "MPIR_CVAR", "LD_PRELOAD")


def observations():
    rows = ["machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s,count,type_bytes"]
    for library, fastest in FASTEST.items():
        for collective, best in fastest.items():
            for exponent in range(23):
                size = 1 << exponent
                # Far apart: variables can only force one algorithm for all sizes.
                for name, time_s in ((best, 1e-6), ("default", 9e-6)):
                    rows.append(f"{MACHINE},{library},{collective},{name},1,{RANKS},{RANKS},{size},"
                                f"{time_s},100,1")
    return "\n".join(rows) + "\n"


class TaughtDaemon(daemon.Daemon):
    """A coxd that knows the machine from observations. It goes on learning: ask for its rules before a job reports."""

    def start(self):
        super().start()
        done = self("observations", "import", self.write("rows.csv", observations()))
        if done.code != 0:
            raise RuntimeError(str(done))

    def rules(self, library="openmpi-4.1", kind=None):
        """The text that the daemon gives, without what differs from call to call."""
        kind = kind or ("file" if library.startswith("openmpi") else "env")
        outcome = self("tune", "-m", MACHINE, "--nodes", "1", "--ppn", str(RANKS), "--library", library,
                       "--format", kind)
        return without_comments(outcome.out)

    def observed(self, library):
        """The timings of real jobs; imported ones have a count of 100."""
        exported = self("observations", "export").out
        return [row for row in csv.DictReader(io.StringIO(exported))
                if row["library"] == library and row["count"] != "100"]


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith(("#", "//"))]


class StandIn:
    """A socket instead of a daemon: takes connections and says `answer`, or nothing. Counts them."""

    def __init__(self, answer=b""):
        self.answer = answer
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.held = []
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            if self.answer:
                try:
                    connection.sendall(self.answer)
                except OSError:
                    pass
            self.held.append(connection)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()
        for connection in self.held:
            connection.close()


GARBAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\xff\xfe\x00\x01" * 20


class Absent:
    """Nobody listens."""

    connections = 0

    def __init__(self, folder):
        self.address = f"unix:{folder}/nobody"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def failing_daemons(folder):
    return {"absent": Absent(folder), "hanging": StandIn(), "garbage": StandIn(GARBAGE)}


class Scratch:
    """A folder of a test, and the environment of its jobs: nothing of this machine's own settings."""

    def __init__(self, test):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cox-launch-"))
        test.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, server, cache="cache", **settings):
        variables = {k: v for k, v in os.environ.items()
                     if not k.startswith((*PREFIXES, "SLURM", "PBS"))}
        variables.update(COX_SERVER=server, COX_MACHINE=MACHINE,
                         XDG_CACHE_HOME=str(self.folder / cache),
                         COX_SPOOL=str(self.folder / "spool.csv"))
        variables.update({k: str(v) for k, v in settings.items()})
        return variables


def run(words, environment, **options):
    return daemon.Outcome(subprocess.run(
        [str(word) for word in words], text=True, capture_output=True, env=environment,
        stdin=subprocess.DEVNULL, timeout=120, **options))


def settings_of(text):
    """The variables a hook sets, out of what `env` printed; the last of equal names."""
    pairs = (line.split("=", 1) for line in text.splitlines() if line.startswith(PREFIXES) and "=" in line)
    return {name: value for name, value in pairs}
