"""The catalogue as the server uses it: whole sentences by key, in one language, numbers in its digits.

The same two JSON files feed the app. Nothing here knows a page or a table. Invariant: a string that people
read comes from the catalogue, never from code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal

from markupsafe import Markup, escape

Language = Literal["en", "bn"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "bn")
LOCALE = Path(__file__).resolve().parent.parent / "locale"

_PLACE = re.compile(r"\{(\w+)\}")
_BENGALI_DIGITS = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")


class Words:
    """One language's sentences. A key that is missing is a bug, and raises KeyError."""

    def __init__(self, language: Language, texts: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts

    def text(self, key: str, **values: str | int) -> str:
        """Say a key, with the values put in; numbers are written in the language's digits."""
        return _PLACE.sub(lambda place: self._shown(values[place[1]]), self._texts[key])

    def html(self, key: str, **values: str | int) -> Markup:
        """Say a key in a page: all but values that are Markup already is escaped."""
        parts = _PLACE.split(self._texts[key])
        return Markup("").join(
            escape(self._shown(values[part]) if index % 2 else part) for index, part in enumerate(parts)
        )

    def counted(self, key: str, count: int, **values: str | int) -> str:
        """Say `key.one` or `key.other`, by the count."""
        return self.text(f"{key}.{'one' if count == 1 else 'other'}", count=count, **values)

    def number(self, value: int) -> str:
        """Write a number as prose has it: grouped, in the language's digits."""
        written = f"{value:,}"
        return written.translate(_BENGALI_DIGITS) if self.language == "bn" else written

    def _shown(self, value: str | int) -> str:
        return value if isinstance(value, str) else self.number(value)


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """Return one language's sentences as they are written, read once."""
    texts: dict[str, str] = json.loads((LOCALE / f"{language}.json").read_text(encoding="utf-8"))
    return texts


@cache
def words(language: Language) -> Words:
    """Return one language's words."""
    return Words(language, catalogue(language))


def refusal(language: Language, code: str) -> str:
    """Say why something was refused. Where the app's sentence names people, take the one that does not."""
    texts = catalogue(language)
    return texts.get(f"refusal.{code}.somebody") or texts[f"refusal.{code}"]


def language_of_path(path: str) -> Language:
    """Return the language that a page's path says: `/bn` and what lies under it is Bengali."""
    return "bn" if path == "/bn" or path.startswith("/bn/") else "en"


def accepted(accept: str | None) -> Language:
    """Return the language, of those there are, that an Accept-Language header prefers; English without one."""
    best: tuple[float, int, Language] | None = None
    for place, part in enumerate((accept or "")[:1000].split(",")):
        tag, _, parameters = part.partition(";")
        language = next((known for known in LANGUAGES if tag.strip().lower().split("-")[0] == known), None)
        if language is None:
            continue
        rank = (_quality(parameters), -place, language)
        if rank[0] > 0 and (best is None or rank[:2] > best[:2]):
            best = rank
    return best[2] if best else "en"


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
