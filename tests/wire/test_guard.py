"""Attacks on the socket: frames of garbage, floods, wrong origins, made-up addresses, and the order of checks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from aiohttp import WSServerHandshakeError

from tests.wire.asking import accepted, refused, standing
from tests.wire.client import LostError, Player, RefusedError, Transport
from tests.wire.conftest import Floor, Party
from tests.wire.processes import Worker
from tests.wire.raw import Raw, RawSocket, open_raw

WAYS: tuple[Transport, ...] = ("websocket", "polling")

# Nothing an honest client sends: the connection ends.
GARBAGE = {
    "2 MB": '421["rename",{"id":"1","name":"' + "a" * 2_000_000 + '"}]',
    "a hundred thousand brackets": "421" + "[" * 100_000,
    "a hundred thousand brackets, closed": "421" + "[" * 100_000 + "]" * 100_000,
    "nested objects": '421["rename",' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "]",
    "NaN": '421["reveal",{"n":NaN}]',
    "Infinity": '421["reveal",{"n":-Infinity}]',
    "a 5,000-digit integer": '421["reveal",{"n":' + "9" * 5_000 + "}]",
    "binary announced and not sent": '451-["rename",{"id":"1","name":{"_placeholder":true,"num":0}}]',
    "many binaries announced": '4599999-["rename",{}]',
    "an ack to nothing": '431["x"]',
    "an unknown packet": "49",
    "an unknown engine packet": "9",
    "no array": '421{"rename":1}',
    "an empty array": "421[]",
    "a name that is no string": "421[1,{}]",
    "broken JSON": '421["rename",{"id":',
    "another namespace": '42/admin,1["rename",{}]',
    "a second connect with broken auth": "40{",
    "an empty text frame": "",
}

# Odd, but JSON: the connection ends, or the command is refused; never done.
ODD = {
    "an event named connect": '421["connect",{"HTTP_COOKIE":"rm_guest=x"},{"table":"x"}]',
    "an event named disconnect": '421["disconnect"]',
    "an event named connect_error": '421["connect_error",{}]',
    "a lone surrogate": '421["rename",{"id":"1","name":"\\ud800"}]',
    "a key twice": '421["rename",{"id":"1","name":"A","name":"B\\u202e"}]',
    "an unknown command": '421["drop_table",{"id":"1"}]',
    "a command of Python's": '421["__class__",{"id":"1"}]',
    "no payload": '421["rename"]',
    "a list as payload": '421["rename",["1","A"]]',
    "text as payload": '421["rename","A"]',
    "null as payload": '421["rename",null]',
    "two payloads": '421["rename",{"id":"1"},{"id":"2"}]',
    "an id that is no text": '421["rename",{"id":1,"name":"A"}]',
    "an endless id": '421["rename",{"id":"' + "x" * 5_000 + '","name":"A"}]',
    "no id": '421["rename",{"name":"A"}]',
    "nothing but an id": '421["rename",{"id":"1"}]',
    "a number as name": '421["rename",{"id":"1","name":5}]',
    "a float as n": '421["reveal",{"n":1.0}]',
    "true as n": '421["reveal",{"n":true}]',
}


async def seat_of_bela(worker: Worker, party: Party) -> tuple[Player, Raw]:
    """Return Asha, and Bela's seat with a connection by hand in place of her client."""
    asha, bela = await party.seated(worker.base, worker.base)
    await bela.close()
    raw = await open_raw(party.way, worker.base, bela.table, jar=bela.jar)
    return asha, raw


@pytest.mark.parametrize("frame", GARBAGE.values(), ids=GARBAGE)
async def test_garbage_ends_the_connection_and_changes_nothing(worker: Worker, party: Party, frame: str) -> None:
    asha, raw = await seat_of_bela(worker, party)
    before = await standing(asha)
    try:
        await raw.say(frame)
        assert await raw.ended()
    finally:
        await raw.close()
    assert await standing(asha) == before
    await accepted(asha, "rename", name="Asha Di")
    await worker.ready()


@pytest.mark.parametrize("frame", ODD.values(), ids=ODD)
async def test_odd_frames_are_refused_and_change_nothing(worker: Worker, party: Party, frame: str) -> None:
    asha, raw = await seat_of_bela(worker, party)
    before = await standing(asha)
    try:
        await raw.say(frame)
        try:
            answer = json.loads((await raw.hear_until("431["))[3:])[0]
        except LostError:
            answer = {"ok": False, "code": "bad_request", "message": "ended"}
        assert answer["ok"] is False
        assert answer["code"] in ("bad_request", "bad_name")
        assert answer["message"]
    finally:
        await raw.close()
    assert await standing(asha) == before


@pytest.mark.parametrize("way", ["websocket"])
async def test_a_binary_frame_ends_the_connection(worker: Worker, party: Party) -> None:
    asha, raw = await seat_of_bela(worker, party)
    before = await standing(asha)
    assert isinstance(raw, RawSocket)
    try:
        await raw.socket.send_bytes(b"\x00" * 100)
        assert await raw.ended()
    finally:
        await raw.close()
    assert await standing(asha) == before


async def test_events_before_connecting_are_nothing(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    before = await standing(asha)
    raw = await open_raw(party.way, worker.base, asha.table, jar=asha.jar, join=False)
    try:
        await raw.say('421["rename",{"id":"1","name":"Mallory"}]')
        with pytest.raises((LostError, TimeoutError)):
            await raw.hear_until("431[", 1)
    finally:
        await raw.close()
    assert await standing(asha) == before


@pytest.mark.parametrize("way", ["websocket"])
async def test_a_flood_is_bounded_and_hurts_nobody_else(floor: Floor, party: Party) -> None:
    worker = await floor.add(rate_commands="10")
    asha, raw = await seat_of_bela(worker, party)
    before = await standing(asha)
    refusals = 0
    try:
        for number in range(10_000):
            await raw.say(f'42{number}["rename",{{"id":"f{number}","name":5}}]')
        while True:
            if (await raw.hear(2)).startswith("43"):
                refusals += 1
    except (LostError, TimeoutError, ConnectionError):
        pass
    finally:
        await raw.close()
    assert await standing(asha) == before
    await accepted(asha, "rename", name="Asha Di")


async def test_bad_auth_is_refused(worker: Worker, party: Party) -> None:
    await party.seated(worker.base, worker.base)
    for auth in ("", "{}", '{"table":5}', '{"table":"000000000000"}', '{"table":"../etc"}', "[1]", '"x"'):
        raw = await open_raw(party.way, worker.base, "x", join=False)
        try:
            await raw.say("40" + auth)
            frame = await raw.hear_until("44")
            assert json.loads(frame[2:])["data"]["code"] == "no_table"
        except LostError:
            assert auth in ("[1]", '"x"'), f"{auth} deserves a word"
        finally:
            await raw.close()


async def test_a_table_is_found_by_any_spelling_of_its_id_and_by_no_other(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    spelled = f"{asha.table[:4]}-{asha.table[4:8]}-{asha.table[8:]}".upper()
    watcher = party.player("Watcher")
    await watcher.open(worker.base, spelled)
    assert watcher.model.seats
    lost = party.player("Lost")
    with pytest.raises(RefusedError) as refusal:
        await lost.open(worker.base, "0" * 12)
    assert refusal.value.code == "no_table"


async def test_closed_to_watchers(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base, watchers=False)
    with pytest.raises(RefusedError) as refusal:
        await party.player("Watcher").open(worker.base, asha.table)
    assert refusal.value.code == "closed"


# --- origins


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "", None])
async def test_a_foreign_or_missing_origin_does_not_get_a_guests_socket(
    worker: Worker, party: Party, origin: str | None
) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    before = await standing(asha)
    tab = party.player("tab")
    tab.jar, tab.table = asha.jar, asha.table
    with pytest.raises(RefusedError):
        await tab.connect(worker.base, headers={} if origin is None else {"Origin": origin})
    assert await standing(asha) == before


async def test_a_missing_origin_is_let_in_without_a_cookie(worker: Worker, party: Party) -> None:
    asha, _ = await party.seated(worker.base, worker.base)
    program = party.player("program")
    program.table = asha.table
    await program.connect(worker.base, headers={})
    assert program.model.seats


async def test_the_public_url_is_an_origin_too(floor: Floor, party: Party) -> None:
    worker = await floor.add(public_url="http://rang.example")
    asha = party.player("Asha")
    await asha.make_table(worker.base)
    await asha.connect(worker.base, headers={"Origin": "http://rang.example"})
    assert asha.model.you == 0


# --- limits and addresses


async def make(worker: Worker, **headers: str) -> int:
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{worker.base}/api/tables", json={"name": "Asha"}, headers=headers) as answer,
    ):
        return answer.status


async def test_a_made_up_address_evades_no_limit(floor: Floor) -> None:
    worker = await floor.add(rate_tables="3")
    spread = [await make(worker, **{"X-Forwarded-For": f"10.0.0.{n}"}) for n in range(5)]
    assert spread == [201, 201, 201, 429, 429]


async def test_a_trusted_proxy_tells_addresses_apart(floor: Floor) -> None:
    worker = await floor.add(rate_tables="2", trusted_proxies="127.0.0.1")
    spread = [await make(worker, **{"X-Forwarded-For": f"6.6.6.6, 10.0.0.{n % 2}"}) for n in range(6)]
    assert spread == [201, 201, 201, 201, 429, 429]


async def test_too_many_sockets_of_an_address(floor: Floor, party: Party) -> None:
    worker = await floor.add(rate_sockets="3")
    asha, _ = await party.seated(worker.base, worker.base)
    await party.player("third").open(worker.base, asha.table)
    with pytest.raises(RefusedError) as refusal:
        await party.player("fourth").open(worker.base, asha.table)
    assert refusal.value.code == "too_many"
    await asha.close()
    for _ in range(50):
        try:
            await asha.reopen()
            break
        except RefusedError:
            await asyncio.sleep(0.05)
    assert asha.connected


async def test_refused_reveals_are_limited_and_accepted_ones_are_not(floor: Floor, party: Party) -> None:
    worker = await floor.add(rate_refused="5", rate_commands="10")
    players = await party.started(worker.base, worker.base)
    turn = players[0].game["turn"]
    first, other = players[turn], players[1 - turn]
    answers = [await other.command("reveal", n=1) for _ in range(12)]
    codes = [answer["code"] for answer in answers]
    assert codes[:4] == ["not_your_turn"] * 4
    assert codes[-1] == "too_fast"
    await accepted(first, "reveal", n=1)
    await asyncio.gather(*(player.play() for player in players))


async def test_commands_are_limited_by_the_connection(floor: Floor, party: Party) -> None:
    worker = await floor.add(rate_commands="5")
    asha, bela = await party.seated(worker.base, worker.base)
    answers = [await bela.command("rename", name=f"Bela {n}") for n in range(20)]
    codes = {answer.get("code") for answer in answers}
    assert codes == {None, "too_fast"}
    await accepted(asha, "rename", name="Asha Di")


# --- the order of checks: shape, rate, role, phase, its own


@pytest.mark.parametrize(
    ("who", "code", "name", "fields"),
    [
        ("watcher", "bad_request", "start", {"id": 5}),
        ("watcher", "bad_request", "reveal", {"n": "x"}),
        ("watcher", "not_host", "start", {}),
        ("watcher", "not_seated", "reveal", {"n": 1}),
        ("watcher", "not_seated", "rename", {"name": "x" * 25}),
        ("guest", "not_host", "stop", {}),
        ("guest", "not_started", "reveal", {"n": 1}),
        ("host", "not_started", "stop", {}),
        ("host", "bad_request", "nonce", {"nonce": "zz"}),
        ("host", "bad_request", "nonce", {"nonce": "0" * 31}),
    ],
)
async def test_shape_before_role_before_phase(
    worker: Worker, party: Party, who: str, code: str, name: str, fields: dict[str, Any]
) -> None:
    asha, bela = await party.seated(worker.base, worker.base)
    watcher = party.player("Watcher")
    await watcher.open(worker.base, asha.table)
    await refused({"watcher": watcher, "guest": bela, "host": asha}[who], code, name, **fields)


async def test_rate_before_role(floor: Floor, party: Party) -> None:
    worker = await floor.add(rate_commands="3")
    asha, bela = await party.seated(worker.base, worker.base)
    codes = [(await bela.command("start"))["code"] for _ in range(12)]
    assert codes[0] == "not_host"
    assert codes[-1] == "too_fast"
    assert (await bela.command("start", id=5))["code"] == "bad_request"
    assert asha.model.phase == "lobby"


async def test_a_handshake_without_a_websocket_is_no_traceback(worker: Worker) -> None:
    async with aiohttp.ClientSession() as http:
        for query in ("", "?EIO=4", "?EIO=3&transport=polling", "?EIO=4&transport=x", "?EIO=4&transport=polling&sid=x"):
            async with http.get(f"{worker.base}/socket.io/{query}") as answer:
                assert 400 <= answer.status < 500 or (answer.status == 200 and "sid" in await answer.text())
        with pytest.raises(WSServerHandshakeError):
            await http.ws_connect(f"{worker.base}/socket.io/?EIO=4&transport=websocket&sid=nobody")
