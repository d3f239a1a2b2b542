"""The manifests of deploy/k8s: right by Kubernetes' own schemas, and the same program as everywhere else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from server.config import table
from server.serving import CLOSE_WITHIN_S, DRAIN_WITHIN_S, STORE_WITHIN_S
from tests.cluster.kustomize import Resource, containers, pod_of, render
from tests.cluster.manifests import service
from tests.wire.processes import ROOT

K8S = ROOT / "deploy" / "k8s"
KUBERNETES = "1.34"


@pytest.fixture(params=["valkey-inside", "valkey-outside"])
def rendered(request: pytest.FixtureRequest, tmp_path: Path) -> list[Resource]:
    """All that would be applied."""
    copy = tmp_path / "k8s"
    shutil.copytree(K8S, copy)
    (copy / "valkey-outside" / "store-url").write_text("rediss://user:password@store.example.org:6379/0")
    return render(copy / request.param)


def one(rendered: list[Resource], kind: str, name: str) -> Resource:
    [found] = [each for each in rendered if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def workloads(rendered: list[Resource]) -> list[Resource]:
    return [each for each in rendered if pod_of(each) is not None]


def test_each_resource_is_right_by_its_schema(rendered: list[Resource]) -> None:
    names = [(each["kind"], each["metadata"]["name"]) for each in rendered]
    assert len(set(names)) == len(names)
    for resource in rendered:
        kubernetes_validate.validate(resource, KUBERNETES, strict=True)


def test_every_pod_is_restricted(rendered: list[Resource]) -> None:
    for workload in workloads(rendered):
        pod = pod_of(workload)
        assert pod is not None
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        for container in containers(workload):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert ":" in container["image"]
            assert not container["image"].endswith(":latest")
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            assert "memory" in container["resources"]["limits"]


def test_selectors_find_what_they_mean(rendered: list[Resource]) -> None:
    labels = {each["metadata"]["name"]: each["spec"]["template"]["metadata"]["labels"] for each in workloads(rendered)}
    apps = [each["app"] for each in labels.values()]
    for resource in rendered:
        spec = resource.get("spec", {})
        if resource["kind"] == "Service":
            assert spec["selector"]["app"] in apps
            [target] = [each for each in workloads(rendered) if each["metadata"]["name"] == spec["selector"]["app"]]
            ports = {port["name"] for container in containers(target) for port in container["ports"]}
            assert {port["targetPort"] for port in spec["ports"]} <= ports
        if resource["kind"] in ("PodDisruptionBudget", "Deployment", "StatefulSet"):
            assert spec["selector"]["matchLabels"]["app"] in apps
        if resource["kind"] == "NetworkPolicy" and spec["podSelector"]:
            assert spec["podSelector"]["matchLabels"]["app"] in apps


@pytest.mark.parametrize(("workload", "composed"), [("worker", "worker"), ("edge", "caddy"), ("valkey", "valkey")])
def test_the_commands_are_the_compositions(rendered: list[Resource], workload: str, composed: str) -> None:
    found = [each for each in workloads(rendered) if each["metadata"]["name"] == workload]
    assert found or workload == "valkey"
    for each in found:
        [container] = containers(each)
        assert tuple(container["command"]) == service(composed).command


def test_every_setting_is_one_that_the_server_has(rendered: list[Resource]) -> None:
    known = {name for name, _, _ in table()}
    worker = one(rendered, "Deployment", "worker")
    [container] = containers(worker)
    settings: dict[str, Any] = one(rendered, "ConfigMap", "worker")["data"]
    given = {*settings, *(each["name"] for each in container["env"])}
    assert given <= known
    assert "RM_REDIS_URL" in given
    assert container["ports"][0]["containerPort"] == int(settings["RM_PORT"])
    secret = one(rendered, "Secret", "store")
    assert "url" in secret["data"]


def test_the_edge_is_told_what_the_caddyfile_reads(rendered: list[Resource]) -> None:
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text("utf-8")
    given: dict[str, str] = one(rendered, "ConfigMap", "edge")["data"]
    for name in given:
        assert f"{{${name}:" in caddyfile
    [container] = containers(one(rendered, "Deployment", "edge"))
    ports = {each["name"]: str(each["containerPort"]) for each in container["ports"]}
    assert ports == {"http": given["EDGE_HTTP_PORT"], "inside": given["EDGE_INSIDE_PORT"]}
    headless = one(rendered, "Service", "worker")
    assert headless["spec"]["clusterIP"] == "None"
    [port] = headless["spec"]["ports"]
    assert f"dynamic a worker.rang-milanti.svc.cluster.local {port['port']} {{" in given["EDGE_WORKERS"]


def test_a_pod_has_time_to_drain(rendered: list[Resource]) -> None:
    worker = pod_of(one(rendered, "Deployment", "worker"))
    assert worker is not None
    [container] = worker["containers"]
    command, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
    assert command == "sleep"
    drain = DRAIN_WITHIN_S + CLOSE_WITHIN_S + STORE_WITHIN_S
    assert worker["terminationGracePeriodSeconds"] >= int(seconds) + 2 * drain
    # Out of the Service and of the name servers' memory (5 s), and seen by every edge (1 s), before it is told to end.
    probe = container["readinessProbe"]
    assert int(seconds) >= 5 + 1 + probe["periodSeconds"] * probe["failureThreshold"]
    assert float(service("worker").whole["stop_grace_period"].removesuffix("s")) > drain


def test_probes_ask_what_is_there(rendered: list[Resource]) -> None:
    [container] = containers(one(rendered, "Deployment", "worker"))
    paths = {kind: container[kind]["httpGet"]["path"] for kind in ("startupProbe", "readinessProbe", "livenessProbe")}
    # A worker that is cut off from the store must not be killed for it: only be left alone.
    assert paths == {"startupProbe": "/healthz", "readinessProbe": "/readyz", "livenessProbe": "/healthz"}


def test_workers_are_scaled_by_their_connections(rendered: list[Resource]) -> None:
    scaler = one(rendered, "HorizontalPodAutoscaler", "worker")["spec"]
    pods = [each["pods"]["metric"]["name"] for each in scaler["metrics"] if each["type"] == "Pods"]
    assert pods == ["rm_connections"]
    assert "replicas" not in one(rendered, "Deployment", "worker")["spec"]


def test_the_stores_configuration_is_the_same_everywhere() -> None:
    """Kustomize takes no file from outside of its folder: the copy must be one."""
    copy = K8S / "valkey-inside" / "valkey.conf"
    assert copy.read_text("utf-8") == (ROOT / "deploy" / "valkey.conf").read_text("utf-8")
