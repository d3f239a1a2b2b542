"""Sentences: values put in, digits of the language, the language people prefer."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from server.transport.words import Language, Words, accepted, catalogue, language_of_path, refusal, words

TEXTS = {"a": "{who} takes {count} cards", "b.one": "{count} card", "b.other": "{count} cards", "c": "<{x}>"}
ENGLISH, BENGALI = Words("en", TEXTS), Words("bn", TEXTS)


def test_values_are_put_in() -> None:
    assert ENGLISH.text("a", who="Asha", count=3) == "Asha takes 3 cards"
    assert ENGLISH.text("a", who="{count}", count=3) == "{count} takes 3 cards"


def test_numbers_are_in_the_languages_digits_and_names_are_not_touched() -> None:
    assert BENGALI.text("a", who="Asha 7", count=1234567890) == "Asha 7 takes ১,২৩৪,৫৬৭,৮৯০ cards"
    assert ENGLISH.number(5000) == "5,000"


def test_one_and_more() -> None:
    assert (ENGLISH.counted("b", 1), ENGLISH.counted("b", 0)) == ("1 card", "0 cards")


def test_in_a_page_all_is_escaped_but_markup() -> None:
    assert ENGLISH.html("c", x="<i>") == "&lt;&lt;i&gt;&gt;"
    assert ENGLISH.html("c", x=Markup("<i>")) == "&lt;<i>&gt;"


def test_what_is_missing_is_a_bug() -> None:
    with pytest.raises(KeyError):
        ENGLISH.text("nothing")
    with pytest.raises(KeyError):
        ENGLISH.text("a", who="Asha")


def test_the_catalogue_is_there() -> None:
    assert words("bn").text("page.name") == catalogue("bn")["page.name"] == "রং মিলান্তি"


def test_a_refusal_names_nobody() -> None:
    assert "{" not in refusal("en", "not_ready")
    assert refusal("en", "full") == catalogue("en")["refusal.full"]


@pytest.mark.parametrize(
    ("path", "language"),
    [("/", "en"), ("/bn", "bn"), ("/bn/rules", "bn"), ("/bnx", "en"), ("/t/bn", "en")],
)
def test_a_path_says_its_language(path: str, language: Language) -> None:
    assert language_of_path(path) == language


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("bn", "bn"),
        ("bn-IN,en;q=0.8", "bn"),
        ("en,bn", "en"),
        ("en;q=0.5,bn;q=0.6", "bn"),
        ("fr,de", "en"),
        ("fr,bn;q=0.1", "bn"),
        ("bn;q=0", "en"),
        ("bn;q=x", "en"),
        ("," * 9999, "en"),
        ("bnx", "en"),
    ],
)
def test_a_browser_says_its_language(header: str | None, language: Language) -> None:
    assert accepted(header) == language
