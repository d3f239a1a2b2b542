"""The adapter's bargain with the libraries: what it overrides is there, what it writes is what they would write."""

from __future__ import annotations

import asyncio
import inspect

import engineio
import pytest
import socketio
from aiohttp import web
from engineio.async_drivers.aiohttp import _async
from engineio.async_socket import AsyncSocket
from engineio.packet import CLOSE, MESSAGE, Packet

from server.transport import connection as connections
from server.transport import frames, wire
from server.transport.frames import Frames
from tests.server.store.helpers import until
from tests.server.transport.conftest import Open
from tests.server.transport.wires import Bare, Guest, House, deaf

# --- The libraries' inside ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("_send_packet", ["self", "eio_sid", "pkt"]),
        ("_handle_connect", ["self", "eio_sid", "namespace", "data"]),
        ("_handle_eio_connect", ["self", "eio_sid", "environ"]),
        ("_handle_eio_message", ["self", "eio_sid", "data"]),
        ("_handle_eio_disconnect", ["self", "eio_sid", "reason"]),
        ("shutdown", ["self"]),
    ],
)
def test_what_is_overridden_or_called_is_there(name: str, parameters: list[str]) -> None:
    method = getattr(socketio.AsyncServer, name)
    assert inspect.iscoroutinefunction(method)
    assert list(inspect.signature(method).parameters) == parameters


def test_the_driver_that_is_replaced_is_there() -> None:
    assert set(_async) == {"asyncio", "create_route", "translate_request", "make_response", "websocket"}
    assert list(inspect.signature(_async["translate_request"]).parameters) == ["request"]
    assert list(inspect.signature(_async["websocket"]).parameters) == ["handler", "server"]
    for name in ("close", "send", "wait", "__call__"):
        assert inspect.iscoroutinefunction(getattr(_async["websocket"], name))


async def test_what_is_used_of_a_session_is_there() -> None:
    server = engineio.AsyncServer(async_mode="aiohttp")
    session = AsyncSocket(server, "sid")
    assert session.sid == "sid"
    assert isinstance(session.queue, asyncio.Queue)
    assert (session.closed, session.connected) == (False, False)
    assert isinstance(session.last_ping, float)
    assert "if self.last_ping:" in inspect.getsource(AsyncSocket.schedule_ping), "None: it asks nobody by itself"
    assert list(inspect.signature(session.close).parameters) == ["wait", "abort", "reason"]
    assert server.sockets == {}
    assert server.service_task_handle is None
    assert "if self.start_service_task:" in inspect.getsource(engineio.AsyncServer._handle_connect)
    assert not engineio.AsyncServer(async_mode="aiohttp", monitor_clients=False).start_service_task
    assert Packet(MESSAGE, data="2[]").encode() == "42[]"
    assert Packet(CLOSE).encode() == "1"


async def test_the_namespaces_manager_tells_one_id_by_the_other() -> None:
    manager = socketio.AsyncManager()
    manager.set_server(server := socketio.AsyncServer(client_manager=manager))
    sid = await server.manager.connect("eio", "/")
    assert (manager.eio_sid_from_sid(sid, "/"), manager.sid_from_eio_sid("eio", "/")) == ("eio", sid)


async def test_who_goes_leaves_nothing_in_the_manager_and_takes_nobody_along() -> None:
    ours, theirs = frames._Manager(), socketio.AsyncManager()
    for manager in (ours, theirs):
        manager.set_server(socketio.AsyncServer(client_manager=manager))
        sids = [await manager.connect(f"eio{n}", "/") for n in range(3)]
        await manager.pre_connect("eio3", "/")
        manager.pre_disconnect(sids[0], "/")
        await manager.disconnect(sids[0], "/")
        await manager.disconnect(sids[1], "/")
        await manager.disconnect(manager.sid_from_eio_sid("eio3", "/"), "/")
        await manager.disconnect("nobody", "/")
        assert manager.eio_sid_from_sid(sids[2], "/") == "eio2"
        assert set(manager.rooms["/"][None]) == {sids[2]}
        assert set(manager.rooms["/"]) == ({None} if manager is ours else {None, sids[2]})
        await manager.disconnect(sids[2], "/")
    kept = ("rooms", "callbacks", "pending_connect", "pending_disconnect", "eio_to_sid")
    assert [getattr(ours, name, {}) for name in kept] == [getattr(theirs, name, {}) for name in kept]
    assert inspect.getsource(socketio.AsyncManager.basic_disconnect).count("self.pending_") == 10


def test_our_handlers_cannot_be_called_by_an_event_of_their_name() -> None:
    assert "_handle_eio_message" in vars(Frames)  # events never reach the library's own dispatch


async def test_no_compression_is_agreed_on(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table(), compress=15)
    assert bare.socket.compress == 0
    assert bare.socket._response.headers.get("Sec-WebSocket-Extensions") is None


# --- Order -----------------------------------------------------------------------------------------------------------


async def test_the_namespaces_own_packet_goes_before_all_that_waited(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    starts = [text[:6] for text in bare.heard]
    assert starts == ['0{"sid', '40{"si', '42["sn', '42["yo', '42["mo']


async def test_snapshots_events_and_answers_keep_their_order(house_at: Open) -> None:
    house = await house_at(rate_commands=0)
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    bare.heard.clear()
    for n in range(8):
        await bare.say(f'42{2 * n}["rename",{{"id":"r{n}","name":"A{n}"}}]')
        await bare.say(f'42{2 * n + 1}["sync",{{}}]')
    while not any(text.startswith("4315[") for text in bare.heard):
        await bare.hear()
    kinds = [k for t in bare.heard if (k := _kind(t)) in ("events", "snapshot", "answer")]
    assert kinds == ["events", "answer", "snapshot", "answer"] * 8


def _kind(text: str) -> str:
    return "answer" if text.startswith("43") else text[4:].split('"')[0]


async def test_a_poller_gets_all_of_it_in_order_too(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    assert await guest.post(url, f'40{{"table":"{table}"}}') == 200
    assert await guest.post(url, '421["rename",{"id":"r","name":"Asha Di"}]') == 200
    heard: list[str] = []
    while not any(text.startswith("431[") for text in heard):
        heard += (await guest.poll(url))[1]
    kinds = [_kind(text) for text in heard if text.startswith(("42", "43"))]
    assert [kind for kind in kinds if kind != "presence"] == ["snapshot", "you", "moment", "events", "answer"]


# --- Garbage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "4", "9", "garbage", "42", "42[]", "42[5]", '42["x",', "451-[]", "43[]", '42/x,["a"]', "44{}", "4" * 70_000],
)
async def test_a_malformed_frame_ends_the_connection(house: House, text: str) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    await bare.say(text)
    assert await bare.ended() in (1008, 1009)
    await until(lambda: house.frames.connections == {} and len(house.sockets.rooms) == 0)


async def test_a_binary_frame_ends_the_connection(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    await bare.socket.send_bytes(b"4")
    assert await bare.ended() == 1003


@pytest.mark.parametrize("text", ['42["sync",{}]', "41", "40", '40{"table":1}40'])
async def test_nothing_but_a_greeting_comes_first(house: House, text: str) -> None:
    bare = await house.guest().bare()
    await bare.say(text)
    if text == "40":
        assert (await bare.hear()).startswith("44{")
    else:
        assert await bare.ended() is not None
    assert len(house.sockets) == 0


async def test_goodbye_to_the_namespace_ends_the_connection(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    await bare.say("41")
    assert await bare.ended() == 1000
    await until(lambda: len(house.sockets) == 0)


@pytest.mark.parametrize("body", [b"garbage", b"\xff", b"4" * 70_000, b"\x1e".join([b"3"] * 65)])
async def test_a_malformed_body_ends_the_pollers_session(house: House, body: bytes) -> None:
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    assert await guest.post(url, f'40{{"table":"{table}"}}') == 200
    async with guest.http.post(url, data=body) as answer:
        assert answer.status in (400, 413)
    await until(lambda: len(house.sockets) == 0)
    assert house.frames.connections == {}


async def test_an_unknown_session_is_refused(house: House) -> None:
    guest = house.guest()
    assert await guest.post(house.url + "/socket.io/?EIO=4&transport=polling&sid=none", "2") == 400
    assert await guest.post(house.url + "/socket.io/?EIO=4&transport=polling&sid=none", "garbage") == 400


async def test_a_poller_may_go_on_by_websocket(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    await guest.post(url, f'40{{"table":"{table}"}}')
    await guest.poll(url)
    socket = await guest.http.ws_connect(url.replace("http", "ws").replace("polling", "websocket"))
    bare = Bare(socket)
    await bare.say("2probe")
    assert await bare.hear() == "3probe"
    await bare.say("5")
    answer = await bare.ask("rename", 1, id="r", name="Asha Di")
    assert answer["ok"]
    await bare.close()
    await until(lambda: len(house.sockets) == 0)


async def upgraded(guest: Guest, url: str) -> Bare:
    """Return a poller's websocket, once it has gone over to it."""
    socket = await guest.http.ws_connect(url.replace("http", "ws").replace("polling", "websocket"))
    bare = Bare(socket)
    await bare.say("2probe")
    assert await bare.hear() == "3probe"
    await bare.say("5")
    return bare


async def polling(house: House, guest: Guest) -> str:
    """Return the address at which a guest who has joined a table of their own goes on polling."""
    table = await guest.make_table()
    url = await guest.poll_url()
    await guest.post(url, f'40{{"table":"{table}"}}')
    await until(lambda: len(house.sockets) == 1 and all(c.connected for c in house.frames.connections.values()))
    await guest.poll(url)
    return url


@pytest.mark.parametrize("probe", [(), ("2probe",), ("3",), ("2probe", "42"), ("2probe", "2")])
async def test_a_poller_whose_websocket_comes_to_nothing_goes_on_polling(house: House, probe: tuple[str, ...]) -> None:
    guest = house.guest()
    url = await polling(house, guest)
    socket = await guest.http.ws_connect(url.replace("http", "ws").replace("polling", "websocket"))
    for text in probe:
        await socket.send_str(text)
    await socket.close()
    await guest.post(url, '421["rename",{"id":"r","name":"Asha Di"}]')
    heard: list[str] = []
    async with asyncio.timeout(5):
        while not any(text.startswith("431[") for text in heard):
            status, frames = await guest.poll(url)
            assert status == 200
            heard += frames
    assert any("Asha Di" in text for text in heard)


async def test_one_that_went_on_by_websocket_is_closed_as_a_websocket(house: House) -> None:
    guest = house.guest()
    bare = await upgraded(guest, await polling(house, guest))
    assert (await bare.ask("rename", 1, id="r", name="Asha Di"))["ok"]
    ended = asyncio.create_task(bare.ended())
    await house.drain()
    assert await ended == 1012
    assert '42["notice",{"code":"draining"}]' in bare.heard


async def test_a_pollers_requests_are_signs_of_life(house: House) -> None:
    guest = house.guest()
    url = await polling(house, guest)
    (connection,) = house.frames.connections.values()
    connection._heard -= 20
    assert connection.silent_ms() >= 20_000
    assert await guest.post(url, "3") == 200
    assert connection.silent_ms() < 5_000


async def test_a_poller_may_send_all_that_waited_at_once(house_at: Open) -> None:
    house = await house_at(rate_commands=0)
    guest = house.guest()
    url = await polling(house, guest)
    names = [f'42{n}["rename",{{"id":"r{n}","name":"A{n}"}}]' for n in range(40)]
    assert await guest.post(url, "\x1e".join(names)) == 200
    heard: list[str] = []
    async with asyncio.timeout(5):
        while sum(text.startswith("43") for text in heard) < 40:
            heard += (await guest.poll(url))[1]


# --- Slow ------------------------------------------------------------------------------------------------------------


async def test_a_client_that_never_reads_is_dropped_with_bounded_memory(house: House) -> None:
    table = await house.guest().make_table()
    with await deaf(house, table):
        (connection,) = house.frames.connections.values()
        text = '2["events",' + "x" * 20_000 + "]"
        highest = 0
        for _ in range(2_000):
            house.frames.deliver([connection], text)
            highest = max(highest, connection.waiting())
            await asyncio.sleep(0)
            if connection.ended:
                break
        assert connection.ended
        assert house.frames.tally.slow == 1
        assert highest <= wire.SLOW_BYTES + len(text) + 16
        await until(lambda: len(house.sockets) == 0)


async def test_a_poller_who_never_polls_is_dropped(house: House) -> None:
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    await guest.post(url, f'40{{"table":"{table}"}}')
    (connection,) = house.frames.connections.values()
    for _ in range(connections.SLOW_PACKETS + 10):
        house.frames.deliver([connection], '2["x"]')
    assert house.frames.tally.slow == 1
    await until(lambda: len(house.sockets) == 0)
    connection.send('2["x"]')  # takes it, and does nothing
    assert connection.silent_ms() < 60_000


async def test_what_is_sent_to_one_that_is_gone_does_nothing(house: House) -> None:
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    (connection,) = house.frames.connections.values()
    await bare.close()
    await until(lambda: house.frames.connections == {})
    connection.send('2["x"]')
    connection.now("0{}")


def test_responses_are_aiohttps_own() -> None:
    assert {"code", "message", "drain"} <= set(inspect.signature(web.WebSocketResponse.close).parameters)
