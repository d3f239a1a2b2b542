"""A game against three computers, from the home page's form to its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.replay import assert_shows, replayed


@pytest.fixture
def settings() -> dict[str, str]:
    """A computer table's game has no chosen length, so its cards turn faster still."""
    return {"beat_ms": "5"}


async def test_one_plays_three_computers_to_the_end(person: MakePerson, tmp_path: Path) -> None:
    asha = await person()
    await asha.page.goto(asha.base)
    await asha.page.locator("#name-alone").fill("Asha")
    await asha.page.get_by_role("button", name="Three").click()
    # Nobody has to start it.
    for number in (1, 2, 3):
        await expect(asha.see(f"seat-{number}")).to_contain_text(f"Computer {number}")
    for _ in range(3):
        await asha.tap()
    await asha.turn_by_itself()
    await expect(asha.see("winner")).to_be_visible(timeout=75_000)
    await assert_shows(asha, await replayed(asha, tmp_path), own=0)
