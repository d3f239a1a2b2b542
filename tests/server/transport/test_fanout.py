"""A packet to many: what is written, in slices, in order, and to who never reads."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import ExitStack
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import WSMsgType
from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader
from aiohttp._websocket.writer import WebSocketWriter
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import strategies as st

from server.transport import fanout, wire
from server.transport.fanout import text_frame
from tests.server.store.helpers import until
from tests.server.transport.conftest import Open
from tests.server.transport.wires import House, deaf


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return False


@pytest.mark.parametrize("size", [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 70_000])
async def test_a_prepared_frame_is_what_aiohttp_writes(size: int) -> None:
    text = ("রং" * size)[: size // 3] + "x" * (size - 3 * (size // 3))
    wire = Wire()
    protocol: Any = make_mocked_request("GET", "/").protocol
    protocol._paused = False
    await WebSocketWriter(protocol, wire).send_frame(text.encode(), WSMsgType.TEXT)
    assert text_frame(text) == wire.written


@given(st.text(max_size=70_000).filter(str.isprintable))
def test_a_prepared_frame_reads_as_its_text(text: str) -> None:
    async def read() -> str:
        queue = WebSocketDataQueue(Mock(_reading_paused=False), 2**20, loop=asyncio.get_running_loop())
        WebSocketReader(queue, 2**20, compress=False, decode_text=True).feed_data(text_frame(text))
        return str((await queue.read()).data)

    assert asyncio.run(read()) == text


async def test_one_encoding_serves_all_websockets(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await house.guest().make_table()
    bares = [await house.guest().bare(table) for _ in range(3)]
    made: list[str] = []

    def counting(text: str) -> bytes:
        made.append(text)
        return text_frame(text)

    monkeypatch.setattr(fanout, "text_frame", counting)
    house.frames.deliver(house.frames.connections.values(), '2["hello"]')
    for bare in bares:
        assert await bare.hear_until('42["hello"') == '42["hello"]'
    assert made == ['42["hello"]']


async def test_a_crowd_gets_all_of_it_in_order_whatever_comes_between(
    house_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "SLICE", 2)
    house = await house_at(rate_sockets=0)
    guest = house.guest()
    table = await guest.make_table()
    bares = [await guest.bare(table) for _ in range(9)]
    crowd = list(house.frames.connections.values())
    said: list[list[str]] = [[] for _ in crowd]
    chance = random.Random(7)
    for n in range(300):
        text = f'2["x",{n}]'
        if chance.random() < 0.5:
            house.frames.deliver(crowd, text)
            for each in said:
                each.append(text)
        else:
            one = chance.randrange(len(crowd))
            crowd[one].send(text)
            said[one].append(text)
        if chance.random() < 0.3:
            await asyncio.sleep(0)
    house.frames.deliver(crowd, '2["end"]')
    for bare, texts in zip(bares, said, strict=True):
        await bare.hear_until('42["end"')
        assert [text for text in bare.heard if text.startswith('42["x"')] == ["4" + text for text in texts]


async def test_a_crowd_is_written_to_in_slices_and_the_loop_goes_on_between(
    house_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "SLICE", 2)
    house = await house_at(rate_sockets=0)
    guest = house.guest()
    table = await guest.make_table()
    for _ in range(7):
        await guest.bare(table)
    crowd = list(house.frames.connections.values())
    house.frames.deliver(crowd, '2["x"]')
    behind: list[int] = []
    while not behind or behind[-1]:
        behind.append(sum(len(connection._late) for connection in crowd))
        await asyncio.sleep(0)
    assert sorted(set(behind), reverse=True) == [5, 3, 1, 0]


async def test_one_who_comes_while_a_crowd_is_written_to_gets_nothing_from_before(
    house_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "SLICE", 1)
    house = await house_at(rate_sockets=0, rate_commands=0)
    maker = house.guest()
    table = await maker.make_table()
    asha = await maker.bare(table)
    watchers = [await house.guest().bare(table) for _ in range(12)]

    async def rename() -> None:
        for n in range(60):
            assert (await asha.ask("rename", n, id=f"r{n}", name=f"Asha {n}"))["ok"]

    renaming = asyncio.create_task(rename())
    late = [await house.guest().bare(table) for _ in range(12)]
    await renaming
    assert (await asha.ask("rename", 99, id="r", name="Asha"))["ok"]
    for bare in (*watchers, *late):
        await bare.hear_until('42["events"')
        while '"name":"Asha"' not in bare.heard[-1]:
            await bare.hear()
        numbered = [json.loads(text[2:]) for text in bare.heard if text.startswith(('42["snapshot"', '42["events"'))]
        seqs = [packet["seq"] for _, packet in numbered]
        assert seqs == list(range(seqs[0], seqs[-1] + 1))
        assert [kind for kind, _ in numbered] == ["snapshot"] + ["events"] * (len(seqs) - 1)


async def test_what_is_late_goes_out_before_the_end(house_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "SLICE", 0)
    house = await house_at()
    guest = house.guest()
    bare = await guest.bare(await guest.make_table())
    (connection,) = house.frames.connections.values()
    house.frames.deliver([connection], '2["x"]')
    await connection.close()
    await bare.ended()
    assert bare.heard[-1] == '42["x"]'
    house.frames.deliver([connection], '2["y"]')
    assert connection._late == []


async def test_a_poller_of_a_crowd_gets_it_in_order(house_at: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "SLICE", 0)
    house = await house_at()
    guest = house.guest()
    table = await guest.make_table()
    url = await guest.poll_url()
    assert await guest.post(url, f'40{{"table":"{table}"}}') == 200
    (connection,) = house.frames.connections.values()
    house.frames.deliver([connection], '2["x",1]')
    house.frames.deliver([connection], '2["x",2]')
    connection.send('2["x",3]')
    heard: list[str] = []
    while '42["x",3]' not in heard:
        heard += (await guest.poll(url))[1]
    assert [text for text in heard if text.startswith('42["x"')] == ['42["x",1]', '42["x",2]', '42["x",3]']


async def test_a_crowd_that_never_reads_is_dropped_and_keeps_nobody_waiting(
    house_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "SLICE", 8)
    monkeypatch.setattr(wire, "SLOW_BYTES", 64 * 1024)
    house = await house_at(rate_sockets=0)
    maker = house.guest()
    table = await maker.make_table()
    reader = await maker.bare(table)
    (reading,) = house.frames.connections.values()
    with ExitStack() as links:
        for n in range(100):
            links.enter_context(await deaf(house, table, among=n + 2))
        everybody = [reading, *(c for c in house.frames.connections.values() if c is not reading)]
        highest = late = rounds = 0
        while rounds < 1_000 and house.frames.tally.slow < 100:
            text = f'2["n",{rounds},"{"x" * 20_000}"]'
            house.frames.deliver(everybody, text)
            heard = await reader.hear_until('42["n"')
            assert heard == "4" + text
            waiting = [c.waiting() for c in everybody]
            highest, late = max(highest, *waiting), max(late, *(len(c._late) for c in everybody))
            rounds += 1
        assert house.frames.tally.slow == 100
        assert not reading.ended
        # What is late is written together; and one who got too much is not written to again.
        assert highest <= wire.SLOW_BYTES + late * len(text) + 1_000
        assert late <= 20
        await until(lambda: len(house.sockets) == 1)
