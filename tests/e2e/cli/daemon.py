"""A coxd of a test's own, and cox talking to it."""

import json
import os
import signal
import subprocess
import tempfile


class Outcome:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    def __str__(self):
        return f"exit code {self.code}\n{self.out}{self.err}"


def run(words, **options):
    return Outcome(
        subprocess.run(words, text=True, capture_output=True, stdin=subprocess.DEVNULL, **options)
    )


class Daemon:
    """Starts when entered, on a Unix socket; ends when left. Without published machines, unless
    they are wanted."""

    def __init__(self, coxd, cox, published=False):
        self.coxd = coxd
        self.published = published
        self.cox = cox
        self.folder = tempfile.TemporaryDirectory(prefix="cox-cli-")
        self.address = "unix:" + self.path("socket")
        self.listen = self.address
        self.options = []  # of coxd
        self.process = None

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def start(self):
        with open(self.path("log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.coxd, "--data", self.path("data"), "--listen", self.listen,
                 "--published-machines", "true" if self.published else "false", *self.options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        while self("machine", "list").code != 0:
            if self.process.poll() is not None:
                raise RuntimeError("coxd ended: " + self.read("log"))

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def __call__(self, *words, **options):
        return run([self.cox, "--server", self.address, *words], **options)

    def json(self, *words):
        outcome = self("--json", *words)
        if outcome.code != 0:
            raise AssertionError(f"cox {' '.join(words)}: {outcome}")
        return json.loads(outcome.out)

    def answer(self, *words):
        """The answer to a question about one point."""
        (answer,) = self.json(*words)["responses"]
        return answer


class Asking:
    """For tests with a `self.daemon`: what its answers must be."""

    def ok(self, *words, **options):
        outcome = self.daemon(*words, **options)
        self.assertEqual(outcome.code, 0, f"cox {' '.join(words)}: {outcome}")
        return outcome.out

    def refused(self, code, message, *words, **options):
        """One line on stderr that says `message`."""
        outcome = self.daemon(*words, **options)
        self.assertEqual(outcome.code, code, f"cox {' '.join(words)}: {outcome}")
        self.assertIn(message, outcome.err)
        self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
        self.assertTrue(outcome.err.startswith("cox: "), outcome.err)
        return outcome
