"""The table's patience over two workers, by short settings: idle, absent, in a hurry, paused, vanished."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.wire.asking import accepted, refused
from tests.wire.client import Player, Transport
from tests.wire.conftest import Party, lending
from tests.wire.processes import Worker
from tests.wire.raw import RawSocket
from tests.wire.tape import Json

Pair = tuple[Worker, Worker]


@pytest.fixture(scope="module")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two workers of little patience, on a store that the tests of this file share."""
    with lending(tmp_path_factory, beat_ms="100", away_ms="400", host_ms="1500", idle_ms="600") as workers:
        yield workers


def seen(player: Player, kind: str) -> list[Json]:
    """Return the events of a type on this player's present connection."""
    assert player.tape is not None
    return player.tape.events(kind)


def on_turn(players: list[Player]) -> Player:
    return next(player for player in players if player.is_turn())


async def level(players: list[Player]) -> None:
    """Wait until all have seen the same."""
    for player in players:
        await player.reach(max(other.model.seq for other in players))


async def until_turn_of(player: Player, players: list[Player]) -> int:
    """Let the others tap until it is this player's turn; return the number of the coming reveal."""
    await level(players)
    while not player.is_turn():
        other = on_turn(players)
        n = other.game["n"] + 1
        await accepted(other, "reveal", n=n)
        for one in players:
            await one.turned(n)
    return int(player.game["n"]) + 1


# --- idle


async def test_the_host_turns_one_card_for_one_who_is_idle(pair: Pair, party: Party) -> None:
    asha, bela = players = await party.started(pair[0].base, pair[1].base)
    n = await until_turn_of(bela, players)
    await refused(asha, "not_your_turn", "turn", n=n)
    await refused(bela, "not_host", "turn", n=n)
    await refused(asha, "turning", "turn", n=n + 1)
    await asyncio.sleep(0.7)
    answer = await accepted(asha, "turn", n=n, id="once")
    assert await asha.command("turn", n=n, id="once") == answer
    await refused(asha, "turning", "turn", n=n)
    await bela.turned(n)
    (revealed,) = [event for event in seen(bela, "revealed") if event["n"] == n]
    assert (revealed["by"], revealed["seat"]) == ("host", 1)
    await party.judge(pair[0].base)


async def test_the_host_and_the_idle_one_at_once_turn_one_card(pair: Pair, party: Party) -> None:
    asha, bela = players = await party.started(pair[0].base, pair[1].base)
    for _ in range(3):
        n = await until_turn_of(bela, players)
        await asyncio.sleep(0.7)
        answers = await asyncio.gather(
            asha.command("turn", n=n),
            asha.command("turn", n=n),
            bela.command("reveal", n=n),
            bela.command("reveal", n=n),
        )
        assert any(answer["ok"] for answer in answers)
        codes = {answer["code"] for answer in answers if not answer["ok"]}
        assert codes <= {"turning", "not_your_turn"}, answers
        for one in players:
            await one.turned(n)
    await party.judge(pair[1].base)


# --- hurrying and pausing


async def test_all_in_a_hurry_the_game_plays_itself_to_its_end(pair: Pair, party: Party) -> None:
    asha, bela = await party.started(pair[0].base, pair[1].base, deck="leftovers")
    await accepted(asha, "hurry", on=True)
    await bela.until(lambda: bool(seen(bela, "hurried")))
    watcher = party.player("Watcher")
    await watcher.open(pair[1].base, asha.table)
    assert watcher.tape is not None
    shot = watcher.tape.frames("snapshot")[0]
    assert shot["hurried"] == {"seats": [0], "on": False}
    assert "paused" not in shot
    await accepted(bela, "hurry", on=True)
    await asha.until(lambda: asha.model.phase == "over", 60)
    assert [(e["seats"], e["on"]) for e in seen(bela, "hurried")] == [([0], False), ([0, 1], True)]
    assert {event["by"] for event in seen(bela, "revealed")} == {"auto"}
    assert bela.tape is not None
    at = [f["at"] for f in bela.tape.frames("events") if any(e["type"] == "revealed" for e in f["events"])]
    gaps = sorted(later - earlier for earlier, later in pairwise(at))
    assert gaps[0] >= 10
    assert gaps[len(gaps) // 2] < 60, "a tenth of the beat, and not the beat"
    await refused(asha, "over", "hurry", on=True)
    await party.judge(pair[0].base)


async def test_a_hurry_goes_by_who_is_here_and_each_change_is_said_once(pair: Pair, party: Party) -> None:
    asha, bela, chitra = await party.started(pair[0].base, pair[1].base, pair[1].base)
    await accepted(asha, "hurry", on=True)
    await accepted(bela, "hurry", on=True)
    await chitra.close()
    await bela.until(lambda: [e["on"] for e in seen(bela, "hurried")] == [False, False, True])
    await chitra.reopen(pair[0].base)
    await bela.until(lambda: [e["on"] for e in seen(bela, "hurried")] == [False, False, True, False])
    await accepted(chitra, "leave")
    await bela.until(lambda: [e["on"] for e in seen(bela, "hurried")][4:] == [True])
    await accepted(chitra, "sit")
    await bela.until(lambda: [e["on"] for e in seen(bela, "hurried")][5:] == [False])
    await asyncio.sleep(1.2)
    assert len(seen(bela, "hurried")) == 6
    assert seen(bela, "hurried")[-1] == {"type": "hurried", "seats": [0, 1], "on": False}
    await party.judge(pair[0].base)


async def test_a_paused_computer_table_takes_taps_and_turns_nothing_itself(worker: Worker, party: Party) -> None:
    asha = party.player("Asha")
    await asha.make_table(worker.base, kind="computers", computers=1)
    await asha.open(worker.base)
    await refused(asha, "not_started", "pause", on=True)
    await accepted(asha, "start")
    await accepted(asha, "pause", on=True)
    while asha.is_turn():
        n = asha.game["n"] + 1
        await accepted(asha, "reveal", n=n)
        await asha.turned(n)
    n = asha.game["n"]
    await asyncio.sleep(0.5)
    assert (asha.game["n"], asha.model.turn_due) == (n, None)
    await accepted(asha, "pause", on=False)
    await asha.turned(n + 1)
    assert [event["on"] for event in seen(asha, "paused")] == [True, False]
    await party.judge()
    players = await party.seated(worker.base, worker.base)
    await accepted(players[0], "start")
    await refused(players[0], "not_allowed", "pause", on=True)


# --- the absent


@pytest.mark.parametrize("phase", ["lobby", "playing", "over"])
async def test_a_host_who_is_gone_hands_on_and_does_not_take_it_back(pair: Pair, party: Party, phase: str) -> None:
    make = party.seated if phase == "lobby" else party.started
    asha, bela, chitra = await make(pair[0].base, pair[1].base, pair[0].base)
    if phase == "over":
        await accepted(asha, "stop")
    await refused(bela, "not_host", "lock", on=True)
    await asha.drop()
    await chitra.until(lambda: bool(seen(chitra, "host")))
    await bela.until(lambda: bool(seen(bela, "host")))
    await asha.reopen()
    await asha.until(lambda: bool(seen(asha, "back")))
    await refused(asha, "not_host", "lock", on=True)
    await accepted(bela, "lock", on=True)
    await asyncio.sleep(0.8)
    assert [event["seat"] for event in seen(chitra, "host")] == [1]
    assert (bela.model.host, asha.model.host) == (1, 1)
    await party.judge(complete=False)


async def test_a_host_who_returns_in_time_stays_host(pair: Pair, party: Party) -> None:
    asha, bela = await party.started(pair[0].base, pair[1].base)
    for base in (pair[1].base, pair[0].base):
        await asha.drop()
        await asyncio.sleep(0.3)
        await asha.reopen(base)
    await asyncio.sleep(1.8)
    assert seen(bela, "host") == []
    await accepted(asha, "lock", on=True)
    await party.judge(complete=False)


async def test_with_nobody_here_the_game_waits_and_goes_on_when_one_returns(pair: Pair, party: Party) -> None:
    asha, bela = await party.started(pair[0].base, pair[1].base)
    watcher = party.player("Watcher")
    await watcher.open(pair[1].base, asha.table)
    await asha.drop()
    await bela.drop()
    before = watcher.model.seq
    await asyncio.sleep(1.5)
    assert watcher.model.seq == before, "a watcher's tab must not play out a family's game"
    await bela.reopen(pair[0].base)
    # Everybody's absence is counted from the return.
    await bela.until(lambda: bool(seen(bela, "away")) and bool(seen(bela, "host")))
    await bela.until(lambda: bela.is_turn())
    assert {event["by"] for event in seen(bela, "revealed")} == {"table"}
    await accepted(bela, "reveal", n=bela.game["n"] + 1)
    await asha.reopen(pair[0].base)
    await bela.until(lambda: bool(seen(bela, "back")))
    await party.judge(complete=False)


async def test_a_game_goes_on_past_the_absent_the_idle_and_those_who_left(pair: Pair, party: Party) -> None:
    seats = await party.started(pair[0].base, pair[1].base, pair[0].base, pair[1].base, deck="leftovers")
    asha, bela, chitra, dipa = seats
    await asha.drop()  # the host
    await accepted(bela, "leave")
    # Dipa is idle; Chitra, who becomes host, plays her own cards, and turns Dipa's.
    turned_for = 0
    async with asyncio.timeout(90):
        while turned_for < 3 and chitra.model.phase == "playing":
            await chitra.until(lambda: chitra.model.phase == "over" or chitra.game["turn"] in (2, 3), 20)
            if chitra.model.phase == "over":
                break
            n = chitra.game["n"] + 1
            command = "reveal" if chitra.is_turn() else "turn"
            answer = await chitra.command(command, n=n)
            turned_for += command == "turn" and answer["ok"]
            if answer["ok"]:
                await chitra.turned(n)
            else:
                assert answer["code"] in ("not_your_turn", "not_host"), answer
                await asyncio.sleep(0.1)
    assert turned_for == 3
    by = {event["seat"]: event["by"] for event in seen(chitra, "revealed")}
    assert by == {0: "table", 1: "table", 2: "self", 3: "host"}
    await accepted(chitra, "stop")
    await dipa.until(lambda: dipa.model.phase == "over")
    await party.judge(complete=False)


# --- the vanished


async def shown_after(party: Party, here: Worker, there: Worker, transport: Transport) -> float:
    """Seat two, let the second's phone vanish right after its last word; return when the first is told, s."""
    asha, bela = await party.seated(here.base, there.base)
    await bela.close()
    raw = None
    if transport == "websocket":
        raw = await RawSocket.open(there.base, asha.table, jar=bela.jar)
    else:
        bela.transport = "polling"
        await bela.reopen(there.base)
    assert asha.tape is not None
    notes = asha.tape.frames
    await asha.until(lambda: notes("presence")[-1]["absent"] == [])
    await asyncio.sleep(1.1)  # that was a note, and there is one a second at the most
    loop = asyncio.get_running_loop()
    lost = loop.time()
    if raw is not None:
        # It stays open, and neither says nor hears anything any more.
        assert (await raw.ask("rename", {"id": "last", "name": "Bela Di"}))["ok"]
    else:
        await accepted(bela, "rename", name="Bela Di")
        lost = loop.time()
        await bela.drop()
    await asha.until(lambda: notes("presence")[-1]["absent"] == [1], 20)
    shown = loop.time() - lost
    if raw is not None:
        await raw.close()
    return shown


async def test_a_phone_that_vanishes_shows_within_15_seconds(pair: Pair, party: Party) -> None:
    one, two = pair
    shown = await asyncio.gather(
        shown_after(party, one, one, "websocket"),
        shown_after(party, one, two, "websocket"),
        shown_after(party, one, one, "polling"),
        shown_after(party, one, two, "polling"),
    )
    assert max(shown[:2]) < 15, shown
    assert max(shown) < 15.2, shown
    assert min(shown) > 5, shown  # and one who is only silent for a while is not lost
