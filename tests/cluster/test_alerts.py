"""The dashboard and the alerts: they load, each alert fires when it should, and all that they name is there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from tests.cluster.cluster import Cluster
from tests.wire.processes import ROOT

RULES = ROOT / "deploy" / "prometheus" / "rm.rules.yml"
DASHBOARDS = sorted((ROOT / "deploy" / "grafana" / "dashboards").glob("*.json"))
UNITS = frozenset({"short", "s", "reqps"})


def promtool(*words: str, folder: Path) -> str:
    """Run Prometheus' own checker, which must be content."""
    ran = subprocess.run(["promtool", *words], cwd=folder, capture_output=True, text=True, timeout=30)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    return [panel for file in DASHBOARDS for panel in json.loads(file.read_text("utf-8"))["panels"]]


def expressions() -> list[str]:
    """Return every PromQL expression of rules and panels, with Grafana's own variable filled in."""
    shown = [target["expr"] for panel in panels() for target in panel["targets"]]
    return [rule["expr"] for rule in rules()] + [expr.replace("$__rate_interval", "1m") for expr in shown]


def test_the_configuration_loads(tmp_path: Path) -> None:
    """By the paths that the container has, moved to a folder of the test's."""
    whole = (ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text("utf-8")
    assert "/etc/prometheus/*.rules.yml" in whole
    (tmp_path / "prometheus.yml").write_text(whole.replace("/etc/prometheus/", f"{tmp_path}/"))
    shutil.copy(RULES, tmp_path)
    assert f"{len(rules())} rules found" in promtool("check", "config", "prometheus.yml", folder=tmp_path)


def test_each_alert_fires_when_it_should_and_not_before(tmp_path: Path) -> None:
    cases = ROOT / "tests" / "cluster" / "rules.test.yml"
    for file in (RULES, cases):
        shutil.copy(file, tmp_path)
    promtool("test", "rules", cases.name, folder=tmp_path)
    for test in yaml.safe_load(cases.read_text("utf-8"))["tests"]:
        tried = {case["alertname"] for case in test["alert_rule_test"]}
        assert tried == {rule["alert"] for rule in rules()}, test["name"]


def test_what_each_alert_means_is_in_the_runbook() -> None:
    runbook = (ROOT / "deploy" / "README.md").read_text("utf-8")
    part = runbook.partition("## Alerts\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) == [rule["alert"] for rule in rules()]


def test_every_panel_says_what_it_shows_in_which_unit() -> None:
    assert len(panels()) >= 10
    for panel in panels():
        assert panel["title"]
        assert len(panel["description"]) > 20
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
        assert panel["targets"]


def test_every_expression_is_promql(tmp_path: Path) -> None:
    every = [{"record": f"a:b{n}", "expr": expr} for n, expr in enumerate(expressions())]
    (tmp_path / "all.yml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": every}]}))
    promtool("check", "rules", "all.yml", folder=tmp_path)


def test_grafana_finds_its_source_and_the_dashboards() -> None:
    provisioning = ROOT / "deploy" / "grafana" / "provisioning"
    [source] = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text("utf-8"))["datasources"]
    [folder] = yaml.safe_load((provisioning / "dashboards" / "folder.yml").read_text("utf-8"))["providers"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
    mounted = dict(volume.split(":")[:2] for volume in compose["grafana"]["volumes"])
    assert mounted["./deploy/grafana/dashboards"] == folder["options"]["path"]
    assert mounted["./deploy/grafana/provisioning"] == "/etc/grafana/provisioning"
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in panels()} == {source["uid"]}


async def test_a_worker_tells_all_that_is_watched(lent: Cluster, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{lent.workers[0].base}/metrics") as answer:
        told = set(re.findall(r"^(rm_\w+)", await answer.text(), re.MULTILINE))
    watched = {name for expr in expressions() for name in re.findall(r"rm_\w+", expr)}
    scaler = (ROOT / "deploy" / "k8s" / "base").glob("*.yaml")
    watched |= {name for file in scaler for name in re.findall(r"\{name: (rm_\w+)\}", file.read_text("utf-8"))}
    assert "rm_connections" in watched
    # Of what was never counted with these labels yet there is no line, only the announcement.
    assert watched - told <= {"rm_http_requests_total"} - told, watched - told


@pytest.fixture
async def http() -> Any:
    async with aiohttp.ClientSession() as http:
        yield http
