"""Whoever comes back has the same seat, all that happened, each thing once, and no show of what is old."""

from __future__ import annotations

import asyncio
import re

from playwright.async_api import Browser, expect

from tests.browser.conftest import MakePerson
from tests.browser.people import SETTLED_MS, Person, play
from tests.browser.witness import Witness

# Every motion of the app goes by this call.
COUNT_MOTIONS = """
window.motions = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) { window.motions += 1; return animate.apply(this, given); };
"""


async def logged(person: Person) -> list[str]:
    """Return the log as it stands, newest first."""
    return await person.see("log").locator("li").all_inner_texts()


async def motions(person: Person) -> int:
    """Return how many things have moved on this page so far."""
    return int(await person.page.evaluate("window.motions"))


async def two_playing(person: MakePerson, seats: int = 4) -> tuple[Person, Person, str]:
    asha, bela = await person(), await person()
    await bela.page.add_init_script(COUNT_MOTIONS)
    link = await asha.make_table("Asha", seats=seats)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await asha.see("start").click()
    for each in (asha, bela):
        await expect(each.see("turn")).to_have_attribute("data-value", "0")
    return asha, bela, link


async def assert_seated(person: Person, seat: int) -> None:
    """Fail unless this page plays at this seat: the stack is there only for who does."""
    await expect(person.see("stack").get_by_test_id(f"seat-{seat}")).to_be_visible()


async def assert_same_table(one: Person, other: Person, seats: int = 2) -> None:
    """Fail unless two pages show the same cards in the same places."""
    await asyncio.sleep(SETTLED_MS / 1000)
    names = [f"{what}-{seat}" for what in ("stack-count", "collected-count") for seat in range(seats)]
    for name in ("reveal-count", "turn", "pile-size", *names):
        await expect(other.see(name)).to_have_attribute("data-value", await one.value(name))
    await expect(other.see("pile")).to_have_attribute("data-top", await one.see("pile").get_attribute("data-top") or "")


async def test_a_reload_keeps_the_seat_and_tells_nothing_twice(person: MakePerson) -> None:
    asha, bela, _ = await two_playing(person)
    turn = await play((asha, bela), 0, 0, 6)
    for _ in range(2):
        await bela.page.reload()
        await bela.live()
    await assert_seated(bela, 1)
    await assert_same_table(asha, bela)
    await play((asha, bela), turn, 6, 12)
    await assert_same_table(asha, bela)
    told = await logged(bela)
    # The newest of what was before, and every one since.
    assert len(told) == 7
    assert told == (await logged(asha))[:7]


async def test_the_link_and_the_browser_started_again_give_the_same_seat(
    person: MakePerson, browser: Browser, witness: Witness
) -> None:
    asha, bela, link = await two_playing(person)
    turn = await play((asha, bela), 0, 0, 3)
    # A closed tab, and the link again.
    context = bela.page.context
    await bela.page.close()
    again = Person(await context.new_page(), bela.base)
    await again.come(link)
    await assert_seated(again, 1)
    # The whole browser ended, and only what it keeps is left of it.
    kept = await context.storage_state()
    await context.close()
    restarted = await browser.new_context(storage_state=kept, has_touch=True, locale="en-GB")
    witness.follow(restarted)
    back = Person(await restarted.new_page(), bela.base)
    await back.come(link)
    await assert_seated(back, 1)
    await play((asha, back), turn, 3, 8)
    await assert_same_table(asha, back)


async def test_ten_seconds_without_network_are_caught_up_without_a_show(person: MakePerson, witness: Witness) -> None:
    asha, bela, _ = await two_playing(person)
    witness.excuse("ERR_INTERNET_DISCONNECTED")
    before = len(await logged(bela))
    await bela.page.context.set_offline(True)
    # The others play on: Asha turns until it is Bela's turn, whose cards nobody turns for twenty seconds.
    turn, done = 0, 0
    while turn == 0:
        await asha.tap()
        done += 1
        turn = await asha.turned(done)
    # More than a few things happen, so that there is something to be caught up with.
    await asha.see("menu").click()
    for _ in range(3):
        for on in (True, False):
            await asha.page.locator("label.switch", has=asha.see("lock")).click()
            await expect(asha.see("lock")).to_be_checked(checked=on)
    await asha.page.keyboard.press("Escape")
    await asyncio.sleep(10)
    assert await bela.value("reveal-count") == "0"
    moved = await motions(bela)
    await bela.page.context.set_offline(False)
    await bela.live()
    await expect(bela.see("reveal-count")).to_have_attribute("data-value", str(done))
    await assert_seated(bela, 1)
    await assert_same_table(asha, bela)
    await asyncio.sleep(SETTLED_MS / 1000)
    assert await motions(bela) == moved
    assert len(await logged(bela)) - before == done + 6
    assert (await logged(bela))[: done + 6] == (await logged(asha))[: done + 6]
    await play((asha, bela), turn, done, done + 2)


async def test_a_page_that_was_frozen_is_caught_up_without_a_show(person: MakePerson) -> None:
    asha, bela, _ = await two_playing(person)
    session = await bela.page.context.new_cdp_session(bela.page)
    moved = await motions(bela)
    # Chromium freezes no page that is visible, and without a screen every page is: the script itself is halted.
    await session.send("Debugger.enable")
    await session.send("Debugger.pause")
    turn, done = 0, 0
    while turn == 0:
        await asha.tap()
        done += 1
        turn = await asha.turned(done)
    await asyncio.sleep(4)
    await session.send("Debugger.disable")
    await expect(bela.see("reveal-count")).to_have_attribute("data-value", str(done))
    await assert_same_table(asha, bela)
    assert await motions(bela) == moved
    assert len(await logged(bela)) == len(await logged(asha))
    await play((asha, bela), turn, done, done + 2)
    assert await motions(bela) > moved


async def test_two_tabs_take_turns_only_when_asked(person: MakePerson) -> None:
    asha, bela, link = await two_playing(person)
    newer = Person(await bela.page.context.new_page(), bela.base)
    await newer.come(link)
    await expect(bela.see("gone")).to_have_attribute("data-value", "replaced")
    for there, here in ((bela, newer), (newer, bela)):
        await there.see("use-here").click()
        await assert_seated(there, 1)
        await expect(here.see("gone")).to_have_attribute("data-value", "replaced")
        await expect(here.page.get_by_role("heading")).to_have_text(re.compile("open in another tab"))
    turn = await play((asha, newer), 0, 0, 3)
    await play((asha, newer), turn, 3, 6)
