"""People at their browsers: what they do and see, by the same names that the app gives its parts.

Nothing here knows the wire. Invariant: a person acts through the page alone, by what can be tapped or typed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from playwright.async_api import Locator, Page, expect

Language = Literal["en", "bn"]

# The longest motion of the table, and a little.
SETTLED_MS = 800


@dataclass(frozen=True, slots=True)
class Person:
    """One person and the page before them."""

    page: Page
    base: str
    touch: bool = True

    def see(self, name: str) -> Locator:
        """Return the part of the page with this name."""
        return self.page.get_by_test_id(name)

    async def value(self, name: str) -> str:
        """Return a part's raw value as it is now."""
        return await self.see(name).get_attribute("data-value") or ""

    @property
    def table(self) -> str:
        """The id of the table whose page this is."""
        return self.page.url.rsplit("/", 1)[1]

    async def make_table(self, name: str, seats: int, length: str = "short") -> str:
        """Make a table by the home page's form and return the link that it invites with."""
        await self.page.goto(self.base)
        await self.page.locator("#name").fill(name)
        # The choice is drawn over its radio button.
        await self.page.locator(f".choice label:has(input[value='{seats}'])").click()
        await self.page.locator("summary").click()
        await self.page.locator("#length").select_option(length)
        await self.page.get_by_role("button", name="Make the table").click()
        await self.page.wait_for_url("**/t/*")
        await self.live()
        return await self.see("invite-link").input_value()

    async def come(self, link: str) -> None:
        """Open an invite link."""
        await self.page.goto(link)
        await self.live()

    async def sit(self, name: str, seat: int) -> None:
        """Sit down under a name, and be in this seat."""
        await self.see("name").fill(name)
        await self.see("sit").click()
        await expect(self.see(f"seat-{seat}")).to_contain_text(name)

    async def live(self) -> None:
        """Wait until the page says nothing is wrong with its connection."""
        await expect(self.see("connection")).to_have_attribute("data-value", "live", timeout=15_000)

    async def tap(self) -> None:
        """Turn one card as soon as the page lets this person."""
        stack = self.see("stack")
        await (stack.tap() if self.touch else stack.click())

    async def turned(self, n: int) -> int:
        """Wait until the page has drawn reveal n, the newest there is; return whose turn it is then."""
        await expect(self.see("reveal-count")).to_have_attribute("data-value", str(n))
        return int(await self.value("turn"))

    async def turn_by_itself(self) -> None:
        """Let the page's own switch turn this person's cards."""
        await self.page.locator("label.switch").click()
        await expect(self.see("auto")).to_be_checked()

    async def fits(self) -> None:
        """Fail if the page scrolls sideways, or the dialog over it does."""
        for part in ("html", "dialog[open]"):
            found = self.page.locator(part)
            if await found.count():
                wide, room = await found.evaluate("part => [part.scrollWidth, part.clientWidth]")
                assert wide <= room, f"{part} of {self.page.url} is {wide} px wide in {room}"


async def play(people: Sequence[Person], turn: int, done: int, upto: int) -> int:
    """Have the people turn cards by hand, from `done` to `upto` reveals made; return whose turn it is then.

    They stand in the order of their seats, and nothing else turns a card meanwhile.
    """
    for n in range(done + 1, upto + 1):
        await people[turn].tap()
        turn = await people[turn].turned(n)
    return turn
