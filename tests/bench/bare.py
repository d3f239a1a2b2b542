"""The reference: the same tables on a bare aiohttp websocket, in memory, with nothing saved and nothing checked.

    python -m tests.bench.load --tables 300 --reference

What a machine is worth: this server does per reveal what no server on aiohttp can do without (read a tap, turn a card
by the engine, write the batch to six people), so that a figure of the product's is told as so many times this one,
whichever machine it was measured on. It speaks just enough of Engine.IO for `crowd.py`. Not for players.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import secrets
import sys

import uvloop
from aiohttp import WSMsgType, web

from engine.game import Game, deal, reveal
from server.protocol.codec import encode

_EVENT = re.compile(r"42(\d+)(\[.*)", re.DOTALL)


class Table:
    """A table of four."""

    def __init__(self) -> None:
        self.seq = 0
        self.sockets: list[web.WebSocketResponse] = []
        self.game: Game | None = None

    def deal(self) -> None:
        self.game, events = deal(
            table="0" * 12, game=1, deck="standard", length="any", seed=secrets.token_hex(32), nonces=("0" * 32,) * 4
        )
        self.say(encode(events))

    def turn(self) -> None:
        if self.game is not None and self.game.turn is not None:
            self.game, events = reveal(self.game, "self")
            self.say(encode(events))

    def say(self, events: str) -> None:
        self.seq += 1
        frame = (
            f'42["events",{{"epoch":"{"0" * 16}","seq":{self.seq},"mark":"{"0" * 16}","at":1700000000000,'
            f'"events":{events}}}]'
        )
        data = frame.encode()
        prepared = bytes((0x81, 126)) + len(data).to_bytes(2, "big") + data
        for socket in self.sockets:
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.write(prepared)


TABLES: dict[str, Table] = {}


async def make(request: web.Request) -> web.Response:
    """Make a table."""
    table = secrets.token_hex(6)
    TABLES[table] = Table()
    return web.json_response({"id": table}, status=201, headers={"Set-Cookie": "rm_guest=x; Path=/"})


async def visit(request: web.Request) -> web.Response:
    """Give a cookie."""
    return web.Response(headers={"Set-Cookie": "rm_guest=x; Path=/"})


async def connect(request: web.Request) -> web.WebSocketResponse:
    """Serve one websocket to its end."""
    table = TABLES[request.query["table"]]
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    await socket.send_str('0{"sid":"x","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":65536}')
    async for message in socket:
        if message.type is not WSMsgType.TEXT:
            break
        if found := _EVENT.fullmatch(message.data):
            name = json.loads(found[2])[0]
            if name == "reveal":
                table.turn()
            elif name == "start":
                table.deal()
            await socket.send_str(f'43{found[1]}[{{"ok":true,"seq":{table.seq}}}]')
        elif message.data.startswith("40"):
            table.sockets.append(socket)
            await socket.send_str('42["you",{}]')
    table.sockets.remove(socket)
    return socket


async def ready(request: web.Request) -> web.Response:
    """Say yes."""
    return web.Response(text="ready\n")


async def serve(port: int) -> None:
    """Serve on a port of this machine."""
    app = web.Application()
    app.router.add_post("/api/tables", make)
    app.router.add_get("/api/tables/{id}", visit)
    app.router.add_get("/socket.io/", connect)
    app.router.add_get("/readyz", ready)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 2, 10_000)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
