"""The log: one JSON object a line, and no visitor in it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Literal

import pytest
import structlog
from aiohttp.http_exceptions import BadStatusLine

from server import logs


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_a_line() -> None:
    stream = io.StringIO()
    logs.set_up(None, stream)
    structlog.get_logger("x").info("served", route="/t/{id}", name="শাপলা\r\n\x1b[31m")
    logging.getLogger("library").warning("careful %s", "now")
    first, second = lines(stream)
    assert (first["event"], first["route"], first["level"]) == ("served", "/t/{id}", "info")
    assert (second["event"], second["level"]) == ("careful now", "warning")
    assert "\x1b" not in stream.getvalue()


def test_readable_in_text() -> None:
    stream = io.StringIO()
    logs.set_up("text", stream)
    structlog.get_logger("x").info("served", route="/")
    assert "served" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_malformed_http_leaves_no_traceback_and_no_address() -> None:
    stream = io.StringIO()
    logs.set_up("json", stream)
    try:
        raise BadStatusLine("GET /secret")
    except BadStatusLine as error:
        logging.getLogger("aiohttp.server").error("Error handling request from %s", "198.51.100.7", exc_info=error)
    assert [(line["event"], line["level"]) for line in lines(stream)] == [("malformed_http", "info")]
    assert "198.51" not in stream.getvalue()
    assert "secret" not in stream.getvalue()


def test_a_failure_of_ours_keeps_its_traceback_and_not_the_address() -> None:
    stream = io.StringIO()
    logs.set_up("json", stream)
    try:
        raise RuntimeError("bug")
    except RuntimeError as error:
        logging.getLogger("aiohttp.server").error("Error handling request from %s", "198.51.100.7", exc_info=error)
    (line,) = lines(stream)
    assert "RuntimeError: bug" in str(line["exception"])
    assert "198.51" not in stream.getvalue()


def test_what_a_visitor_sent_to_the_libraries_is_not_quoted() -> None:
    stream = io.StringIO()
    logs.set_up("text", stream)
    logging.getLogger("engineio.server").error("Invalid session \x1b[31m\r\nFAKE LINE")
    assert stream.getvalue() == ""
    try:
        raise ValueError
    except ValueError:
        logging.getLogger("engineio.server").exception("handler error for %s", "\x1b[31m")
    assert "sockets_failed" in stream.getvalue()
    assert "\x1b[31m" not in stream.getvalue()


@pytest.mark.parametrize("mode", ["text", "json"])
def test_a_failure_shows_no_values(mode: Literal["text", "json"]) -> None:
    stream = io.StringIO()
    logs.set_up(mode, stream)

    def fail(name: str) -> None:
        raise ZeroDivisionError

    try:
        fail("Mina" + "moni")
    except ZeroDivisionError:
        structlog.get_logger("x").exception("a command failed")
    assert "ZeroDivisionError" in stream.getvalue()
    assert "Minamoni" not in stream.getvalue()
