"""Questions to the store, many at a time on one link, and what to do about a lost or late answer.

What is asked is not known here. Invariant: an answer belongs to its question by order alone, so a link with a
late answer is given up whole, and all its open questions are uncertain; those that bear it are asked again.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import hiredis
from redis.asyncio.connection import AbstractConnection

from server.ports import StoreDownError, StoreFullError
from server.store.link import Link, LostError, Reply
from server.store.scripts import Script
from server.tally import Tally

# RESP answers are nested lists of bytes and integers; the one place where they are not yet typed.
Answer = Any
Part = str | bytes | int

ANSWER_S: Final = 2.0
"""How long one answer may take before its link is given up."""
TOTAL_S: Final = 5.0
"""How long a question is asked again, in all, before the store counts as down."""

_FULL: Final = ("OOM", "MISCONF")
# Certain refusals that another try, perhaps at another server behind the same address, may not meet.
_ELSEWHERE: Final = ("READONLY", "LOADING", "MASTERDOWN", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "UNBLOCKED")


class _Pipe:
    """A link, and the questions that wait on it in order."""

    def __init__(self, answer_s: float, tally: Tally) -> None:
        self._tally = tally
        self.link = Link(self._replied, self._lost)
        self._answer_s = answer_s
        self._open: deque[tuple[float, asyncio.Future[Answer]]] = deque()
        self._loop = asyncio.get_running_loop()
        self._watch: asyncio.TimerHandle | None = None

    def ask(self, parts: tuple[Part, ...]) -> asyncio.Future[Answer]:
        future: asyncio.Future[Answer] = self._loop.create_future()
        if not self.link.alive:
            raise LostError("the link was lost before it was asked")
        self.link.send(*parts)
        self._open.append((time.monotonic(), future))
        if self._watch is None:
            self._watch = self._loop.call_later(self._answer_s, self._look)
        return future

    def _look(self) -> None:
        """One timer a link, not one a question: give the link up when its oldest question is too old."""
        self._watch = None
        if not self._open:
            return
        left = self._open[0][0] + self._answer_s - time.monotonic()
        if left <= 0:
            self.link.close()
        else:
            self._watch = self._loop.call_later(left, self._look)

    def _replied(self, reply: Reply) -> None:
        asked, future = self._open.popleft()
        self._tally.store.took(time.monotonic() - asked)
        self._tally.store_up = True
        if not future.done():
            future.set_result(reply)

    def _lost(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        while self._open:
            _, future = self._open.popleft()
            if not future.done():
                future.set_exception(LostError("the answer was lost"))
                future.exception()  # nobody may be waiting any more


class Questions:
    """Asks on `size` links in turn; one is enough unless answers are waited for at the server (WAIT)."""

    def __init__(
        self,
        make: Callable[[], AbstractConnection],
        *,
        size: int = 1,
        answer_s: float = ANSWER_S,
        total_s: float = TOTAL_S,
        tally: Tally | None = None,
    ) -> None:
        self._tally = tally or Tally()
        self._make = make
        self._answer_s = answer_s
        self._total_s = total_s
        self._pipes: list[_Pipe | None] = [None] * size
        self._attempts: list[asyncio.Task[_Pipe] | None] = [None] * size
        self._next = 0
        self._closed = False

    async def command(self, *parts: Part, again: bool = True) -> Answer:
        """Send one command and return its answer; asked again while uncertain, unless `again` is False.

        Raises:
            StoreFullError: the store refused for want of room.
            StoreDownError: it refused otherwise, or no certain answer came in time.
        """
        return await self._ask(parts, again)

    async def run(self, script: Script, keys: tuple[str, ...], *args: Part, again: bool = True) -> Answer:
        """Run a script and return its answer; one that the server forgot is sent whole, in one step.

        Raises as `command` does.
        """
        rest = (len(keys), *keys, *args)
        return await self._ask(("EVALSHA", script.sha, *rest), again, ("EVAL", script.text, *rest))

    async def wait(self, write: tuple[Part, ...], replicas: int) -> int:
        """Do a write, then wait until so many replicas have it and all before it; return how many have.

        Raises as `command` does, after one try.
        """
        try:
            pipe = self._ready() or await self._connect()
            written, reached = pipe.ask(write), pipe.ask(("WAIT", replicas, int(self._answer_s * 500)))
            trouble = _refusal(await written)
            count = await reached
        except LostError as error:
            raise StoreDownError(str(error)) from error
        if trouble or not isinstance(count, int):
            raise StoreDownError(trouble or _refusal(count))
        return count

    async def _ask(self, parts: tuple[Part, ...], again: bool, whole: tuple[Part, ...] = ()) -> Answer:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._total_s
        pause = 0.02
        while True:
            try:
                pipe = self._ready() or await self._connect()
                answer = await pipe.ask(parts)
                if whole and _refusal(answer).startswith("NOSCRIPT"):
                    answer = await pipe.ask(whole)
                trouble = _refusal(answer)
                if not trouble:
                    return answer
                if trouble.startswith(_FULL):
                    raise StoreFullError(trouble)
                if not trouble.startswith(_ELSEWHERE):
                    raise StoreDownError(trouble)
                pipe.link.close()
            except LostError as error:
                trouble = str(error)
            left = until - loop.time()
            if self._closed or not again or left <= 0:
                self._tally.store_up = False
                raise StoreDownError(trouble)
            await asyncio.sleep(min(left, pause * random.uniform(0.5, 1.5)))
            pause = min(pause * 2, 0.5)

    def _ready(self) -> _Pipe | None:
        self._next = (self._next + 1) % len(self._pipes)
        pipe = self._pipes[self._next]
        return pipe if pipe is not None and pipe.link.alive else None

    async def _connect(self) -> _Pipe:
        """Take part in the one attempt at a time to connect this place: its failure is everybody's."""
        place = self._next
        attempt = self._attempts[place]
        if attempt is None or attempt.done():
            attempt = self._attempts[place] = asyncio.create_task(self._attempt(place))
            attempt.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(attempt)

    async def _attempt(self, place: int) -> _Pipe:
        if self._closed:
            raise LostError("closed")
        pipe = _Pipe(self._answer_s, self._tally)
        await pipe.link.connect(self._make, self._answer_s)
        self._pipes[place] = pipe
        if self._closed:
            pipe.link.close()
        return pipe

    async def close(self) -> None:
        """End all links; what is still asked is answered by StoreDownError."""
        self._closed = True
        await asyncio.gather(*(a for a in self._attempts if a), return_exceptions=True)
        for pipe in self._pipes:
            if pipe is not None:
                pipe.link.close()
        await asyncio.sleep(0)  # the transports tell their end in the loop's next round


def _refusal(answer: Answer) -> str:
    return str(answer) if isinstance(answer, hiredis.ReplyError) else ""
