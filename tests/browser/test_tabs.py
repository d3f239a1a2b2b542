"""One person, two tabs: the newer one plays, and neither takes the seat from the other by itself."""

from __future__ import annotations

import asyncio

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.people import Person


async def test_the_older_tab_says_so_and_comes_back_only_when_asked(person: MakePerson) -> None:
    asha, bela = await person(), await person()
    link = await asha.make_table("Asha", seats=2)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await asha.see("start").click()
    await expect(asha.see("turn")).to_have_attribute("data-value", "0")

    page = await asha.page.context.new_page()
    dials: list[str] = []
    for tab in (asha.page, page):
        tab.on("websocket", lambda socket: dials.append(socket.url))
    newer = Person(page, asha.base)
    await newer.come(link)
    await expect(asha.see("gone")).to_have_attribute("data-value", "replaced")
    await expect(asha.see("gone")).to_contain_text("This table is open in another tab")
    await newer.tap()
    # Longer than any first retry: whoever wanted the seat back by itself would have it by now.
    await asyncio.sleep(1.5)
    await expect(asha.see("gone")).to_be_visible()
    assert len(dials) == 1

    await asha.see("use-here").click()
    await asha.live()
    await expect(newer.see("gone")).to_have_attribute("data-value", "replaced")
    await expect(asha.see("stack").get_by_test_id("seat-0")).to_be_visible()
    await asyncio.sleep(1.5)
    await expect(asha.see("stack")).to_be_visible()
    assert len(dials) == 2
    # The seat was never away: nobody turned a card for it.
    await expect(bela.see("reveal-count")).to_have_attribute("data-value", "1")
