"""What cannot be done is said in words on the page, and changes nothing."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.witness import Witness


async def test_a_tap_out_of_turn_says_whose_turn_it_is(person: MakePerson) -> None:
    asha, bela, chitra = await person(), await person(), await person()
    link = await asha.make_table("Asha", seats=4)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await chitra.come(link)
    await asha.see("start").click()
    await bela.see("stack").click(force=True)
    await expect(bela.see("reason")).to_have_text("It is not your turn: it is Asha’s.")
    # Who only watches is told so, and has nothing to tap.
    await expect(chitra.see("reason")).to_have_attribute("data-value", "watching")
    await expect(chitra.see("stack")).to_have_count(0)
    await asha.tap()
    for each in (asha, bela, chitra):
        await expect(each.see("reveal-count")).to_have_attribute("data-value", "1")


async def test_nobody_starts_alone(person: MakePerson) -> None:
    asha = await person()
    await asha.make_table("Asha", seats=4)
    await asha.see("start").click(force=True)
    await expect(asha.see("refusal")).to_have_text("It takes two to play.")
    await expect(asha.see("start")).to_be_visible()


async def test_a_name_that_will_not_do_is_said_to_be_one(person: MakePerson) -> None:
    asha, bela = await person(), await person()
    await bela.come(await asha.make_table("Asha", seats=4))
    for name in ("x" * 25, "\u202eevil", "\u200b\u200b"):
        await bela.see("name").fill(name)
        await bela.see("sit").click()
        await expect(bela.see("refusal")).to_have_attribute("data-value", "bad_name")
    await expect(bela.see("refusal")).to_contain_text("That name will not do")
    # Markup is a name like any other, and stays text.
    await bela.sit("<b>Bela</b>", 1)
    await expect(asha.see("seat-1")).to_contain_text("<b>Bela</b>")


async def test_a_table_that_does_not_exist_says_so_and_leads_home(person: MakePerson, witness: Witness) -> None:
    asha = await person()
    # Chromium itself complains about a page that is a 404.
    witness.excuse("status of 404")
    answer = await asha.page.goto(f"{asha.base}/t/zzzzzzzzzzzz")
    assert answer is not None
    assert answer.status == 404
    await expect(asha.page.get_by_role("heading", level=1)).to_have_text("This table is gone")
    await asha.page.get_by_role("link", name="Make a new table").click()
    await expect(asha.page.locator("#name")).to_be_visible()


async def test_a_full_table_offers_watching(person: MakePerson) -> None:
    asha, bela, chitra = await person(), await person(), await person()
    link = await asha.make_table("Asha", seats=2)
    await bela.come(link)
    await bela.sit("Bela", 1)
    await chitra.come(link)
    await expect(chitra.page.get_by_text("The table is full. You are watching.")).to_be_visible()
    await expect(chitra.see("sit")).to_have_count(0)
    await expect(asha.see("watching")).to_have_attribute("data-value", "1")
    await asha.see("start").click()
    await asha.tap()
    await expect(chitra.see("reveal-count")).to_have_attribute("data-value", "1")
