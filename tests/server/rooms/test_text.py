"""What may stand in a line of chat: mended, not refused, and Bengali and emoji left whole."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from server.rooms.text import LONGEST_LINE, is_longer, mended

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


@pytest.mark.parametrize(
    "line",
    [
        "শাপলা ফুটেছে",
        "র\u200d্যাপ শুনি",
        "ক্\u200cষ আর ক্ষ",
        "উত্\u200dপল",
        f"{FAMILY} আর {FAMILY}",
        f"{WALES}!",
        "❤️\u200d🔥 1️⃣",
        "<img src=x onerror=alert(1)>",
        '"at":null, \\ {"type":"said"}',
        "https://example.org/?a=b&c=d",
        "e" + "\u0316" * 4,
    ],
)
def test_kept_whole(line: str) -> None:
    assert mended(line) == line


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("  a \t\r\n\v b\x85\u2028c\u3000", "a b c"),
        ("a\x00b\x07c", "abc"),
        ("\x1b[31mred\x1b[0m\x9b", "[31mred[0m"),
        ("\u202egnp.exe\u202c", "gnp.exe"),
        ("\u2066a\u2069\u200e\u200f\u061cb", "ab"),
        ("a\u200b\u2060\ufeff\u00adb", "ab"),
        ("a\ud800b\ue000", "ab"),
        ("e" + "\u0301" * 60, "é" + "\u0301" * 4),
        (
            "e" + "\u0316" * 60 + " f" + "\u0316\u0317\u0318\u0319\u031c",
            "e" + "\u0316" * 4 + " f\u0316\u0317\u0318\u0319",
        ),
        ("e" + "\u0316\u200d" * 60 + "x", "e" + "\u0316\u200d" * 3 + "\u0316\u200dx"),
        ("ক" + "\u09cd" * 9, "ক" + "\u09cd" * 4),
        ("e\u0301", "é"),
        ("\u200da\u200d\u200d\u200db", "a\u200db"),
        ("x\U000e0061\U000e0062 y", "x y"),
        ("a\u3164\u3164\u2800b\uffa0", "a b"),
    ],
)
def test_mended(line: str, kept: str) -> None:
    assert mended(line) == kept


@pytest.mark.parametrize(
    "line",
    [
        "",
        " \t\n",
        "\u200b\u200b",
        "\u3164\u115f\u1160",
        "\u2800",
        "\u200d\u200c",
        "\u0301" * 9,
        "\x1b\x00",
        "\U0001d159",
    ],
)
def test_nothing_visible(line: str) -> None:
    assert mended(line) == ""


characters = st.one_of(
    st.characters(),
    st.sampled_from(
        list("ab \n\x1b\u200c\u200d\u202e\u0301\u0316\u09cd\u09bc\u09dcক\ufe0f\U0001f3f4\U000e0067\U000e007f\u3164")
    ),
)


@given(st.text(characters, max_size=80))
def test_what_is_kept_is_one_quiet_line_and_kept_again_the_same(text: str) -> None:
    once = mended(text)
    assert mended(once) == once
    assert once == unicodedata.normalize("NFC", once)
    assert not regex.search(r"[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069]|\s\s|^\s|\s$", once)
    assert not regex.search(r"(?:\p{M}[\u200c\u200d]*){5}", once)
    once.encode()


def test_length_is_counted_in_graphemes() -> None:
    for one in ("a", "ক্ষ্ম", FAMILY, WALES, "é"):
        assert not is_longer(one * LONGEST_LINE, LONGEST_LINE)
        assert is_longer(one * LONGEST_LINE + "!", LONGEST_LINE)
    assert is_longer("\u200d".join("\U0001f468" * 2_500), LONGEST_LINE), "one grapheme, to be sure"
