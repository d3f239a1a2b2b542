"""The catalogue: the same keys in both languages, none missing, none stale, Bengali in Bengali."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from server.protocol.replies import RefusalCode
from server.rooms.settings import Wanted
from server.transport.pages import FIELDS

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "server" / "locale"
LANGUAGES = ("en", "bn")
PLACE = re.compile(r"\{(\w+)\}")
# What stays in Latin letters in Bengali prose: a command to type, a language's own name, what people must copy.
LATIN_ALLOWED = re.compile(r"make setup|English|RM_\w+")


@cache
def texts(language: str) -> dict[str, str]:
    def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
        assert len(dict(pairs)) == len(pairs), "a key is there twice"
        return dict(pairs)

    found: dict[str, str] = json.loads((LOCALE / f"{language}.json").read_text("utf-8"), object_pairs_hook=once)
    return found


def places(text: str) -> set[str]:
    """Return what is put in; a word in the genitive (`suitOf`) is the same word."""
    return {name.removesuffix("Of") for name in PLACE.findall(text)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_flat_sorted_and_indented_by_two(language: str) -> None:
    text = (LOCALE / f"{language}.json").read_text("utf-8")
    assert text == json.dumps(dict(sorted(texts(language).items())), ensure_ascii=False, indent=2) + "\n"
    assert all(value.strip() == value != "" for value in texts(language).values())


def test_both_have_the_same_keys() -> None:
    assert texts("en").keys() == texts("bn").keys()


def test_both_put_the_same_values_in() -> None:
    for key, english in texts("en").items():
        assert places(english) == places(texts("bn")[key]), key


def test_one_never_comes_without_more() -> None:
    for key in texts("en"):
        stem, _, last = key.rpartition(".")
        assert last != "one" or f"{stem}.other" in texts("en"), key


def test_bengali_has_no_latin_letters_or_digits() -> None:
    for key, text in texts("bn").items():
        rest = LATIN_ALLOWED.sub("", PLACE.sub("", text))
        assert not re.search(r"[A-Za-z0-9]", rest), (key, text)


def test_english_has_no_bengali_but_the_languages_name() -> None:
    for key, text in texts("en").items():
        assert ".language" in key or not re.search(r"[\u0980-\u09FF]", text), (key, text)


def test_every_refusal_has_its_words() -> None:
    for code in get_args(RefusalCode):
        assert f"refusal.{code}" in texts("en")


def test_every_field_of_the_form_has_its_name() -> None:
    assert {*Wanted.model_fields, "name"} >= FIELDS
    for field in FIELDS:
        assert f"page.field.{field}" in texts("en")


def test_no_page_key_is_stale() -> None:
    sources = [*ROOT.glob("server/templates/*.html"), *ROOT.glob("server/transport/*.py")]
    code = "\n".join(path.read_text("utf-8") for path in sources)
    # A key that is put together ends in code at a dot; what is quoted up to there stands for all under it.
    whole = set(re.findall(r"""['"](page(?:\.[\w]+)+)['"]""", code))
    beginnings = tuple(re.findall(r"""['"](page(?:\.\w+)*\.)(?:['"]|\{)""", code))
    for key in texts("en"):
        if key.startswith("page."):
            stem = key.removesuffix(".one").removesuffix(".other")
            assert stem in whole or stem.startswith(beginnings), f"{key} is used by no page"
