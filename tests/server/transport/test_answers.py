"""How the server says no: in words, to people and to programs, and without a trace of its inside."""

from __future__ import annotations

import logging

import pytest
from structlog.testing import capture_logs

from tests.server.transport.conftest import Client


@pytest.fixture
def broken(client: Client, store: object, monkeypatch: pytest.MonkeyPatch) -> Client:
    async def fails(*_: object, **__: object) -> None:
        raise RuntimeError("secret cookie rm_guest=abc")

    monkeypatch.setattr(store, "read", fails)
    return client


async def test_nothing_here(client: Client) -> None:
    page = await client.get("/nothing")
    assert page.status == 404
    assert page.content_type == "text/html"
    assert "There is nothing here" in await page.text()
    api = await client.get("/api/nothing")
    assert (api.status, api.content_type) == (404, "application/json")


async def test_a_method_that_there_is_not(client: Client) -> None:
    page = await client.delete("/rules")
    assert page.status == 405
    assert "GET" in page.headers["Allow"]
    assert page.content_type == "text/html"


async def test_a_failure_tells_nothing_of_the_inside(broken: Client) -> None:
    with capture_logs() as lines:
        page = await broken.get(f"/t/{'0' * 12}")
        api = await broken.get(f"/api/tables/{'0' * 12}")
    for response in (page, api):
        assert response.status == 500
        text = await response.text()
        assert "secret" not in text
        assert "Traceback" not in text
    assert "Something broke here" in await page.text()
    assert (await api.json())["code"] == "failed"
    assert [line["route"] for line in lines] == ["/t/{id}", "/api/tables/{id}"]
    assert [line["error"] for line in lines] == ["RuntimeError"] * 2
    assert not any(word in str(line) for line in lines for word in ("000000000000", "secret"))


async def test_refusals_are_not_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with capture_logs() as lines:
        await client.get("/t/none")
        await client.post("/api/tables", json={"name": "x" * 25})
    assert lines == []
    # The test server logs each access, ours does not (test_main.py).
    assert [record for record in caplog.records if record.name != "aiohttp.access"] == []


async def test_a_bad_form_is_answered_by_a_page_that_names_the_field(client: Client) -> None:
    response = await client.post("/api/tables", data={"seats": "9", "language": "bn"})
    assert (response.status, response.content_type) == (400, "text/html")
    assert "the number of seats" in await response.text()


async def test_a_page_is_in_the_readers_language(client: Client) -> None:
    text = await (await client.get("/nothing", headers={"Accept-Language": "bn"})).text()
    assert '<html lang="bn">' in text
    assert "এখানে কিছু নেই" in text
