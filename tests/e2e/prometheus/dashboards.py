"""What Grafana expects of deploy/grafana, checked without Grafana: the provisioning names files and a
data source that exist, and a dashboard's panels have what Grafana needs to draw them."""

import json
import re

COLUMNS = 24  # of Grafana's grid
KINDS = {"stat", "timeseries"}


def read(source):
    paths = sorted((source / "deploy/grafana/dashboards").glob("*.json"))
    assert paths, "no dashboard"
    return {path.name: json.loads(path.read_text()) for path in paths}


def expressions(dashboard):
    """The queries of all panels, by title, for all instances."""
    return {panel["title"]: [target["expr"].replace("$instance", ".*") for target in panel["targets"]]
            for panel in dashboard["panels"]}


def check_provisioning(source):
    folder = source / "deploy/grafana"
    provider = (folder / "provisioning/dashboards/coxd.yml").read_text()
    [path] = re.findall(r"^\s+path: \$COX_GRAFANA/(\S+)$", provider, re.M)
    assert list((folder / path).glob("*.json")), f"the provisioning names {path}: no dashboard there"
    [uid] = re.findall(r"^\s+uid: (\S+)$", (folder / "provisioning/datasources/prometheus.yml").read_text(), re.M)
    return uid


def check_panel(panel, uid):
    assert panel["type"] in KINDS, panel["type"]
    assert panel["title"], "no title"
    assert panel["datasource"] == {"type": "prometheus", "uid": uid}, panel["datasource"]
    place = panel["gridPos"]
    assert 0 <= place["x"] and place["x"] + place["w"] <= COLUMNS, place
    assert place["y"] >= 0 and place["w"] >= 1 and place["h"] >= 1, place
    assert panel["targets"], "no query"
    names = [target["refId"] for target in panel["targets"]]
    assert len(set(names)) == len(names), f"two queries have the same refId: {names}"
    for target in panel["targets"]:
        assert set(re.findall(r"\$(\w+)", target["expr"])) <= {"instance"}, target["expr"]


def check_places(panels):
    taken = {}
    for panel in panels:
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                other = taken.setdefault((x, y), panel["title"])
                assert other == panel["title"], f'"{panel["title"]}" lies over "{other}"'


def check(source):
    uid = check_provisioning(source)
    for name, dashboard in read(source).items():
        panels = dashboard["panels"]
        assert dashboard["uid"] and dashboard["title"] and dashboard["schemaVersion"] >= 30, name
        ids = [panel["id"] for panel in panels]
        assert len(set(ids)) == len(ids), f"{name}: two panels have the same id"
        assert len({panel["title"] for panel in panels}) == len(ids), f"{name}: two panels have the same title"
        for variable in dashboard["templating"]["list"]:
            assert variable["datasource"]["uid"] == uid, f"{name}: {variable['name']}"
        for panel in panels:
            try:
                check_panel(panel, uid)
            except (AssertionError, KeyError) as error:
                raise AssertionError(f'{name}: "{panel.get("title")}": {error!r}') from error
        check_places(panels)
