"""The settings: from the environment, within bounds, wrong ones said in words."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic import ValidationError

from server import config
from server.config import Config, ConfigError, load


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _, _ in config.table():
        monkeypatch.delenv(name, raising=False)


def test_defaults_are_the_contracts() -> None:
    made = load()
    assert (made.beat_ms, made.away_ms) == (1000, 20_000)
    assert (made.host_ms, made.idle_ms) == (60_000, 60_000)
    assert (made.rate_refused, made.rate_commands, made.rate_says) == (20, 10, 5)
    assert made.nudge_ms == 20_000
    assert (made.rate_tables, made.rate_sockets) == (30, 200)
    assert (made.fsync, made.wait_replicas, made.trusted_proxies) == ("everysec", 0, ())
    assert not made.secure


def test_the_environment_is_read_and_the_command_line_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_PORT", "9000")
    monkeypatch.setenv("RM_BEAT_MS", "20")
    monkeypatch.setenv("RM_DATA_DIR", "")
    made = load({"port": 9001, "host": None})
    assert (made.port, made.beat_ms, made.data_dir, made.host) == (9001, 20, Path("data"), "localhost")


def test_networks_are_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_TRUSTED_PROXIES", "10.0.0.0/8, ::1")
    assert load().trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RM_PORT", "65536"),
        ("RM_PORT", "http"),
        ("RM_BEAT_MS", "0"),
        ("RM_AWAY_MS", "-1"),
        ("RM_HOST_MS", "0"),
        ("RM_IDLE_MS", "never"),
        ("RM_RATE_TABLES", "-1"),
        ("RM_FSYNC", "no"),
        ("RM_LOG", "xml"),
        ("RM_TRUSTED_PROXIES", "everybody"),
        ("RM_PUBLIC_URL", "example.org"),
        ("RM_PUBLIC_URL", "https://example.org/cards"),
        ("RM_REDIS_URL", "http://s3cret@example.org"),
        ("RM_NOTICE_FILE", "/nowhere/notice.html"),
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load()
    line = str(caught.value)
    assert line.startswith(f"{name}: ")
    assert "s3cret" not in line
    assert "\n" not in line


def test_every_wrong_setting_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_PORT", "-1")
    monkeypatch.setenv("RM_BEAT_MS", "soon")
    with pytest.raises(ConfigError) as caught:
        load()
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["RM_PORT", "RM_BEAT_MS"]


def test_it_is_frozen_and_tells_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_REDIS_URL", "rediss://:s3cret@store:6379/0")
    made = load()
    assert "s3cret" not in repr(made)
    with pytest.raises(ValidationError):
        made.port = 1  # type: ignore[misc]  # it is frozen, which is what is tested


@pytest.mark.parametrize(
    ("url", "kept", "secure"),
    [
        ("https://Example.org/", "https://example.org", True),
        ("http://[::1]:8000", "http://[::1]:8000", False),
    ],
)
def test_the_public_url_is_an_origin(url: str, kept: str, secure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RM_PUBLIC_URL", url)
    made = load()
    assert (made.public_url, made.secure) == (kept, secure)


def test_every_setting_is_described() -> None:
    rows = config.table()
    assert [row[0] for row in rows] == [f"RM_{name.upper()}" for name in Config.model_fields]
    assert all(description for _, _, description in rows)
