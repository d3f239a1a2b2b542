"""Who may say what, and that everybody has the same lines: decisions, and live rooms over the real store."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from server.ports import Commit, Committed
from server.protocol.commands import Mute, Nudge, Rename, Say, Sit, Start, Unsay
from server.protocol.events import PHRASES, ChatMode, Said, Settings, Unsaid
from server.protocol.replies import Accepted
from server.rooms import chat, rooms
from server.rooms.decision import Decision, Refusal
from server.rooms.live import Tempo
from server.rooms.record import Room, applied
from tests.builders import NAMES, changed, context, lobby_of, over, playing
from tests.server.rooms.conftest import Open
from tests.server.rooms.house import Person, Worker, seated
from tests.server.store.helpers import until

CHATTY = Tempo(beat_ms=40, away_ms=60_000, says=0)


# --- Decisions -------------------------------------------------------------------------------------------------------


def said(room: Room, guest: str = NAMES[0], **line: Any) -> Decision | Refusal:
    return chat.say(room, Say(id="1", **line), replace(context(guest), fresh_id="ab" * 16))


@pytest.mark.parametrize("room", [lobby_of(2), playing(2), over(2)])
def test_a_line_is_no_part_of_the_state(room: Room) -> None:
    decision = said(room, NAMES[1], text=" শাপলা \n ফুটেছে ")
    assert decision == Decision((Said("ab" * 16, 1, "Bula", at=0, text="শাপলা ফুটেছে"),))
    assert isinstance(decision, Decision)
    assert applied(room, decision.facts) is room
    assert chat.is_chat(decision.facts)
    (fact,) = decision.facts
    assert isinstance(fact, Said)
    line = json.loads(chat.line_of(fact))
    assert line == {"type": "said", "id": "ab" * 16, "seat": 1, "name": "Bula", "at": None, "text": "শাপলা ফুটেছে"}


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize("mode", ["open", "phrases"])
def test_a_phrase_goes_as_its_key(phrase: Any, mode: ChatMode) -> None:
    decision = said(lobby_of(2, Settings(chat=mode)), phrase=phrase)
    assert decision == Decision((Said("ab" * 16, 0, "Asha", at=0, phrase=phrase),))


@pytest.mark.parametrize(
    ("room", "guest", "line", "refusal"),
    [
        (lobby_of(2), "stranger", {"text": "hi"}, Refusal("not_seated")),
        (lobby_of(2), "", {"text": "hi"}, Refusal("not_seated")),
        (changed(playing(2), 1, left=True), NAMES[1], {"text": "hi"}, Refusal("not_seated")),
        (lobby_of(2, Settings(chat="off")), NAMES[0], {"text": "hi"}, Refusal("chat_off")),
        (lobby_of(2, Settings(chat="off")), NAMES[0], {"phrase": "wow"}, Refusal("chat_off")),
        (lobby_of(2, Settings(chat="phrases")), NAMES[0], {"text": "hi"}, Refusal("phrases_only")),
        (replace(lobby_of(2), muted=(NAMES[1],)), NAMES[1], {"text": "hi"}, Refusal("muted")),
        (replace(lobby_of(2), muted=(NAMES[1],)), NAMES[1], {"phrase": "wow"}, Refusal("muted")),
        (lobby_of(2), NAMES[0], {"text": "x" * 201}, Refusal("too_long")),
        (lobby_of(2), NAMES[0], {"text": "x" * 5_000}, Refusal("too_long")),
        (lobby_of(2), NAMES[0], {"text": "\u3164\u200b"}, Refusal("bad_request", field="text")),
        (lobby_of(2), NAMES[0], {"text": ""}, Refusal("bad_request", field="text")),
    ],
)
def test_a_line_is_refused_with_its_reason(room: Room, guest: str, line: Any, refusal: Refusal) -> None:
    assert said(room, guest, **line) == refusal


def test_a_host_who_is_muted_by_nobody_and_others_beside_a_muted_one_speak() -> None:
    room = replace(lobby_of(2), muted=(NAMES[1],))
    assert isinstance(said(room, text="hi"), Decision)


def test_only_the_host_takes_a_line_out_and_only_one_that_is_kept() -> None:
    room = lobby_of(2)
    with_lines = replace(context(NAMES[0]), said=("a", "b"))
    assert chat.unsay(room, Unsay(id="1", said="a"), with_lines) == Decision((Unsaid("a"),))
    assert chat.unsay(room, Unsay(id="1", said="c"), with_lines) == Refusal("not_there")
    assert chat.unsay(room, Unsay(id="1", said="a"), replace(with_lines, guest=NAMES[1])) == Refusal("not_host")
    assert chat.unsay(room, Unsay(id="1", said="a"), replace(with_lines, guest="")) == Refusal("not_host")


@pytest.mark.parametrize(
    ("room", "guest", "present", "answer"),
    [
        (playing(2), NAMES[1], (0, 1), Decision(nudged=NAMES[0])),
        (playing(2), NAMES[0], (0, 1), Refusal("not_there")),
        (playing(2), NAMES[1], (1,), Refusal("not_there")),
        (playing(2), "stranger", (0, 1), Refusal("not_seated")),
        (changed(playing(2), 1, left=True), NAMES[1], (0,), Refusal("not_seated")),
        (changed(playing(2), 0, kind="computer", guest=""), NAMES[1], (1,), Refusal("not_there")),
        (lobby_of(2), NAMES[1], (0, 1), Refusal("not_started")),
        (over(2), NAMES[1], (0, 1), Refusal("over")),
    ],
)
def test_a_nudge_is_for_another_person_who_is_there_and_has_the_turn(
    room: Room, guest: str, present: tuple[int, ...], answer: Decision | Refusal
) -> None:
    assert chat.nudge(room, Nudge(id="1"), context(guest, present)) == answer


# --- At live rooms ---------------------------------------------------------------------------------------------------


async def pair(worker_at: Open) -> tuple[Person, Person]:
    return await seated(await worker_at(tempo=CHATTY), await worker_at(tempo=CHATTY), seats=3)


async def say(person: Person, *lines: str) -> None:
    for line in lines:
        assert isinstance(await person.do(Say(id=line.replace(" ", "-"), text=line)), Accepted)


def heard(person: Person) -> list[str]:
    """Return the lines' texts as this client has them: its newest snapshot's, and the events' after it."""
    lines: list[Any] = []
    for name, payload in (json.loads(text[1:]) for text in person.ears.texts):
        if name == "snapshot":
            lines = payload["said"]
        for event in payload["events"] if name == "events" else ():
            if event["type"] == "said":
                lines = [*lines, event][-50:]
            elif event["type"] == "unsaid":
                lines = [line for line in lines if line["id"] != event["id"]]
    return [line["text"] for line in lines]


async def newcomer(worker: Worker, person: Person) -> list[str]:
    """Return the lines that somebody new is shown."""
    new = await worker.join(person.live.table, "new")
    texts = heard(new)
    await new.leave()
    return texts


def ids(person: Person) -> list[str]:
    return [event["id"] for event in person.ears.events() if event["type"] == "said"]


async def test_a_line_has_the_stores_time_and_leaves_version_and_due_alone(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    await asha.do(Start(id="go"))
    await until(lambda: bula.live.gate.seq == 3)
    before = asha.live.head
    await say(bula, "hi")
    await until(lambda: asha.live.gate.seq == 4)
    (event,) = [event for event in asha.ears.events() if event["type"] == "said"]
    assert event["at"] == asha.ears.all("events")[-1]["at"]
    assert (event["seat"], event["name"], event["text"]) == (1, "Bula", "hi")
    assert (asha.live.head.ver, asha.live.head.due) == (before.ver, before.due)


async def test_all_have_the_same_lines_in_the_same_order(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    await asyncio.gather(*(say(who, f"{n} {who.ears.guest}") for n in range(15) for who in (asha, bula)))
    await until(lambda: asha.live.gate.seq == bula.live.gate.seq == 32)
    assert ids(asha) == ids(bula)
    assert len(set(ids(asha))) == 30
    assert heard(asha) == heard(bula) == await newcomer(bula.worker, asha) == await newcomer(asha.worker, asha)


async def test_newcomers_have_the_newest_fifty_at_any_worker(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    await say(asha, *(str(n) for n in range(57)))
    await until(lambda: bula.live.gate.seq == asha.live.gate.seq)
    last = [str(n) for n in range(7, 57)]
    assert await newcomer(asha.worker, asha) == await newcomer(bula.worker, asha) == last
    third = await worker_at(tempo=CHATTY)
    assert await newcomer(third, asha) == last
    assert heard(bula) == last


async def test_a_line_taken_out_is_gone_for_all(worker_at: Open, admin: Redis) -> None:
    asha, bula = await pair(worker_at)
    await say(bula, *(str(n) for n in range(52)))
    await until(lambda: asha.live.gate.seq == 54)
    out, trimmed = ids(asha)[30], ids(asha)[0]
    assert await bula.do(Unsay(id="u", said=out)) == Refusal("not_host")
    assert await asha.do(Unsay(id="t", said=trimmed)) == Refusal("not_there")
    assert await asha.do(Unsay(id="u", said=out)) == Accepted(seq=55)
    assert await asha.do(Unsay(id="u", said=out)) == Accepted(seq=55), "done once, answered the same"
    assert await asha.do(Unsay(id="v", said=out)) == Refusal("not_there")
    await say(bula, "after")
    await until(lambda: asha.live.gate.seq == bula.live.gate.seq == 56)
    left = [str(n) for n in range(2, 52) if n != 30] + ["after"]
    third = await worker_at(tempo=CHATTY)
    for worker in (asha.worker, bula.worker, third):
        assert await newcomer(worker, asha) == left
    assert [json.loads(line)["text"] for line in await admin.lrange(f"t:{{{asha.live.table}}}:said", 0, -1)] == left


async def test_a_hole_in_the_channel_leaves_no_line_out(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    await say(asha, "before")
    await until(lambda: bula.live.gate.seq == 3)
    await bula.worker.store.unsubscribe(bula.live.table)
    await say(asha, "missed", "missed too")
    assert await asha.do(Unsay(id="u", said=ids(asha)[0])) == Accepted(seq=6)
    await bula.worker.store.subscribe(bula.live.table, bula.live)
    await say(asha, "after")
    await until(lambda: bula.live.gate.seq == 7)
    assert heard(bula) == ["missed", "missed too", "after"] == await newcomer(bula.worker, bula)
    assert len(bula.ears.all("snapshot")) == 1


@pytest.mark.parametrize("found_by", ["beat", "arrival", "clash", "sync"])
async def test_more_missed_than_is_kept_gives_the_lines_of_the_same_moment(
    worker_at: Open, found_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "BEAT_EVERY_S", 600)  # Found by nothing else, however long the rest takes.
    asha, bula = await pair(worker_at)
    await say(asha, *(f"early {n}" for n in range(4)))
    await until(lambda: bula.live.gate.seq == 6)
    await bula.worker.store.unsubscribe(bula.live.table)
    for n in range(130):
        await asha.do(Rename(id=f"r{n}", name=f"Asha {n}"))
    await say(asha, "late")
    assert await asha.do(Unsay(id="u", said=ids(asha)[1])) == Accepted(seq=138)
    expected = ["early 0", "early 2", "early 3", "late"]
    if found_by == "beat":
        await bula.live.beat()
        await until(lambda: bula.live.gate.seq == 138)
    elif found_by == "arrival":
        assert await newcomer(bula.worker, bula) == expected
    elif found_by == "clash":
        await say(bula, "mine")
        expected = [*expected, "mine"]
    else:
        assert await bula.worker.rooms.sync(bula.live, bula.member, bula.ears.since()) == 138
    assert heard(bula) == expected
    for snapshot in bula.ears.all("snapshot")[1:]:
        assert snapshot["seq"] == 138
        assert [line["text"] for line in snapshot["said"]] == expected[:4]


@pytest.mark.parametrize("found_by", ["beat", "sync", "another's line"])
async def test_after_a_rollback_the_lines_are_those_of_the_history_that_is(
    worker_at: Open, admin: Redis, found_by: str
) -> None:
    asha, bula = await pair(worker_at)
    await say(asha, "kept", "also kept")
    await until(lambda: bula.live.gate.seq == 4)
    keys = [f"t:{{{asha.live.table}}}{part}" for part in ("", ":b", ":said")]
    older = [await admin.dump(key) for key in keys]
    await say(asha, "lost", "lost too")
    await asha.do(Unsay(id="u", said=ids(asha)[0]))
    await until(lambda: bula.live.gate.seq == 7)
    for key, dumped in zip(keys, older, strict=True):
        assert dumped is not None
        await admin.restore(key, 60_000, dumped, replace=True)
    expected = ["kept", "also kept"]
    if found_by == "beat":
        await asha.live.beat()
    elif found_by == "sync":
        await asha.worker.rooms.sync(asha.live, asha.member, asha.ears.since())
    else:
        third = await worker_at(tempo=CHATTY)
        chitra = await third.join(asha.live.table, "chitra")
        assert heard(chitra) == expected
        assert await chitra.do(Sit(id="s", name="Chitra")) == Accepted(seq=5, seat=2)
        await say(chitra, "new")
        expected = [*expected, "new"]
    await until(lambda: len(asha.ears.all("snapshot")) >= 2)
    await until(lambda: heard(asha) == expected)
    await bula.live.beat()
    await until(lambda: heard(bula) == expected)
    assert await newcomer(bula.worker, bula) == await newcomer(asha.worker, asha) == expected


async def test_every_snapshot_has_the_lines_up_to_its_number(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    shots: list[Any] = []

    async def come_and_go(worker: Worker) -> None:
        for _ in range(12):
            new = await worker.join(asha.live.table, "new")
            shots.extend(new.ears.all("snapshot"))
            await new.leave()

    third = await worker_at(tempo=CHATTY)
    await asyncio.gather(
        say(asha, *(f"a{n}" for n in range(40))),
        say(bula, *(f"b{n}" for n in range(40))),
        come_and_go(asha.worker),
        come_and_go(bula.worker),
        come_and_go(third),
    )
    await until(lambda: asha.live.gate.seq == 82)
    at = {
        batch["seq"]: event["text"] for batch in asha.ears.all("events") for event in batch["events"] if "text" in event
    }
    assert len(shots) == 36
    for shot in shots:
        assert [line["text"] for line in shot["said"]] == [at[seq] for seq in sorted(at) if seq <= shot["seq"]][-50:]


async def test_a_line_decided_before_a_mute_and_saved_after_it_is_not(worker_at: Open) -> None:
    asha, bula = await pair(worker_at)
    before = bula.live.head
    assert await asha.do(Mute(id="m", seat=1, on=True)) == Accepted(seq=3)
    line = chat.line_of(Said("ab" * 16, 1, "Bula", at=0, text="still here"))
    late = Commit(bula.live.table, before.ver, f"[{line}]", 60_000, 2, said=line, guest="bula", cmd="say 1")
    assert not isinstance(await bula.worker.store.commit(late), Committed)
    assert await newcomer(asha.worker, asha) == []


async def test_whoever_is_muted_is_shown_so(worker: Worker) -> None:
    asha, bula = await seated(worker, seats=2)
    await asha.do(Mute(id="m", seat=1, on=True))
    watcher = await worker.join(asha.live.table, "w")
    muted = [seat.get("muted") for seat in watcher.ears.all("snapshot")[0]["seats"]]
    assert muted == [None, True]
    assert await bula.do(Say(id="1", text="hi")) == Refusal("muted")
