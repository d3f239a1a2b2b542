"""Who plays: families who tap when it is their turn, talk a little, deal again, and come back whatever happens.

Everything they see is on the tape. Invariant: what was sent and not answered is sent again with the same id.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from typing import Any

from tests.cluster.conftest import SHORT, come_back
from tests.cluster.soak.report import Report
from tests.wire.client import LostError, Player
from tests.wire.conftest import Party

PEOPLE = 3
PHRASES = ("wow", "ha_ha", "well_done")


class Family:
    """One table of the soak."""

    def __init__(self, number: int, dice: random.Random, pace_s: float, report: Report) -> None:
        """Be nobody yet. `pace_s`: how long one looks at the table before one taps, on average."""
        self.number = number
        self.party = Party("websocket")
        self.fault = "none"
        """What goes wrong at the moment: whom it makes come back is told of it."""
        self._dice = dice
        self._pace_s = pace_s
        self._report = report
        self._done = False

    async def sit(self, base: str) -> None:
        """Make a table and begin the first game."""
        await self.party.started(*[base] * PEOPLE, **SHORT)

    async def play(self) -> None:
        """Play until `stop`."""
        await asyncio.gather(*(self._live(player) for player in self.party.players))

    def stop(self) -> None:
        """Let everybody stop after what they are doing."""
        self._done = True

    async def close(self) -> None:
        """Let everybody go."""
        for player in self.party.players:
            await player.close()

    async def _live(self, player: Player) -> None:
        unanswered: tuple[str, dict[str, Any]] | None = None
        while not self._done or not player.connected or unanswered is not None:
            if not player.connected:
                await self._come_back(player)
            wanted = unanswered or await self._wish(player)
            if wanted is None:
                continue
            try:
                await player.command(wanted[0], timeout=8, **wanted[1])
                unanswered = None
            except (LostError, TimeoutError):
                # A reveal is its own id; by the time one is back it may be another's turn.
                unanswered = None if wanted[0] == "reveal" else wanted
            except AssertionError:
                unanswered = wanted  # not connected any more

    async def _come_back(self, player: Player) -> None:
        began, fault = time.monotonic(), self.fault
        await come_back(player)
        self._report.away_s[fault].append(time.monotonic() - began)
        assert player.tape is not None
        self._report.resumed["snapshot" if player.tape.frames("snapshot") else "exact"] += 1

    async def _wish(self, player: Player) -> tuple[str, dict[str, Any]] | None:
        """Return the next command of this person, None for none yet."""
        if player.model.phase == "over":
            await asyncio.sleep(self._dice.uniform(0.2, 1))
            if player.model.phase != "over" or self._done:
                return None
            return ("start" if player.model.host == player.model.you else "ready"), {"id": self._id()}
        if player.is_turn() and not self._done:
            await asyncio.sleep(self._pace_s * self._dice.uniform(0.5, 1.5))
            return ("reveal", {"n": player.game["n"] + 1}) if player.is_turn() else None
        if self._dice.random() < 0.01:
            return "say", {"id": self._id(), "phrase": self._dice.choice(PHRASES)}
        with contextlib.suppress(AssertionError):  # nothing yet
            await player.until(lambda: player.lost or player.is_turn() or player.model.phase == "over", 1)
        return None

    def _id(self) -> str:
        return f"s{self._dice.getrandbits(64):x}"
