"""Every stage on every kind of screen: nothing scrolls sideways, and a picture of each to be looked at.

The pictures go to `shots/` beside this file, which is not kept.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from playwright.async_api import expect

from tests.browser.conftest import MakePerson
from tests.browser.people import SETTLED_MS, Language, Person, play

SHOTS = Path(__file__).parent / "shots"

# Width, height, language, colours.
SCREENS: tuple[tuple[int, int, Language, Literal["light", "dark"]], ...] = (
    (320, 568, "en", "light"),
    (320, 568, "bn", "light"),
    (390, 844, "en", "light"),
    (390, 844, "en", "dark"),
    (390, 844, "bn", "light"),
    (844, 390, "en", "light"),
    (1280, 800, "en", "light"),
    (1280, 800, "bn", "dark"),
)


async def shoot(person: Person, stage: str, *, whole: bool = False) -> None:
    """Look at the page on every screen: it must fit, and its picture is kept."""
    for width, height, language, colours in SCREENS:
        await person.page.set_viewport_size({"width": width, "height": height})
        await person.page.emulate_media(color_scheme=colours)
        await speak(person, language)
        await person.fits()
        if stage == "3-play":
            # What one plays with is on the first screen, whole, however the phone is held.
            for part in ("stack", "auto"):
                box = await person.see(part).bounding_box()
                assert box is not None
                assert box["y"] + box["height"] <= height, f"{part} is below a screen of {width}x{height}"
        name = f"{stage}-{width}x{height}-{language}-{colours}.png"
        await person.page.screenshot(path=SHOTS / name, full_page=whole)
    await speak(person, "en")


async def speak(person: Person, language: Language) -> None:
    """Have the page in this language, by its own way of changing it."""
    if await person.page.locator("html").get_attribute("lang") == language:
        return
    await person.page.locator(f"header [lang='{language}']").click()
    await expect(person.page.locator("html")).to_have_attribute("lang", language)


async def test_every_stage_fits_every_screen(person: MakePerson) -> None:
    people = [await person(touch=False)] + [await person() for _ in range(2)]
    asha = people[0]
    await asha.page.goto(asha.base)
    await shoot(asha, "1-home", whole=True)
    await asha.page.set_viewport_size({"width": 320, "height": 568})
    for path in ("rules", "privacy", "bn/rules", "bn/privacy"):
        await asha.page.goto(f"{asha.base}/{path}")
        await asha.fits()

    link = await asha.make_table("Asha", seats=4)
    await people[1].come(link)
    await people[1].sit("বেলা", 1)
    await people[2].come(link)
    await shoot(people[2], "2-invited", whole=True)
    await people[2].sit("Chitra-with-a-long-name", 2)
    await shoot(asha, "2-lobby", whole=True)

    await asha.see("start").click()
    taps = 25
    turn = await play(people, 0, 0, taps)
    while turn != 0:
        turn = await play(people, turn, taps, taps + 1)
        taps += 1
    await asyncio.sleep(SETTLED_MS / 1000)
    await shoot(asha, "3-play")
    # On to the next capture, which is when the same seat turns again.
    before = None
    while turn != before:
        before, turn = turn, await play(people, turn, taps, taps + 1)
        taps += 1
    await asyncio.sleep(SETTLED_MS / 1000)
    for each, whose in zip(people, ("host", "second", "third"), strict=True):
        await each.page.screenshot(path=SHOTS / f"4-capture-{whose}.png")
    await shoot(asha, "4-capture")

    for each in people:
        await each.turn_by_itself()
    await expect(asha.see("winner")).to_be_visible(timeout=40_000)
    await asyncio.sleep(SETTLED_MS / 1000)
    await shoot(asha, "5-over", whole=True)
