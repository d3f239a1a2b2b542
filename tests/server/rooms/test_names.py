"""Names: what is kept, what is refused, and the friendly ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.rooms.names import FRIENDLY, BadNameError, cleaned, friendly, told_apart

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("Asha", "Asha"),
        ("  Asha   Devi ", "Asha Devi"),
        (None, None),
        ("", None),
        (" \t ", None),
        ("রাজলক্ষ্মী", "রাজলক্ষ্মী"),
        ("র\u200d্যাপ", "র\u200d্যাপ"),
        ("ক্\u200cষ", "ক্\u200cষ"),
        (FAMILY * 24, FAMILY * 24),
        ("<img src=x onerror=a()>", "<img src=x onerror=a()>"),
        ("a" * 24, "a" * 24),
        ("e\u0301", "é"),
        ("উত্\u200d", "উত্\u200d"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
    ],
)
def test_kept(given_name: str | None, kept: str | None) -> None:
    assert cleaned(given_name) == kept


@pytest.mark.parametrize(
    "name",
    [
        "a" * 25,
        FAMILY * 25,
        "x" * 5_000,
        "a\x00b",
        "a\r\nb",
        "a\tb",
        "a\n",
        "a\x1b[31mb",
        "\u202egnp",
        "a\u2066b\u2069",
        "a\u200fb",
        "\u200b",
        "\u200d\u200d",
        "\u3164",
        "\u2800",
        "\u115f\u1160",
        "\ud800",
        "e" + "\u0301" * 60,
        "\u0301",
        "a\u2028b\ue000",
        "\U0001d159",
        "a" + "\u200d" * 3,
        "\u200da",
        "a" + "\U000e0061" * 3,
    ],
)
def test_refused(name: str) -> None:
    with pytest.raises(BadNameError):
        cleaned(name)


@given(st.text(max_size=60))
def test_what_is_kept_is_kept_again_the_same(text: str) -> None:
    try:
        once = cleaned(text)
    except BadNameError:
        return
    assert cleaned(once) == once


def test_friendly_names_avoid_those_held_and_come_in_both_languages() -> None:
    assert friendly("en", 0, ()) == FRIENDLY["en"][0]
    assert friendly("en", 0, {FRIENDLY["en"][0]}) == FRIENDLY["en"][1]
    assert friendly("bn", 3, ()) == FRIENDLY["bn"][3]
    assert friendly("bn", 1, set(FRIENDLY["bn"])) == f"{FRIENDLY['bn'][1]} (২)"
    # Nor one that looks like a name somebody typed.
    assert friendly("en", 0, {FRIENDLY["en"][0].lower()}) == FRIENDLY["en"][1]
    assert len(FRIENDLY["en"]) == len(FRIENDLY["bn"])
    for names in FRIENDLY.values():
        assert len(set(names)) == len(names)
        assert all(cleaned(name) == name for name in names)


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("Asha", "Asha"),
        ("asha", "ASHA"),
        ("Ash\u200ba", "Asha"),
        ("Аshа", "Asha"),  # Cyrillic
        ("Αsha", "Asha"),  # Greek
        ("A sha", "Asha"),
        ("Ａｓｈａ", "Asha"),
        ("B0b", "Bob"),
        ("Ali", "AIi"),
        ("AlI", "A1l"),
        ("আশা", "অাশা"),
    ],
)
def test_a_look_alike_gets_a_mark(name: str, held: str) -> None:
    marked = told_apart(name, [held])
    assert marked != name
    assert marked.startswith(name)
    assert told_apart(marked, [held]) == marked


@pytest.mark.parametrize(("name", "held"), [("Asha", "Ashu"), ("কি", "ক"), ("Bela", "Béla"), ("২", "3")])
def test_names_that_differ_stay_as_they_are(name: str, held: str) -> None:
    assert told_apart(name, [held]) == name


def test_each_more_gets_the_next_mark_in_the_names_own_digits() -> None:
    assert told_apart("Asha", ["Asha", "Asha (2)"]) == "Asha (3)"
    assert told_apart("আশা", ["আশা"]) == "আশা (২)"
    assert told_apart("Asha (2)", ["Asha", "Asha (2)"]) == "Asha (2) (2)"


@given(st.lists(st.text("aAbll1I0oOআা", min_size=1, max_size=3), max_size=8))
def test_no_two_at_a_table_are_alike(names: list[str]) -> None:
    held: list[str] = []
    for name in names:
        held.append(told_apart(name, held))
    assert len({name.casefold() for name in held}) == len(held)
