"""What may be a name at a table, and the friendly ones for those who give none.

Length is counted in graphemes, so Bengali conjuncts and emoji families count as one, and ZWJ and ZWNJ stay whole.
Nobody is refused over a name that another holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from server.rooms.text import FORBIDDEN, HIDDEN, MARK_PILE, SPACES, VISIBLE, is_longer

LONGEST = 24
"""Graphemes in a name at the most."""


class BadNameError(ValueError):
    """Too long, nothing visible in it, or characters that would disturb the page around it."""


def cleaned(name: str | None) -> str | None:
    """Return a name as it is kept (NFC, single spaces), or None for one that was left blank.

    Raises:
        BadNameError: answer `bad_name`.
    """
    if name is None or not name.strip():
        return None
    name = unicodedata.normalize("NFC", SPACES.sub(" ", name).strip(" "))
    if (
        FORBIDDEN.search(name)
        or HIDDEN.search(name)
        or not VISIBLE.search(name)
        or MARK_PILE.search(name)
        or is_longer(name, LONGEST)
    ):
        raise BadNameError
    return name


FRIENDLY: dict[str, tuple[str, ...]] = {
    "en": (
        "Water Lily", "Jasmine", "Marigold", "Hibiscus", "Lotus", "Sunflower", "Tuberose", "Magnolia", "Kingfisher",
        "Magpie", "Parakeet", "Owl", "Peacock", "Dolphin", "Otter", "Turtle", "Tiger", "Elephant", "Deer", "Squirrel",
        "Butterfly", "Firefly", "Heron", "Mongoose",
    ),
    "bn": (
        "শাপলা", "জুঁই", "গাঁদা", "জবা", "পদ্ম", "সূর্যমুখী", "রজনীগন্ধা", "চাঁপা", "মাছরাঙা",
        "দোয়েল", "টিয়া", "পেঁচা", "ময়ূর", "শুশুক", "ভোঁদড়", "কচ্ছপ", "বাঘ", "হাতি", "হরিণ", "কাঠবিড়ালি",
        "প্রজাপতি", "জোনাকি", "বক", "বেজি",
    ),
}  # fmt: skip


def friendly(language: str, pick: int, held: Collection[str]) -> str:
    """Return a friendly name that nobody at the table holds: the one at `pick`, or the next that is free."""
    names = FRIENDLY.get(language, FRIENDLY["en"])
    order = (names[(pick + step) % len(names)] for step in range(len(names)))
    return next((name for name in order if name not in held), names[pick % len(names)])
