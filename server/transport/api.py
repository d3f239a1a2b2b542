"""The tables over HTTP (contract, section 5): make one, ask for its state, its logs, its receipts.

Only what HTTP adds lives here: bodies, origins, cookies, statuses. What a table is, the rooms say.
Invariant: a refused request makes nothing and sets no cookie.
"""

from __future__ import annotations

import asyncio
import json
from typing import NoReturn
from urllib.parse import parse_qsl

from aiohttp import web

from server.protocol.codec import encode
from server.protocol.ids import canonical
from server.rooms import tables
from server.rooms.settings import Rejected, settings_of
from server.transport.answers import RefusedError
from server.transport.cookies import guest_of, new_cookie, set_cookie
from server.transport.headers import base_url
from server.transport.keys import CONFIG, HEALTH, STORE
from server.transport.limits import WINDOW_MS, may_make_table
from server.transport.origin import host_of, may_post
from server.transport.words import LANGUAGES, accepted

LARGEST_BODY = 16 * 1024
MOST_FIELDS = 100
BODY_WITHIN_S = 10.0
_FORM = "application/x-www-form-urlencoded"


async def make_table(request: web.Request) -> web.Response:
    """`POST /api/tables`: 201 to a program, 303 to the table for a form."""
    config = request.app[CONFIG]
    headers = request.headers
    if not may_post(
        headers.get("Origin"), headers.get("Sec-Fetch-Site"), host_of(headers.get("Host")), config.public_url
    ):
        raise RefusedError(403, "foreign_origin")
    if request.app[HEALTH].draining:
        raise RefusedError(503, "draining", retry_s=1)
    is_form = request.content_type == _FORM
    wanted = await _wanted(request)
    language = wanted.pop("language", None) if is_form else None
    if language not in LANGUAGES:
        language = accepted(headers.get("Accept-Language"))
    name = wanted.pop("name", None)
    settings = settings_of(wanted, strict=not is_form)
    if isinstance(settings, Rejected):
        raise RefusedError(400, settings.code, settings.field)
    if not await may_make_table(request.app[STORE], config, request):
        raise RefusedError(429, "too_fast", retry_s=WINDOW_MS // 1000)
    guest = guest_of(request)
    cookie = None
    if guest is None:
        cookie, guest = new_cookie()
    made = await tables.make_table(
        request.app[STORE],
        guest=guest,
        name=name,
        wanted=wanted,
        language=str(language),
        unvisited_ms=config.unvisited_ms,
        strict=not is_form,
    )
    if isinstance(made, Rejected):
        raise RefusedError(400, made.code, made.field)
    url = f"{base_url(request)}/t/{made.id}"
    if is_form:
        response = web.Response(status=303, headers={"Location": f"/t/{made.id}"})
    else:
        body = {"id": made.id, "url": url, "seat": 0, "commitment": made.commitment}
        response = _json(encode(body), status=201)
        response.headers["Location"] = f"/t/{made.id}"
    if cookie is not None:
        set_cookie(request, response, cookie)
    return response


async def table_summary(request: web.Request) -> web.Response:
    """`GET /api/tables/{id}`: the table in short, without names; the app's way to a cookie."""
    summary = await tables.summary(request.app[STORE], table_id(request))
    if summary is None:
        raise RefusedError(404, "no_table")
    response = _json(encode(summary))
    set_cookie(request, response)
    return response


async def table_log(request: web.Request) -> web.Response:
    """`GET /api/tables/{id}/log?game=K`: a game, an event a line."""
    asked = request.query.get("game")
    game = int(asked) if asked and asked.isascii() and asked.isdigit() and len(asked) < 10 else None
    if asked is not None and game is None:
        raise RefusedError(404, "no_game")
    lines = await tables.log_lines(request.app[STORE], table_id(request), game, guest_of(request) or "")
    if isinstance(lines, str):
        _not_given(lines)
    return web.Response(
        text="".join(f"{line}\n" for line in lines), content_type="application/x-ndjson", charset="utf-8"
    )


async def table_receipts(request: web.Request) -> web.Response:
    """`GET /api/tables/{id}/receipts`: those of its finished games, oldest first."""
    receipts = await tables.receipts(request.app[STORE], table_id(request), guest_of(request) or "")
    if isinstance(receipts, str):
        _not_given(receipts)
    return _json('{"receipts":[' + ",".join(receipts) + "]}")


def table_id(request: web.Request) -> str:
    """Return the id that a path means.

    Raises:
        RefusedError: 404 for one that cannot be an id.
    """
    table = canonical(request.match_info["id"])
    if table is None:
        raise RefusedError(404, "no_table")
    return table


def _not_given(code: str) -> NoReturn:
    raise RefusedError(403 if code == "not_allowed" else 404, code)


def _json(text: str, status: int = 200) -> web.Response:
    return web.Response(status=status, text=text, content_type="application/json")


async def _wanted(request: web.Request) -> dict[str, object]:
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            raw = await _body(request)
        text = raw.decode("utf-8")
        if request.content_type == _FORM:
            # What was left blank was not asked for. A checkbox follows a hidden field of its name: the last counts.
            return dict(parse_qsl(text, max_num_fields=MOST_FIELDS))
        wanted = json.loads(text, parse_constant=_no_constant)
    except TimeoutError:
        raise RefusedError(408, "bad_request") from None
    except (ValueError, RecursionError, web.RequestPayloadError):
        raise RefusedError(400, "bad_request") from None
    if request.content_type != "application/json" or not isinstance(wanted, dict):
        raise RefusedError(400, "bad_request")
    return wanted


async def _body(request: web.Request) -> bytes:
    # Counted after decompression, and given up at the first piece too many: a body that swells never does it here.
    body = bytearray()
    async for piece in request.content.iter_any():
        body += piece
        if len(body) > LARGEST_BODY:
            raise RefusedError(413, "too_large")
    return bytes(body)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)
