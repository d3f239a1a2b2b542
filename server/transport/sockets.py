"""Socket.IO of the contract (section 6): connections in and out, commands and their answers.

Reads shapes, counts rates, gives the rooms what is left to decide, and words their refusals. The libraries are behind
`frames.py`. Invariant: a command that asks for an answer gets exactly one, or none where nobody can say whether it was
done.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from aiohttp import WSCloseCode, web

from server.config import Config
from server.ports import Store, StoreDownError, UncertainError
from server.protocol.codec import encode
from server.protocol.commands import BadShapeError, Reveal, Sync, parse, parse_hello
from server.protocol.ids import canonical
from server.protocol.replies import Accepted, Notice, RefusalCode, Refused
from server.rooms.decision import Refusal
from server.rooms.live import LiveRoom, Tempo
from server.rooms.member import Member
from server.rooms.outlet import packet
from server.rooms.rooms import Rooms
from server.tally import Tally
from server.transport import cookies, limits, metrics, origin, words
from server.transport.bucket import Bucket
from server.transport.connection import Connection
from server.transport.frames import Frames
from server.transport.guard import Event
from server.transport.headers import base_url

log = structlog.get_logger()

MOST_WAITING = 64
"""Commands of one connection that may be under way; more is no person, and ends it."""
FLOOD_A_SECOND = 200
UNDER_WAY_S = 1.5
"""How long a drain waits for the answers that are under way."""
CLOSING_S = 1.0
"""And then for the connections to close."""


@dataclass(slots=True)
class Session:
    """What is kept of one connection: where it is, what it may still ask, what is under way."""

    connection: Connection
    address: str
    language: words.Language
    base_url: str
    commands: Bucket
    refused: Bucket
    flood: Bucket
    live: LiveRoom | None = None
    member: Member | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


class Sockets:
    """The Socket.IO side of a worker."""

    def __init__(self, config: Config, store: Store, tally: Tally | None = None) -> None:
        """Serve nobody yet."""
        self._config = config
        self._tally = tally or Tally()
        self._frames = Frames(self._joined, self._left, self._happened, self._tally)
        tempo = Tempo(
            config.beat_ms,
            config.away_ms,
            config.ttl_ms,
            config.unvisited_ms,
            nudge_ms=config.nudge_ms,
            says=config.rate_says,
            host_ms=config.host_ms,
            idle_ms=config.idle_ms,
        )
        self.rooms = Rooms(store, self._frames, tempo, self._tally)
        self._sessions: dict[Connection, Session] = {}
        self._addresses: Counter[str] = Counter()
        self._draining = False
        self._turnstile = asyncio.Lock()

    def attach(self, app: web.Application) -> None:
        """Answer `/socket.io/` of this app."""
        app.router.add_route("*", "/socket.io/", self._handle)
        metrics.register(app, self._tally, self.rooms, self)

    def __len__(self) -> int:
        """Return how many connections are in a room."""
        return len(self._sessions)

    def open(self) -> int:
        """Return how many sockets are open, joined or not."""
        return len(self._frames.connections)

    async def drain(self) -> None:
        """Refuse what is new, say so, finish what is under way, and close: clients come back by themselves."""
        if self._draining:
            return
        self._draining = True
        for connection in self._sessions:
            connection.send(packet("notice", Notice("draining")))
        under_way = [task for session in self._sessions.values() for task in session.tasks]
        if under_way:
            _, hung = await asyncio.wait(under_way, timeout=UNDER_WAY_S)
            for task in hung:
                task.cancel()  # The store is away: the client asks again with the same id.
        await self.rooms.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await self._frames.close_all(WSCloseCode.SERVICE_RESTART)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if self._draining:
            return web.Response(status=503, headers={"Retry-After": "1"})
        host = origin.host_of(request.headers.get("Host"))
        came_from = request.headers.get("Origin")
        if not origin.may_connect(came_from, host, self._config.public_url, has_cookie=cookies.has_cookie(request)):
            return web.Response(status=403)
        if "sid" not in request.query:
            # One newcomer in each round of the loop: a crowd at once would make rounds of 100 ms, and a tap takes four.
            async with self._turnstile:
                await asyncio.sleep(0)
        answer: web.StreamResponse = await self._frames.eio.handle_request(request)
        return answer

    # --- In and out --------------------------------------------------------------------------------------------------

    async def _joined(self, connection: Connection, request: web.Request, auth: object) -> dict[str, Any] | None:
        try:
            hello = parse_hello(auth)
        except BadShapeError:
            return self._refusal("no_table", request)
        table = canonical(hello.table)
        if table is None:
            return self._refusal("no_table", request)
        if self._draining:
            return self._refusal("draining", request)
        config = self._config
        address = limits.bucket("sockets", limits.request_address(request, config))
        if config.rate_sockets and self._addresses[address] >= config.rate_sockets:
            return self._refusal("too_many", request)
        connection.guest = cookies.guest_of(request) or ""
        session = Session(
            connection,
            address,
            words.accepted(request.headers.get("Accept-Language")),
            base_url(request),
            commands=Bucket(config.rate_commands),
            refused=Bucket(config.rate_refused),
            flood=Bucket(FLOOD_A_SECOND if config.rate_commands else 0),
        )
        self._sessions[connection] = session
        self._addresses[address] += 1
        try:
            entered = await self.rooms.enter(table, connection, hello.since, session.language, hello.token or "")
        except StoreDownError:
            entered = Refusal("store_down")
        if isinstance(entered, Refusal):
            self._forget(session)
            return self._refusal(entered.code, request)
        session.live, session.member = entered
        return None

    async def _left(self, connection: Connection) -> None:
        session = self._sessions.get(connection)
        if session is None:
            return
        self._forget(session)
        if session.live is not None and session.member is not None:
            await self.rooms.exit(session.live, session.member)

    def _forget(self, session: Session) -> None:
        if self._sessions.pop(session.connection, None) is None:
            return
        self._addresses[session.address] -= 1
        if self._addresses[session.address] <= 0:
            del self._addresses[session.address]

    # --- Commands ----------------------------------------------------------------------------------------------------

    def _happened(self, connection: Connection, event: Event) -> None:
        session = self._sessions.get(connection)
        if session is None:
            return
        if not session.flood.take() or len(session.tasks) >= MOST_WAITING:
            self._frames.later(connection.close(WSCloseCode.POLICY_VIOLATION))
            return
        # On its own, so that a waiting store does not keep the pongs from being read; the room's lock keeps the order.
        task = asyncio.get_running_loop().create_task(self._answer(session, event))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)

    async def _answer(self, session: Session, event: Event) -> None:
        try:
            answer = await self._carried_out(session, event)
        except UncertainError:
            return  # A refusal would say that nothing changed. Unanswered, the client asks again with the same id.
        except StoreDownError:
            answer = Refusal("store_down")
        except Exception:
            log.exception("a command failed", command=event.name if event.name.isalpha() else "?")
            answer = Refusal("store_down")
        if isinstance(answer, Refusal):
            self._tally.refusals[answer.code] += 1
        if event.ack is None:
            return
        if isinstance(answer, Refusal):
            said = Refused(
                answer.code, words.refusal(session.language, answer.code), seats=answer.seats, field=answer.field
            )
            session.connection.send(f"3{event.ack}[{encode(said)}]")
        else:
            session.connection.send(f"3{event.ack}[{encode(answer)}]")

    async def _carried_out(self, session: Session, event: Event) -> Accepted | Refusal:
        live, member = session.live, session.member
        try:
            command = parse(event.name, event.payload)
        except BadShapeError as error:
            return Refusal("bad_request", field=error.field)
        if live is None or member is None:
            return Refusal("no_table")
        if self._draining:
            return Refusal("draining")
        if not isinstance(command, Reveal) and not session.commands.take():
            return Refusal("too_fast")
        if isinstance(command, Sync):
            synced = await self.rooms.sync(live, member, command.since)
            return synced if isinstance(synced, Refusal) else Accepted(seq=synced)
        answer = await self.rooms.command(live, member, command)
        if isinstance(answer, Accepted) and answer.url is not None:
            answer = replace(answer, url=session.base_url + answer.url)
        if isinstance(command, Reveal) and isinstance(answer, Refusal) and not session.refused.take():
            return Refusal("too_fast")
        return answer

    def _refusal(self, code: RefusalCode, request: web.Request) -> dict[str, Any]:
        self._tally.refusals[code] += 1
        language = words.accepted(request.headers.get("Accept-Language"))
        return {"code": code, "message": words.refusal(language, code)}
