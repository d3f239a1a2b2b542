"""Before the cards are out (contract, sections 4 to 6): making, sitting, leaving, names, starting, a second tab."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.wire.asking import accepted, refused
from tests.wire.client import Player, Transport
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker

DEFAULTS = {
    "kind": "people",
    "seats": 4,
    "computers": 0,
    "deck": "standard",
    "length": "any",
    "chat": "open",
    "watchers": True,
    "voice": False,
    "locked": False,
    "pace": 1,
}

BAD_NAMES = {
    "25 graphemes": "x" * 25,
    "5,000 characters": "a" * 5_000,
    "a bidi override": "A\u202eB",
    "a bidi isolate left open": "A\u2066B",
    "NUL": "A\x00B",
    "line breaks": "A\r\nB",
    "terminal escape": "\x1b[31mA",
    "zero width": "\u200b\u200b\u200b",
    "blank-looking letters": "\u3164\u115f",
    "blank braille": "\u2800",
}
GOOD_NAMES = {
    "Bengali with ZWNJ": "র\u200c্যাব",
    "Bengali with conjuncts, counted in graphemes": "শ্রীমতী প্রজ্ঞাপারমিতা",
    "24 graphemes": "x" * 24,
    "markup, taken as letters": "<img src=x onerror=1>",
    "an emoji family": "👩‍👩‍👧‍👦",
}

WAYS: tuple[Transport, ...] = ("websocket", "polling")


async def test_make_a_table(worker: Worker, party: Party) -> None:
    asha = party.player("Asha")
    made = await asha.make_table(worker.base)
    assert set(made) == {"id", "url", "seat", "commitment"}
    assert re.fullmatch("[0-9a-hjkmnp-tv-z]{12}", made["id"])
    assert made["url"] == f"{worker.base}/t/{made['id']}"
    assert made["seat"] == 0
    await asha.open(worker.base)
    assert asha.tape is not None
    snapshot = asha.tape.frames("snapshot")[0]
    assert snapshot["settings"] == DEFAULTS
    assert snapshot["commitment"] == made["commitment"]
    assert snapshot["you"] == {"seat": 0, "host": True, "watching": False}
    assert (snapshot["phase"], snapshot["host"], snapshot["game"], snapshot["ready"]) == ("lobby", 0, None, [])
    seat = snapshot["seats"][0]
    assert (seat["seat"], seat["name"], seat["kind"], seat["present"], seat["away"]) == (
        0,
        "Asha",
        "person",
        True,
        False,
    )
    assert re.fullmatch("[0-9a-f]{16}", snapshot["epoch"])
    assert re.fullmatch("[0-9a-f]{16}", snapshot["mark"])


@pytest.mark.parametrize(("asked", "seats"), [(1, 2), (2, 3), (3, 4)])
async def test_computers_come_with_their_table(worker: Worker, party: Party, asked: int, seats: int) -> None:
    asha = party.player("Asha")
    await asha.make_table(worker.base, kind="computers", computers=asked, seats=6)
    await asha.open(worker.base)
    assert asha.model.settings["seats"] == seats
    assert asha.model.phase == "lobby"
    who = [(seat["name"], seat["kind"]) for _, seat in sorted(asha.model.seats.items())]
    assert who == [("Asha", "person")] + [(f"computer-{n}", "computer") for n in range(1, seats)]


async def test_sit_take_another_name_and_leave(pair: tuple[Worker, Worker], party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=4)
    await accepted(bela, "rename", name="Bela Di")
    await accepted(bela, "leave")
    await asha.until(lambda: 1 not in asha.model.seats)
    assert bela.model.you is None
    answer = await accepted(bela, "sit", name="Bela", seat=3)
    assert answer["seat"] == 3
    history = await party.judge()
    assert [event["why"] for event in history.of_type("left")] == ["left"]
    assert history.of_type("renamed") == [{"type": "renamed", "seat": 1, "name": "Bela Di"}]


async def test_sit_takes_the_lowest_free_seat_and_only_one(worker: Worker, party: Party) -> None:
    _, bela = await party.seated(worker.base, worker.base, seats=4)
    chitra = party.player("Chitra")
    await chitra.open(worker.base, bela.table)
    assert (await accepted(chitra, "sit"))["seat"] == 2
    assert (await accepted(chitra, "sit", seat=3))["seat"] == 2
    await bela.until(lambda: 2 in bela.model.seats)
    assert chitra.model.seats[2]["name"].strip()
    await party.judge()


@pytest.mark.parametrize("name", [None, "", "   "])
async def test_a_name_that_is_missing_or_blank_becomes_a_friendly_one(
    worker: Worker, party: Party, name: str | None
) -> None:
    asha, guest = await party.seated(worker.base, worker.base, seats=3)
    chitra = party.player("Chitra")
    await chitra.open(worker.base, asha.table)
    await accepted(chitra, "sit", **({} if name is None else {"name": name}))
    await guest.until(lambda: 2 in guest.model.seats)
    assert guest.model.seats[2]["name"].strip()


async def test_a_command_sent_again_is_done_once_and_answered_the_same(worker: Worker, party: Party) -> None:
    asha, bela = await party.seated(worker.base, worker.base, seats=4)
    first = await accepted(bela, "rename", name="Bela Di", id="once")
    await accepted(asha, "rename", name="Asha Di")
    assert await accepted(bela, "rename", name="Bela Di", id="once") == first
    assert len((await party.judge()).of_type("renamed")) == 2


async def test_a_full_table(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    chitra = party.player("Chitra")
    await chitra.open(worker.base, asha.table)
    await refused(chitra, "full", "sit", name="Chitra")
    await refused(chitra, "full", "sit", name="Chitra", seat=1)
    await party.judge()


async def test_a_locked_table(worker: Worker, party: Party) -> None:
    asha = party.player("Asha")
    await asha.make_table(worker.base, locked=True)
    bela = party.player("Bela")
    await bela.open(worker.base, asha.table)
    await refused(bela, "locked", "sit", name="Bela")


async def test_a_seat_that_is_not_there(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base, seats=4)
    chitra = party.player("Chitra")
    await chitra.open(worker.base, asha.table)
    for seat in (-1, 8, 10**9, "1", 1.5, True, [1]):
        await refused(chitra, "bad_request", "sit", name="Chitra", seat=seat)
    await party.judge()


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
async def test_bad_names_are_refused_wherever_given(worker: Worker, party: Party, floor: Floor, name: str) -> None:
    asha, bela = await party.seated(worker.base, worker.base, seats=3)
    chitra = party.player("Chitra")
    await chitra.open(worker.base, asha.table)
    await refused(chitra, "bad_name", "sit", name=name)
    await refused(bela, "bad_name", "rename", name=name)
    status, text, _ = await chitra.request(worker.base, "POST", "/api/tables", json={"name": name})
    assert (status, '"bad_name"' in text) == (400, True), text
    if len(name) > 3:
        floor.secrets.add(name)
    await party.judge()


@pytest.mark.parametrize("name", GOOD_NAMES.values(), ids=GOOD_NAMES)
async def test_good_names_stay_whole(worker: Worker, party: Party, floor: Floor, name: str) -> None:
    asha, bela = await party.seated(worker.base, worker.base)
    await accepted(bela, "rename", name=name)
    await asha.until(lambda: asha.model.seats[1]["name"] == name)
    floor.secrets.add(name)


async def test_who_has_no_cookie_may_watch_but_not_sit(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base, seats=3)
    stranger = party.player("Stranger")
    stranger.table = asha.table
    await stranger.connect(worker.base)
    assert stranger.model.seats
    await refused(stranger, "no_cookie", "sit", name="Stranger")


async def test_watchers_and_guests_may_not_do_what_others_may(worker: Worker, party: Party) -> None:
    asha, bela = await party.seated(worker.base, worker.base, seats=3)
    watcher = party.player("Watcher")
    await watcher.open(worker.base, asha.table)
    for name in ("start", "stop"):
        await refused(watcher, "not_host", name)
        await refused(bela, "not_host", name)
    await refused(watcher, "not_seated", "leave")
    await refused(watcher, "not_seated", "rename", name="Asha")
    await refused(watcher, "not_seated", "rename", name="Asha", seat=0)
    await refused(watcher, "not_seated", "nonce", nonce="0" * 32)
    await refused(watcher, "not_seated", "reveal", n=1)
    await refused(watcher, "not_seated", "auto", on=True)
    await party.judge()


async def test_nothing_is_turned_before_the_start(worker: Worker, party: Party) -> None:
    asha, bela = await party.seated(worker.base, worker.base)
    for player in (asha, bela):
        await refused(player, "not_started", "reveal", n=1)
    await refused(asha, "not_started", "stop")
    await refused(bela, "not_started", "ready")


async def test_starting_needs_two(worker: Worker, party: Party) -> None:
    asha = party.player("Asha")
    await asha.make_table(worker.base)
    await asha.open(worker.base)
    await refused(asha, "need_two", "start")


async def test_a_start_short_handed_closes_the_seats_up(pair: tuple[Worker, Worker], party: Party) -> None:
    asha = party.player("Asha")
    await asha.make_table(pair[0].base, seats=4)
    await asha.open(pair[0].base)
    bela = party.player("Bela")
    await bela.open(pair[1].base, asha.table)
    assert (await accepted(bela, "sit", name="Bela", seat=3))["seat"] == 3
    await accepted(bela, "nonce", nonce="b" * 32)
    await accepted(asha, "nonce", nonce="a" * 32)
    await accepted(asha, "start")
    await bela.until(lambda: bela.model.phase == "playing")
    assert bela.tape is not None
    batch = bela.tape.frames("events")[-1]["events"]
    assert [event["type"] for event in batch] == ["moved", "dealt"]
    assert batch[0]["seats"] == [0, 3]
    assert batch[1]["nonces"] == ["a" * 32, "b" * 32]
    assert bela.model.you == 1
    await refused(asha, "already_started", "start")
    await refused(bela, "already_started", "nonce", nonce="c" * 32)
    late = party.player("Late")
    await late.open(pair[0].base, asha.table)
    await refused(late, "already_started", "sit", name="Late")
    await party.judge()


async def test_a_leaving_host_hands_on_at_once(pair: tuple[Worker, Worker], party: Party) -> None:
    asha, bela, chitra = await party.seated(pair[0].base, pair[1].base, pair[0].base, seats=4)
    await accepted(asha, "leave")
    await chitra.until(lambda: chitra.model.host == 1)
    assert bela.tape is not None
    await bela.until(lambda: bela.tape is not None and bela.tape.frames("you")[-1]["host"])
    await refused(asha, "not_host", "start")
    await accepted(bela, "start")
    await party.judge()


async def test_the_newer_tab_has_the_seat_and_the_older_one_is_quiet(pair: tuple[Worker, Worker], party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base)
    second = party.player("Bela's second tab")
    second.jar = bela.jar
    await second.open(pair[0].base, bela.table)
    assert second.model.you == 1
    await bela.until(lambda: {"code": "replaced"} in notices(bela))
    assert bela.tape is not None
    heard = len([entry for entry in bela.tape.entries if entry.kind == "frame"])
    answer = await bela.command("rename", name="Old Bela")
    assert (answer["ok"], answer["code"]) == (False, "replaced")
    await accepted(second, "rename", name="New Bela")
    await accepted(asha, "start")
    await asyncio.sleep(0.3)
    assert len([entry for entry in bela.tape.entries if entry.kind == "frame"]) == heard
    assert not notices(second)
    assert second.connected
    await bela.close()
    assert (await party.judge()).of_type("renamed") == [{"type": "renamed", "seat": 1, "name": "New Bela"}]


def notices(player: Player) -> list[object]:
    assert player.tape is not None
    return player.tape.frames("notice")
