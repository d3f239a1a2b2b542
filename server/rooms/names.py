"""What may be a name at a table, and the friendly ones for those who give none.

Length is counted in graphemes, so Bengali conjuncts and emoji families count as one, and ZWJ and ZWNJ stay whole.
Nobody is refused over a name that another holds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

import regex

LONGEST = 24
"""Graphemes in a name at the most."""

_GRAPHEME = regex.compile(r"\X")
# Controls, surrogates, private use, line separators, and format characters (bidi overrides among them), but for those
# that spell: ZWNJ, ZWJ and the tags of flag emoji.
_FORBIDDEN = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\u200C\u200D\U000E0020-\U000E007F])\p{Cf}")
# Fillers are letters to Unicode and nothing to the eye; so are the empty Braille cell and the null notehead.
_VISIBLE = regex.compile(r"(?![\p{Default_Ignorable_Code_Point}\u2800\U0001D159])[\p{L}\p{N}\p{P}\p{S}]")
# A joiner joins something to what comes before it, and tags follow the flag that they colour.
_HIDDEN = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}\p{S}\uFE0F])[\u200C\u200D]|(?<![\U0001F3F4\U000E0020-\U000E007F])[\U000E0020-\U000E007F]"
)
_MARK_PILE = regex.compile(r"\p{M}{5,}")
_SPACES = regex.compile(r"\p{Zs}+")
_UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\s]")
_BENGALI = regex.compile(r"\p{Bengali}")
# Letters that look alike in small or in capital: Cyrillic, Greek, digits, and the two ways of writing one vowel.
_TWINS = str.maketrans(
    "авекмнорстухіјѕԁһԛԝαβεζηικμνορτυχ01l|ı০৪",
    "abekmhopctyxijsdhqwabezhikmvoptyxoiiiio8",
)
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
    name = unicodedata.normalize("NFC", _SPACES.sub(" ", name).strip(" "))
    if (
        len(name) > LONGEST * 16
        or _FORBIDDEN.search(name)
        or _HIDDEN.search(name)
        or not _VISIBLE.search(name)
        or _MARK_PILE.search(name)
        or len(_GRAPHEME.findall(name)) > LONGEST
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


def told_apart(name: str, held: Collection[str]) -> str:
    """Return a name with a mark where it equals, or looks like, one that is held: `Asha (2)`."""
    likenesses = {_likeness(one) for one in held}
    marked, number = name, 1
    while _likeness(marked) in likenesses:
        number += 1
        mark = str(number).translate(_BENGALI_DIGITS) if _BENGALI.search(name) else str(number)
        marked = f"{name} ({mark})"
    return marked


def _likeness(name: str) -> str:
    """Return what is left of a name for a quick eye: equal for names that look alike."""
    plain: str = _UNSEEN.sub("", unicodedata.normalize("NFKC", name).casefold())
    return plain.replace("অা", "আ").translate(_TWINS)
