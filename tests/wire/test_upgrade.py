"""Beginning by long-polling and going on by websocket, as other programs' clients do by themselves."""

from __future__ import annotations

import asyncio

from tests.wire.asking import accepted
from tests.wire.conftest import Party
from tests.wire.processes import Worker
from tests.wire.raw import RawPolling


async def test_a_whole_game_by_clients_that_upgrade(pair: tuple[Worker, Worker], party: Party) -> None:
    party.way = "upgrade"
    players = await party.started(pair[0].base, pair[1].base, deck="leftovers")
    watcher = party.player("Watcher", "websocket")
    await watcher.open(pair[1].base, players[0].table)
    await asyncio.gather(*(player.play() for player in players))
    history = await party.judge(pair[0].base)
    assert {event["by"] for event in history.of_type("revealed")} == {"self"}


async def test_nothing_is_lost_or_doubled_while_one_upgrades(pair: tuple[Worker, Worker], party: Party) -> None:
    """A browser's order: it joins by polling, and changes over while events come in."""
    asha, _ = await party.seated(pair[0].base, pair[1].base, seats=3)
    raw = await RawPolling.open(pair[1].base, asha.table)
    try:
        before = asha.model.seq
        calls = [asyncio.create_task(accepted(asha, "rename", name=f"Asha {n}")) for n in range(30)]
        socket = await raw.upgrade()
        calls += [asyncio.create_task(accepted(asha, "rename", name=f"Asha {n}")) for n in range(30, 60)]
        await asyncio.gather(*calls)
        await accepted(asha, "rename", name="Asha at last")
        await socket.hear_until('42["events"')
        while "Asha at last" not in socket.heard[-1]:
            await socket.hear()
        numbers = [frame["seq"] for frame in (*raw.events(), *socket.events())]
        assert numbers == list(range(before + 1, before + 62))
        answer = await socket.ask("sit", {"id": "s", "name": "Chitra"})
        assert (answer["ok"], answer["code"]) == (False, "no_cookie")
        await socket.socket.close()
    finally:
        await raw.close()
