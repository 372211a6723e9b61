"""Processes that the quickstart starts, and that end with it, whatever happens.

Each one gets a session of its own: Ctrl-C then reaches only the quickstart, which ends them in
order, jobs before the daemon. Nothing is ended that was not started here or by an earlier
quickstart.
"""

import os
import signal
import subprocess
import time

# The daemon drains for at most 30 s.
PATIENCE_S = 35
# Where nobody collects orphans that have ended, they stay listed; that is not worth a longer wait.
ORPHANS_S = 1


class Failure(Exception):
    """What went wrong, for a person: one line."""


class Interrupted(BaseException):
    """A signal asks us to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def raise_on_signals():
    def interrupt(number, _frame):
        # A second one must not stop us from cleaning up.
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, interrupt)


def signal_group(process, number):
    """Whether anyone was left to get it."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    return True


class Processes:
    """The processes that are alive because of us, the eldest first."""

    def __init__(self):
        self._alive = []

    def start(self, command, **options):
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                   start_new_session=True, **options)
        self._alive.append(process)
        return process

    def stop(self, process):
        """Asks it and its children to end, insists when it takes too long, and waits for all."""
        if process in self._alive:
            self._alive.remove(process)
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

    def release(self, process):
        """Lets it go on without us."""
        self._alive.remove(process)

    def stop_all(self):
        for process in reversed(list(self._alive)):
            self.stop(process)

    def run(self, command, what, **options):
        """Runs to the end; Failure unless it exits with 0."""
        process = self.start(command, **options)
        output, errors = process.communicate()
        self._alive.remove(process)
        if process.returncode != 0:
            last = (errors or "").strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
            raise Failure(f"{what} failed: {last[0]}")
        return output

    def follow(self, command, what, on_line, **options):
        """The same, and calls on_line with each line of standard error as it comes."""
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


def runs_program(pid, program):
    """Whether process `pid` runs `program`, also one that was rebuilt or removed since."""
    try:
        running = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    return running.removesuffix(" (deleted)") == str(program.resolve())


def stop_kept_daemon(pid_file, program):
    """Stops the daemon that an earlier quickstart left running, if it is still that one."""
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
