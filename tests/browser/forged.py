"""A table as the wire could tell it, put before a page instead of the server's own: for what luck deals too seldom.

The connection is real, and only the snapshot in it is changed on its way. Nothing here knows how it is drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.async_api import Page, WebSocketRoute

Snapshot = dict[str, Any]

# A Socket.IO event, by websocket, in the default namespace.
_SNAPSHOT = '42["snapshot",'


async def forge(page: Page, change: Callable[[Snapshot], Snapshot]) -> None:
    """Have every snapshot that this page gets from now on changed by `change`."""

    def between(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def changed(message: str | bytes) -> None:
            if isinstance(message, str) and message.startswith(_SNAPSHOT):
                snapshot = change(json.loads(message[2:])[1])
                message = "42" + json.dumps(["snapshot", snapshot])
            browser.send(message)

        server.on_message(changed)

    await page.route_web_socket("**/socket.io/**", between)


def in_play(snapshot: Snapshot, names: list[str], turn: int, last: list[dict[str, Any]]) -> Snapshot:
    """Return this snapshot with a game of `names` on the table, whose newest batch is `last`."""
    seats = len(names)
    game = {
        "game": 1,
        "deck": "double",
        "length": "any",
        "attempt": 0,
        "commitment": snapshot["commitment"],
        "nonces": ["00" * 16] * seats,
        "n": 18888,
        "cap": 20000,
        "turn": turn,
        "again": False,
        "pile": {"size": 88, "top": "QD"},
        "stacks": [88] * seats,
        "collected": [88] * seats,
        "out": [False] * seats,
        "winners": None,
        "held": None,
        "last": last,
    }
    seated = [
        {"seat": seat, "name": name, "kind": "person", "present": True, "away": False, "voice": False}
        for seat, name in enumerate(names)
    ]
    settings = {**snapshot["settings"], "seats": seats, "deck": "double"}
    return {**snapshot, "settings": settings, "phase": "playing", "seats": seated, "game": game}
