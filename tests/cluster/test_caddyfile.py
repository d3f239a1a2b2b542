"""The Caddyfile is formatted, and valid in every environment that it is used in; and its bounds are in it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import caddy_binary
from tests.cluster.kustomize import render
from tests.cluster.manifests import CADDYFILE, service
from tests.wire.processes import ROOT

A_LIST = {"EDGE_WORKERS": "to 127.0.0.1:8001 127.0.0.1:8002"}
COMPOSED = dict(service("caddy").environment)
TLS = {**COMPOSED, "EDGE_SITE": "play.example.org", "EDGE_GLOBAL": "email admin@example.org", "EDGE_ACCESS_LOG": "log"}
PROXIED = {**COMPOSED, "EDGE_TRUSTED_PROXIES": "private_ranges 203.0.113.0/24", "EDGE_POLICY": "random"}
KUBERNETES = next(
    each["data"]
    for each in render(ROOT / "deploy" / "k8s" / "base")
    if (each["kind"], each["metadata"]["name"]) == ("ConfigMap", "edge")
)
ENVIRONMENTS = {
    "none": {}, "a list": A_LIST, "composed": COMPOSED, "TLS": TLS, "proxied": PROXIED, "Kubernetes": KUBERNETES,
}  # fmt: skip


def caddy(words: list[str], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    home = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
    return subprocess.run(
        [caddy_binary(), *words], env={**home, **environment}, cwd=folder, capture_output=True, text=True
    )


def adapted(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    done = caddy(["adapt", "--config", str(CADDYFILE)], environment, folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def every(part: Any, key: str) -> list[Any]:
    """Return all that is under a key, at any depth."""
    if isinstance(part, list):
        return [found for each in part for found in every(each, key)]
    if isinstance(part, dict):
        own = [part[key]] if key in part else []
        return own + [found for each in part.values() for found in every(each, key)]
    return []


def test_it_is_formatted(tmp_path: Path) -> None:
    assert caddy(["fmt", str(CADDYFILE)], {}, tmp_path).stdout == CADDYFILE.read_text("utf-8")


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_it_is_valid(environment: dict[str, str], tmp_path: Path) -> None:
    done = caddy(["validate", "--config", str(CADDYFILE)], environment, tmp_path)
    assert done.returncode == 0, done.stderr


def test_workers_come_by_a_list_or_by_a_name(tmp_path: Path) -> None:
    listed, named = adapted(A_LIST, tmp_path), adapted(COMPOSED, tmp_path)
    for upstreams in every(listed, "upstreams"):
        assert upstreams == [{"dial": "127.0.0.1:8001"}, {"dial": "127.0.0.1:8002"}]
    dynamic = every(named, "dynamic_upstreams")
    assert [(each["source"], each["name"], each["port"]) for each in dynamic] == [("a", "worker", "8000")] * 3
    for found in (listed, named):
        policies = every(found, "selection_policy")
        assert policies.count({"policy": "query", "key": "table"}) == 2
        assert policies.count({"policy": "round_robin"}) == 1
        assert [each["uri"] for each in every(found, "active")] == ["/readyz"] * 3
    policies = every(adapted(PROXIED, tmp_path), "selection_policy")
    assert [each["policy"] for each in policies].count("random") == 2


def test_nothing_is_without_bounds(tmp_path: Path) -> None:
    public = next(
        each for each in adapted(COMPOSED, tmp_path)["apps"]["http"]["servers"].values() if each["listen"] == [":8080"]
    )
    assert 0 < public["read_header_timeout"] <= 10e9
    assert 0 < public["read_timeout"] <= 60e9
    assert 0 < public["max_header_bytes"] <= 16_384
    assert sorted(every(public, "max_size")) == [1_024, 131_072, 131_072]
    assert every(public, "request_buffers") == [131_072] * 3
    assert all(delay >= 3_600e9 for delay in every(public, "stream_close_delay"))
    assert len(every(public, "stream_close_delay")) == 3


def test_a_name_has_tls_and_a_way_from_http(tmp_path: Path) -> None:
    servers = adapted(TLS, tmp_path)["apps"]["http"]["servers"].values()
    [public] = [each for each in servers if each["listen"] == [":8443"]]
    assert every(public["routes"][0]["match"], "host") == [["play.example.org"]]
    assert "automatic_https" not in public


def test_no_request_is_logged_unless_asked(tmp_path: Path) -> None:
    assert every(adapted(COMPOSED, tmp_path)["apps"], "logs") == []
    assert every(adapted(TLS, tmp_path)["apps"], "logs") != []
