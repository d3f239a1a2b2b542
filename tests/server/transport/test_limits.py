"""Whose request it is: never what a stranger writes into a header."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from server.transport.limits import address_of, bucket

PROXIES = (ip_network("10.0.0.0/8"), ip_network("::1/128"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("198.51.100.1", [], "198.51.100.1"),
        ("198.51.100.1", ["203.0.113.7"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["1.2.3.4, 203.0.113.7"], "203.0.113.7"),
        ("10.0.0.1", ["1.2.3.4", "203.0.113.7, 10.0.0.2"], "203.0.113.7"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.7, nonsense"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("::1", ["2001:db8::5"], "2001:db8::5"),
        ("::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("fe80::1%eth0", [], "fe80::1"),
        (None, ["203.0.113.7"], ""),
    ],
)
def test_the_chain_is_believed_as_far_as_named_proxies_say_it(
    peer: str | None, forwarded: list[str], address: str
) -> None:
    assert address_of(peer, forwarded, PROXIES) == address


def test_without_named_proxies_the_header_is_nothing() -> None:
    assert address_of("10.0.0.1", ["203.0.113.7"], ()) == "10.0.0.1"


def test_a_bucket_tells_no_address_and_is_a_household() -> None:
    assert "203.0.113.7" not in bucket("tables", "203.0.113.7")
    assert bucket("tables", "203.0.113.7") != bucket("tables", "203.0.113.8")
    assert bucket("tables", "203.0.113.7") != bucket("sockets", "203.0.113.7")
    assert bucket("tables", "2001:db8::5") == bucket("tables", "2001:db8::ffff:1")
    assert bucket("tables", "2001:db8::5") != bucket("tables", "2001:db8:0:1::5")
