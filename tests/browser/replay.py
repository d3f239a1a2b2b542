"""A game's log, replayed by the rules, and pages held against what it says.

The engine is the judge: no number here comes from a page.
"""

from __future__ import annotations

import json
import re
from functools import reduce
from pathlib import Path

from playwright.async_api import expect

from engine.events import Dealt
from engine.receipt import Receipt
from engine.view import View, fold
from server.check import check_file, read
from tests.browser.people import Person
from tests.wire.processes import ROOT


async def replayed(person: Person, folder: Path) -> View:
    """Save the newest game's log as this person may, fail unless it is right by the rules, and return its end."""
    answer = await person.page.context.request.get(f"{person.base}/api/tables/{person.table}/log")
    assert answer.ok, await answer.text()
    file = folder / "game.ndjson"
    file.write_bytes(await answer.body())
    assert check_file(file) == []
    events = read(file)
    assert not isinstance(events, Receipt)
    assert isinstance(events[0], Dealt)
    view = reduce(fold, events[1:], fold(None, events[0]))
    assert view.winners is not None
    return view


WORDS = json.loads((ROOT / "server/locale/en.json").read_text("utf-8"))


async def assert_shows(person: Person, view: View, own: int | None) -> None:
    """Fail unless a finished game's page shows this: counts, pile, last card turned, how many, winner.

    `own` is the person's seat, whose cards stand only in the list of all, or None for a watcher.
    """
    assert view.winners is not None
    assert view.held is not None
    values = {
        "winner": ",".join(map(str, view.winners)),
        "reveal-count": view.n,
        "pile-size": view.pile.size,
        **{f"stack-count-{seat}": count for seat, count in enumerate(view.stacks) if seat != own},
        **{f"collected-count-{seat}": count for seat, count in enumerate(view.collected) if seat != own},
    }
    for name, value in values.items():
        await expect(person.see(name)).to_have_attribute("data-value", str(value))
    await expect(person.see("pile")).to_have_attribute("data-top", view.pile.top or "")
    if view.pile.top is not None:
        rank, suit = view.pile.top[0], view.pile.top[1]
        named = WORDS["card.name"].format(rank=WORDS[f"card.rank.{rank}"], suit=WORDS[f"card.suit.{suit}"])
        last = re.compile(f" turned {named} ")
        await expect(person.see("sentence")).to_have_text(last)
    for seat, count in enumerate(view.held):
        cards = person.page.locator(f".held .place-{seat} b")
        await expect(cards).to_have_text("1 card" if count == 1 else f"{count} cards")
