"""The command line: what it documents, and what it says when asked wrongly."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server import config
from server.main import app
from server.protocol import ids

RUN = CliRunner()


@pytest.fixture(autouse=True)
def log_put_back() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level


def test_help_documents_every_setting() -> None:
    said = RUN.invoke(app, ["serve", "--help"]).output
    for name, default, _ in config.table():
        assert name in said
        assert default in said
    for option in ("--host", "--port", "--data-dir"):
        assert option in said


def test_the_commands() -> None:
    said = RUN.invoke(app, ["--help"]).output
    for command in ("serve", "simulate", "check", "tag", "version"):
        assert command in said


def test_the_tag_of_a_table_however_its_link_is_written() -> None:
    links = ("0123456789ab", "https://play.example/t/0123-4567-89AB?x=1#seat=secret", "/t/0123456789ab/")
    tags = {RUN.invoke(app, ["tag", link]).output for link in links}
    assert tags == {ids.tag("0123456789ab") + "\n"}
    assert "0123456789ab" not in tags.pop()
    assert RUN.invoke(app, ["tag", "https://play.example/"]).exit_code == 2


def test_version() -> None:
    assert RUN.invoke(app, ["version"]).output == version("rang-milanti") + "\n"


def test_a_wrong_setting_is_said_in_words() -> None:
    result = RUN.invoke(app, ["serve"], env={"RM_BEAT_MS": "soon", "RM_PORT": "99999"})
    assert result.exit_code == 2
    assert [line.split(":")[0] for line in result.output.splitlines()] == ["RM_PORT", "RM_BEAT_MS"]


def test_a_taken_port_is_said_in_words(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = RUN.invoke(app, ["serve", "--host", "127.0.0.1", "--port", port, "--data-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert result.output == f"Cannot listen on 127.0.0.1, port {port}: Address already in use\n"


def test_a_store_that_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    url = f"unix://:s3cret@{tmp_path}/none.sock"
    result = RUN.invoke(app, ["serve", "--host", "127.0.0.1", "--port", "0"], env={"RM_REDIS_URL": url})
    assert result.exit_code == 1
    assert "The store of RM_REDIS_URL does not answer." in result.output
    assert "s3cret" not in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("seats", ["x", "2-x", "-", "2-6-7", "1", "9", "6-2", "2-9"])
def test_seats_that_are_none(seats: str) -> None:
    result = RUN.invoke(app, ["simulate", "--seats", seats])
    assert result.exit_code == 2
    assert "--seats" in result.output
