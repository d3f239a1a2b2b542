"""What deciders take and give is frozen to the bottom: a clash decides again on the same."""

from __future__ import annotations

import dataclasses

import pytest

from server.rooms.decision import Decision, Drawn, Refusal


@pytest.mark.parametrize("value", [Drawn("g", frozenset({1}), "00"), Decision(), Refusal("over")])
def test_it_is_frozen_and_compared_by_value(value: Drawn | Decision | Refusal) -> None:
    assert value == dataclasses.replace(value)
    assert hash(value) == hash(dataclasses.replace(value))
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


def test_a_yes_without_facts_says_that_there_is_nothing_to_do() -> None:
    assert Decision().facts == ()
    assert (Decision().seat, Decision().receipt, Decision().freed, Decision().nudged) == (None, None, (), "")
