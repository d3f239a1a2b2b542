"""Which characters may stand in what people write: the one place that names and chat take them from. Pure.

Length is counted in graphemes, so Bengali conjuncts and emoji families count as one, and ZWJ and ZWNJ stay whole.
Names refuse what does not belong; a line of chat is mended, since nobody should lose one over a stray character.
"""

from __future__ import annotations

import unicodedata

import regex

LONGEST_LINE = 200
"""Graphemes in a line of chat at the most."""
CHARACTERS_A_GRAPHEME = 16
"""Characters in a grapheme, on average, at the most: an emoji family has seven."""

# Controls, surrogates, private use, line separators, and format characters (bidi overrides among them), but for those
# that spell: ZWNJ, ZWJ and the tags of flag emoji.
FORBIDDEN = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\u200C\u200D\U000E0020-\U000E007F])\p{Cf}")
# Fillers are letters to Unicode and nothing to the eye; so are the empty Braille cell and the null notehead.
VISIBLE = regex.compile(r"(?![\p{Default_Ignorable_Code_Point}\u2800\U0001D159])[\p{L}\p{N}\p{P}\p{S}]")
# A joiner joins something to what comes before it, and tags follow the flag that they colour.
HIDDEN = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}\p{S}\uFE0F])[\u200C\u200D]+|(?<![\U0001F3F4\U000E0020-\U000E007F])[\U000E0020-\U000E007F]+"
)
# Joiners between the marks do not make the pile lower.
MARK_PILE = regex.compile(r"((?:[\u200C\u200D]?\p{M}){4})(?:[\u200C\u200D]?\p{M})+")
SPACES = regex.compile(r"\p{Zs}+")

_GRAPHEME = regex.compile(r"\X")
# Whatever shows as a gap, a line's end and the blank letters among it.
_GAPS = regex.compile(r"[\s\u2800\u3164\uFFA0\U0001D159]+")


def is_longer(text: str, graphemes: int) -> bool:
    """Say whether a text has more than so many graphemes, or so many characters that it only seems not to."""
    return len(text) > graphemes * CHARACTERS_A_GRAPHEME or len(_GRAPHEME.findall(text)) > graphemes


def mended(text: str) -> str:
    """Return a line of chat as it is kept: one line, NFC, nothing that disturbs the page around it; '' for a blank one.

    What does not belong is dropped, gaps become one space, and of a pile of marks four stay.
    """
    text = HIDDEN.sub("", FORBIDDEN.sub("", _GAPS.sub(" ", text)))
    text = MARK_PILE.sub(r"\1", unicodedata.normalize("NFC", text))
    text = SPACES.sub(" ", text).strip(" ")
    return text if VISIBLE.search(text) else ""
