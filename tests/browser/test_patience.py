"""Nobody is kept waiting for ever: a card turned for one who is idle, hurrying, and pausing the computers."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.conftest import MakePerson

# As long as the app itself waits before it offers; the server of this test is less patient.
IDLE_MS = 61_000


@pytest.fixture
def settings() -> dict[str, str]:
    """A server that lets a card be turned for who is idle for half a second."""
    return {"idle_ms": "500", "beat_ms": "300"}


async def test_the_host_turns_one_card_for_who_is_there_and_idle(person: MakePerson) -> None:
    asha, bela = await person(320, 568), await person()
    link = await asha.make_table("Asha", seats=2)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await asha.see("start").click()
    turn, done = 0, 0
    while turn == 0:
        await asha.tap()
        done += 1
        turn = await asha.turned(done)
    await expect(asha.see("turn-for")).to_have_count(0)
    await asha.page.clock.install()
    await asha.page.reload()
    await asha.live()
    await asha.page.clock.fast_forward(IDLE_MS)
    await expect(asha.see("turn-for")).to_have_text("Turn one card for Bela")
    await expect(bela.see("turn-for")).to_have_count(0)
    await asha.live()
    await asha.see("turn-for").click()
    await bela.turned(done + 1)
    await expect(bela.see("sentence")).to_contain_text("For Bela, the host turned")
    await expect(asha.see("turn-for")).to_have_count(0)


async def test_everybody_hurries_when_all_present_agree(person: MakePerson) -> None:
    asha, bela = await person(320, 568), await person()
    link = await asha.make_table("Asha", seats=2)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await asha.see("start").click()
    await expect(asha.see("hurry-short")).to_have_count(0)
    await asha.see("menu").click()
    await asha.page.locator("label.switch", has=asha.see("hurry")).click()
    await expect(asha.see("hurry-agree")).to_contain_text("1 of 2 agree")
    await expect(bela.see("log")).to_contain_text("In a hurry to end the game: Asha.")
    await expect(bela.see("reveal-count")).to_have_attribute("data-value", "0")
    await bela.see("hurry-short").click()
    await expect(asha.see("hurry-agree")).to_have_text("Everybody agrees: the cards turn by themselves.")
    await expect(bela.see("winner")).to_be_visible(timeout=60_000)


async def test_the_computers_pause_and_go_on(person: MakePerson) -> None:
    asha = await person(320, 568)
    await asha.page.goto(asha.base)
    await asha.page.locator("#name-alone").fill("Asha")
    await asha.page.get_by_role("button", name="Two", exact=True).click()
    await asha.live()
    await asha.turn_by_itself()
    await asha.see("pause").click()
    await expect(asha.see("pause")).to_have_text("Go on")
    await asyncio.sleep(0.5)
    still = await asha.value("reveal-count")
    await asyncio.sleep(1.5)
    assert await asha.value("reveal-count") == still
    await asha.fits()
    await asha.see("pause").click()
    await expect(asha.see("reveal-count")).not_to_have_attribute("data-value", still)
    await expect(asha.see("pause")).to_have_text("Pause")
