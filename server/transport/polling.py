"""Long-polling's requests, each body read whole and strictly before the library sees it.

Nothing is decided here. Invariant: what goes on to engineio is a list of frames that guard.py let through.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from server.transport import guard


def translated(
    translate: Callable[[web.Request], dict[str, Any]],
    heard: Callable[[str], None],
    garbage: Callable[[str], Awaitable[None]],
) -> Callable[[web.Request], Awaitable[dict[str, Any]]]:
    """Return engineio's request translation with a long-polling body read whole, and strictly, beforehand.

    Each request is a sign of life: the libraries tell of a poller's pongs to nobody.
    """

    async def translate_strictly(request: web.Request) -> dict[str, Any]:
        environ = translate(request)
        heard(request.query.get("sid", ""))
        if request.method == "POST":
            body = await request.content.read(guard.LARGEST + 1)
            while len(body) <= guard.LARGEST and (more := await request.content.read(guard.LARGEST + 1)):
                body += more
            refused = _refused(body)
            if refused is not None:
                await garbage(request.query.get("sid", ""))
                raise refused
            environ["wsgi.input"] = _Body(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        return environ

    return translate_strictly


def _refused(body: bytes) -> web.HTTPException | None:
    if len(body) > guard.LARGEST:
        return web.HTTPRequestEntityTooLarge(guard.LARGEST, len(body))
    try:
        guard.payload(body)
    except guard.MalformedError:
        return web.HTTPBadRequest()
    return None


class _Body(io.BytesIO):
    """A body that was read already, as engineio reads it."""

    async def read(self, size: int | None = -1, /) -> bytes:  # type: ignore[override]  # awaited by engineio
        return super().read(size)
