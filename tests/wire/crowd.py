"""Guests who come, go and do as they please at one table: what the state machine drives.

A guest is a cookie jar with any number of tabs, each a `Player`. The invariant: whatever was sent is answered, and once
`settle` returns, every tab that still belongs to the table has seen the same batch.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.wire.client import LostError, Player, RefusedError, Transport
from tests.wire.conftest import Party
from tests.wire.history import check
from tests.wire.manners import LAST_WORDS
from tests.wire.tape import Json

NOT_YET: frozenset[str] = frozenset()
"""Commands of the contract that the server does not carry out so far."""

EMPTY_LINES = ("\u202e", "")
"""The machine's lines that have nothing visible, for which the contract has `bad_request`."""

Act = tuple[str, Json]


@dataclass(slots=True)
class Guest:
    """One browser: its cookies, its tabs with the newest last, and what was asked from it."""

    name: str
    way: Transport
    jar: aiohttp.CookieJar = field(default_factory=lambda: aiohttp.CookieJar(unsafe=True))
    tabs: list[Player] = field(default_factory=list)
    asked: list[Act] = field(default_factory=list)

    @property
    def tab(self) -> Player | None:
        """The newest tab, if it is connected."""
        return self.tabs[-1] if self.tabs and alive(self.tabs[-1]) else None


def alive(player: Player) -> bool:
    """Whether a connection stands and still belongs to the table."""
    if not player.connected or player.lost or player.tape is None:
        return False
    return not any(notice["code"] in LAST_WORDS for notice in player.tape.frames("notice"))


class Crowd:
    """Everybody at one table, and a witness who watches all of it."""

    def __init__(self, bases: tuple[str, str]) -> None:
        self.bases = bases
        self.party = Party("websocket")
        self.guests: list[Guest] = []
        self.table = ""
        self.links: list[str] = []
        self.complete = True

    async def begin(self, ways: Iterable[Transport], **settings: Any) -> None:
        """Have the first guest make the table; a witness comes to watch."""
        names = ("Asha", "Bela", "Chitra", "Dipa", "Esha", "Farid")
        self.guests = [Guest(name, way) for name, way in zip(names, ways, strict=False)]
        maker = self._tab(self.guests[0])
        self.table = (await maker.make_table(self.bases[0], **settings))["id"]
        await maker.open(self.bases[0])
        self.witness = self.party.player("Witness")
        await self.witness.open(self.bases[1], self.table)

    def _tab(self, guest: Guest) -> Player:
        player = self.party.player(guest.name, guest.way)
        player.jar = guest.jar
        guest.tabs.append(player)
        return player

    # --- coming and going

    async def join(self, guest: Guest, base: str, *, fresh: bool = False) -> str | None:
        """Connect if the newest tab is not; return with which code it was refused."""
        if guest.tab is not None:
            return None
        old = guest.tabs[-1] if guest.tabs else None
        if old is None or fresh or old.model.epoch is None:
            return await self.another_tab(guest, base)
        await old.close()
        return await self._let_in(old, base, old.model.since())

    async def another_tab(self, guest: Guest, base: str) -> str | None:
        """Open one more tab, whether or not there is one."""
        return await self._let_in(self._tab(guest), base, None)

    async def _let_in(self, player: Player, base: str, since: Any) -> str | None:
        try:
            await player.open(base, self.table, since=since)
        except RefusedError as refusal:
            if refusal.code not in ("removed", "closed"):
                raise
            return refusal.code
        return None

    async def watch(self, base: str) -> Player:
        """Have somebody watch who takes no cookies."""
        stranger = self.party.player("Stranger")
        stranger.table = self.table
        with contextlib.suppress(RefusedError):
            await stranger.connect(base)
        return stranger

    # --- doing

    async def act(self, player: Player, name: str, fields: Json, guest: Guest | None = None) -> None:
        """Send a command and take its answer: a yes, or a no that an honest command may get."""
        sent = self._resolved(player, name, dict(fields))
        if sent is None or not player.connected:
            return
        name, fields = sent
        answer: Json | None = None
        try:
            answer = await asyncio.wait_for(player.send(name, fields), 10)
        except LostError:
            return
        finally:
            # One that had nothing to do is not remembered: asked again when there is, it is done then.
            if guest is not None and "id" in fields and (answer is None or not answer["ok"] or "seq" in answer):
                guest.asked.append((name, fields))
        self._fits(name, fields, answer)

    def _fits(self, name: str, fields: Json, answer: Json) -> None:
        """Whether an honest, well-shaped command may get this answer."""
        if answer["ok"]:
            if name == "move":
                self.links.append(answer["url"].rpartition("#seat=")[2])
            return
        allowed = {"nudge": {"too_fast"}, "say": {"bad_request"} if fields.get("text") in EMPTY_LINES else set()}
        never = {"bad_request", "store_down", "no_table", "too_fast"} - allowed.get(name, set())
        assert answer["code"] not in never, f"{name} {fields}: {answer}"

    async def again(self, guest: Guest) -> None:
        """Send the newest command of this guest once more, as after a lost answer."""
        if guest.tab is not None and guest.asked:
            name, fields = guest.asked[-1]
            await self.act(guest.tab, name, fields)

    def _resolved(self, player: Player, name: str, fields: Json) -> Act | None:
        """Fill in what depends on the moment; None where it cannot be said now."""
        model = player.model
        if name in ("reveal", "turn"):
            if model.game is None:
                return None
            fields["n"] = model.game["n"] + 1 + fields.pop("ahead", 0)
        if name == "sync":
            fields = {} if fields["fresh"] or model.epoch is None else {"since": list(model.since())}
        if name == "unsay":
            if not model.said:
                return None
            fields["said"] = model.said[fields.pop("back") % len(model.said)]["id"]
        if name == "claim":
            fields["token"] = self.links[-1] if self.links else "A" * 22
        if name not in ("reveal", "auto", "sync"):
            fields.setdefault("id", f"m{self.party.book.counter.next()}")
        return name, fields

    async def taps(self, most: int) -> None:
        """Have whoever's turn it is turn a card, so many times."""
        for _ in range(most):
            turner = next((guest.tab for guest in self.guests if guest.tab is not None and guest.tab.is_turn()), None)
            if turner is None:
                return
            n = turner.game["n"]
            await self.act(turner, "reveal", {})
            await self.settle()
            if turner.game["n"] == n:
                return

    # --- looking

    def present(self) -> list[Player]:
        """Return the connections that belong to the table."""
        return [player for player in self.party.players if alive(player)]

    async def settle(self) -> None:
        """Wait until everybody has seen the same."""
        for player in self.present():
            seq = max((other.model.seq for other in self.present()), default=0)
            await player.until(lambda player=player, seq=seq: not alive(player) or player.model.seq >= seq)  # type: ignore[misc]

    async def look(self) -> None:
        """Have the history checker look over all that was seen until now."""
        await self.settle()
        # Batches that nobody was there to see are no holes: the witness must have been there throughout.
        self.complete = self.complete and alive(self.witness)
        check(self.party.book, complete=self.complete)
        for player in self.party.players:
            assert not player.torn, player.torn

    async def finish(self) -> None:
        """Have everybody return who may: a running game must then go on; and the HTTP answers must fit."""
        for guest in self.guests:
            if guest.tabs:
                await self.join(guest, self.bases[0])
        here = self.present()
        if not here:
            return
        await self.settle()
        seen = here[0]
        seated = any(player.model.you is not None for player in here)
        for player in here:
            if player.model.paused and player.model.you is not None:
                await self.act(player, "pause", {"on": False})
        if seen.model.phase == "playing" and seated:
            goal = seen.game["n"] + 8
            async with asyncio.timeout(20):
                while seen.model.phase == "playing" and seen.game["n"] < goal and alive(seen):
                    await self.taps(1)
                    await asyncio.sleep(0.01)
        await self.look()
        asker = next((player for player in self.present()), None)
        if asker is not None:
            _, text, _ = await asker.request(self.bases[1], "GET", f"/api/tables/{self.table}")
            assert '"phase"' in text

    async def leave(self) -> None:
        """Disconnect everybody."""
        for player in self.party.players:
            await player.close()
