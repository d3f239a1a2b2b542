"""Whom a limit counts: the address a request comes from, and the bucket that it fills.

An address is never logged nor stored: the bucket is a hash that lives a minute. X-Forwarded-For is believed
only from a proxy that the operator named. Invariant: nobody chooses their own bucket by writing a header.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp import web

from server.config import Config, Network
from server.ports import Store

WINDOW_MS = 60_000

Address = IPv4Address | IPv6Address


def address_of(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """Return the address that a connection really has; '' for a unix socket's.

    `forwarded` has the X-Forwarded-For headers. The chain is read from our end, as long as a named proxy says it.
    """
    address = _parsed(peer or "")
    if address is None:
        return ""
    for hop in reversed([hop for header in forwarded for hop in header.split(",")]):
        if not _within(address, trusted):
            break
        before = _parsed(hop.strip())
        if before is None:
            break
        address = before
    return str(address)


def request_address(request: web.BaseRequest, config: Config) -> str:
    """Return the address that a request really comes from."""
    return address_of(request.remote, request.headers.getall("X-Forwarded-For", []), config.trusted_proxies)


def bucket(kind: str, address: str) -> str:
    """Return the name that an address counts under; an IPv6 one with its whole /64, which is one household's."""
    if ":" in address:
        address = str(ip_network(f"{address}/64", strict=False))
    return f"{kind}:{hashlib.sha256(address.encode()).hexdigest()[:24]}"


async def may_make_table(store: Store, config: Config, request: web.BaseRequest) -> bool:
    """Count one table of the requester's address; False for one too many this minute."""
    name = bucket("tables", request_address(request, config))
    return await store.allow(name, config.rate_tables, WINDOW_MS)


def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
