"""What an inbound frame may be: strict reading of Engine.IO and Socket.IO texts, before any library sees them.

Pure. An honest client never sends what is refused here, so a refusal ends the connection. Invariant: nothing that
is let through can raise further in, name one of the library's own handlers, or cost more than its length.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

LARGEST = 64 * 1024
"""Characters in a frame at the most; a voice signal may have 16 KiB."""
MOST_BRACKETS = 512
MOST_PACKETS = 64
"""Packets in one long-polling request at the most: a browser sends all at once that waited for its last request."""

_EVENT = re.compile(r"2(\d{1,15})?(\[.*)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = frozenset({"1", "2", "2probe", "3", "5"})
"""Engine.IO's own packets that a client sends: close, ping, the upgrade's probe, pong, upgrade."""


class MalformedError(ValueError):
    """No honest client sent this: end the connection."""


@dataclass(frozen=True, slots=True)
class Event:
    """A command as it came: its name, its payload (None without one), and the id its answer goes to."""

    name: str
    payload: object
    ack: int | None


@dataclass(frozen=True, slots=True)
class Connect:
    """The wish to connect to the default namespace, with its `auth`."""

    auth: object


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The wish to leave the namespace."""


def frame(text: object) -> str:
    """Return an Engine.IO text frame that may go on to the library.

    Raises:
        MalformedError: for anything else.
    """
    if not isinstance(text, str) or not 0 < len(text) <= LARGEST:
        raise MalformedError
    if text[0] == "4":
        packet(text[1:])
    elif text not in _CONTROL:
        raise MalformedError
    return text


def payload(body: bytes) -> tuple[str, ...]:
    """Return the frames of a long-polling request.

    Raises:
        MalformedError: for anything else.
    """
    try:
        frames = body.decode("utf-8").split("\x1e")
    except UnicodeDecodeError:
        raise MalformedError from None
    if len(frames) > MOST_PACKETS:
        raise MalformedError
    return tuple(frame(text) for text in frames)


def packet(text: str) -> Event | Connect | Disconnect:
    """Read a Socket.IO packet: a connect, a disconnect or an event of the default namespace.

    Raises:
        MalformedError: for anything else, binary packets and acknowledgements among it: none is ever asked for.
    """
    if text == "0":
        return Connect(None)
    if text[:2] == "0{":
        return Connect(value(text[1:]))
    if text == "1":
        return Disconnect()
    found = _EVENT.fullmatch(text)
    if found is None:
        raise MalformedError
    match value(found[2]):
        case [str(name)]:
            sent: object = None
        case [str(name), sent]:
            pass
        case _:
            raise MalformedError
    return Event(name, sent, None if found[1] is None else int(found[1]))


def value(text: str) -> Any:
    """Read JSON strictly: no NaN, no number of many digits, no key twice, no lone surrogate, not deep.

    Raises:
        MalformedError: for anything else.
    """
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise MalformedError
    try:
        read = _JSON.decode(text)
    except (ValueError, RecursionError):
        raise MalformedError from None
    if "\\u" in text and _SURROGATE.search(json.dumps(read, ensure_ascii=False)):
        raise MalformedError
    return read


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise MalformedError
    return read


def _int(digits: str) -> int:
    if len(digits) > 16:
        raise MalformedError
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > 32:
        raise MalformedError
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise MalformedError
    return number


def _refuse(_: str) -> NoReturn:
    raise MalformedError


_JSON = json.JSONDecoder(object_pairs_hook=_once, parse_int=_int, parse_float=_float, parse_constant=_refuse)
