"""The built app: its shell at `/t/{id}` and `/replay`, its assets, an invite's QR code.

The shell is one file for all tables; only a table's OpenGraph lines are put in. Invariant: nothing outside the
directory of the built app is ever sent, and no person's name is in the shell.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import segno
from aiohttp import web
from markupsafe import Markup

from server.protocol.ids import canonical
from server.rooms import tables
from server.transport.answers import RefusedError
from server.transport.api import table_id
from server.transport.cookies import set_cookie
from server.transport.headers import base_url
from server.transport.keys import CONFIG, STORE
from server.transport.pages import STATIC, error_page
from server.transport.words import Words, accepted, words

MARKER = "<!--og-->"
ASSETS_AGE = "public, max-age=31536000, immutable"

# One plain file name: no directory, no leading dot.
_FILE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")


async def table_shell(request: web.Request) -> web.StreamResponse:
    """`GET /t/{id}`: the app, or a page that says that there is no such table."""
    table = canonical(request.match_info["id"])
    if table is None:
        return error_page(request, 404, "mistyped")
    if table != request.match_info["id"]:
        return web.Response(status=308, headers={"Location": f"/t/{table}"})
    summary = await tables.summary(request.app[STORE], table)
    if summary is None:
        return error_page(request, 404, "gone")
    said = words(accepted(request.headers.get("Accept-Language")))
    response = _shell(request, open_graph(said, summary, f"{base_url(request)}/t/{table}"))
    response.headers["Vary"] = "Accept-Language"
    response.headers["X-Robots-Tag"] = "noindex"
    set_cookie(request, response)
    return response


async def replay_shell(request: web.Request) -> web.StreamResponse:
    """`GET /replay`: the app; the receipt is in the fragment, which no server sees."""
    return _shell(request, Markup(""))


async def asset(request: web.Request) -> web.StreamResponse:
    """`GET /assets/{file}`: its name tells its content, so it is kept for ever."""
    return _file(request, request.app[CONFIG].app_dir / "assets", ASSETS_AGE)


async def root_file(request: web.Request) -> web.StreamResponse:
    """Serve a file at the root of the built app: icon, manifest, service worker."""
    if request.match_info["file"] == "index.html":
        raise web.HTTPNotFound
    return _file(request, request.app[CONFIG].app_dir, "no-cache")


async def page_file(request: web.Request) -> web.StreamResponse:
    """`GET /static/{file}`: the pages' own style sheet and icon, under names that tell their content."""
    content = STATIC.get(request.match_info["file"])
    if content is None:
        raise web.HTTPNotFound
    kind = "image/svg+xml" if request.match_info["file"].endswith(".svg") else "text/css"
    return web.Response(text=content, content_type=kind, charset="utf-8", headers={"Cache-Control": ASSETS_AGE})


async def qr_code(request: web.Request) -> web.StreamResponse:
    """`GET /t/{id}/qr.svg`: the invite link as a QR code."""
    table = table_id(request)
    if await tables.summary(request.app[STORE], table) is None:
        raise RefusedError(404, "no_table")
    drawn = io.BytesIO()
    code = segno.make_qr(f"{base_url(request)}/t/{table}", error="m")
    code.save(drawn, kind="svg", border=3, scale=8, dark="#16181d", light="#ffffff")
    return web.Response(body=drawn.getvalue(), content_type="image/svg+xml")


def open_graph(said: Words, summary: tables.Summary, url: str) -> Markup:
    """Return the head's lines for those who show a link as a card: seats, never names."""
    free = summary.seats - summary.taken
    if summary.kind == "computers":
        title = said.text("page.og.computers")
    elif free == 0:
        title = said.text("page.og.full", seats=summary.seats)
    else:
        title = said.counted("page.og.free", free, seats=summary.seats)
    lines = {
        "og:site_name": said.text("page.name"),
        "og:type": "website",
        "og:title": title,
        "og:description": said.text("page.breath"),
        "og:url": url,
    }
    return Markup("").join(
        Markup('<meta property="{}" content="{}">\n    ').format(name, content) for name, content in lines.items()
    )


def _shell(request: web.Request, head: Markup) -> web.Response:
    try:
        shell = (request.app[CONFIG].app_dir / "index.html").read_text(encoding="utf-8")
    except OSError:
        return error_page(request, 503, "not_built")
    place = MARKER if MARKER in shell else "</head>"
    shell = shell.replace(place, str(head) if place == MARKER else f"{head}{place}", 1)
    return web.Response(text=shell, content_type="text/html", headers={"Cache-Control": "no-cache"})


def _file(request: web.Request, directory: Path, age: str) -> web.StreamResponse:
    name = request.match_info["file"]
    if not _FILE.fullmatch(name) or not (directory / name).is_file():
        raise web.HTTPNotFound
    # It serves a .br or .gz beside the file by itself where the browser takes one.
    return web.FileResponse(directory / name, headers={"Cache-Control": age})
