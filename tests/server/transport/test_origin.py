"""Whose pages may speak: the contract's rules on Origin, one by one."""

from __future__ import annotations

import pytest

from server.transport.origin import host_of, is_own, may_connect, may_post

PUBLIC = "https://cards.example"


@pytest.mark.parametrize(
    ("origin", "host", "public"),
    [
        ("http://localhost:8000", "localhost:8000", None),
        ("https://cards.example", "10.0.0.3:8000", PUBLIC),
        ("HTTPS://Cards.Example", "cards.example", PUBLIC),
        ("http://[::1]:8000", "[::1]:8000", None),
        ("https://cards.example", "cards.example:443", None),
        ("http://cards.example", "cards.example:80", None),
    ],
)
def test_own(origin: str, host: str, public: str | None) -> None:
    assert is_own(origin, host, public)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("null", "localhost:8000"),
        ("", "localhost:8000"),
        ("http://localhost:8001", "localhost:8000"),
        ("http://localhost", "localhost:8000"),
        ("https://evil.example", "cards.example"),
        ("https://cards.example.evil.example", "cards.example"),
        ("https://cards.example/", "cards.example"),
        ("https://cards.example@evil.example", "cards.example"),
        ("ftp://cards.example", "cards.example"),
        ("https://[", "cards.example"),
        ("https://cards.example", None),
        ("https://cаrds.example", "cаrds.example"),
    ],
)
def test_foreign(origin: str, host: str | None) -> None:
    assert not is_own(origin, host, None)


def test_a_post_may_lack_an_origin_and_not_have_a_foreign_one() -> None:
    assert may_post(None, None, "x", None)
    assert may_post("http://x", "same-origin", "x", None)
    assert not may_post("null", None, "x", None)
    assert not may_post(None, "cross-site", "x", None)
    assert not may_post("http://x", "cross-site", "x", None)


def test_a_socket_may_lack_one_only_without_a_cookie() -> None:
    assert may_connect(None, "x", None, has_cookie=False)
    assert not may_connect(None, "x", None, has_cookie=True)
    assert may_connect("http://x", "x", None, has_cookie=True)
    assert not may_connect("http://y", "x", None, has_cookie=False)


@pytest.mark.parametrize("header", ["a b", "x\r\ny", "x;script-src", "x/", "'x'", "x:port", "", "x" * 300])
def test_what_is_no_host_is_none(header: str) -> None:
    assert host_of(header) is None


def test_a_host_is_lower_case() -> None:
    assert host_of("LocalHost:8000") == "localhost:8000"
    assert host_of(None) is None
