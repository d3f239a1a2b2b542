"""Ids as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.protocol.ids import ALPHABET, LENGTH, canonical

IDS = st.text(st.sampled_from(ALPHABET), min_size=LENGTH, max_size=LENGTH)
READ_AS = {"1": "1iIlL", "0": "0oO"}


@given(IDS, st.data())
def test_every_spelling_is_read(table: str, data: st.DataObject) -> None:
    letters = [
        data.draw(st.sampled_from(READ_AS.get(c, c + c.upper()))) for c in f"{table[:4]}-{table[4:8]}-{table[8:]}"
    ]
    assert canonical("".join(letters)) == table


@given(st.text())
def test_what_is_read_is_canonical(text: str) -> None:
    table = canonical(text)
    assert table is None or (len(table) == LENGTH and canonical(table) == table)


@pytest.mark.parametrize("text", ["", "0" * 11, "0" * 13, "u" * 12, "00000000000!", "০" * 12, "0" * 11 + "\u0130"])
def test_what_is_no_id(text: str) -> None:
    assert canonical(text) is None
