"""Chat and nudges over the wire (contract, section 6), with the people at two workers."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable

import pytest
import regex

from tests.wire.asking import accepted, refused
from tests.wire.client import Player
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker
from tests.wire.proxy import Proxy, script
from tests.wire.raw import RawSocket

Pair = tuple[Worker, Worker]
FAMILY = "👩‍👩‍👧‍👦"

WHOLE = {
    "Bengali": "শাপলা ফুটেছে, রাজলক্ষ্মী!",
    "Bengali with ZWJ and ZWNJ": "র\u200dর‍্যাপ ক্\u200cষ উত্\u200d",
    "200 families": FAMILY * 200,
    "200 conjuncts": "ক্ষ্ম" * 200,
    "markup": "<img src=x onerror=alert(1)>",
    "a script": "</script><script>alert('x')</script>",
    "what the store fills in": '"at":null} "at":null',
    "JSON and backslashes": '\\u202e \\n {"type":"unsaid","id":"x"}',
    "a link": "https://example.org/?a=b",
}
MENDED = {
    "right-to-left": ("\u202egnp.exe \u2066x\u2069", "gnp.exe x"),
    "zero width": ("a\u200b\u2060\ufeffb", "ab"),
    "line breaks": ("one\r\ntwo\u2028three\x85four", "one two three four"),
    "a terminal's escapes": ("\x1b]0;owned\x07\x1b[31mred\x9b", "]0;owned[31mred"),
    "sixty marks": ("e" + "\u0316" * 60, "e" + "\u0316" * 4),
    "blank letters between": ("a\u3164\u3164\u2800b", "a b"),
    "spaces": ("  a \t  b  ", "a b"),
}
BLANK = ["", " ", "\u200b\u200b", "\u3164\u115f", "\u2800", "\r\n", "\u202e", "\u0301" * 9]
SECRET = "অতিগোপনকথা"


def lines(player: Player) -> list[str]:
    """Return the lines as this client has them."""
    return [line.get("text") or line["phrase"] for line in player.model.said]


def rings(player: Player) -> int:
    assert player.tape is not None
    return [notice["code"] for notice in player.tape.frames("notice")].count("nudged")


@pytest.mark.parametrize("way", ["websocket", "polling"])
async def test_everybody_has_every_line_and_newcomers_the_newest_fifty(pair: Pair, floor: Floor, party: Party) -> None:
    floor.secrets.add(SECRET)
    asha, bela, chitra = await party.seated(pair[0].base, pair[1].base, pair[0].base, seats=3)
    people = {"a": asha, "b": bela, "c": chitra}

    async def talk(who: str) -> None:
        for n in range(20):
            await accepted(people[who], "say", text=f"{SECRET} {who}{n}", id=f"{who}{n}")

    await asyncio.gather(*(talk(who) for who in people))
    await accepted(asha, "say", phrase="well_done")
    late = party.player("Late")
    await late.open(pair[1].base, asha.table)
    for player in (asha, bela, chitra):
        await player.reach(late.model.seq)
    assert len(lines(late)) == 50
    assert lines(late) == lines(asha)[-50:] == lines(bela)[-50:] == lines(chitra)[-50:]
    for who in people:
        assert [line for line in lines(asha) if line.startswith(f"{SECRET} {who}")] == [
            line for line in (f"{SECRET} {who}{n}" for n in range(20)) if line in lines(asha)
        ]
    line = late.model.said[-1]
    assert set(line) == {"type", "id", "seat", "name", "at", "phrase"}
    assert (line["seat"], line["name"], line["phrase"]) == (0, "Asha", "well_done")
    history = await party.judge()
    assert len({event["id"] for event in history.of_type("said")}) == 61


async def test_exactly_once_though_answers_are_lost(
    floor: Floor, party: Party, proxies: Callable[[], Awaitable[Proxy]]
) -> None:
    one, two = await proxies(), await proxies()
    workers = [await floor.add(url=proxy.url, rate_says="5") for proxy in (one, two)]
    asha, bela = await party.seated(workers[0].base, workers[1].base, seats=2)
    lost = [proxy.drop_reply(script('"said"'), times=2) for proxy in (one, two)]
    counted = [proxy.drop_reply(script("say d"), times=1) for proxy in (one, two)]
    for n in range(2):
        await asyncio.gather(*(accepted(who, "say", text=f"{who.name} {n}", id=f"c{n}") for who in (asha, bela)))
    again = await asyncio.gather(*(accepted(who, "say", text="changed", id="c1") for who in (asha, bela)))
    assert {answer["seq"] for answer in again} == {5, 6}
    for who in (asha, bela):
        await accepted(who, "say", text="d", id="d")
    await asha.reach(8)
    await bela.reach(8)
    assert sorted(lines(asha)) == ["Asha 0", "Asha 1", "Bela 0", "Bela 1", "d", "d"]
    assert asha.model.said == bela.model.said
    assert [fault.met for fault in lost] == [2, 2]
    assert [fault.met for fault in counted] == [1, 1]
    # Three lines were said and counted, however often they were asked for; there is place for two more.
    for n in range(2):
        await accepted(asha, "say", text=f"more {n}")
    await refused(asha, "too_fast", "say", text="too many")
    await party.judge()


async def test_a_lost_connection_does_not_say_a_line_twice(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=2)
    asha.send("say", {"id": "once", "text": "once"})
    await asyncio.sleep(0.02)
    await asha.drop()
    await asha.reopen(pair[1].base)
    await accepted(asha, "say", id="once", text="once")
    await bela.reach(asha.model.seq)
    assert lines(asha) == lines(bela) == ["once"]
    await party.judge()


async def test_what_people_write_is_whole_or_mended(pair: Pair, floor: Floor, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=2)
    floor.secrets |= {"onerror", "gnp.exe", "[31mred", "ফুটেছে"}
    for text in WHOLE.values():
        await accepted(asha, "say", text=text)
    for text, _ in MENDED.values():
        await accepted(asha, "say", text=text)
    kept = [unicodedata.normalize("NFC", text) for text in WHOLE.values()] + [kept for _, kept in MENDED.values()]
    await bela.reach(asha.model.seq)
    late = party.player("Late")
    await late.open(pair[1].base, asha.table)
    assert lines(bela) == lines(late) == kept
    for line in lines(bela):
        assert not regex.search(r"[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b]", line)
    await party.judge()


async def test_what_is_no_line_is_refused(pair: Pair, party: Party) -> None:
    asha, _ = await party.seated(pair[0].base, pair[1].base, seats=2)
    for text in BLANK:
        answer = await refused(asha, "bad_request", "say", text=text)
        assert answer["field"] == "text"
    for text in ("x" * 201, "x" * 5_000, FAMILY * 201, "\u200d".join("👨" * 3_000)):
        await refused(asha, "too_long", "say", text=text)
    for fields in ({}, {"text": "a", "phrase": "wow"}, {"text": 5}, {"phrase": "rude"}, {"text": "x" * 9_000}):
        await refused(asha, "bad_request", "say", **fields)
    await refused(asha, "not_there", "unsay", said="no such line")
    await refused(asha, "bad_request", "unsay")
    assert lines(asha) == []


async def test_a_lone_surrogate_ends_the_connection_and_nothing_is_said(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=2)
    raw = await RawSocket.open(pair[0].base, asha.table, jar=asha.jar)
    await raw.say('421["say",{"id":"a","text":"a\\ud800b"}]')
    assert await raw.ended()
    await raw.close()
    await accepted(bela, "say", text="next")
    assert lines(bela) == ["next"]


async def test_who_may_speak(pair: Pair, party: Party) -> None:
    asha, bela, chitra = await party.seated(pair[0].base, pair[1].base, pair[1].base, seats=3)
    watcher = party.player("Watcher")
    await watcher.open(pair[1].base, asha.table)
    await refused(watcher, "not_seated", "say", text="hi")
    await refused(watcher, "not_host", "unsay", said="x")
    await accepted(asha, "mute", seat=1, on=True)
    await refused(bela, "muted", "say", text="hi")
    await refused(bela, "muted", "say", phrase="wow")
    await accepted(chitra, "say", text="I may")
    unmuted = await accepted(asha, "mute", seat=1, on=False)
    await bela.reach(unmuted["seq"])
    await accepted(bela, "say", text="again")
    await accepted(asha, "settings", settings={"chat": "phrases"})
    await bela.reach(asha.model.seq)
    await refused(bela, "phrases_only", "say", text="hi")
    await accepted(bela, "say", phrase="ha_ha")
    await accepted(asha, "settings", settings={"chat": "off"})
    await refused(chitra, "chat_off", "say", phrase="wow")
    await accepted(asha, "start")
    await accepted(bela, "leave")
    await refused(bela, "not_seated", "say", text="bye")
    await party.judge()


async def test_the_host_takes_a_line_out_for_everybody(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=2)
    for text in ("good", "rude", "kind"):
        await accepted(bela, "say", text=text)
    await asha.reach(bela.model.seq)
    rude = asha.model.said[1]["id"]
    await refused(bela, "not_host", "unsay", said=rude)
    answer = await accepted(asha, "unsay", said=rude, id="u")
    assert await accepted(asha, "unsay", said=rude, id="u") == answer
    await refused(asha, "not_there", "unsay", said=rude)
    await bela.reach(answer["seq"])
    late = party.player("Late")
    await late.open(pair[1].base, asha.table)
    assert lines(asha) == lines(bela) == lines(late) == ["good", "kind"]
    await party.judge()


async def test_a_flood_is_slowed_whatever_it_comes_by(floor: Floor, party: Party) -> None:
    workers = [await floor.add(rate_says="5") for _ in range(2)]
    asha, bela = await party.seated(workers[0].base, workers[1].base, seats=2)
    for n in range(5):
        await accepted(asha, "say", text=str(n), id=f"f{n}")
    answer = await refused(asha, "too_fast", "say", text="6", id="f6")
    assert answer["message"]
    assert (await accepted(asha, "say", text="4", id="f4"))["ok"], "saved, so answered as then"
    await asha.close()
    await asha.reopen(workers[1].base)
    await refused(asha, "too_fast", "say", text="6", id="f6")
    await accepted(bela, "say", text="not me")
    assert lines(bela) == ["0", "1", "2", "3", "4", "not me"]
    await party.judge()


async def test_a_nudge_reaches_the_one_whose_turn_it_is(pair: Pair, party: Party) -> None:
    asha, bela = await party.seated(pair[0].base, pair[1].base, seats=3)
    watcher = party.player("Watcher")
    await watcher.open(pair[0].base, asha.table)
    await refused(bela, "not_started", "nudge")
    await accepted(asha, "start")
    await bela.until(lambda: bela.model.phase == "playing")
    await refused(asha, "not_there", "nudge")
    await refused(watcher, "not_seated", "nudge")
    seq = bela.model.seq
    answer = await accepted(bela, "nudge", id="n")
    assert answer == {"ok": True}
    assert await accepted(bela, "nudge", id="n") == answer
    await refused(bela, "too_fast", "nudge")
    await asha.until(lambda: rings(asha) == 1)
    await refused(asha, "not_there", "nudge")
    assert (rings(asha), rings(bela), rings(watcher), bela.model.seq) == (1, 0, 0, seq)
    await asha.close()
    tape = bela.tape
    assert tape is not None
    await bela.until(lambda: any(0 in note["absent"] for note in tape.frames("presence")))
    await refused(bela, "not_there", "nudge")
