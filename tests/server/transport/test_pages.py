"""The pages: whole without script, in both languages, light, and showing nothing of a request."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from server.transport.pages import LENGTHS, STATIC, STATIC_URLS
from tests.server.transport.conftest import Client, Serve

PATHS = ["/", "/bn", "/rules", "/bn/rules", "/privacy", "/bn/privacy"]
CSS = STATIC_URLS["pages.css"]


class Outline(HTMLParser):
    """The elements of a page with their attributes; closed in the order they were opened."""

    VOID = frozenset({"meta", "link", "img", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_whole(client: Client, path: str) -> None:
    response = await client.get(path)
    assert response.status == 200
    text = await response.text()
    outline = Outline(text)
    language = "bn" if path.startswith("/bn") else "en"
    assert outline.all("html")[0]["lang"] == response.headers["Content-Language"] == language
    assert len(outline.all("h1")) == 1
    assert len(outline.all("title")) == 1
    assert not outline.all("script")
    assert "style=" not in text
    assert not [name for _, attributes in outline.found for name in attributes if name.startswith("on")]
    identifiers = [attributes["id"] for _, attributes in outline.found if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    for label in outline.all("label"):
        assert "for" not in label or label["for"] in identifiers


@pytest.mark.parametrize("path", PATHS)
async def test_links_lead_somewhere_and_both_ways(client: Client, path: str) -> None:
    outline = Outline(await (await client.get(path)).text())
    for link in outline.all("a") + outline.all("link") + outline.all("img"):
        target = (link.get("href") or link.get("src") or "").replace(f"http://{client.host}:{client.port}", "")
        if not target.startswith("#"):
            assert (await client.get(target or "/")).status == 200, target
    alternates = {link["hreflang"]: link["href"] for link in outline.all("link") if "hreflang" in link}
    assert set(alternates) == {"en", "bn", "x-default"}
    here = alternates["bn" if path.startswith("/bn") else "en"] or ""
    assert here.rstrip("/") == f"http://{client.host}:{client.port}{path}".rstrip("/")


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_is_light(client: Client, path: str) -> None:
    page = await (await client.get(path)).read()
    style = await (await client.get(CSS)).read()
    assert len(gzip.compress(page)) + len(gzip.compress(style)) <= 15_000


async def test_the_home_form_makes_a_table_as_a_browser_sends_it(client: Client) -> None:
    outline = Outline(await (await client.get("/bn")).text())
    people, computers = outline.all("form")
    assert people["action"] == computers["action"] == "/api/tables"
    form = {
        "language": "bn", "name": "আশা", "seats": "4", "deck": "standard", "length": "any", "chat": "open",
    }  # fmt: skip
    response = await client.post("/api/tables", data=form, allow_redirects=False)
    assert response.status == 303
    alone = {"language": "bn", "kind": "computers", "name": "", "computers": "3"}
    response = await client.post("/api/tables", data=alone, allow_redirects=False)
    table = response.headers["Location"].removeprefix("/t/")
    assert (await (await client.get(f"/api/tables/{table}")).json())["seats"] == 4


async def test_every_field_has_its_choices(client: Client) -> None:
    text = await (await client.get("/")).text()
    assert re.findall(r'name="seats" value="(\d)"', text) == list("2345678")
    assert re.findall(r'name="computers" value="(\d)"', text) == list("123")
    assert [a["value"] for a in Outline(text).all("option")] == [
        "standard", "double", "leftovers", "any", "short", "medium", "long", "open", "phrases", "off",
    ]  # fmt: skip


async def test_numbers_are_bengali_in_bengali(client: Client) -> None:
    text = await (await client.get("/bn/rules")).text()
    assert "৫,০০০" in text
    assert "5,000" not in text


async def test_the_slash_after_bn_is_taken_away(client: Client) -> None:
    response = await client.get("/bn/", allow_redirects=False)
    assert (response.status, response.headers["Location"]) == (308, "/bn")


async def test_static_files_are_kept_for_ever_under_names_of_their_content(client: Client) -> None:
    response = await client.get(CSS)
    assert response.content_type == "text/css"
    assert "immutable" in response.headers["Cache-Control"]
    assert (await client.get("/static/pages.0000000000.css")).status == 404
    assert not any("url(" in content or "@import" in content for content in STATIC.values())


async def test_a_page_shows_nothing_of_the_request(client: Client) -> None:
    text = await (await client.get("/<script>alert(1)</script>?x=<b>")).text()
    assert "alert" not in text


async def test_without_a_notice_there_is_none(client: Client) -> None:
    assert "notice" not in await (await client.get("/")).text()
    assert (await client.get("/notice")).status == 404


async def test_a_notice_stands_at_the_foot_of_home(serve: Serve, tmp_path: Path) -> None:
    notice = tmp_path / "notice.html"
    notice.write_text("<p>Thanks to <b>the library</b></p>")
    client = await serve(notice_file=notice)
    assert "<p>Thanks to <b>the library</b></p>" in await (await client.get("/")).text()
    assert "library" not in await (await client.get("/rules")).text()


async def test_a_notice_may_be_a_picture(serve: Serve, tmp_path: Path) -> None:
    picture = tmp_path / "notice.svg"
    picture.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    client = await serve(notice_file=picture)
    assert 'src="/notice"' in await (await client.get("/")).text()
    response = await client.get("/notice")
    assert response.content_type == "image/svg+xml"


async def test_the_rules_say_how_long_games_take(client: Client) -> None:
    text = await (await client.get("/rules")).text()
    for row in LENGTHS:
        assert f'<th scope="row">{row["seats"]}</th><td>{row["median"]}</td>' in text
    assert [row["seats"] for row in LENGTHS] == [2, 3, 4, 5, 6]
    assert all(row["median"] < row["p90"] <= 900 < row["longest"] < 5000 for row in LENGTHS)
