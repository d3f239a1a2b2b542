"""Renders a kustomization as far as ours go, for machines that have no kustomize.

Resources, namespace, images and the two generators; anything else in a kustomization is an error, never passed over.
Unlike kustomize's, a generated name has no hash of its content.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Resource = dict[str, Any]

CLUSTER_WIDE = {"Namespace"}
_KNOWN = {
    "apiVersion", "kind", "namespace", "resources", "images", "configMapGenerator", "secretGenerator",
}  # fmt: skip


def render(folder: Path) -> list[Resource]:
    """Return the resources that `kubectl apply --kustomize` would apply."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text("utf-8"))
    unknown = set(kustomization) - _KNOWN
    if unknown or kustomization["kind"] != "Kustomization":
        raise ValueError(f"{folder}: no renderer for {sorted(unknown) or kustomization['kind']}")
    found = [each for name in kustomization["resources"] for each in _resources(folder / name)]
    found += [_generated(each, "ConfigMap", folder) for each in kustomization.get("configMapGenerator", [])]
    found += [_generated(each, "Secret", folder) for each in kustomization.get("secretGenerator", [])]
    tags = {each["name"]: each["newTag"] for each in kustomization.get("images", [])}
    for resource in found:
        if resource["kind"] not in CLUSTER_WIDE:
            resource["metadata"]["namespace"] = kustomization["namespace"]
        for container in containers(resource):
            name = container["image"]
            if name in tags:
                container["image"] = f"{name}:{tags[name]}"
    return found


def pod_of(resource: Resource) -> Resource | None:
    """Return the specification of the pods that a resource makes, if it makes any."""
    found: Resource | None = resource.get("spec", {}).get("template", {}).get("spec")
    return found


def containers(resource: Resource) -> list[Resource]:
    """Return the containers of the pods that a resource makes."""
    return list((pod_of(resource) or {}).get("containers", []))


def _resources(path: Path) -> Iterator[Resource]:
    if path.is_dir():
        yield from render(path)
    else:
        yield from yaml.safe_load_all(path.read_text("utf-8"))


def _generated(generator: Resource, kind: str, folder: Path) -> Resource:
    content = dict(literal.split("=", 1) for literal in generator.get("literals", []))
    for file in generator.get("files", []):
        key, _, name = file.rpartition("=")
        content[key or name] = (folder / name).read_text("utf-8")
    resource: Resource = {"apiVersion": "v1", "kind": kind, "metadata": {"name": generator["name"]}, "data": content}
    if kind == "Secret":
        resource["type"] = "Opaque"
        resource["data"] = {key: base64.b64encode(text.encode()).decode() for key, text in content.items()}
    return resource
