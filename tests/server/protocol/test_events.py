"""Events are frozen to the bottom, tagged each with its own word, and named in the past tense on the wire's terms."""

from __future__ import annotations

import dataclasses
from typing import get_args

import pytest

from server.protocol.events import Event, Moved, Settings, TableEvent


def test_each_type_is_its_own() -> None:
    types = [record.type for record in get_args(Event)]
    assert len(set(types)) == len(types) == 23


@pytest.mark.parametrize("record", get_args(TableEvent))
def test_a_record_is_frozen_and_slotted(record: type) -> None:
    assert record.__dataclass_params__.frozen  # type: ignore[attr-defined]  # a dataclass
    assert hasattr(record, "__slots__")
    assert not any("list" in str(field.type) or "dict" in str(field.type) for field in dataclasses.fields(record))


def test_records_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Moved((0, 1)).seats = ()  # type: ignore[misc]  # that is the test
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().seats = 3  # type: ignore[misc]  # that is the test
