"""answers.py: the shapes that scripts return and publish; the rest is met by every other test here."""

from __future__ import annotations

import msgpack
import pytest

from server.ports import Gone, Presence, Published
from server.store import answers

MARK, OTHER = "a" * 16, "b" * 16


def test_batches_end_at_the_seq_and_have_no_holes() -> None:
    entries = [f"{MARK}{OTHER}{{{n}}}".encode() for n in range(3)]
    found = answers.batches(7, entries)
    assert [(b.seq, b.previous_mark, b.mark, b.frame) for b in found] == [
        (5, MARK, OTHER, "{0}"),
        (6, MARK, OTHER, "{1}"),
        (7, MARK, OTHER, "{2}"),
    ]
    assert answers.batches(7, []) == ()


def test_presence_is_open_only_when_it_says_so() -> None:
    flat = [b"g", b"1 1796087648640 1", b"h", b"2 5 0", b"i", b"3 6 2"]
    assert answers.presence(flat) == {
        "g": Presence(1, 1796087648640, True),
        "h": Presence(2, 5, False),
        "i": Presence(3, 6, False),
    }


def test_a_due_of_never() -> None:
    assert answers.due(b"-") is None
    assert answers.due(b"1796087648640") == 1796087648640


def test_a_commit_that_left_the_state_alone() -> None:
    parts = [2, 1, MARK, OTHER, 1796087648640, "-", "w", False, "{}", "1796087648000"]
    said = answers.message(msgpack.packb(parts))
    assert isinstance(said, Published)
    assert said.head.since == 1796087648000
    assert (said.state, said.head.due, said.head.now, said.batch.seq) == (None, None, 1796087648640, 2)


def test_a_word_for_one_guest() -> None:
    said = answers.message(msgpack.packb(["notice", "g", "nudged"]))
    assert said == answers.NoticeMessage("g", "nudged")


@pytest.mark.parametrize("payload", [b"", b"\xc1", msgpack.packb(["other"]), msgpack.packb([1, 2])])
def test_a_strange_message_is_an_error(payload: bytes) -> None:
    with pytest.raises(ValueError):
        answers.message(payload)


def test_gone() -> None:
    assert answers.outcome([b"gone"]) == Gone()
