"""The app's shell and files: at every spelling of a table, with its seats told, and nothing outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from yarl import URL

from tests.server.transport.conftest import Client, Serve


async def table_of(client: Client, **wanted: object) -> str:
    return str((await (await client.post("/api/tables", json=wanted)).json())["id"])


async def test_a_table_is_the_app_with_its_seats_told(client: Client) -> None:
    table = await table_of(client, name="Asha", seats=4)
    response = await client.get(f"/t/{table}")
    assert (response.status, response.content_type) == (200, "text/html")
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["X-Robots-Tag"] == "noindex"
    text = await response.text()
    assert '<meta property="og:title" content="A table of 4, 3 seats free">' in text
    assert f'<meta property="og:url" content="http://{client.host}:{client.port}/t/{table}">' in text
    assert "Asha" not in text
    assert "<!--og-->" not in text


@pytest.mark.parametrize(
    ("wanted", "title"),
    [
        ({"seats": 2}, "A table of 2, 1 seat free"),
        ({"kind": "computers"}, "A game against the computer"),
    ],
)
async def test_the_card_of_a_link(client: Client, wanted: dict[str, object], title: str) -> None:
    text = await (await client.get(f"/t/{await table_of(client, **wanted)}")).text()
    assert f'content="{title}"' in text


async def test_the_card_is_in_the_readers_language(client: Client) -> None:
    table = await table_of(client)
    text = await (await client.get(f"/t/{table}", headers={"Accept-Language": "bn"})).text()
    assert "৪ জনের টেবিল, ৩টি আসন খালি" in text


async def test_a_shell_without_the_marker_has_the_card_too(client: Client, built: Path) -> None:
    (built / "index.html").write_text("<html><head></head><body></body></html>")
    text = await (await client.get(f"/t/{await table_of(client)}")).text()
    assert text.index("og:title") < text.index("</head>")


async def test_other_spellings_redirect(client: Client) -> None:
    table = await table_of(client)
    spelled = f"{table[:4]}-{table[4:8]}-{table[8:]}"
    for spelling in {spelled, spelled.upper(), table.replace("0", "o").replace("1", "L").upper()} - {table}:
        response = await client.get(f"/t/{spelling}", allow_redirects=False)
        assert (response.status, response.headers["Location"]) == (308, f"/t/{table}")


async def test_a_gone_table_and_a_mistyped_link(client: Client) -> None:
    gone = await client.get(f"/t/{'0' * 12}")
    assert gone.status == 404
    text = await gone.text()
    assert "This table is gone" in text
    assert 'href="/"' in text
    mistyped = await client.get("/t/abc")
    assert mistyped.status == 404
    assert "no table’s link" in await mistyped.text()


async def test_replay_is_the_app(client: Client) -> None:
    text = await (await client.get("/replay")).text()
    assert "<title>Rang Milanti</title>" in text
    assert "og:title" not in text


async def test_an_app_that_is_not_built_says_so(serve: Serve, tmp_path: Path) -> None:
    client = await serve(app_dir=tmp_path / "nowhere")
    response = await client.get("/replay")
    assert response.status == 503
    assert "make setup" in await response.text()
    assert (await client.get("/")).status == 200


async def test_assets_are_kept_for_ever_and_packed_ones_are_sent(client: Client) -> None:
    plain = await client.get("/assets/main-1a2b.js", headers={"Accept-Encoding": "identity"})
    assert "immutable" in plain.headers["Cache-Control"]
    assert "javascript" in plain.content_type
    async with client.session.head(
        client.make_url("/assets/main-1a2b.js"), headers={"Accept-Encoding": "gzip"}
    ) as packed:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Vary"] == "Accept-Encoding"


async def test_files_at_the_root(client: Client) -> None:
    response = await client.get("/icon.svg")
    assert (response.status, response.headers["Cache-Control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "path",
    [
        "/index.html", "/assets/index.html", "/assets/..%2Findex.html", "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
        "/assets/.%2e/secret.txt", "/..%2fsecret.txt", "/secret.txt", "/assets/%00", "/assets/", "/assets/none.js",
        "/.env", "/static/..%2fhome.html",
    ],
)  # fmt: skip
async def test_nothing_else_is_sent(client: Client, path: str) -> None:
    response = await client.get(URL(path, encoded=True))
    assert response.status == 404


async def test_an_invite_as_a_qr_code(client: Client) -> None:
    table = await table_of(client)
    response = await client.get(f"/t/{table}/qr.svg")
    assert response.content_type == "image/svg+xml"
    assert (await response.text()).startswith("<?xml")
    assert (await client.get(f"/t/{'0' * 12}/qr.svg")).status == 404
    assert (await client.get("/t/abc/qr.svg")).status == 404
