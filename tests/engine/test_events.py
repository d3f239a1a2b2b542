"""The event records: frozen, slotted, and field for field the wire's."""

from dataclasses import FrozenInstanceError, fields

import pytest

from engine.events import Captured, Dealt, Ended, GameEvent, Out, Reshuffled, Revealed

FIELDS: dict[type[GameEvent], tuple[str, str]] = {
    Dealt: ("dealt", "table game deck length attempt stacks spares first cap commitment nonces"),
    Reshuffled: ("reshuffled", "seat cards shuffle"),
    Revealed: ("revealed", "n seat card on matched by"),
    Captured: ("captured", "seat cards"),
    Out: ("out", "seat"),
    Ended: ("ended", "reason winners held seed"),
}


@pytest.mark.parametrize("record", FIELDS)
def test_fields_are_the_wires(record: type[GameEvent]) -> None:
    assert (record.type, " ".join(field.name for field in fields(record))) == FIELDS[record]


@pytest.mark.parametrize("record", FIELDS)
def test_records_have_no_room_for_more(record: type[GameEvent]) -> None:
    assert "__dict__" not in dir(record)


def test_records_are_frozen() -> None:
    event = Captured(1, 2)
    with pytest.raises(FrozenInstanceError):
        event.seat = 2  # type: ignore[misc]  # that it may not be set is what is tested
