"""The gate lets one contiguous, chained run through, and knows what a client lacks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.ports import Batch, Head, Stored
from server.rooms.gate import RECENT, Gate, Verdict

EPOCH = "e" * 16


def mark(seq: int, history: str = "a") -> str:
    return f"{history}{seq:015d}"


def batch(seq: int, history: str = "a", before: str | None = None) -> Batch:
    return Batch(seq, mark(seq - 1, before or history), mark(seq, history), "{}")


def stored(seq: int, known: int | None = None, history: str = "a", epoch: str = EPOCH) -> Stored:
    batches = () if known is None else tuple(batch(n, history) for n in range(known + 1, seq + 1))
    return Stored(epoch, Head(0, seq, seq, mark(seq, history), None, 0), b"", batches)


def test_it_steps_from_batch_to_batch() -> None:
    gate = Gate(stored(5))
    assert gate.offer(batch(6)) is Verdict.NEXT
    assert (gate.seq, gate.mark) == (6, mark(6))
    assert gate.offer(batch(6)) is Verdict.OLD
    assert gate.offer(batch(3)) is Verdict.OLD
    assert gate.offer(batch(9)) is Verdict.HOLE
    assert gate.seq == 6


def test_another_history_is_a_fork_whatever_its_numbers() -> None:
    gate = Gate(stored(5))
    assert gate.offer(batch(6, history="b")) is Verdict.FORK
    assert gate.offer(batch(5, history="b")) is Verdict.FORK
    gate.offer(batch(6))
    gate.offer(batch(7))
    assert gate.offer(batch(6, history="b", before="a")) is Verdict.FORK


@given(st.lists(st.integers(min_value=1, max_value=40)))
def test_whatever_is_offered_what_passes_is_dense_and_each_once(seqs: list[int]) -> None:
    gate = Gate(stored(1))
    passed = [seq for seq in seqs if gate.offer(batch(seq)) is Verdict.NEXT]
    assert passed == list(range(2, 2 + len(passed)))


def test_a_table_as_read_agrees_or_history_went_back() -> None:
    gate = Gate(stored(5))
    assert gate.agrees(stored(5, known=5), 5, mark(5))
    assert gate.agrees(stored(8, known=5), 5, mark(5))
    assert not gate.agrees(stored(4), 5, mark(5))
    assert not gate.agrees(stored(5, history="b"), 5, mark(5))
    assert not gate.agrees(stored(8, known=5, history="b"), 5, mark(5))
    assert not gate.agrees(stored(200, known=72), 5, mark(5)), "trimmed: the ends do not meet"
    assert not gate.agrees(stored(5, known=5, epoch="f" * 16), 5, mark(5))


def test_what_a_client_lacks() -> None:
    gate = Gate(stored(10, known=4))
    assert gate.missing((EPOCH, 10, mark(10))) == ()
    lacking = gate.missing((EPOCH, 7, mark(7)))
    assert lacking is not None
    assert [b.seq for b in lacking] == [8, 9, 10]
    assert gate.missing(("f" * 16, 7, mark(7))) is None
    assert gate.missing((EPOCH, 11, mark(11))) is None
    assert gate.missing((EPOCH, 10, mark(10, "b"))) is None
    assert gate.missing((EPOCH, 7, mark(7, "b"))) is None
    assert gate.missing((EPOCH, 2, mark(2))) is None
    read = tuple(batch(n) for n in range(1, 8))
    lacking = gate.missing((EPOCH, 2, mark(2)), read)
    assert lacking is not None
    assert [b.seq for b in lacking] == list(range(3, 11))


def test_memory_is_bounded() -> None:
    gate = Gate(stored(1))
    for seq in range(2, 500):
        gate.offer(batch(seq))
    assert gate.missing((EPOCH, 499 - RECENT, mark(499 - RECENT))) is not None
    assert gate.missing((EPOCH, 498 - RECENT, mark(498 - RECENT))) is None
