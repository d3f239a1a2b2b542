"""A seat goes along to another device of the same person, by a link that is good once."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.people import Person, play


async def moving_link(person: Person) -> str:
    """Open the menu, ask for the link, and leave the dialog open."""
    await person.see("menu").click()
    await person.see("move").click()
    await expect(person.see("move-qr")).to_be_visible()
    return await person.see("move-link").input_value()


async def test_a_seat_moves_to_another_device_and_the_old_one_watches(person: MakePerson) -> None:
    asha, bela = await person(), await person(320, 568)
    link = await asha.make_table("Asha", seats=2)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await asha.see("start").click()
    turn = await play((asha, bela), 0, 0, 4)

    moving = await moving_link(bela)
    assert moving.startswith(f"{link}#seat=")
    left = int(await bela.value("move-left"))
    assert 110 <= left <= 120
    await bela.fits()

    tablet = await person(820, 1180)
    await tablet.page.goto(moving)
    await tablet.live()
    # Nothing is taken by looking: the link is asked about, and its token is nowhere to be seen.
    await expect(tablet.see("claim")).to_be_visible()
    assert tablet.page.url == link
    assert await tablet.page.evaluate("history.length") <= 2
    await expect(bela.see("stack")).to_be_visible()
    await tablet.see("claim").click()
    await expect(tablet.see("stack").get_by_test_id("seat-1")).to_be_visible()
    await expect(tablet.see("dialog")).not_to_be_visible()
    await expect(bela.see("moved")).to_contain_text("Your seat moved to another device. You are watching here.")
    await expect(bela.see("stack")).to_have_count(0)
    await expect(bela.see("dialog")).not_to_be_visible()
    turn = await play((asha, tablet), turn, 4, 8)
    await expect(bela.see("reveal-count")).to_have_attribute("data-value", "8")

    # Used once: whoever opens it later is told so, and only watches.
    late = await person()
    await late.page.goto(moving)
    await late.see("claim").click()
    await expect(late.see("dialog").get_by_test_id("refused")).to_have_attribute("data-value", "stale_link")
    await late.see("claim-no").click()
    await expect(late.see("reason")).to_have_attribute("data-value", "watching")
    # The seat stays where it went, over a reload.
    await tablet.page.reload()
    await tablet.live()
    await play((asha, tablet), turn, 8, 10)


async def test_the_host_moves_with_all_powers_and_a_new_link_voids_the_old(person: MakePerson) -> None:
    asha = await person()
    link = await asha.make_table("Asha", seats=4)
    first = await moving_link(asha)
    await asha.see("dialog-close").click()
    second = await moving_link(asha)
    assert first != second
    phone = await person(320, 568)
    # The link may come to a page that is at the table already.
    await phone.come(link)
    await phone.page.goto(first)
    await phone.see("claim").click()
    await expect(phone.see("dialog").get_by_test_id("refused")).to_have_attribute("data-value", "stale_link")
    await phone.page.goto(second)
    await phone.see("claim").click()
    await expect(phone.see("start")).to_be_visible()
    await expect(asha.see("start")).to_have_count(0)
    await expect(asha.see("moved")).to_be_visible()
