"""Processes that the quickstart starts, and that always end with it.

Each one gets its own session: Ctrl-C then reaches only the quickstart, which ends them in order,
jobs before the daemon. It ends only processes that it or an earlier quickstart has started.
"""

import os
import signal
import socket
import subprocess
import time

# The daemon drains for at most 30 s.
PATIENCE_S = 35
# The kernel's limit for the path of a Unix socket.
MOST_SOCKET_BYTES = 107
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Without a process that reaps orphans, ended ones stay listed: do not wait longer for them.
ORPHANS_S = 1


class Failure(Exception):
    """What went wrong, in one line for people."""


class Interrupted(BaseException):
    """A signal asks the quickstart to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def raise_on_signals():
    def interrupt(number, _frame):
        # A second one must not stop us from cleaning up.
        for each in ENDING_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    for each in ENDING_SIGNALS:
        signal.signal(each, interrupt)


class signals_held:
    """Delays the signals that end the quickstart, so that what is inside is done whole or not at all."""

    def __enter__(self):
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        return self

    def __exit__(self, *_):
        self.release()

    def release(self):
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def signal_group(process, number):
    """Returns whether a process was left to get it."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True


class Processes:
    """The running processes that the quickstart has started, the oldest first."""

    def __init__(self):
        self._alive = []

    def start(self, command, before_exec=lambda: None, **options):
        """Starts a command; `before_exec` runs in the process that becomes it."""
        # A signal between the start and the list would leave a process that nobody ends.
        with signals_held() as held:
            def prepare():
                held.release()
                before_exec()
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       start_new_session=True, preexec_fn=prepare, **options)
            self._alive.append(process)
        return process

    def stop(self, process):
        """Asks it and its children to end, kills them after PATIENCE_S, and waits for all."""
        if signal_group(process, signal.SIGTERM):
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                pass
            # Children that the process itself has not waited for.
            signal_group(process, signal.SIGKILL)
        process.wait()
        end = time.monotonic() + ORPHANS_S
        while signal_group(process, 0) and time.monotonic() < end:
            time.sleep(0.01)
        if process in self._alive:
            self._alive.remove(process)

    def release(self, process):
        """Lets it continue after the quickstart."""
        self._alive.remove(process)

    def stop_all(self):
        for process in reversed(list(self._alive)):
            self.stop(process)

    def run(self, command, what, **options):
        """Runs to the end. Returns its output; raises Failure unless it exits with 0."""
        process = self.start(command, **options)
        output, errors = process.communicate()
        self._alive.remove(process)
        if process.returncode != 0:
            last = (errors or "").strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
            raise Failure(f"{what} failed: {last[0]}")
        return output

    def follow(self, command, what, on_line, **options):
        """Runs to the end and calls on_line with each line of standard error as it comes."""
        process = self.start(command, stderr=subprocess.PIPE, **options)
        last = ""
        with process.stderr:
            for line in process.stderr:
                last = line.strip() or last
                on_line(line.rstrip())
        process.wait()
        self._alive.remove(process)
        if process.returncode != 0:
            raise Failure(f"{what} failed: {last or f'exit status {process.returncode}'}")


def free_address(usual_port):
    """The usual port on loopback, or, where that is taken, one that the kernel chooses."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", usual_port))
            port = usual_port
        except OSError:
            port = 0
    return f"127.0.0.1:{port}"


def socket_address(folder):
    """A Unix socket in the folder."""
    path = os.path.realpath(os.path.join(folder, "socket"))
    if len(path.encode()) > MOST_SOCKET_BYTES:
        raise Failure(f"--state: the path {path} is too long for a socket")
    return f"unix:{path}"


def runs_program(pid, program):
    """Whether process `pid` runs `program`, even if that was rebuilt or removed since."""
    try:
        running = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    return running.removesuffix(" (deleted)") == str(program.resolve())


def stop_kept_daemon(pid_file, program):
    """Stops the daemon that an earlier quickstart left running, if the pid is still that daemon."""
    try:
        pid = int(pid_file.read_text())
    except (OSError, ValueError):
        return
    if runs_program(pid, program):
        print(f"stopping the daemon of an earlier quickstart (pid {pid})", flush=True)
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + PATIENCE_S
        while runs_program(pid, program):
            if time.monotonic() > end:
                raise Failure(f"process {pid} does not end; stop it and try again")
            time.sleep(0.05)
    pid_file.unlink()
