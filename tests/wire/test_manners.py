"""What the history checker says of people's doings: a faultless evening passes, each way of spoiling it does not."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.wire.asking import accepted
from tests.wire.client import RefusedError
from tests.wire.conftest import Floor, Party
from tests.wire.history import Finding, check
from tests.wire.mutants import RUDE_MUTANTS, Mutant, copied
from tests.wire.synthetic import SETTINGS
from tests.wire.synthetic_evening import Evening, evening, sits

Doctor = Callable[[Evening], None]
Scene = Callable[[Party, str], Awaitable[None]]


@pytest.fixture(scope="module")
def faultless() -> bytes:
    return pickle.dumps(evening())


def test_accepts_an_evening(faultless: bytes) -> None:
    check(pickle.loads(faultless).book)


def stopped(table: Evening) -> None:
    """Have the host stop the game: what is between games may follow."""
    table.sends("Asha", "stop", *table.stopped())


# --- chat


def said_while_muted(table: Evening) -> None:
    table.sends("Chitra", "say", table.line(2, "Chitra", text="psst"), text="psst")


def said_while_muted_and_moved_on(table: Evening) -> None:
    """Muted is the guest: a game later still."""
    stopped(table)
    said_while_muted(table)


def said_while_chat_is_off(table: Evening) -> None:
    settled(table, chat="off")
    table.sends("Bela", "say", table.line(1, "Bela", phrase="wow"), phrase="wow")


def said_freely_where_phrases_only(table: Evening) -> None:
    settled(table, chat="phrases")
    table.sends("Bela", "say", table.line(1, "Bela", text="psst"), text="psst")


def settled(table: Evening, **changed: object) -> None:
    stopped(table)
    table.sends("Asha", "settings", {"type": "settings", "settings": table.model.settings | changed})


def said_by_nobody(table: Evening) -> None:
    table.sends("Bela", "say", table.line(4, "Bela", text="boo"), text="boo")


def said_under_anothers_name(table: Evening) -> None:
    table.sends("Bela", "say", table.line(1, "Asha", text="boo"), text="boo")


def said_from_anothers_seat(table: Evening) -> None:
    table.sends("Bela", "say", table.line(0, "Asha", text="boo"), text="boo")


def said_and_meant_otherwise(table: Evening) -> None:
    table.sends("Bela", "say", table.line(1, "Bela", phrase="wow"), phrase="cry")


def said_twice_at_once(table: Evening) -> None:
    lines = [table.line(1, "Bela", text="boo") for _ in range(2)]
    table.sends("Bela", "say", *lines, text="boo")


def said_unasked(table: Evening) -> None:
    table.batch(table.line(1, "Bela", text="boo"))


def said_the_same_line_again(table: Evening) -> None:
    table.sends("Bela", "say", table.line(1, "Bela", text="boo"), text="boo")
    table.lines -= 1
    table.sends("Bela", "say", table.line(1, "Bela", text="boo"), text="boo")


def said_nothing_at_all(table: Evening) -> None:
    table.sends("Bela", "say", table.line(1, "Bela"), text="")


def said_too_much(table: Evening) -> None:
    text = "\U0001f469\u200d\U0001f466" * 201
    table.sends("Bela", "say", table.line(1, "Bela", text=text), text=text)


def said_with_an_escape(table: Evening) -> None:
    table.sends("Bela", "say", table.line(1, "Bela", text="\x1b[31m"), text="x")


def said_and_answered_without_it(table: Evening) -> None:
    table.sends("Bela", "say", text="boo")


def unsaid_twice(table: Evening) -> None:
    table.sends("Asha", "unsay", {"type": "unsaid", "id": "line1"}, said="line1")


def unsaid_what_was_never_said(table: Evening) -> None:
    table.sends("Asha", "unsay", {"type": "unsaid", "id": "line99"}, said="line99")


# --- powers


def muted_a_free_seat(table: Evening) -> None:
    stopped(table)
    table.sends("Bela", "leave", {"type": "left", "seat": 1, "why": "left"})
    table.model.seats[1] = {"seat": 1, "name": "", "kind": "person", "away": False}  # or the table itself objects
    table.sends("Asha", "mute", {"type": "muted", "seat": 1, "on": True}, seat=1, on=True)


def muted_twice(table: Evening) -> None:
    table.sends("Asha", "mute", {"type": "muted", "seat": 2, "on": True}, seat=2, on=True)


def settings_in_mid_game(table: Evening) -> None:
    table.sends("Asha", "settings", {"type": "settings", "settings": table.model.settings | {"chat": "off"}})


def another_kind(table: Evening) -> None:
    settled(table, kind="computers")


def fewer_seats_than_taken(table: Evening) -> None:
    settled(table, seats=2)


def more_seats_than_the_deck_allows(table: Evening) -> None:
    settled(table, seats=7)


def settings_as_they_were(table: Evening) -> None:
    settled(table)


def a_setting_gone(table: Evening) -> None:
    stopped(table)
    settings = {key: SETTINGS[key] for key in SETTINGS if key != "pace"}
    table.sends("Asha", "settings", {"type": "settings", "settings": settings})


def host_of_one_who_left(table: Evening) -> None:
    table.sends("Bela", "leave", {"type": "left", "seat": 1, "why": "left"})
    table.sends("Asha", "host", {"type": "host", "seat": 1}, seat=1)


def host_again(table: Evening) -> None:
    table.sends("Asha", "host", {"type": "host", "seat": 0}, seat=0)


def left_twice(table: Evening) -> None:
    for _ in range(2):
        table.sends("Bela", "leave", {"type": "left", "seat": 1, "why": "left"})


def sat_at_a_locked_table(table: Evening) -> None:
    stopped(table)
    table.sends("Bela", "leave", {"type": "left", "seat": 1, "why": "left"})
    table.sends("Asha", "lock", {"type": "settings", "settings": table.model.settings | {"locked": True}}, on=True)
    table.join("Dipa")
    table.sends("Dipa", "sit", sits(1, "Dipa"))


def sat_in_mid_game(table: Evening) -> None:
    table.join("Dipa")
    table.sends("Dipa", "sit", sits(3, "Dipa"))


def sat_behind_the_last_seat(table: Evening) -> None:
    stopped(table)
    table.join("Dipa")
    table.sends("Dipa", "sit", sits(3, "Dipa"))


def removed(table: Evening) -> None:
    table.sends("Asha", "remove", {"type": "left", "seat": 1, "why": "removed"}, seat=1)
    table.tapes["Bela"].write("frame", "notice", {"code": "removed"})


def removed_and_still_listening(table: Evening) -> None:
    removed(table)
    table.batch(*table.turned("auto"))


def removed_and_back(table: Evening) -> None:
    removed(table)
    del table.tapes["Bela"]
    table.join("Bela")


def removed_and_talking(table: Evening) -> None:
    """Not by a frame, but by an answer."""
    removed(table)
    tape = table.tapes.pop("Bela")
    tape.write("sent", "hurry", {"id": "x", "on": False})
    tape.write("answer", "hurry", {"id": "x", "on": False}, {"ok": True})


def replaced_and_still_listening(table: Evening) -> None:
    table.tapes["Bela"].write("frame", "notice", {"code": "replaced"})
    table.batch(*table.turned("auto"))


# --- coming, going, pace


def gone_and_renamed(table: Evening) -> None:
    table.sends("Bela", "leave", {"type": "left", "seat": 1, "why": "left"})
    table.sends("Bela", "rename", {"type": "renamed", "seat": 1, "name": "Ghost"}, name="Ghost")


def away_twice(table: Evening) -> None:
    for _ in range(2):
        table.batch({"type": "away", "seat": 1})


def back_from_nowhere(table: Evening) -> None:
    table.batch({"type": "back", "seat": 1})


def ready_in_mid_game(table: Evening) -> None:
    table.sends("Bela", "ready", {"type": "ready", "seat": 1})


def ready_twice(table: Evening) -> None:
    stopped(table)
    for _ in range(2):
        table.sends("Bela", "ready", {"type": "ready", "seat": 1})


def hurried_without_one_who_is_there(table: Evening) -> None:
    table.sends("Bela", "hurry", {"type": "hurried", "seats": [0, 2], "on": False}, on=False)
    table.batch({"type": "hurried", "seats": [0, 2], "on": True})


def hurried_by_nobody(table: Evening) -> None:
    table.batch({"type": "hurried", "seats": [], "on": True})


def hurried_by_a_stranger(table: Evening) -> None:
    table.batch({"type": "hurried", "seats": [0, 1, 2, 5], "on": True})


def hurried_after_the_game(table: Evening) -> None:
    stopped(table)
    table.batch({"type": "hurried", "seats": [0], "on": False})


def hurried_and_forgotten(table: Evening) -> None:
    """A snapshot that tells nothing of it."""
    snapshot = next(entry for entry in table.join("Dipa").entries if entry.name == "snapshot")
    snapshot.payload["hurried"] = None


def muted_and_forgotten(table: Evening) -> None:
    snapshot = next(entry for entry in table.join("Dipa").entries if entry.name == "snapshot")
    del snapshot.payload["seats"][2]["muted"]


def paused_with_people(table: Evening) -> None:
    table.sends("Asha", "pause", {"type": "paused", "on": True}, on=True)


def turned_for_one_who_is_there(table: Evening) -> None:
    table.batch(*table.turned("table"))


def turned_for_one_who_left_by_themselves(table: Evening) -> None:
    table.batch(*table.turned("auto"))
    owner = ("Asha", "Bela", "Chitra")[table.game.turn or 0]
    table.sends(owner, "leave", {"type": "left", "seat": table.game.turn, "why": "left"})
    table.sends(owner, "reveal", *table.turned("self"), n=table.game.reveals)


def turned_by_no_computer(table: Evening) -> None:
    table.batch(*table.turned("computer"))


def turned_by_itself_unhurried(table: Evening) -> None:
    table.sends("Bela", "hurry", {"type": "hurried", "seats": [0, 2], "on": False}, on=False)
    table.batch(*table.turned("auto"))


def turned_for_an_idle_one_unasked(table: Evening) -> None:
    table.batch(*table.turned("host"))


DOCTORS: list[tuple[str, Doctor]] = [
    ("muted", said_while_muted),
    ("muted", said_while_muted_and_moved_on),
    ("chat", said_while_chat_is_off),
    ("chat", said_freely_where_phrases_only),
    ("said", said_by_nobody),
    ("said", said_under_anothers_name),
    ("said", said_from_anothers_seat),
    ("said", said_and_meant_otherwise),
    ("said", said_nothing_at_all),
    ("said", said_too_much),
    ("said", said_with_an_escape),
    ("twice", said_twice_at_once),
    ("twice", said_the_same_line_again),
    ("unasked", said_unasked),
    ("missing", said_and_answered_without_it),
    ("unsaid", unsaid_twice),
    ("unsaid", unsaid_what_was_never_said),
    ("fold", muted_a_free_seat),
    ("muted", muted_twice),
    ("settings", settings_in_mid_game),
    ("settings", another_kind),
    ("settings", fewer_seats_than_taken),
    ("settings", more_seats_than_the_deck_allows),
    ("settings", settings_as_they_were),
    ("settings", a_setting_gone),
    ("host", host_of_one_who_left),
    ("host", host_again),
    ("left", left_twice),
    ("seated", sat_at_a_locked_table),
    ("seated", sat_in_mid_game),
    ("seated", sat_behind_the_last_seat),
    ("quiet", removed_and_still_listening),
    ("removed", removed_and_back),
    ("removed", removed_and_talking),
    ("quiet", replaced_and_still_listening),
    ("renamed", gone_and_renamed),
    ("away", away_twice),
    ("back", back_from_nowhere),
    ("ready", ready_in_mid_game),
    ("ready", ready_twice),
    ("hurried", hurried_without_one_who_is_there),
    ("hurried", hurried_by_nobody),
    ("hurried", hurried_by_a_stranger),
    ("hurried", hurried_after_the_game),
    ("snapshot", hurried_and_forgotten),
    ("snapshot", muted_and_forgotten),
    ("paused", paused_with_people),
    ("turned", turned_for_one_who_is_there),
    ("turned", turned_for_one_who_left_by_themselves),
    ("turned", turned_by_no_computer),
    ("unasked", turned_by_itself_unhurried),
    ("unasked", turned_for_an_idle_one_unasked),
]


@pytest.mark.parametrize(("rule", "doctor"), DOCTORS, ids=[doctor.__name__ for _, doctor in DOCTORS])
def test_rejects(faultless: bytes, rule: str, doctor: Doctor) -> None:
    table: Evening = pickle.loads(faultless)
    doctor(table)
    with pytest.raises(Finding) as found:
        check(table.book)
    assert found.value.rule == rule, found.value


# --- the product, and wrong ones


async def quarrel(party: Party, base: str) -> None:
    """Have a host use their powers, and people try what they then may not; and a computer table paused."""
    asha, bela, chitra = await party.seated(base, base, base, seats=4)
    await accepted(asha, "mute", seat=1, on=True)
    await bela.command("say", text="psst")
    await accepted(asha, "mute", seat=1, on=False)
    await accepted(bela, "say", text="thank you")
    await accepted(asha, "settings", settings={"chat": "off"})
    await bela.command("say", phrase="oh_no")
    await accepted(asha, "lock", on=True)
    dipa = party.player("Dipa")
    await dipa.open(base, asha.table)
    await dipa.command("sit")
    await accepted(asha, "remove", seat=2)
    await chitra.until(lambda: chitra.tape is not None and bool(chitra.tape.frames("notice")))
    await accepted(asha, "rename", name="Asha Di")
    await chitra.close()
    with contextlib.suppress(RefusedError):
        await chitra.reopen(fresh=True)


async def pause(party: Party, base: str) -> None:
    alone = party.player("Alone")
    await alone.make_table(base, kind="computers", computers=3)
    await alone.open(base)
    await accepted(alone, "start")
    await accepted(alone, "reveal", n=1)
    await accepted(alone, "pause", on=True)
    await asyncio.sleep(0.2)


@pytest.mark.parametrize("scene", [quarrel, pause])
async def test_accepts_the_product(floor: Floor, party: Party, scene: Scene) -> None:
    worker = await floor.add()
    await scene(party, worker.base)
    await party.judge(worker.base)


@pytest.mark.parametrize("mutant", RUDE_MUTANTS, ids=[mutant.name for mutant in RUDE_MUTANTS])
async def test_catches_each_rude_product(floor: Floor, party: Party, tmp_path: Path, mutant: Mutant) -> None:
    floor.noisy = True
    worker = await floor.add(source=copied(tmp_path / "copy", mutant.patches))
    await (pause if "paused" in mutant.rules else quarrel)(party, worker.base)
    with pytest.raises(Finding) as found:
        check(party.book)
    assert found.value.rule in mutant.rules, found.value
