"""What one plays with is on the first screen, whole, whatever the table has to say and whoever sits at it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.forged import Snapshot, forge, in_play
from tests.browser.people import Language, Person
from tests.browser.test_shots import SCREENS, SHOTS, speak

# Twenty-four letters, the most that a name may have, as wide as they come.
WIDE = ("W" * 24, "ক্ষৌ" * 24)

# The longest sentences there are: a capture, and a seat that is out by its last card, each turned by the table.
BY = {"n": 18888, "seat": 0, "card": "7D", "on": "QD", "by": "table"}
CAPTURE = [
    {"type": "reshuffled", "seat": 0, "cards": 27, "shuffle": 8},
    {"type": "revealed", **BY, "matched": True},
    {"type": "captured", "seat": 0, "cards": 27},
]
OUT = [{"type": "revealed", **BY, "on": "QS", "matched": False}, {"type": "out", "seat": 0}]

# Where the letters of a part end, not its box.
RIGHT_OF_TEXT = """part => {
  const range = document.createRange();
  range.selectNodeContents(part);
  const box = part.getBoundingClientRect();
  const style = getComputedStyle(part);
  return Math.min(range.getBoundingClientRect().right, box.right - parseFloat(style.paddingRight));
}"""


async def assert_on_screen(person: Person, height: int, at: str) -> None:
    """Fail if the stack or the switch beside it is not wholly within the first screen."""
    for part in ("stack", "auto"):
        box = await person.see(part).bounding_box()
        assert box is not None
        foot = box["y"] + box["height"]
        assert foot <= height, f"{part} ends {foot - height:.0f} px below the screen {at}"
    stack = await person.see("stack").bounding_box()
    assert stack is not None
    assert stack["height"] >= 64


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 8])
async def test_no_sentence_and_no_name_pushes_the_stack_off_the_screen(person: MakePerson, seats: int) -> None:
    asha = await person(320, 568)
    told: dict[str, Any] = {"turn": 0, "last": CAPTURE}
    names = [WIDE[seat % 2] for seat in range(seats)]

    def change(snapshot: Snapshot) -> Snapshot:
        # With all there can be beside the stack: somebody wishes to hurry.
        table = in_play(snapshot, names, told["turn"], told["last"])
        return {**table, "hurried": {"seats": [1], "on": False}}

    await asha.make_table("Asha", seats=2)
    await forge(asha.page, change)
    await asha.page.clock.install()
    for turn, last in ((0, CAPTURE), (1, OUT)):
        told.update(turn=turn, last=last)
        await asha.page.reload()
        await asha.live()
        await expect(asha.see("turn")).to_have_attribute("data-value", str(turn))
        await expect(asha.see("hurry-short")).to_be_visible()
        if turn != 0:
            # And the one whose turn it is lets it stand, so that the host is offered to turn a card.
            await asha.page.clock.fast_forward(61_000)
            await expect(asha.see("turn-for")).to_be_visible()
            await asha.live()
        for width, height, language, _ in SCREENS:
            await asha.page.set_viewport_size({"width": width, "height": height})
            await speak(asha, language)
            await asha.fits()
            at = f"{width}x{height} {language}, {seats} seats, turn {turn}"
            await asha.page.screenshot(path=SHOTS / f"6-{seats}-seats-turn-{turn}-{width}x{height}-{language}.png")
            await assert_on_screen(asha, height, at)
        await speak(asha, "en")
    # Text of twice the size makes the page longer, and hides nothing.
    await asha.page.set_viewport_size({"width": 320, "height": 568})
    await asha.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await asha.fits()
    for part in ("sentence", "stack", "auto"):
        await asha.see(part).scroll_into_view_if_needed()
        await expect(asha.see(part)).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("language", ["en", "bn"])
async def test_the_last_reveal_of_a_game_is_read_whole_and_a_name_leaves_its_menu_free(
    person: MakePerson, language: Language
) -> None:
    asha = await person(320, 568, language=language)
    over = False

    def change(snapshot: Snapshot) -> Snapshot:
        table = in_play(snapshot, ["Asha", WIDE[1], "চিত্রাঙ্গদা চট্টোপাধ্যায়"], 0, OUT)
        if not over:
            return table
        game = {**table["game"], "turn": None, "winners": [1], "held": [0, 100, 4]}
        return {**table, "phase": "over", "game": game}

    await asha.make_table("Asha", seats=2)
    await forge(asha.page, change)
    for width, height, _, _ in SCREENS:
        await asha.page.set_viewport_size({"width": width, "height": height})
        for over in (False, True):
            await asha.page.reload()
            await asha.live()
            await speak(asha, language)
            await expect(asha.see("winner")).to_have_count(int(over))
            if over:
                sentence = await asha.see("sentence").evaluate("part => [part.scrollHeight, part.clientHeight]")
                assert sentence[0] <= sentence[1], f"the sentence is cut off at {width}x{height}"
            for seat in (1, 2):
                dots = await asha.see(f"person-{seat}").locator(".dots").bounding_box()
                name = await asha.see(f"seat-{seat}").locator(".seat-name").evaluate(RIGHT_OF_TEXT)
                line = await asha.see(f"seat-{seat}").locator(".seat-name").bounding_box()
                assert dots is not None
                assert line is not None
                beside = dots["y"] < line["y"] + line["height"] and dots["y"] + dots["height"] > line["y"]
                assert not beside or name <= dots["x"], (
                    f"the name of seat {seat} lies under its menu at {width}x{height}"
                )
