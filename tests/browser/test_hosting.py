"""What the host can do in the app, and what the others see of it: settings, lock, remove, hand over, delete."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.people import Person


async def two_at_a_table(person: MakePerson) -> tuple[Person, Person, str]:
    asha, bela = await person(320, 568), await person()
    link = await asha.make_table("Asha", seats=4)
    await bela.come(link)
    await bela.sit("Bela", 1)
    return asha, bela, link


async def test_the_hosts_settings_are_seen_by_all_and_a_bad_one_is_said_beside_its_field(person: MakePerson) -> None:
    asha, bela, _ = await two_at_a_table(person)
    await expect(bela.see("settings")).to_have_count(0)
    await asha.see("settings").click()
    await asha.see("set-seats").select_option("5")
    await expect(bela.see("seat-4")).to_be_visible()
    await asha.see("set-chat").select_option("phrases")
    await expect(bela.page.locator(".settings")).to_contain_text("Chat by ready phrases only")
    await asha.page.locator("label.switch", has=asha.see("set-watchers")).click()
    await expect(bela.page.locator(".settings")).to_contain_text("No watchers")
    # Whoever listens is told as well.
    await expect(bela.page.locator("#polite")).to_contain_text("Only people with a seat can see the table now")
    await bela.see("menu").click()
    for name in ("lock", "delete", "about-0"):
        await expect(bela.see(name)).to_have_count(0)
    # Seats are not taken from under anybody.
    await bela.see("leave").click()
    await bela.see("leave-yes").click()
    await bela.see("seat-4").get_by_role("button").click()
    await expect(asha.see("seat-4")).to_contain_text("Bela")
    await asha.see("set-seats").select_option("2")
    field = asha.page.locator(".field", has=asha.see("set-seats"))
    await expect(field.get_by_test_id("refused")).to_contain_text("Somebody sits there")
    await expect(asha.see("set-seats")).to_have_value("5")
    await asha.fits()


async def test_nobody_sits_down_at_a_locked_table(person: MakePerson) -> None:
    asha, _, link = await two_at_a_table(person)
    chitra = await person()
    await asha.see("menu").click()
    await asha.page.locator("label.switch", has=asha.see("lock")).click()
    await expect(asha.see("lock")).to_be_checked()
    await chitra.come(link)
    await chitra.see("name").fill("Chitra")
    await chitra.see("sit").click()
    await expect(chitra.see("refusal")).to_have_attribute("data-value", "locked")
    await asha.page.locator("label.switch", has=asha.see("lock")).click()
    await expect(asha.see("lock")).not_to_be_checked()
    await chitra.sit("Chitra", 2)


async def test_a_removed_person_is_told_so_and_stays_out(person: MakePerson) -> None:
    asha, bela, link = await two_at_a_table(person)
    chitra = await person()
    await chitra.come(link)
    await chitra.sit("Chitra", 2)
    await asha.see("start").click()
    await asha.tap()
    await asha.see("person-1").click()
    await asha.see("remove").click()
    # Asked once: nothing has happened yet.
    await expect(asha.see("remove-no")).to_be_focused()
    await expect(bela.see("stack")).to_be_visible()
    await asha.see("remove-yes").click()
    await expect(bela.see("gone")).to_have_attribute("data-value", "removed")
    await expect(chitra.see("log")).to_contain_text("The host removed Bela from the table.")
    await bela.page.goto(link)
    await expect(bela.see("gone")).to_have_attribute("data-value", "removed")
    await expect(bela.page.get_by_role("link", name="Make a new table")).to_be_visible()
    await expect(asha.see("dialog")).not_to_be_visible()


async def test_the_table_is_handed_over_and_the_new_host_ends_the_game_and_deletes_it(person: MakePerson) -> None:
    asha, bela, link = await two_at_a_table(person)
    await asha.see("person-1").click()
    await asha.see("hand").click()
    await asha.see("hand-yes").click()
    await expect(bela.see("start")).to_be_visible()
    await expect(asha.see("start")).to_have_count(0)
    await expect(asha.see("dialog")).not_to_be_visible()
    await bela.see("start").click()
    await expect(asha.see("log")).to_contain_text("Game 1")
    await bela.see("menu").click()
    await bela.see("stop").click()
    await bela.see("stop-yes").click()
    await expect(asha.see("winner")).to_have_text("The host ended the game: nobody wins.")
    await bela.see("menu").click()
    await bela.see("delete").click()
    await bela.see("delete-yes").click()
    for each in (asha, bela):
        await expect(each.see("gone")).to_have_attribute("data-value", "deleted")
    answer = await asha.page.context.request.get(link)
    assert answer.status == 404


async def test_the_hosts_ways_need_no_pointer_and_give_the_focus_back(person: MakePerson) -> None:
    asha, _, _ = await two_at_a_table(person)
    await asha.see("menu").focus()
    await asha.page.keyboard.press("Enter")
    await expect(asha.see("dialog")).to_be_visible()
    await expect(asha.page.locator("#dialog-title")).to_be_focused()
    await asha.page.keyboard.press("Escape")
    await expect(asha.see("dialog")).not_to_be_visible()
    await expect(asha.see("menu")).to_be_focused()
    await asha.see("person-1").focus()
    await asha.page.keyboard.press("Enter")
    await expect(asha.page.locator("#dialog-title")).to_have_text("Bela")
    await expect(asha.page.locator("#dialog-title")).to_be_focused()
    # Round and round within the dialog, never behind it.
    for _ in range(8):
        await asha.page.keyboard.press("Tab")
        behind = await asha.page.evaluate("document.activeElement.closest('main, header') !== null")
        assert not behind
    await asha.see("remove").focus()
    await asha.page.keyboard.press("Enter")
    await expect(asha.see("remove-no")).to_be_focused()
    await asha.page.keyboard.press("Enter")
    await expect(asha.see("remove")).to_be_focused()
    for button in await asha.see("dialog").get_by_role("button").all():
        box = await button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["width"] >= 44
    await asha.page.keyboard.press("Escape")
    await expect(asha.see("person-1")).to_be_focused()
    await expect(asha.see("seat-1")).to_have_text(re.compile("Bela"))
