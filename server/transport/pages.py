"""The pages that need no script: home, rules, privacy, and those that say what went wrong; English and Bengali.

Templates hold the shape, the catalogue the words. Invariant: a page shows nothing of a request but its language.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import aiohttp_jinja2
import jinja2
from aiohttp import web
from aiohttp.typedefs import Handler
from markupsafe import Markup

from server.config import Config
from server.transport.headers import base_url
from server.transport.keys import CONFIG
from server.transport.words import Language, accepted, language_of_path, words

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
PAGES = {"home": "", "rules": "/rules", "privacy": "/privacy"}
PREFIX: dict[Language, str] = {"en": "", "bn": "/bn"}
LARGEST_NOTICE = 16 * 1024
_PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".svg", ".gif"}


def _static() -> tuple[dict[str, str], dict[str, str]]:
    contents, names = {}, {}
    for path in sorted((TEMPLATES / "static").iterdir()):
        content = path.read_text(encoding="utf-8")
        name = f"{path.stem}.{hashlib.sha256(content.encode()).hexdigest()[:10]}{path.suffix}"
        contents[name] = content
        names[path.name] = f"/static/{name}"
    return contents, names


# As `rang-milanti simulate --json` prints it, kept as a file since it takes a while; whole numbers will do here.
LENGTHS: list[dict[str, int]] = [
    {key: round(row[key]) for key in ("seats", "games", "median", "p90", "longest")}
    for row in json.loads((TEMPLATES / "lengths.json").read_text(encoding="utf-8"))["rows"]
]

STATIC, STATIC_URLS = _static()
"""The pages' files by their hashed name; and each file's address by its plain name."""


def setup(app: web.Application) -> None:
    """Make the templates ready and add the pages' routes."""
    aiohttp_jinja2.setup(
        app, loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    for prefix in PREFIX.values():
        for page, path in PAGES.items():
            app.router.add_get(f"{prefix}{path}" or "/", _page(page))
    app.router.add_get("/bn/", _without_slash)
    app.router.add_get("/notice", notice_picture)


def path_of(page: str, language: Language) -> str:
    """Return where a page is in a language."""
    return f"{PREFIX[language]}{PAGES[page]}" or "/"


def error_page(request: web.Request, status: int, code: str, field: str | None = None) -> web.Response:
    """Return a page that says what is wrong and offers a way on. `code` picks the words."""
    language = language_of_path(request.path)
    if language == "en":
        language = accepted(request.headers.get("Accept-Language"))
    said = words(language)
    known = {"gone", "mistyped", "not_built", "failed"}
    kind = code if code in known else "unfound" if status == 404 else "refused"
    if kind == "refused" and status in (404, 405):
        kind = "unfound"
    message = said.text(f"page.error.{kind}") if kind != "refused" else said.text(f"refusal.{code}")
    context = {
        "title": said.text(f"page.error.{kind}.title"),
        "message": message,
        "where": said.text(f"page.field.{field}") if kind == "refused" and field in FIELDS else None,
    }
    return _rendered(request, "error.html", language, context, status)


FIELDS = frozenset({"name", "seats", "computers", "deck", "length", "chat", "watchers", "voice", "locked"})
"""Those that a form has, so that a page can name the one that was wrong."""


async def notice_picture(request: web.Request) -> web.StreamResponse:
    """`GET /notice`: the operator's picture for the foot of the home page, where there is one."""
    path = request.app[CONFIG].notice_file
    if path is None or path.suffix.lower() not in _PICTURES:
        raise web.HTTPNotFound
    return web.FileResponse(path, headers={"Cache-Control": "no-cache"})


async def _without_slash(_request: web.Request) -> web.StreamResponse:
    return web.Response(status=308, headers={"Location": "/bn"})


def _page(page: str) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        language = language_of_path(request.path)
        said = words(language)
        context = {
            "title": said.text(f"page.{page}.title"),
            "links": {each: base_url(request) + path_of(page, each) for each in PREFIX},
            "notice": _notice(request.app[CONFIG]) if page == "home" else None,
        }
        return _rendered(request, f"{page}.html", language, context)

    return handler


def _rendered(
    request: web.Request, template: str, language: Language, context: Mapping[str, object], status: int = 200
) -> web.Response:
    said = words(language)
    other: Language = "en" if language == "bn" else "bn"
    page = template.removesuffix(".html")
    whole = {
        "links": {},
        "lengths": LENGTHS,
        "notice": None,
        **context,
        "language": language,
        "other": other,
        "other_url": path_of(page if page in PAGES else "home", other),
        "other_name": words(other).text("page.language"),
        "page": page,
        "static": STATIC_URLS,
        "t": said.html,
        "n": said.number,
        "to": lambda name: path_of(name, language),
    }
    response = aiohttp_jinja2.render_template(template, request, whole, status=status)
    response.headers["Content-Language"] = language
    response.enable_compression()
    return response


@cache
def _notice(config: Config) -> Markup | None:
    path = config.notice_file
    if path is None:
        return None
    if path.suffix.lower() in _PICTURES:
        return Markup('<img src="/notice" alt="" loading="lazy">')
    # The operator's own file; the policy lets no script or other origin in it do anything.
    return Markup(path.read_text(encoding="utf-8")[:LARGEST_NOTICE])  # noqa: S704 (the operator's own HTML)
