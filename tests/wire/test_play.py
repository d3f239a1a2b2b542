"""Whole games and single cards (contract, sections 1 to 3 and 6): turns, computers, auto, log and receipts."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest

from tests.wire.asking import accepted, refused
from tests.wire.client import Player, Transport
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker
from tests.wire.tape import Json

WAYS: tuple[Transport, ...] = ("websocket", "polling")


async def all_play(players: list[Player]) -> None:
    await asyncio.gather(*(player.play() for player in players))


def turning(players: list[Player]) -> tuple[Player, Player]:
    """Return who is to turn, and another."""
    turn = players[0].game["turn"]
    return players[turn], players[(turn + 1) % len(players)]


@pytest.mark.parametrize(
    ("way", "people", "deck"),
    [
        ("websocket", 2, "standard"),
        ("websocket", 3, "standard"),
        ("websocket", 4, "leftovers"),
        ("websocket", 7, "double"),
        ("polling", 2, "standard"),
        ("polling", 4, "leftovers"),
    ],
)
async def test_a_whole_game(pair: tuple[Worker, Worker], party: Party, people: int, deck: str) -> None:
    bases = [pair[number % 2].base for number in range(people)]
    length = "short" if deck == "double" else "any"  # which may be 20,000 cards
    players = await party.started(*bases, deck=deck, length=length)
    await all_play(players)
    history = await party.judge(pair[0].base)
    ended = history.of_type("ended")
    assert len(ended) == 1
    assert ended[0]["reason"] in ("last_seat", "cap")
    assert {event["by"] for event in history.of_type("revealed")} == {"self"}
    for player in players:
        assert player.game["winners"] == ended[0]["winners"]
        await refused(player, "over", "reveal", n=player.game["n"] + 1)


async def test_length_is_kept(worker: Worker, party: Party) -> None:
    players = await party.started(worker.base, worker.base, length="short")
    await all_play(players)
    history = await party.judge(worker.base)
    assert 100 <= len(history.of_type("revealed")) <= 250


async def test_a_card_out_of_turn_twice_late_and_too_early(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.started(pair[0].base, pair[1].base, pair[0].base)
    first, other = turning(players)
    await refused(other, "not_your_turn", "reveal", n=1)
    await refused(first, "turning", "reveal", n=2)
    await refused(first, "turning", "reveal", n=5_000)
    for wrong in (0, -1, "1", 1.5, True, None, 10**9):
        await refused(first, "bad_request", "reveal", n=wrong)
    answer = await accepted(first, "reveal", n=1)
    assert first.game["n"] == 1
    again = await accepted(first, "reveal", n=1)
    assert again.get("seq") in (None, answer["seq"])
    assert first.game["n"] == 1
    await other.turned(1)
    if other.game["turn"] == other.model.you:
        await refused(other, "turning", "reveal", n=1)
        await accepted(other, "reveal", n=2)
    await party.judge()


async def test_another_seats_card_is_not_turned_by_saying_so(worker: Worker, party: Party) -> None:
    players = await party.started(worker.base, worker.base)
    first, other = turning(players)
    await refused(other, "not_your_turn", "reveal", n=1, seat=first.model.you, by="self")
    watcher = party.player("Watcher")
    await watcher.open(worker.base, first.table)
    await refused(watcher, "not_seated", "reveal", n=1, seat=first.model.you)
    await refused(watcher, "not_seated", "auto", on=True, seat=first.model.you)


async def test_five_taps_on_two_sockets_are_one_reveal(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.started(pair[0].base, pair[1].base)
    first, _ = turning(players)
    second = party.player("second tab")
    second.jar = first.jar
    opening = asyncio.ensure_future(second.open(pair[1].base, first.table))
    taps = []
    for _ in range(5):
        taps.append(first.send("reveal", {"n": 1}))
        await asyncio.sleep(0.005)
    await opening
    for _ in range(5):
        taps.append(second.send("reveal", {"n": 1}))
        await asyncio.sleep(0.01)
    answers = await asyncio.wait_for(asyncio.gather(*taps), 10)
    assert {answer.get("code", "ok") for answer in answers} <= {"ok", "replaced"}
    assert all(answer["ok"] for answer in answers[5:])
    await second.turned(1)
    assert second.game["n"] == 1
    await first.close()
    history = await party.judge()
    assert [event["n"] for event in history.of_type("revealed")] == [1]


@pytest.mark.parametrize("computers", [1, 2, 3])
async def test_a_game_against_computers(floor: Floor, party: Party, computers: int) -> None:
    worker = await floor.add(beat_ms="4")
    asha = party.player("Asha")
    await asha.make_table(worker.base, kind="computers", computers=computers, deck="leftovers")
    await asha.open(worker.base)
    await accepted(asha, "nonce", nonce="a" * 32)
    await accepted(asha, "start")
    await asha.until(lambda: asha.model.phase == "playing")
    assert asha.game["nonces"] == ["a" * 32] + ["0" * 32] * computers
    await accepted(asha, "auto", on=True)
    await asha.until(lambda: asha.model.phase == "over", 90)
    history = await party.judge(worker.base)
    by = {(event["seat"], event["by"]) for event in history.of_type("revealed")}
    assert by <= {(0, "auto")} | {(seat, "computer") for seat in range(1, computers + 1)}


async def test_a_card_comes_one_beat_after_the_turn_and_not_before(floor: Floor, party: Party) -> None:
    worker = await floor.add(beat_ms="300")
    asha = party.player("Asha")
    await asha.make_table(worker.base, kind="computers", computers=1)
    await asha.open(worker.base)
    await accepted(asha, "start")
    await accepted(asha, "auto", on=True)
    await asha.until(lambda: asha.model.phase == "playing" and asha.game["n"] >= 4, 15)
    assert asha.tape is not None
    at = [f["at"] for f in asha.tape.frames("events") if any(e["type"] == "revealed" for e in f["events"])]
    gaps = [later - earlier for earlier, later in pairwise(at)]
    assert all(300 <= gap < 1_300 for gap in gaps), gaps
    assert asha.model.turn_due is not None


async def test_auto_is_this_connections_alone_and_off_after_a_reconnect(floor: Floor, party: Party) -> None:
    worker = await floor.add(beat_ms="40")
    players = await party.started(worker.base, worker.base)
    first, other = turning(players)
    await accepted(first, "auto", on=True)
    await first.turned(1)
    assert first.tape is not None
    assert first.tape.events("revealed")[0]["by"] == "auto"
    await first.drop()
    await first.reopen()
    await accepted(other, "reveal", n=2)
    await first.until(lambda: first.game["n"] == 2)
    while other.is_turn():
        await accepted(other, "reveal", n=other.game["n"] + 1)
    n = other.game["n"]
    await asyncio.sleep(0.5)
    assert (first.game["n"], first.is_turn()) == (n, True)
    await accepted(first, "reveal", n=n + 1)
    await party.judge(complete=False)


async def test_the_table_turns_for_the_absent_and_they_come_back(floor: Floor, party: Party) -> None:
    worker = await floor.add(beat_ms="20", away_ms="300")
    players = await party.started(worker.base, worker.base)
    first, other = turning(players)
    await first.drop()
    await other.until(lambda: other.game["n"] >= 1, 40)
    assert other.tape is not None
    kinds = [event["type"] for event in other.tape.events()]
    assert "away" in kinds
    assert other.tape.events("revealed")[0]["by"] == "table"
    await first.reopen(fresh=True)
    assert first.model.you is not None
    await other.until(lambda: other.tape is not None and bool(other.tape.events("back")))
    await party.judge(complete=False)


async def test_leaving_in_mid_game_keeps_the_seat_until_the_end(floor: Floor, party: Party) -> None:
    worker = await floor.add(beat_ms="5")
    players = await party.started(worker.base, worker.base, worker.base, deck="leftovers")
    await accepted(players[2], "leave")
    await asyncio.gather(players[0].play(), players[1].play())
    history = await party.judge(worker.base)
    assert {e["by"] for e in history.of_type("revealed") if e["seat"] == 2} <= {"table", "self"}
    late = party.player("Late")
    await late.open(worker.base, players[0].table)
    assert set(late.model.seats) == {0, 1}


async def test_the_host_stops_a_game_and_the_seed_is_shown(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.started(pair[0].base, pair[1].base)
    first, other = turning(players)
    await accepted(first, "reveal", n=1)
    await other.turned(1)
    await refused(players[1], "not_host", "stop")
    await accepted(players[0], "stop")
    history = await party.judge(pair[1].base)
    (ended,) = history.of_type("ended")
    assert (ended["reason"], ended["winners"]) == ("stopped", [])
    await refused(players[0], "over", "stop")


async def test_another_game_wants_everybody_ready(pair: tuple[Worker, Worker], party: Party) -> None:
    players = await party.started(pair[0].base, pair[1].base, pair[0].base)
    asha, bela, chitra = players
    await accepted(asha, "stop")
    for player in players:
        await player.until(lambda player=player: player.model.phase == "over")  # type: ignore[misc]
    answer = await refused(asha, "not_ready", "start")
    assert sorted(answer["seats"]) == [1, 2]
    await accepted(bela, "ready")
    await accepted(chitra, "sit", name="Chitra")
    for number, player in enumerate(players):
        await accepted(player, "nonce", nonce=f"{number + 7:032x}")
    await accepted(asha, "start")
    for player in players:
        await player.until(lambda player=player: player.model.phase == "playing" and player.game["game"] == 2)  # type: ignore[misc]
    await accepted(players[0], "reveal", n=1)
    await accepted(asha, "stop")
    history = await party.judge(pair[0].base)
    assert [event["game"] for event in history.of_type("dealt")] == [1, 2]
    seeds = [event["seed"] for event in history.of_type("ended")]
    assert len(set(seeds)) == 2


async def test_a_running_games_log_tells_nothing_of_what_is_to_come(worker: Worker, party: Party) -> None:
    players = await party.started(worker.base, worker.base)
    first, _ = turning(players)
    await accepted(first, "reveal", n=1)
    path = f"/api/tables/{first.table}/log"
    status, text, headers = await first.request(worker.base, "GET", path)
    assert status == 200
    assert headers["Content-Type"].startswith("application/x-ndjson")
    log = [json.loads(line) for line in text.splitlines()]
    assert [event["type"] for event in log] == ["dealt", "revealed"]
    assert all("by" not in event for event in log)
    assert log[0] == first.tape.events("dealt")[0] if first.tape is not None else None
    for game, code in ((2, "no_game"), (0, "no_game")):
        status, text, _ = await first.request(worker.base, "GET", f"{path}?game={game}")
        assert (status, json.loads(text)["code"]) == (404, code)
    status, text, _ = await first.request(worker.base, "GET", f"/api/tables/{first.table}/receipts")
    assert json.loads(text) == {"receipts": []}


async def test_a_receipt_names_the_seats_as_they_were_dealt(worker: Worker, party: Party) -> None:
    players = await party.started(worker.base, worker.base)
    await accepted(players[0], "stop")
    await accepted(players[1], "rename", name="Bela Di")
    await party.judge(worker.base)
    receipts: list[list[Json]] = [
        json.loads(page.text)["receipts"] for page in party.book.pages if page.path.endswith("/receipts")
    ]
    assert receipts[-1][0]["seats"] == [{"name": "Asha", "kind": "person"}, {"name": "Bela", "kind": "person"}]


async def test_log_and_receipts_are_for_those_who_may_see_the_table(worker: Worker, party: Party) -> None:
    players = await party.started(worker.base, worker.base, watchers=False)
    await accepted(players[0], "stop")
    stranger = party.player("Stranger")
    for path in ("log", "receipts"):
        status, _, _ = await stranger.request(worker.base, "GET", f"/api/tables/{players[0].table}/{path}")
        assert status == 403
        status, _, _ = await players[1].request(worker.base, "GET", f"/api/tables/{players[0].table}/{path}")
        assert status == 200
