"""What the manifests say: services of docker-compose.yml with their commands, environments and ports.

The one reader of the composition: whoever runs or checks it takes it from here, so that nothing of it is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tests.wire.processes import ROOT

COMPOSE = ROOT / "docker-compose.yml"
EXAMPLE = ROOT / ".env.example"
CADDYFILE = ROOT / "deploy" / "Caddyfile"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"

_REFERENCE = re.compile(r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Service:
    """One service as compose would start it."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    health: tuple[str, ...]
    """The health check's command line, without its `CMD`."""
    whole: Mapping[str, Any]
    """All that is written of it, variables put in."""


def composition(variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return docker-compose.yml with these variables put in, as from a .env file."""
    whole: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    filled: dict[str, Any] = _filled(whole, variables or {})
    return filled


def service(name: str, variables: Mapping[str, str] | None = None) -> Service:
    """Return one service of the composition."""
    whole = composition(variables)["services"][name]
    health = whole.get("healthcheck", {}).get("test", ["CMD"])
    return Service(name, tuple(whole.get("command", ())), whole.get("environment", {}), tuple(health[1:]), whole)


def references() -> set[str]:
    """Return the names of all variables that the composition takes from .env."""
    return {found["name"] for found in _REFERENCE.finditer(COMPOSE.read_text("utf-8"))}


def _filled(part: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        return _REFERENCE.sub(lambda found: variables.get(found["name"]) or found["default"] or "", part)
    if isinstance(part, list):
        return [_filled(each, variables) for each in part]
    if isinstance(part, dict):
        return {key: _filled(each, variables) for key, each in part.items()}
    return part
