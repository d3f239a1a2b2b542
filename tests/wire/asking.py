"""Assertions on a single command: accepted, or refused with its code and nothing changed."""

from __future__ import annotations

from typing import Any

from tests.wire.client import Player
from tests.wire.tape import Json


async def accepted(player: Player, name: str, /, **fields: Any) -> Json:
    """Send a command that must be accepted, and return the answer."""
    answer = await player.command(name, **fields)
    assert answer["ok"] is True, f"{name} {fields}: {answer}"
    return answer


async def refused(player: Player, code: str, name: str, /, **fields: Any) -> Json:
    """Send a command that must be refused with `code` and in words, and find the table as it was before."""
    before = await standing(player)
    answer = await player.command(name, **fields)
    assert (answer["ok"], answer.get("code")) == (False, code), f"{name} {fields}: {answer}"
    assert answer["message"].strip(), answer
    assert await standing(player) == before, f"{name} {fields} was refused, and changed the table"
    return answer


async def standing(player: Player) -> tuple[int, Json]:
    """Return where the table stands by the server's word, and its state as this player keeps it."""
    answer = await player.command("sync", since=list(player.model.since()))
    assert answer["ok"], answer
    assert answer["seq"] == player.model.seq
    return player.model.seq, player.model.comparable()
