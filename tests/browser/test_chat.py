"""People talking at a table: everybody has the same words, in the same order, each in their own language."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.async_api import Locator, expect

from tests.browser.conftest import MakePerson
from tests.browser.people import Person
from tests.browser.witness import Witness
from tests.wire.processes import Worker

# A ya-phala by ZWJ, a hasant kept apart by ZWNJ, and a family of four joined by ZWJ.
WHOLE = "র\u200d্যাপ শুনে উদ্\u200cযাপন 👨\u200d👩\u200d👧\u200d👦!"
MARKUP = "<img src=x onerror=\"document.title='caught'\"> http://localhost:9/ <script>document.title='caught'</script>"


@pytest.fixture
def settings() -> dict[str, str]:
    """Lines are counted as they are outside of tests."""
    return {"rate_says": "5"}


def lines(person: Person) -> Locator:
    """Return the texts of the lines that a person sees, oldest first."""
    return person.page.locator("[data-testid='chat-line'] .line-text")


async def open_chat(person: Person) -> None:
    """Have the chat on this person's screen."""
    await person.live()
    if await person.see("chat-open").count():
        await person.see("chat-open").click()
    await expect(person.see("chat-write")).to_be_visible()


async def say(person: Person, text: str) -> None:
    """Write a line and send it by the keyboard, once the one before has gone."""
    await expect(person.see("chat-text")).to_have_value("")
    await person.see("chat-text").fill(text)
    await person.see("chat-text").press("Enter")


async def choose(person: Person, line: int, what: str) -> None:
    """Choose something at a line."""
    await person.see("line-more").nth(line).click()
    await person.see(f"line-{what}").click()


async def at_a_table(person: MakePerson) -> tuple[Person, Person]:
    """Return the host on a laptop in English, and a guest on a phone in Bengali, both with the chat before them."""
    asha, bela = await person(1280, 800, touch=False), await person(language="bn")
    link = await asha.make_table("Asha", seats=4)
    await bela.come(link)
    await bela.sit("Bela", 1)
    for each in (asha, bela):
        await open_chat(each)
    return asha, bela


async def all_see(people: Sequence[Person], *texts: str) -> None:
    """Fail unless everybody sees these lines and no others, to the letter."""
    for each in people:
        await expect(lines(each)).to_have_count(len(texts))
        assert await lines(each).evaluate_all("lines => lines.map(line => line.textContent)") == list(texts)


async def test_words_arrive_whole_and_phrases_in_each_readers_language(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await say(bela, WHOLE)
    await all_see((asha, bela), WHOLE)
    await expect(bela.see("chat-text")).to_have_value("")
    await asha.see("chat-phrases").click()
    await asha.see("say-good_luck").click()
    await all_see((asha,), WHOLE, "Good luck!")
    await all_see((bela,), WHOLE, "শুভকামনা রইল!")
    await bela.see("say-flower").click()
    await expect(asha.page.get_by_role("img", name="A flower")).to_have_text("🌸")
    await expect(bela.page.get_by_role("img", name="ফুল")).to_have_text("🌸")

    # Whoever comes later reads what was said, and may not write without a seat.
    chitra = await person()
    await chitra.come(asha.page.url)
    await open_chat(chitra)
    await all_see((chitra,), WHOLE, "Good luck!", "🌸")
    await expect(chitra.see("chat-write")).to_have_attribute("data-value", "watching")
    await expect(chitra.see("chat-text")).to_have_count(0)

    # The game begins, and the talk goes on.
    await asha.see("start").click()
    await expect(asha.see("turn")).to_have_attribute("data-value", "0")
    await say(asha, "off we go")
    await all_see((asha, chitra), WHOLE, "Good luck!", "🌸", "off we go")


async def test_markup_and_links_are_text(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await say(bela, MARKUP)
    await all_see((asha, bela), MARKUP)
    for each in (asha, bela):
        await expect(each.see("chat").locator("img, script, a")).to_have_count(0)
        assert await each.page.title() != "caught"
    # A complaint of the content policy would be the witness's.


async def test_lines_that_were_not_seen_are_counted_on_the_button(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await bela.see("chat-close").click()
    await expect(bela.see("chat")).to_be_hidden()
    await say(asha, "one")
    await expect(bela.see("chat-open")).to_have_attribute("data-value", "1")
    await say(asha, "two")
    await expect(bela.see("chat-open")).to_have_attribute("data-value", "2")
    # It is told to those who listen.
    await expect(bela.page.locator("#polite")).to_contain_text("Asha বলছেন: one")
    await bela.see("chat-open").click()
    await expect(bela.see("chat-open")).to_have_attribute("data-value", "0")
    await all_see((bela,), "one", "two")
    # The stack is a phone's whole lower part again when the sheet is closed.
    await asha.see("start").click()
    await bela.page.keyboard.press("Escape")
    await expect(bela.see("chat")).to_be_hidden()
    await bela.see("stack").click(force=True)
    await expect(bela.see("reason")).to_have_attribute("data-value", "not_your_turn")


async def test_the_host_takes_a_line_out_and_mutes(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await say(bela, "rude")
    await say(bela, "kind")
    await all_see((asha, bela), "rude", "kind")
    await choose(asha, 0, "unsay")
    await all_see((asha, bela), "kind")
    await bela.see("chat-text").fill("and one more")
    await choose(asha, 0, "mute")
    await expect(bela.see("chat-write")).to_have_attribute("data-value", "muted")
    await expect(bela.see("chat-text")).to_be_disabled()
    await expect(bela.see("chat-mode")).to_have_text("আয়োজক আপনার লেখা বন্ধ রেখেছেন: পড়তে পারবেন, লিখতে পারবেন না।")
    await bela.page.reload()
    await open_chat(bela)
    await expect(bela.see("chat-write")).to_have_attribute("data-value", "muted")
    await choose(asha, 0, "mute")
    await expect(bela.see("chat-text")).to_be_enabled()
    await say(bela, "thank you")
    await all_see((asha, bela), "kind", "thank you")


async def test_whom_one_hides_stays_hidden_over_a_reload_for_oneself_alone(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await say(asha, "first")
    await say(bela, "mine")
    await all_see((asha, bela), "first", "mine")
    await choose(bela, 0, "hide")
    await all_see((bela,), "mine")
    await bela.page.reload()
    await bela.live()
    await say(asha, "second")
    await all_see((asha,), "first", "mine", "second")
    # Nor is what a hidden person says counted.
    await expect(bela.see("chat-open")).to_have_attribute("data-value", "0")
    await open_chat(bela)
    await all_see((bela,), "mine")
    await bela.see("chat-show").click()
    await all_see((bela,), "first", "mine", "second")


async def test_a_flood_is_slowed_with_a_reason_and_nothing_is_lost(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    said = []
    for number in range(5):
        said.append(f"line {number}")
        await say(asha, said[-1])
        await all_see((bela,), *said)
    await say(asha, "one too many")
    await expect(asha.see("chat-trouble")).to_have_attribute("data-value", "too_fast")
    await expect(asha.see("chat-trouble")).to_contain_text("Wait a few seconds")
    await expect(asha.see("chat-text")).to_have_value("one too many")
    await all_see((asha, bela), *said)


async def test_a_line_written_while_the_connection_is_gone_goes_once_it_is_back(
    person: MakePerson, server: Worker, witness: Witness
) -> None:
    asha, bela = await at_a_table(person)
    await say(asha, "before")
    await all_see((asha, bela), "before")
    witness.excuse("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED")
    server.kill()
    await expect(bela.see("connection")).to_have_attribute("data-value", "lost")
    await say(bela, "still here")
    await expect(bela.see("chat-trouble")).to_have_attribute("data-value", "waiting")
    await server.restart()
    for each in (asha, bela):
        await each.live()
    await all_see((asha, bela), "before", "still here")
    await expect(bela.see("chat-text")).to_have_value("")


async def test_the_one_who_is_waited_for_can_be_nudged(person: MakePerson) -> None:
    asha, bela = await at_a_table(person)
    await asha.see("start").click()
    await bela.see("chat-close").click()
    nudge = bela.see("seat-0").get_by_test_id("nudge")
    await expect(nudge).to_have_text("ডাকুন", timeout=15_000)
    await nudge.click()
    await expect(nudge).to_have_text("ডাকা হল")
    await expect(asha.see("nudged")).to_have_text("Asha? Everybody is waiting for you: it is your turn.")
    await expect(asha.page.locator("#assertive")).to_have_text("Asha? Everybody is waiting for you: it is your turn.")
    await expect(asha.page).to_have_title("Everybody is waiting for you · Rang Milanti")
    await asha.tap()
    await expect(asha.page).not_to_have_title("Everybody is waiting for you · Rang Milanti")
