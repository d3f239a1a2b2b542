"""What the browser's tests stand on: a Chromium, a server with a store of its own, and people with pages.

Every test that opens a page has it watched (witness.py) to its end, whether it asks for that or not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from playwright.async_api import Browser, async_playwright, expect

from tests.browser.people import Language, Person
from tests.browser.witness import Witness
from tests.wire.processes import Worker, assert_quiet_log

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")


class MakePerson(Protocol):
    """Make a person at a browser of their own: a phone with touch, unless told its size."""

    async def __call__(
        self,
        width: int = 390,
        height: int = 844,
        *,
        language: Language = "en",
        touch: bool = True,
        scale: float = 1,
    ) -> Person: ...


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; without one the tests fail, never skip."""
    given = os.environ.get("RM_CHROMIUM")
    found = given or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail("The browser tests need Chromium: apt-get install chromium fonts-beng", pytrace=False)
    return found


@pytest.fixture
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """A browser of this test's own."""
    expect.set_options(timeout=10_000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        await browser.close()


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Worker]]]:
    """Start a server with its own store in a directory of this test's; settings without their `RM_`."""
    made: list[Worker] = []

    async def make(**settings: str) -> Worker:
        named = {f"RM_{key.upper()}": value for key, value in settings.items()}
        worker = Worker(tmp_path / "server", None, f"server{len(made)}", settings=named)
        made.append(worker)
        worker.start()
        await worker.ready()
        return worker

    yield make
    for worker in made:
        worker.stop()
    for worker in made:
        assert_quiet_log(worker)


@pytest.fixture
def settings() -> dict[str, str]:
    """The settings of the test's server, without their `RM_`; a file of tests may have its own."""
    return {}


@pytest.fixture
async def server(serve: Callable[..., Awaitable[Worker]], settings: dict[str, str]) -> Worker:
    """The server of this test."""
    return await serve(**settings)


@pytest.fixture
async def witness(server: Worker) -> AsyncIterator[Witness]:
    """Who watches the pages of this test."""
    witness = Witness(server.base)
    yield witness
    await witness.assert_clean()


@pytest.fixture
async def person(browser: Browser, server: Worker, witness: Witness) -> MakePerson:
    """Make people, each with a browser context of their own, watched."""

    async def make(
        width: int = 390,
        height: int = 844,
        *,
        language: Language = "en",
        touch: bool = True,
        scale: float = 1,
    ) -> Person:
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            locale={"en": "en-GB", "bn": "bn-BD"}[language],
            has_touch=touch,
            is_mobile=touch,
            device_scale_factor=scale,
        )
        witness.follow(context)
        return Person(await context.new_page(), server.base, touch)

    return make
