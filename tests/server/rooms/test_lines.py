"""The lines that a worker keeps: those of the batches it let through, as the store's own list has them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server.protocol.codec import encode
from server.rooms.lines import KEPT, Lines


def a_line(number: int, text: str = "x") -> dict[str, Any]:
    return {"type": "said", "id": f"m{number}", "seat": 0, "name": "Asha", "at": 5, "text": text}


def a_frame(*events: dict[str, Any]) -> str:
    return f'{{"epoch":"e","seq":1,"mark":"m","at":5,"events":{encode(events)}}}'


def test_a_said_line_is_kept_as_the_store_writes_it() -> None:
    lines = Lines()
    lines.take(a_frame(a_line(1, 'শাপলা "at":null \\ <b>')))
    assert lines.texts == (encode(a_line(1, 'শাপলা "at":null \\ <b>')),)
    assert lines.ids == ("m1",)
    assert Lines(lines.texts).texts == lines.texts


def test_what_is_only_written_is_no_event() -> None:
    lines = Lines([encode(a_line(1))])
    lines.take(a_frame({"type": "renamed", "seat": 0, "name": '"type":"unsaid","id":"m1"'}))
    lines.take(a_frame(a_line(2, '{"type":"unsaid","id":"m1"}')))
    assert lines.ids == ("m1", "m2")


@given(st.lists(st.one_of(st.just("said"), st.integers(0, 80)), max_size=130))
def test_over_the_same_batches_they_are_the_stores_list(steps: list[str | int]) -> None:
    lines, stored, number = Lines(), list[str](), 0
    for step in steps:
        if isinstance(step, str):
            number += 1
            lines.take(a_frame(a_line(number)))
            stored = [*stored, encode(a_line(number))][-KEPT:]
        else:
            lines.take(a_frame({"type": "unsaid", "id": f"m{step}"}))
            stored = [line for line in stored if json.loads(line)["id"] != f"m{step}"]
        assert list(lines.texts) == stored
