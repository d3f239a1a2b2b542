"""What may be a name at a table, and the friendly ones for those who give none.

Length is counted in graphemes, so Bengali conjuncts and emoji families count as one, and ZWJ and ZWNJ stay whole.
Nobody is refused over a name that another holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import cache

import regex
from confusable_homoglyphs.confusables import confusables_data

from server.rooms.text import FORBIDDEN, HIDDEN, MARK_PILE, SPACES, VISIBLE, is_longer

LONGEST = 24
"""Graphemes in a name at the most."""

_UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\s]")
_BENGALI = regex.compile(r"\p{Bengali}")
_BENGALI_DIGITS = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")


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
    """Return a friendly name that looks like none held at the table: the one at `pick`, or the next that is free."""
    names = FRIENDLY.get(language, FRIENDLY["en"])
    order = (names[(pick + step) % len(names)] for step in range(len(names)))
    free = (name for name in order if told_apart(name, held) == name)
    return next(free, None) or told_apart(names[pick % len(names)], held)


def told_apart(name: str, held: Collection[str]) -> str:
    """Return a name with a mark where it equals, or looks like, one that is held: `Asha (2)`."""
    likenesses = {likeness for one in held for likeness in _likenesses(one)}
    marked, number = name, 1
    while not likenesses.isdisjoint(_likenesses(marked)):
        number += 1
        mark = str(number).translate(_BENGALI_DIGITS) if _BENGALI.search(name) else str(number)
        marked = f"{name} ({mark})"
    return marked


def _likenesses(name: str) -> tuple[str, ...]:
    """Return what a quick eye sees of a name: as written, small, capital. Names that share one look alike."""
    plain: str = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).replace("অা", "আ")
    return tuple(form.translate(_twins()) for form in (plain, plain.casefold(), plain.upper()))


@cache
def _twins() -> dict[int, str]:
    """Return for each letter one that stands for all that look like it (Unicode's confusables, UTS 39)."""
    stands_for: dict[str, str] = {}

    def found(letter: str) -> str:
        while (above := stands_for.get(letter, letter)) != letter:
            stands_for[letter] = stands_for.get(above, above)
            letter = above
        return letter

    for letter, twins in confusables_data.items():
        for twin in twins:
            if len(letter) == len(twin["c"]) == 1:
                stands_for[found(letter)] = found(twin["c"])
    return {ord(letter): found(letter) for letter in stands_for}
