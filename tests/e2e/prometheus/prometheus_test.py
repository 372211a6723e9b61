#!/usr/bin/env python3
"""deploy/prometheus and deploy/grafana: promtool's checks, and a real Prometheus that scrapes a real
coxd, records, has an answer to each query of a dashboard, and notices the end of coxd.

usage: prometheus_test.py COXD SOURCE_DIR
"""

import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import dashboards
from reports import Reports

SKIPPED = 77
PATIENCE_S = 60
METRIC = re.compile(r"\bcoxd[_:][a-z0-9_:]+")
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def until(what, condition):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    raise AssertionError(f"waited {PATIENCE_S} s for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def promtool(*words):
    run = subprocess.run(["promtool", *words], capture_output=True, text=True)
    assert run.returncode == 0, f"promtool {' '.join(map(str, words))}:\n{run.stdout}{run.stderr}"


def check_files(source):
    folder = source / "deploy/prometheus"
    promtool("check", "config", folder / "prometheus.yml")
    promtool("check", "rules", folder / "coxd.rules.yml", folder / "coxd.alerts.yml")
    promtool("test", "rules", folder / "coxd.test.yml")
    alerts = set(re.findall(r"alert: (\w+)", (folder / "coxd.alerts.yml").read_text()))
    tested = set(re.findall(r"alertname: (\w+)\n +exp_alerts", (folder / "coxd.test.yml").read_text()))
    assert alerts == tested, f"alerts whose cause coxd.test.yml does not provoke: {alerts - tested}"


def check_names(source):
    """Rules and dashboards use only metrics that docs/http.md lists, and rules that exist."""
    documented = set(re.findall(r"^\| `(coxd_\w+)`", (source / "docs/http.md").read_text(), re.M))
    rules = (source / "deploy/prometheus/coxd.rules.yml").read_text()
    known = documented | set(re.findall(r"record: (\S+)", rules))
    texts = [rules, (source / "deploy/prometheus/coxd.alerts.yml").read_text()]
    for dashboard in dashboards.read(source).values():
        texts += [text for queries in dashboards.expressions(dashboard).values() for text in queries]
    used = {SUFFIX.sub("", name) for text in texts for name in METRIC.findall(text)}
    assert used - known == set(), f"unknown metrics: {sorted(used - known)}"
    assert len(used) > 8, used


class Watched:
    """A coxd, and a Prometheus that scrapes it each second by the shipped files."""

    def __init__(self, coxd, source, folder):
        self.processes = []
        self.http, self.web = free_port(), free_port()
        log = open(folder / "log", "w", encoding="utf-8")
        self.coxd = self.start(log, coxd, "--data", folder / "data", "--listen", f"unix:{folder}/socket",
                               "--http", f"127.0.0.1:{self.http}")
        self.reports = Reports(f"127.0.0.1:{self.http}")
        until("coxd to be ready", lambda: get(f"http://127.0.0.1:{self.http}/readyz"))
        self.reports.learn()
        shutil.copytree(source / "deploy/prometheus", folder / "prometheus")
        config = folder / "prometheus/prometheus.yml"
        text = config.read_text().replace("15s", "1s").replace("127.0.0.1:7078", f"127.0.0.1:{self.http}")
        config.write_text(text)
        self.start(log, "prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/tsdb",
                   f"--web.listen-address=127.0.0.1:{self.web}")

    def start(self, log, *words):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def value(self, expression):
        query = urllib.parse.quote(expression)
        answer = json.loads(get(f"http://127.0.0.1:{self.web}/api/v1/query?query={query}"))
        result = answer["data"]["result"]
        return float(result[0]["value"][1]) if result else None

    def alerts(self):
        answer = json.loads(get(f"http://127.0.0.1:{self.web}/api/v1/alerts"))
        return {alert["labels"]["alertname"] for alert in answer["data"]["alerts"]}

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(60)


def check_panels(watched, source):
    """Each query of each panel has an answer."""
    for dashboard in dashboards.read(source).values():
        for title, texts in dashboards.expressions(dashboard).items():
            for text in texts:
                until(f'the panel "{title}" to show {text}', lambda text=text: (
                    watched.value(text) is not None or watched.reports.work()))


def check_scrape(coxd, source, folder):
    watched = Watched(coxd, source, folder)
    try:
        until("Prometheus to scrape coxd", lambda: watched.value('up{job="coxd"}') == 1)
        until("a metric of coxd", lambda: watched.value("coxd_database_readable") == 1)
        until("calls to be counted by a recording rule", lambda: (
            watched.reports.call("MachineService/ListMachines", {}),
            (watched.value('coxd:rpc_calls:rate5m{method="cox.v1.MachineService/ListMachines"}') or 0) > 0)[1])
        check_panels(watched, source)
        assert "CoxdDown" not in watched.alerts()
        watched.coxd.send_signal(signal.SIGTERM)
        until("the alert that coxd is down", lambda: "CoxdDown" in watched.alerts())
    finally:
        watched.end()


def main():
    coxd, source = sys.argv[1], pathlib.Path(sys.argv[2])
    dashboards.check(source)
    check_names(source)
    for tool in ("promtool", "prometheus"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed (deploy/install-packages test)")
            return SKIPPED
    check_files(source)
    with tempfile.TemporaryDirectory(prefix="cox-prometheus-") as folder:
        check_scrape(coxd, source, pathlib.Path(folder))
    print("rules, alerts, dashboards and a real scrape: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
