"""A host's powers over the wire (contract, section 6), with the people at two workers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire.asking import accepted, refused
from tests.wire.client import Player, RefusedError
from tests.wire.conftest import Party
from tests.wire.processes import Worker

Pair = tuple[Worker, Worker]


def notices(player: Player) -> list[str]:
    assert player.tape is not None
    return [notice["code"] for notice in player.tape.frames("notice")]


async def let_in(player: Player, base: str, table: str) -> str | None:
    """Return with which code a connection is refused, None if it is not."""
    await player.close()
    try:
        await player.open(base, table)
    except RefusedError as refusal:
        return refusal.code
    return None


async def test_settings_are_told_to_everybody_and_hold(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4)
    await accepted(asha, "settings", settings={"seats": 2, "chat": "phrases", "deck": "leftovers"})
    await bela.until(lambda: bela.model.settings["chat"] == "phrases")
    assert (bela.model.settings["seats"], bela.model.settings["length"]) == (2, "any")
    chitra = party.player("Chitra")
    await chitra.open(pair[1].base, asha.table)
    await refused(chitra, "full", "sit")
    answer = await refused(asha, "bad_settings", "settings", settings={"seats": 9})
    assert answer["field"] == "seats"
    await refused(bela, "not_host", "settings", settings={"chat": "off"})
    await accepted(asha, "start")
    await bela.until(lambda: bela.model.phase == "playing")
    assert bela.game["deck"] == "leftovers"
    await refused(asha, "already_started", "settings", settings={"chat": "off"})
    history = await party.judge()
    assert [event["settings"]["seats"] for event in history.of_type("settings")] == [2]


async def test_a_locked_table_seats_nobody_new(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4)
    await accepted(asha, "lock", on=True)
    await bela.until(lambda: bela.model.settings["locked"])
    chitra = party.player("Chitra")
    await chitra.open(pair[1].base, asha.table)
    await refused(chitra, "locked", "sit")
    await accepted(asha, "lock", on=False)
    await accepted(chitra, "sit")
    await party.judge()


@pytest.mark.parametrize("phase", ["lobby", "playing"])
async def test_a_removed_guest_stays_out_of_every_tab_and_by_every_link(pair: Pair, party: Party, phase: str) -> None:
    people = await party.seated(*(w.base for w in (pair[0], pair[1], pair[1])), seats=4)
    asha, bela, chitra = people
    if phase == "playing":
        await accepted(asha, "start")
        await bela.until(lambda: bela.model.phase == "playing")
    answer = await accepted(asha, "remove", seat=1, id="rm")
    assert await accepted(asha, "remove", seat=1, id="rm") == answer
    await bela.until(lambda: notices(bela) == ["removed"])
    assert (await bela.command("rename", name="B"))["code"] == "removed"
    for worker in pair:
        assert await let_in(bela, worker.base, asha.table) == "removed"
        spelled = f"{asha.table[:4]}-{asha.table[4:8]}-{asha.table[8:]}".upper()
        assert await let_in(bela, worker.base, spelled) == "removed"
    for what in ("log", "receipts"):
        status, _, _ = await bela.request(pair[0].base, "GET", f"/api/tables/{asha.table}/{what}")
        assert status == 403
    await chitra.until(lambda: (1 in chitra.model.seats) == (phase == "playing"))
    if phase == "playing":
        assert chitra.model.seats[1]["name"] == "Bela"
        await accepted(asha, "stop")
        await chitra.until(lambda: chitra.model.phase == "over" and 1 not in chitra.model.seats)
    history = await party.judge()
    assert {event["why"] for event in history.of_type("left")} == {"removed"}


async def test_a_host_hands_over_and_the_heir_may_only_tighten(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4, chat="phrases")
    await accepted(asha, "host", seat=1)
    await bela.until(lambda: bela.model.host == 1)
    await refused(asha, "not_host", "lock", on=True)
    for wider in ({"chat": "open"}, {"voice": True}):
        answer = await refused(bela, "bad_settings", "settings", settings=wider)
        assert answer["field"] in wider
    await accepted(bela, "settings", settings={"chat": "off", "watchers": False})
    await refused(bela, "not_there", "host", seat=1)
    await refused(bela, "not_there", "remove", seat=3)
    await accepted(bela, "host", seat=0)
    await accepted(asha, "settings", settings={"chat": "open"})
    await party.judge()


async def test_nobody_is_refused_over_a_name_that_another_holds(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4)
    chitra = party.player("Chitra")
    await chitra.open(pair[1].base, asha.table)
    await accepted(chitra, "sit", name="Asha")
    await bela.until(lambda: 2 in bela.model.seats)
    assert bela.model.seats[2]["name"] == "Asha (2)"
    await accepted(bela, "rename", name="asha")
    await asha.until(lambda: asha.model.seats[1]["name"] == "asha (3)")
    await party.judge()


async def test_a_deleted_table_is_gone_for_everybody(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=2)
    await refused(bela, "not_host", "delete")
    first: Any = await accepted(asha, "delete", id="del")
    assert await accepted(asha, "delete", id="del") == first
    for player in (asha, bela):
        await player.until(lambda player=player: notices(player) == ["deleted"])  # type: ignore[misc]
    assert (await bela.command("leave"))["code"] == "no_table"
    status, page, _ = await bela.request(pair[1].base, "GET", f"/t/{asha.table}")
    assert status == 404
    assert "<html" in page
    status, text, _ = await bela.request(pair[1].base, "GET", f"/api/tables/{asha.table}")
    assert (status, json.loads(text)["code"]) == (404, "no_table")
    assert await let_in(bela, pair[0].base, asha.table) == "no_table"
