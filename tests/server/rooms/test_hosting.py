"""What a host may do, and nobody else: decisions, and how they reach everybody at every worker."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from server.protocol.commands import (
    ChangeSettings,
    Delete,
    HandOver,
    Leave,
    Lock,
    Mute,
    Remove,
    Rename,
    Reveal,
    Sit,
    Start,
)
from server.protocol.events import HostChanged, Left, Muted, Settings, SettingsChanged
from server.protocol.replies import Accepted
from server.rooms import hosting, lobby, play
from server.rooms.decision import Decision, Refusal
from server.rooms.facts import Fact, public
from server.rooms.record import Room
from server.rooms.rooms import DECIDERS
from tests.builders import NAMES, changed, context, decided, lobby_of, over, playing
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Worker, seated
from tests.server.store.helpers import until

EVERY = tuple(range(6))
POWERS = (
    Lock(id="1", on=True),
    ChangeSettings(id="1", settings={"chat": "off"}),
    Mute(id="1", seat=1, on=True),
    Remove(id="1", seat=1),
    HandOver(id="1", seat=1),
    Delete(id="1"),
)


def decide(room: Room, command: Any, guest: str = NAMES[0]) -> Decision | Refusal:
    return DECIDERS[type(command)](room, command, context(guest, EVERY))


def of(refusal: Decision | Refusal) -> tuple[str, str | None]:
    assert isinstance(refusal, Refusal), refusal
    return (refusal.code, refusal.field)


@pytest.mark.parametrize("command", POWERS, ids=lambda c: c.name_)
@pytest.mark.parametrize("room", [lobby_of(3), playing(3), over(3)], ids=["lobby", "playing", "over"])
def test_only_the_host_has_a_hosts_powers(room: Room, command: Any) -> None:
    assert of(decide(room, command, NAMES[1])) == ("not_host", None)
    assert of(decide(room, command, "stranger")) == ("not_host", None)
    assert of(decide(room, command, "")) == ("not_host", None)
    gone = changed(room, 0, left=True)
    assert of(decide(gone, command)) == ("not_host", None)


# --- Settings --------------------------------------------------------------------------------------------------------


def test_what_is_changed_is_told_whole_and_the_rest_stays() -> None:
    room = lobby_of(2, Settings(seats=4, deck="leftovers"))
    decision = decide(room, ChangeSettings(id="1", settings={"seats": 6, "chat": "phrases", "hat": "red"}))
    assert decision == Decision((SettingsChanged(Settings(seats=6, deck="leftovers", chat="phrases")),))
    after = decided(room, decision)
    assert (len(after.seats), after.settings.seats) == (6, 6)
    fewer = decided(after, decide(after, ChangeSettings(id="2", settings={"seats": 2})))
    assert [seat is not None for seat in fewer.seats] == [True, True]
    assert decide(fewer, ChangeSettings(id="3", settings={"seats": 2})) == Decision(), "nothing to tell"


def test_settings_wait_for_the_games_end() -> None:
    change = ChangeSettings(id="1", settings={"chat": "off"})
    assert of(decide(playing(2), change)) == ("already_started", None)
    assert isinstance(decide(over(2), change), Decision)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": 1}, "seats"),
        ({"seats": 2}, "seats"),  # the third seat is taken
        ({"seats": 7}, "seats"),  # too many for one pack
        ({"kind": "computers"}, "kind"),
        ({"computers": 1}, "computers"),
        ({"deck": "tarot"}, "deck"),
        ({"chat": "loud"}, "chat"),
        ({"watchers": "no"}, "watchers"),
        ({"pace": 3}, "pace"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_their_field(changes: dict[str, Any], field: str) -> None:
    assert of(decide(lobby_of(3), ChangeSettings(id="1", settings=changes))) == ("bad_settings", field)


def test_a_computer_table_keeps_its_computers_and_may_change_its_pace() -> None:
    room = lobby_of(1, Settings(kind="computers", seats=3, computers=2))
    assert of(decide(room, ChangeSettings(id="1", settings={"computers": 3}))) == ("bad_settings", "computers")
    after = decided(room, decide(room, ChangeSettings(id="1", settings={"pace": 2, "seats": 6})))
    assert (after.settings.pace, after.settings.seats) == (2, 3)


@pytest.mark.parametrize(
    ("before", "changes", "field"),
    [
        (Settings(chat="phrases"), {"chat": "open"}, "chat"),
        (Settings(chat="off"), {"chat": "phrases"}, "chat"),
        (Settings(watchers=False), {"watchers": True}, "watchers"),
        (Settings(voice=False), {"voice": True}, "voice"),
        (Settings(chat="open"), {"chat": "phrases"}, None),
        (Settings(chat="phrases"), {"chat": "off", "watchers": False, "voice": False}, None),
        (Settings(seats=4), {"locked": True, "deck": "double", "seats": 8}, None),
    ],
)
def test_an_heir_may_tighten_and_not_loosen(before: Settings, changes: dict[str, Any], field: str | None) -> None:
    room = lobby_of(2, before)
    command = ChangeSettings(id="1", settings=changes)
    assert isinstance(decide(room, command), Decision), "its maker may"
    heir = decided(room, decide(room, HandOver(id="2", seat=1)))
    decision = decide(heir, command, NAMES[1])
    if field is None:
        assert isinstance(decision, Decision)
    else:
        assert of(decision) == ("bad_settings", field)
    again = decided(heir, decide(heir, HandOver(id="3", seat=0), NAMES[1]))
    assert isinstance(decide(again, command), Decision), "its maker, host again, may"


def test_a_lock_keeps_the_new_out_and_the_seated_in() -> None:
    room = lobby_of(2, Settings(seats=4))
    locked = decided(room, decide(room, Lock(id="1", on=True)))
    assert of(lobby.sit(locked, Sit(id="2"), context("new"))) == ("locked", None)
    assert lobby.sit(locked, Sit(id="3"), context(NAMES[1])) == Decision(seat=1)
    assert decide(locked, Lock(id="4", on=True)) == Decision()
    assert isinstance(decide(playing(2), Lock(id="5", on=True)), Decision), "in any phase"


# --- People ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3, 7], ids=["oneself", "a computer", "free", "no seat"])
@pytest.mark.parametrize("make", [lambda s: Mute(id="1", seat=s, on=True), lambda s: Remove(id="1", seat=s)])
def test_only_another_person_can_be_muted_or_removed(make: Any, seat: int) -> None:
    room = lobby_of(2, Settings(seats=5))
    room = replace(room, seats=(*room.seats[:2], replace(room.seats[1], kind="computer", guest=""), None, None))  # type: ignore[type-var]
    assert of(decide(room, make(seat))) == ("not_there", None)


def test_a_host_hands_over_to_one_who_is_there() -> None:
    room = lobby_of(3)
    assert decide(room, HandOver(id="1", seat=2)) == Decision((HostChanged(2),))
    absent = hosting.hand_over(room, HandOver(id="1", seat=2), context(NAMES[0], (0, 1)))
    assert of(absent) == ("not_there", None)
    assert of(decide(changed(playing(3), 1, left=True), HandOver(id="1", seat=1))) == ("not_there", None)


def test_a_removed_person_is_out_between_games_at_once() -> None:
    room = lobby_of(3)
    decision = decide(room, Remove(id="1", seat=1))
    assert isinstance(decision, Decision)
    assert (public(decision.facts), decision.freed) == ((Left(1, "removed"),), (NAMES[1],))
    after = decided(room, decision)
    assert after.seats[1] is None
    assert of(lobby.sit(after, Sit(id="2"), context(NAMES[1]))) == ("removed", None)


def test_a_removed_persons_cards_are_played_to_the_games_end() -> None:
    room = decided(playing(3), decide(playing(3), Remove(id="1", seat=1)))
    assert room.game is not None
    seat = room.seats[1]
    assert seat is not None
    assert (seat.left, seat.name) == (True, NAMES[1])
    assert of(lobby.sit(room, Sit(id="2"), context(NAMES[1]))) == ("removed", None)
    while room.phase == "playing":
        decision = play.turned(room, "self", context())
        room = decided(room, decision)
    assert public(decision.facts)[-1] == Left(1, "removed")
    assert room.seats[1] is None


def test_who_is_removed_during_a_game_is_not_removed_again() -> None:
    room = decided(playing(3), decide(playing(3), Remove(id="1", seat=1)))
    assert decide(room, Remove(id="2", seat=1)) == Decision()


def test_one_who_left_and_is_removed_does_not_sit_back() -> None:
    room = changed(playing(3), 1, left=True)
    after = decided(room, decide(room, Remove(id="1", seat=1)))
    assert of(lobby.sit(after, Sit(id="2"), context(NAMES[1]))) == ("removed", None)


def test_sitting_down_anew_does_not_unmute() -> None:
    room = lobby_of(3)
    muted = decided(room, decide(room, Mute(id="1", seat=1, on=True)))
    assert decide(muted, Mute(id="2", seat=1, on=True)) == Decision()
    away = decided(muted, lobby.leave(muted, Leave(id="3"), context(NAMES[1])))
    back = lobby.sit(away, Sit(id="4", name="Somebody Else"), context(NAMES[1]))
    assert isinstance(back, Decision)
    assert Muted(1, on=True) in back.facts
    unmuted = decided(muted, decide(muted, Mute(id="5", seat=1, on=False)))
    assert unmuted.muted == ()


# --- At the workers --------------------------------------------------------------------------------------------------


async def test_a_removed_guest_is_out_of_every_tab_at_every_worker(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    table = asha.live.table
    answer = await asha.do(Remove(id="x", seat=1))
    assert isinstance(answer, Accepted)
    await until(lambda: bula.ears.all("notice") == [{"code": "removed"}])
    assert await bula.do(Rename(id="r", name="Bula")) == Refusal("removed")
    assert await bula.do(Sit(id="s")) == Refusal("removed")
    for worker in (one, two):
        assert await worker.refused(table, "bula") == Refusal("removed")
    assert await asha.do(Remove(id="x", seat=1)) == answer, "done once, answered the same"
    await until(lambda: asha.live.absence.absent() == ())


async def test_a_removed_watching_tab_goes_too(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    await asha.do(Start(id="g"))
    await bula.do(Leave(id="l"))
    second = await one.join(asha.live.table, "bula")
    await until(lambda: asha.live.room.seats[1].left)  # type: ignore[union-attr]  # seat 1 is taken
    await asha.do(Remove(id="x", seat=1))
    for tab in (bula, second):
        await until(lambda tab=tab: tab.ears.all("notice") == [{"code": "removed"}])  # type: ignore[misc]


async def test_the_game_goes_on_without_the_removed(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await asha.do(Start(id="g"))
    await until(lambda: bula.live.room.phase == "playing")
    await asha.do(Remove(id="x", seat=1))
    for _ in range(400):
        game = asha.live.room.game
        assert game is not None
        if game.reveals >= 12:
            break
        if game.turn == 0:
            await asha.do(Reveal(n=game.reveals + 1))
        await asyncio.sleep(0.02)
    by = {event["seat"]: event["by"] for event in asha.ears.events() if event["type"] == "revealed"}
    assert by == {0: "self", 1: "table"}


async def test_turning_watchers_off_closes_to_who_cannot_sit(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    watcher = await two.join(asha.live.table, "chitra")
    await asha.do(ChangeSettings(id="1", settings={"watchers": False}))
    await until(lambda: watcher.ears.all("notice") == [{"code": "closed"}])
    assert (asha.member.ended, bula.member.ended) == (None, None)
    assert await two.refused(asha.live.table, "dipu") == Refusal("closed")


async def test_a_hosts_delete_is_final_for_everybody(worker_at: Open, admin: Redis) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    assert await bula.do(Delete(id="d")) == Refusal("not_host")
    assert await asha.do(Delete(id="d")) == Accepted()
    for person in (asha, bula):
        await until(lambda person=person: person.ears.all("notice") == [{"code": "deleted"}])  # type: ignore[misc]
    assert await asha.do(Delete(id="d")) == Accepted(), "again, with the table gone"
    assert await bula.do(Rename(id="r", name="B")) == Refusal("no_table")
    assert [key async for key in admin.scan_iter(f"t:{{{asha.live.table}}}*")] == []
    await asha.leave()
    await bula.leave()
    assert await one.refused(asha.live.table, "asha") == Refusal("no_table")


async def test_one_who_has_handed_on_elsewhere_does_not_delete(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=2)
    await one.store.unsubscribe(asha.live.table)  # This worker does not hear of it.
    other = await two.join(asha.live.table, "asha")
    await other.do(HandOver(id="h", seat=1))
    await until(lambda: bula.live.room.host == 1)
    asha.member.ended = None
    assert await asha.do(Delete(id="d")) == Refusal("not_host")
    assert bula.ears.all("notice") == []


def test_a_second_removal_during_a_game_is_not_told() -> None:
    room = playing(3)
    room = decided(room, decide(room, Remove(id="1", seat=1)))
    assert decide(room, Remove(id="2", seat=1)) == Decision()
    # One who had left by themselves is still there to be removed.
    left = playing(3)
    left = decided(left, lobby.leave(left, Leave(id="l"), context(NAMES[1])))
    assert public(decided_facts(left)) == (Left(1, "removed"),)


def decided_facts(room: Room) -> tuple[Fact, ...]:
    decision = decide(room, Remove(id="1", seat=1))
    assert isinstance(decision, Decision)
    return decision.facts


async def test_what_a_removed_guest_asked_just_before_shows_nothing_after(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=3)
    async with asha.live.lock:
        removed = asyncio.ensure_future(asha.do(Remove(id="r", seat=1)))
        await asyncio.sleep(0)
        synced = asyncio.ensure_future(worker.rooms.sync(bula.live, bula.member, None))
        await asyncio.sleep(0)
    assert isinstance(await removed, Accepted)
    assert await synced == Refusal("removed")
    await asha.do(Rename(id="n", name="Later"))
    assert bula.ears.texts[-1] == '2["notice",{"code":"removed"}]'


async def test_who_was_removed_while_their_worker_heard_nothing_is_out_when_it_does(worker_at: Open) -> None:
    one, two = await worker_at(), await worker_at()
    asha, bula = await seated(one, two, seats=3)
    await two.store.unsubscribe(asha.live.table)
    await asha.do(Remove(id="r", seat=1))
    for n in range(130):  # More than the store keeps: the batch that said so is gone.
        await asha.do(Rename(id=f"n{n}", name=f"Asha {n}"))
    await bula.live.beat()
    await until(lambda: bula.member.ended == "removed")
    assert bula.ears.texts[-1] == '2["notice",{"code":"removed"}]'
