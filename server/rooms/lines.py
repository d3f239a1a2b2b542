"""The lines of chat that a worker knows of a room: the newest fifty, as JSON the way the store keeps them. Pure.

Loaded with the room and kept up by every batch that the gate lets through, so that they are those of the gate's seq.
Invariant: over the same batches they are the store's own list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from server.protocol.codec import encode

KEPT = 50
"""Lines at the most; the store keeps as many."""

# Only in an event of its own: in what people wrote, JSON has a backslash before each quotation mark.
_SIGNS = ('"type":"said"', '"type":"unsaid"')


class Lines:
    """The lines, oldest first."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        """Start with the lines as read."""
        self._by_id: dict[str, str] = {str(json.loads(line)["id"]): line for line in lines}

    @property
    def ids(self) -> tuple[str, ...]:
        """The lines' ids."""
        return tuple(self._by_id)

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines, JSON of a `said` event each."""
        return tuple(self._by_id.values())

    def take(self, frame: str) -> None:
        """Follow a batch, as the store framed it."""
        if not any(sign in frame for sign in _SIGNS):
            return
        for event in json.loads(frame)["events"]:
            if event["type"] == "said":
                self._by_id[event["id"]] = encode(event)
                while len(self._by_id) > KEPT:
                    del self._by_id[next(iter(self._by_id))]
            elif event["type"] == "unsaid":
                self._by_id.pop(event["id"], None)
